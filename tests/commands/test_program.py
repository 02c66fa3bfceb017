"""A program that the caller names: what it is told, and how far it is heard."""

from __future__ import annotations

import os

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
    ["sleep 60", "exec >&-; sleep 60", "sleep 60 & echo early", "while echo again; do sleep 0.01; done"],
)
def test_a_program_has_so_much_time(script: str) -> None:
    with pytest.raises(ProgramFailed, match=r"took longer than 0\.5 seconds"):
        run_program(["sh", "-c", script], ENV, b"", 0.5)
