"""What all tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_repository import ENV, Repository
from hypothesis import HealthCheck, settings

from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.scratch import Scratch, open_scratch

# How long an example takes depends on what else the machine does. With CI set, Hypothesis has a profile of
# its own that leaves time out too.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
if not os.environ.get("CI"):
    settings.load_profile("unhurried")

# A shell's background job ignores SIGINT, and so does all that it starts; some tests send it to a process.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Without a commit yet; modules that want another one have their own."""
    return Repository.create(tmp_path / "r")


@pytest.fixture
def scratch(repository: Repository) -> Iterator[Scratch]:
    """A scratch repository that borrows the objects of `repository`, whatever is committed to it later."""
    with open_scratch(open_checkout(repository.top, ENV), ENV) as opened:
        yield opened
