"""What a report shows of a row is bounded, and cut between what a reader takes for characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ophiuchus.report.ledger_rows import shown_id, shown_text
from ophiuchus.report.ledgers import ID_CHARACTERS, TEXT_CHARACTERS


@pytest.mark.parametrize(("shown", "most"), [(shown_id, ID_CHARACTERS), (shown_text, TEXT_CHARACTERS)])
def test_no_letter_is_parted_from_its_mark(shown: Callable[[Any], str], most: int) -> None:
    assert shown("x" * most) == "x" * most
    assert shown("x" * (most - 1) + "e\u0301") == "x" * (most - 1)


@pytest.mark.parametrize("value", [None, 1, ["x"]])
def test_what_is_no_text_is_shown_as_none(value: Any) -> None:
    assert (shown_id(value), shown_text(value)) == ("", "")
