"""A program that the caller names: what it is told, and how far it is heard."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from ophiuchus.commands.program import MOST_PRINTED, ProgramFailed, run_program

ENV = {"PATH": os.defpath}


@pytest.mark.parametrize("said", [b"", b"a word", bytes(range(256)) * (MOST_PRINTED // 256)])
def test_a_program_gets_all_that_is_said_and_is_heard_to_its_end(said: bytes) -> None:
    assert run_program(["cat"], ENV, said, 20.0) == said


def test_one_byte_too_many_is_told() -> None:
    with pytest.raises(ProgramFailed, match="printed more than"):
        run_program(["cat"], ENV, b"x" * (MOST_PRINTED + 1), 20.0)


@pytest.mark.parametrize(
    "script",
    [
        "exec <&-; echo heard",  # it takes nothing of what is said
        "head -c 1 >/dev/null; echo heard",
    ],
)
def test_a_program_need_not_listen(script: str) -> None:
    assert run_program(["sh", "-c", script], ENV, b"x" * MOST_PRINTED, 20.0) == b"heard\n"


@pytest.mark.parametrize(
    "script",
    ["sleep 60", "exec >&-; sleep 60", "while echo again; do sleep 0.01; done"],
)
def test_a_program_has_so_much_time(script: str) -> None:
    with pytest.raises(ProgramFailed, match=r"took longer than 0\.5 seconds"):
        run_program(["sh", "-c", script], ENV, b"", 0.5)


@pytest.mark.parametrize("start", ["sleep 60", "setsid sleep 5"])
@pytest.mark.parametrize("said", [b"", b"x" * MOST_PRINTED])
def test_what_a_program_leaves_running_does_not_keep_the_run(start: str, said: bytes) -> None:
    """It holds stdout and stdin, and need not even be in the program's process group."""
    if start.startswith("setsid") and shutil.which("setsid", path=ENV["PATH"]) is None:
        pytest.skip("there is no setsid here")
    began = time.monotonic()
    script = f"exec 3<&0; {start} <&3 & echo early"
    assert run_program(["sh", "-c", script], ENV, said, 20.0) == b"early\n"
    assert time.monotonic() - began < 4


def test_what_a_program_printed_is_read_whole_where_another_holds_its_stdout() -> None:
    script = f"sleep 60 & head -c {MOST_PRINTED} /dev/zero"
    assert run_program(["sh", "-c", script], ENV, b"", 20.0) == bytes(MOST_PRINTED)


def test_what_is_left_cannot_print_without_end() -> None:
    with pytest.raises(ProgramFailed, match="printed more than"):
        run_program(["sh", "-c", "yes & echo early"], ENV, b"", 20.0)
