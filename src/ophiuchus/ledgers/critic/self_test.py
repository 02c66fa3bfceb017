"""Whether this installation computes what every other reader of the ledger computes: `--self-test`."""

from __future__ import annotations

from collections.abc import Iterator

from ophiuchus.ledgers.critic.finding import REQUIRED, Lens, faults
from ophiuchus.ledgers.critic.issue_key import compute_issue_key
from ophiuchus.ledgers.critic.rubric import CHECKS, aggregate, score_lens
from ophiuchus.ledgers.jsonl import Profile

# Known from the decision's algorithm, worked out without this program.
_KEYS = {
    "Race on concurrent append!": "ik_449f85acd0b7593a",
    "Shared coupling risk at module boundary": "ik_403f431038ea4e7e",
    "a" * 100: "ik_0f45e858fbc4176c",
}
_SCORES = [0, 2, 5, 8, 10]


def failures() -> Iterator[str]:
    """What is not as it must be; nothing where all is well."""
    for text, key in _KEYS.items():
        if compute_issue_key(text) != key:
            yield f"the issue key of {text[:40]!r} is not {key}"
    for lens in Lens:
        names = list(CHECKS[lens])
        scores = [score_lens(lens, dict.fromkeys(names[:hits], True)) for hits in range(5)]
        if scores != _SCORES:
            yield f"the scores of the {lens} are not {_SCORES}"
    if aggregate([7, 3, 9]) != 3:
        yield "the aggregate is not the least score"
    if len(REQUIRED) != 15 or len(faults({}, Profile.COMPAT)) != 15:
        yield "a row without fields does not lack 15"
