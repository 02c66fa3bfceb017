"""The page about the critics' ledger says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ophiuchus.ledgers.critic.finding import Lens
from ophiuchus.ledgers.critic.review import read_answer
from ophiuchus.ledgers.critic.rubric import CHECKS

PAGE = (Path(__file__).parents[2] / "docs" / "critic-ledger.md").read_text("utf-8")


@pytest.mark.parametrize("lens", Lens)
def test_the_answer_that_is_shown_is_one_of_every_lens_and_the_checks_of_each_stand_there(lens: Lens) -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert read_answer(lens, shown.encode()).findings
    assert f"| `{lens}` | {', '.join(f'`{check}`' for check in CHECKS[lens])} |" in PAGE
