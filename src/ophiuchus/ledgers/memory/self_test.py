"""Whether this installation computes what every other reader of the memory computes: `--self-test`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.decision_key import compute_decision_key
from ophiuchus.ledgers.memory.digest import NOTHING, build_digest
from ophiuchus.ledgers.memory.family import Family, family_of
from ophiuchus.ledgers.memory.mistakes import FAILURE_CODES, new_mistake
from ophiuchus.ledgers.memory.row import MistakeTag, RowJudge
from ophiuchus.ledgers.memory.tail import Entry, Tail
from ophiuchus.ledgers.settings import LedgerSettings

# Known from the decision's algorithm, worked out without this program.
_KEYS = {
    "Prefer create-on-first-write for sovereign-memory JSONL files": "d805cd959589342a",
    " prefer  CREATE-on-first-write": "4dcb822f18f71ea8",
}
_NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
_ID = "5a1c7e02-9b3d-4f60-8a27-1d2e3f405162"


def failures() -> Iterator[str]:
    """What is not as it must be; nothing where all is well."""
    for text, key in _KEYS.items():
        if compute_decision_key(text) != key:
            yield f"the key of {text!r} is not {key}"
    for family in Family:
        if family_of(family.place.name) is not family:
            yield f"the family of {family.place.name} is not {family}"
    judge = RowJudge(Family.MISTAKES, Profile.STRICT)
    for tag in MistakeTag:
        row = new_mistake(tag, {"text": FAILURE_CODES[tag]}, _NOON, _ID)
        if judge.judge(row).faults:
            yield f"a mistake {tag} is no row by the letter"
    yield from _digest_failures()


def _digest_failures() -> Iterator[str]:
    on = LedgerSettings(sovereign_memory=True)
    if build_digest({}, on).digest_text != NOTHING or build_digest({}, LedgerSettings()).digest_text:
        yield "an empty memory, or one that is off, has another digest"
    tail = Tail((Entry(Family.PATTERNS, _ID, _NOON, 1, "x" * 500),), cut=False, unusable=0)
    for most in (0, 1, 2, 3, 100):
        capped = build_digest({Family.PATTERNS: tail}, replace(on, sovereign_memory_max_chars=most))
        if capped.char_count != most:
            yield f"a digest of at most {most} characters has another length"
