"""`critic review`: three lenses, each a fresh process of the caller's program, and what they find.

The program gets a prompt on its standard input and prints one JSON object. Which lens and which model are
meant is also in its environment, for a program that can choose.
"""

from __future__ import annotations

import argparse
import secrets
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from ophiuchus.commands.critic_validate import shown
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.given_file import read_given
from ophiuchus.commands.ledger_place import place_of, settings_in
from ophiuchus.commands.ledger_telling import say_json
from ophiuchus.commands.program import ProgramFailed, run_program
from ophiuchus.ledgers.append import hold
from ophiuchus.ledgers.critic.evidence import Reviewed, critic_evidence, ledger_patch
from ophiuchus.ledgers.critic.finding import Lens, is_open_blocking
from ophiuchus.ledgers.critic.models import select_critic_model
from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.critic.review import (
    Answer,
    Subject,
    lens_prompt,
    read_answer,
    refuse_unfit,
    review_rows,
)
from ophiuchus.ledgers.critic.rework import Rework, decide_rework
from ophiuchus.ledgers.critic.validation import FINDINGS
from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.text.problem import ExpectedFailure

LENS, MODEL = "OPHIUCHUS_CRITIC_LENS", "OPHIUCHUS_CRITIC_MODEL"
_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
SECONDS = 600.0
"""Most seconds of one lens, unless another limit is given."""
MOST_SECONDS = 86_400.0
"""Most seconds that may be given for one lens: a day."""
MOST_GENERATIONS = 1_000
"""Most times that a phase was done again."""
MOST_ARTIFACT = 512 * 1024
"""Most bytes of work that is shown to a critic."""


class CriticSpawnFailed(ExpectedFailure):
    """The executor gave no answer (CROSS_MODEL_CRITIC_SPAWN_FAILED)."""

    def __init__(self, lens: Lens | None, how: str) -> None:
        who = f" for the {lens}" if lens else ""
        super().__init__(
            f"{CriticReason.CRITIC_SPAWN_FAILED}: the executor{who} {how}",
            "Nothing of this review was written. Run the program by hand with a prompt on its stdin.",
        )


class ArtifactUnreadable(ExpectedFailure):
    """The work that is to be reviewed cannot be shown to a critic."""


def add_review(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `critic review`."""
    parser.add_argument(
        "--executor",
        required=True,
        metavar="CMD",
        help="the program, split as a shell would, started once a lens",
    )
    parser.add_argument("--run", required=True, metavar="ID", help="the orchestrator's run")
    parser.add_argument("--phase", required=True, metavar="ID", help="the phase whose result is reviewed")
    parser.add_argument("--role", required=True, metavar="ROLE", help="the producer's role")
    parser.add_argument(
        "--artifact",
        action="append",
        required=True,
        metavar="FILE",
        help="the work; - reads stdin; may be repeated",
    )
    parser.add_argument(
        "--producer", default="", metavar="MODEL", help="who worked (default: the one in use)"
    )
    parser.add_argument("--critic", metavar="MODEL", help="who looks (default: as `critic select` chooses)")
    parser.add_argument(
        "--generation",
        type=_generation,
        default=0,
        metavar="N",
        help="how often the phase was done again (default: 0)",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=SECONDS,
        metavar="SECONDS",
        help=f"for each lens (default: {SECONDS:g})",
    )


def run_review(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Ask all three, then write all they found, or nothing. Prints what was made of it as JSON."""
    settings = settings_in(arguments, edge)
    if not settings.cross_model_review:
        edge.terminal.warn(f"{CriticReason.REVIEW_DISABLED}: CROSS_MODEL_REVIEW is 0; nobody was asked")
        return ExitStatus.DONE
    choice = select_critic_model(arguments.producer, settings, arguments.critic)
    models = (choice.producer_model_id, choice.critic_model_id)
    subject = Subject(arguments.run, arguments.phase, arguments.role, *models, arguments.generation)
    refuse_unfit(subject)
    if choice.reason:
        edge.terminal.warn(
            f"{choice.reason}: {choice.critic_model_id} looks at its own work, through three lenses"
        )
    answers = _answers(arguments, subject, _artifact(arguments.artifact, edge), edge)
    rows = review_rows(subject, answers, lambda: str(uuid4()), edge.now).findings
    root, place = place_of(arguments, FINDINGS)
    with hold(root, place) as ledger:
        ledger.append_all(rows, compact=False)
    rework = decide_rework(
        rows,
        subject.run_id,
        subject.phase_id,
        threshold=settings.cross_model_antislop_threshold,
        rework_max=settings.cross_model_rework_max,
        profile=Profile.COMPAT,
    )
    reviewed = Reviewed(*models, choice.degraded)
    for_ledger = _ledger_row(subject, reviewed, edge) if settings.ai_decision_ledger else None
    say_json(_account(rows, rework, reviewed, for_ledger), edge)
    return ExitStatus.DONE


def _account(
    rows: Sequence[Mapping[str, Any]],
    rework: Rework,
    reviewed: Reviewed,
    for_ledger: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What was found, what was made of it, and what a decision ledger is to say, if there is one."""
    return {
        "findings": [shown(row) for row in rows],
        "open_blocking_count": sum(map(is_open_blocking, rows)),
        "decision": rework.words,
        "reason": rework.reason,
        **critic_evidence(reviewed, rework),
        "decision_ledger_row": for_ledger,
    }


def _ledger_row(subject: Subject, reviewed: Reviewed, edge: Edge) -> dict[str, Any]:
    """What a decision ledger is to say of this review."""
    return ledger_patch(
        reviewed,
        run_id=subject.run_id,
        phase_id=subject.phase_id,
        role=subject.role,
        decision_id=str(uuid4()),
        now=edge.now,
    )


def _generation(text: str) -> int:
    with suppress(ValueError):
        if 0 <= (number := int(text)) <= MOST_GENERATIONS:
            return number
    raise argparse.ArgumentTypeError(f"must be a number from 0 to {MOST_GENERATIONS}")


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 < (seconds := float(text)) <= MOST_SECONDS:  # NaN is within no bounds
            return seconds
    raise argparse.ArgumentTypeError(f"must be more than 0 and at most {MOST_SECONDS:g} seconds")


def _answers(
    arguments: argparse.Namespace, subject: Subject, artifact: str, edge: Edge
) -> dict[Lens, Answer]:
    try:
        words = shlex.split(arguments.executor)
    except ValueError:
        raise CriticSpawnFailed(None, "cannot be split into words: a quote is not closed") from None
    if not words:
        raise CriticSpawnFailed(None, "is not named")
    answers = {}
    for lens in Lens:
        prompt = lens_prompt(lens, subject, artifact, secrets.token_hex(16))
        env = {**_without_our_credentials(edge.env), LENS: lens.value, MODEL: subject.critic_model_id}
        try:
            printed = run_program(words, env, prompt.encode("utf-8", "replace"), arguments.timeout)
        except ProgramFailed as failed:
            raise CriticSpawnFailed(lens, failed.how) from None
        answers[lens] = read_answer(lens, printed)
    return answers


def _without_our_credentials(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without what is this job's alone: the work may talk a critic into much."""
    return {
        name: value
        for name, value in env.items()
        if name not in _TOKENS and not name.startswith(("ACTIONS_", "INPUT_", "OPHIUCHUS_"))
    }


def _artifact(names: list[str], edge: Edge) -> str:
    parts, left = [], MOST_ARTIFACT
    for name in names:
        data = read_given(name, edge, left)
        left -= len(data)
        if left < 0:
            raise ArtifactUnreadable(
                f"the work is larger than {MOST_ARTIFACT:,} bytes",
                "Review it in parts, or give a diff of it.",
            )
        parts.append(data.decode("utf-8", "replace"))
    return "\n".join(parts)
