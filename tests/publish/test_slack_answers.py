"""Slack's word is data: whatever it is, it comes out as one of our few answers."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from services import SLACK

from ophiuchus.publish.capability import Operation
from ophiuchus.publish.outcome import Elsewhere, Refusal
from ophiuchus.publish.providers.slack import _read_answer
from ophiuchus.publish.reference import Reference

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)
CODES = st.sampled_from(["fatal_error", "not_in_channel", "a" * 65, "a2", "2a", "NOT", "x y", "x\n", "é"])
TIMES = st.sampled_from(["1700000000.000100", "1700000000", "1.1/2.2", " 1.1", "1.1\n"])
ANSWERS = st.fixed_dictionaries(
    {}, optional={"ok": JSON | st.booleans(), "error": JSON | CODES, "ts": JSON | TIMES, "channel": JSON}
)


@given(st.sampled_from(Operation), ANSWERS)
def test_any_answer_is_read(operation: Operation, answer: dict[str, Any]) -> None:
    found = _read_answer(SLACK.write(operation), answer)
    if isinstance(found, Reference):
        assert answer["ok"] is True
        assert (found.part if operation is Operation.APPEND else found.artifact) == answer["ts"]
        assert re.fullmatch(r"[0-9]+\.[0-9]+", answer["ts"])
    elif isinstance(found, Refusal):
        assert answer["ok"] is False
        assert re.fullmatch("[a-z][a-z0-9_]{0,63}", found.code)
        assert not found.is_definite or found.code == answer["error"]
    else:
        assert found in (None, Elsewhere())
        assert answer.get("ok") is not False
        assert found is None or (answer["ok"] is True and answer["channel"] != SLACK.target)
