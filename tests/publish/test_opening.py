from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from services import SERVICES, Service

import ophiuchus
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.provider import CredentialMissing
from ophiuchus.publish.providers.opening import open_provider

SDKS = {
    ProviderName.GITHUB: "github",
    ProviderName.JIRA: "jira",
    ProviderName.CLICKUP: "httpx",
    ProviderName.SLACK: "slack_sdk",
    ProviderName.TEAMS: "msgraph",
}
ALSO = {ProviderName.TEAMS: {"httpx"}}
"""The SDK's own transport."""
CODE = """
import sys
from importlib.abc import MetaPathFinder
refused = set(sys.argv[2].split(","))
class Guard(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in refused:
            raise SystemExit("imported " + name)
sys.meta_path.insert(0, Guard())
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.providers.opening import open_provider
if sys.argv[1]:
    env = dict.fromkeys(sys.argv[3:], "x")
    open_provider(ProviderName(sys.argv[1]), env, "https://provider.invalid")
"""


def opening(provider: str, refused: set[str], variables: tuple[str, ...] = ()) -> str:
    """What is said where an SDK of `refused` is imported; empty where none is."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, provider, ",".join(refused), *variables],
        env={"PYTHONPATH": str(Path(ophiuchus.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.stderr.strip()


@pytest.mark.parametrize("provider", ProviderName)
def test_opening_one_provider_imports_its_sdk_and_no_other(provider: ProviderName) -> None:
    service = next(service for service in SERVICES if service.provider is provider)
    refused = set(SDKS.values()) - {SDKS[provider]} - ALSO.get(provider, set())
    assert opening(provider, refused, service.variables) == ""
    assert opening(provider, {SDKS[provider]}, service.variables) == f"imported {SDKS[provider]}"


def test_nothing_is_imported_before_one_is_opened() -> None:
    assert opening("", {*SDKS.values(), "asyncio", "http", "ssl", "socket"}) == ""


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_provider_checks_each_of_its_variables_when_it_is_opened(service: Service) -> None:
    for missing in service.variables:
        env = {name: "x" for name in service.variables if name != missing}
        with pytest.raises(CredentialMissing, match=missing):
            open_provider(service.provider, env, "http://127.0.0.1:1", service.deployment)
