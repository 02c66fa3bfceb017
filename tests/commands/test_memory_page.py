"""The page about the memory's ledgers says what the code does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from git_repository import ENV

from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.reasons import MemoryReason
from ophiuchus.ledgers.memory.row import FIELDS, DriftType, MistakeTag, Status
from ophiuchus.ledgers.settings import LedgerSettings

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "docs" / "memory-ledger.md").read_text("utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_every_reason_code_is_explained() -> None:
    for reason in MemoryReason:
        assert f"| `{reason}` |" in PAGE


@pytest.mark.parametrize("family", Family)
def test_what_a_row_of_each_family_needs_stands_there(family: Family) -> None:
    fields = dict(re.findall(r"^\| (.*?) \| (.*) \|$", PAGE, re.MULTILINE))
    named = (fields["all four"], fields[f"`{family}`"], fields["and what it may have"])
    told = re.findall(r"`(\w+)`", " ".join(named))
    assert sorted(FIELDS[family]) == sorted(name for name in told if name in FIELDS[family])
    for name, closed in (("status", Status), ("mistake_tag", MistakeTag), ("drift_type", DriftType)):
        if name in FIELDS[family]:
            assert f"`{name}` ({', '.join(f'`{word}`' for word in closed)})" in PAGE


def test_every_setting_stands_there_with_its_default() -> None:
    for field in fields(LedgerSettings):
        if field.name.startswith("sovereign_memory"):
            default = int(getattr(LedgerSettings(), field.name))
            assert f"| `{field.name.upper()}` | {default} |" in PAGE


@pytest.mark.skipif(os.name != "posix", reason="the commands are a POSIX shell's")
def test_the_commands_work_as_written(tmp_path: Path) -> None:
    (config,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / ".ophiuchus").mkdir()
    (tmp_path / ".ophiuchus/config.toml").write_text(config)
    (tmp_path / "patterns.jsonl").write_bytes(b"")  # the page judges a file of this name
    program = tmp_path / "ophiuchus"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ophiuchus.cli "$@"\n')
    program.chmod(0o755)
    env = {**ENV, "PATH": f"{tmp_path}{os.pathsep}{ENV['PATH']}", "PYTHONPATH": str(PROJECT / "src")}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "".join(BLOCKS)],
        cwd=tmp_path,
        env=env,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    assert "[SOVEREIGN_MEMORY_VALIDATION_OK]" in done.stdout
    assert "[patterns]" in done.stdout
    assert "SOVEREIGN_MEMORY_PROMOTION_SKIPPED" in done.stdout
