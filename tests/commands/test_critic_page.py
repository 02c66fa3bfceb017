"""The page about the critics' ledger says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_run import CommandRun
from critic_rows import finding, lines

from ophiuchus.ledgers.critic.finding import Lens
from ophiuchus.ledgers.critic.review import read_answer
from ophiuchus.ledgers.critic.rubric import CHECKS
from ophiuchus.ledgers.critic.validation import FINDINGS

PAGE = (Path(__file__).parents[2] / "docs" / "critic-ledger.md").read_text("utf-8")


def test_the_gate_prints_by_default_what_the_page_says(tmp_path: Path) -> None:
    row = finding(blocking=True, anti_slop_score=0)
    (tmp_path / FINDINGS).parent.mkdir()
    (tmp_path / FINDINGS).write_bytes(lines(row))
    named = ("--run", row["orchestrator_run_id"], "--phase", row["phase_id"])
    run = CommandRun(tmp_path, "critic", "gate", *named, env={"CROSS_MODEL_REVIEW": "1"})
    assert run.out.startswith("rework 1 of 1 (")
    assert "It prints `pass`, `rework 1 of 1` or" in PAGE


@pytest.mark.parametrize("lens", Lens)
def test_the_answer_that_is_shown_is_one_of_every_lens_and_the_checks_of_each_stand_there(lens: Lens) -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert read_answer(lens, shown.encode()).findings
    assert f"| `{lens}` | {', '.join(f'`{check}`' for check in CHECKS[lens])} |" in PAGE
