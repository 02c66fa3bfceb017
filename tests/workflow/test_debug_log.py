from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import count

import pytest
from runner_model import commands_in

from ophiuchus.workflow.commands import CommandWriter
from ophiuchus.workflow.debug_log import DebugLog, Phase


def log(env: dict[str, str]) -> tuple[DebugLog, io.StringIO]:
    out = io.StringIO()
    moments: Iterator[int] = count(100)
    return DebugLog(CommandWriter(out), env, lambda: next(moments) / 4), out


def test_a_line_says_the_phase_the_time_since_the_start_and_the_counts() -> None:
    debugging, out = log({"RUNNER_DEBUG": "1"})
    debugging.note(Phase.INPUTS)
    debugging.note(Phase.JUDGED, capsules=12, problems=0)
    assert [(found.name, found.data) for found in commands_in(out.getvalue())] == [
        ("debug", "phase=inputs seconds=0.250"),
        ("debug", "phase=judged seconds=0.500 capsules=12 problems=0"),
    ]


@pytest.mark.parametrize("env", [{}, {"RUNNER_DEBUG": ""}, {"RUNNER_DEBUG": "0"}])
def test_nothing_is_written_where_nobody_debugs(env: dict[str, str]) -> None:
    debugging, out = log(env)
    debugging.note(Phase.JUDGED, capsules=1)
    assert out.getvalue() == ""


def test_what_is_no_number_cannot_get_in() -> None:
    debugging, out = log({"RUNNER_DEBUG": "1"})
    with pytest.raises(ValueError, match="format code 'd'"):
        debugging.note(Phase.JUDGED, capsules="text of a capsule")  # type: ignore[arg-type]
    assert out.getvalue() == ""
