from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from ophiuchus.commands import token_command
from ophiuchus.commands.token_command import NoToken, read_token

TOKEN = "ey" + "J0.canary"


def program(code: str) -> str:
    return shlex.join([sys.executable, "-I", "-c", code])


@pytest.mark.parametrize("printed", [TOKEN, f"{TOKEN}\n", f"  {TOKEN}\r\n"])
def test_what_the_program_prints_is_the_token(printed: str) -> None:
    assert read_token(program(f"print({printed!r}, end='')"), {}) == TOKEN


def test_it_gets_the_given_environment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_PROCESS", "x")
    code = "import os; print(os.environ['GIVEN'] + str('OF_THE_PROCESS' in os.environ))"
    assert read_token(program(code), {"GIVEN": "t"}) == "tFalse"


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    script = tmp_path / "tell"
    script.write_text(f"#!{sys.executable} -I\nimport sys; print(''.join(sys.argv[1:]))\n")
    script.chmod(0o755)
    assert read_token(f"'{script}' $HOME ; '*' `id`", {}) == "$HOME;*`id`"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (program(f"print('{TOKEN}'); raise SystemExit(3)"), "status 3"),
        (program(f"import sys; sys.stderr.write('{TOKEN}')"), "nothing that can be a token"),
        (program(f"print('{TOKEN} {TOKEN}')"), "nothing that can be a token"),
        (program(f"import sys; sys.stdout.buffer.write(b'{TOKEN}\\xff')"), "nothing that can be a token"),
        (program(f"print('{TOKEN}' * 10000)"), "nothing that can be a token"),
        (f"/nowhere/{TOKEN}", "could not be started"),
        (f"echo '{TOKEN}", "quote"),
        ("", "not named"),
        ("  ", "not named"),
    ],
)
def test_a_program_that_gives_none_is_told_without_what_it_said(
    command: str, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(NoToken) as failure:
        read_token(command, {"PATH": os.defpath})
    assert told in failure.value.message
    assert token_command.VARIABLE in failure.value.remedy
    assert "canary" not in failure.value.message + failure.value.remedy
    assert capfd.readouterr() == ("", "")


def test_a_program_that_does_not_end_is_stopped_with_all_that_it_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(token_command, "SECONDS", 0.5)
    note = tmp_path / "child"
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    start = time.monotonic()
    with pytest.raises(NoToken, match="longer than"):
        read_token(program(code), {})
    assert time.monotonic() - start < 10
    child = Path("/proc", note.read_text(), "stat")
    while child.exists() and child.read_text().split()[2] != "Z":
        assert time.monotonic() - start < 10
        time.sleep(0.05)


def test_a_program_that_does_not_stop_printing_is_not_heard_out() -> None:
    code = "import os, time\nfor _ in range(40): os.write(1, b'x' * 65536)\ntime.sleep(60)"
    start = time.monotonic()
    with pytest.raises(NoToken, match="printed more than"):
        read_token(program(code), {})
    assert time.monotonic() - start < 10
