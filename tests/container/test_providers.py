"""Every adapter inside the image, where the Teams SDK is cut down to what is needed."""

from __future__ import annotations

import subprocess

import pytest
from fault_server import FAULTS, FaultServer
from services import SERVICES, Service
from write_elsewhere import PROGRAM, answer, question

from ophiuchus.publish.capability import Operation

pytestmark = pytest.mark.container

MOST_MEGABYTES = 330


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
@pytest.mark.parametrize("operation", Operation)
def test_each_provider_can_be_written_to(image: str, service: Service, operation: Operation) -> None:
    exchange = service.exchanges[operation]
    with FaultServer(FAULTS[0], exchange.good) as server:
        done = subprocess.run(
            ["docker", "run", "--rm", "--interactive", "--network", "host",
             "--entrypoint", "/opt/venv/bin/python", image, "-I", "-c", PROGRAM],
            input=question(service, operation, server.origin),
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.stderr == ""
    left = answer(done.stdout)
    assert (left.status, left.reference) == ("published", str(exchange.made)), left.reason
    assert [request.method for request in server.requests] == ["POST"]


def test_the_image_with_all_providers_is_small(image: str) -> None:
    words = ["docker", "image", "inspect", "--format", "{{.Size}}", image]
    size = int(subprocess.run(words, capture_output=True, check=True).stdout) / 1e6
    assert size <= MOST_MEGABYTES
