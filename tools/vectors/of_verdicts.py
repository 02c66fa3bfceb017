"""Vectors about the other conditions, the aggregate, and who has to act (design §4)."""

from __future__ import annotations

from collections.abc import Iterator

from vectors.history import History
from vectors.vector import FUTURE, NOW, PAST, Vector, capsule, committed, deadline, found, judged, paths

_SCOPE = {"condition_id": "scope", "kind": "declared_scope", "scope": "the auth module"}
_MALFORMED = {
    "no-offset": "2026-08-01T00:00:00", "hour-24": "2026-08-01T24:00:00Z",
    "second-60": "2026-08-01T23:59:60Z", "date-only": "2026-08-01", "words": "next week",
    "no-such-day": "2026-02-30T00:00:00Z",
}  # fmt: skip


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield _deadlines()
    yield _malformed_deadlines()
    yield _scope()
    yield _aggregates()


def _deadlines() -> Vector:
    history = History()
    history.commit(
        committed(
            capsule("ahead", deadline("2026-07-01T12:00:01Z")),
            capsule("now", deadline(NOW)),
            capsule("past", deadline(PAST)),
            capsule("offset-ahead", deadline("2026-07-01T14:30:00+02:00")),
            capsule("offset-past", deadline("2026-07-01T13:30:00+02:00")),
        )
    )
    return Vector(
        name="deadlines",
        rules=("time-window",),
        says="Valid while `now` is before the moment; at the moment it is over.",
        history=history,
        expect={
            "capsules": [
                found("ahead", "valid"),
                found("now", "stale"),
                found("past", "stale", judged("stale"), needs_action=True),
                found("offset-ahead", "valid"),
                found("offset-past", "stale"),
            ]
        },
    )


def _malformed_deadlines() -> Vector:
    history = History()
    history.commit(committed(*(capsule(name, deadline(text)) for name, text in _MALFORMED.items())))
    return Vector(
        name="malformed-deadlines",
        rules=("malformed-deadline", "needs-action"),
        says="What is no RFC 3339 moment with an offset is unverifiable, and somebody should mend it.",
        history=history,
        expect={
            "capsules": [
                found(name, "unverifiable", judged("unverifiable"), needs_action=True) for name in _MALFORMED
            ],
            "problems": [],
        },
    )


def _scope() -> Vector:
    history = History()
    history.commit(committed(capsule("scope", _SCOPE)))
    return Vector(
        name="declared-scope",
        rules=("declared-scope", "needs-action"),
        says="A declared scope cannot be checked, and alone it asks nobody to act.",
        history=history,
        expect={
            "capsules": [
                found("scope", "unverifiable", judged("unverifiable", remedy=None), needs_action=False)
            ]
        },
    )


def _aggregates() -> Vector:
    history = History()
    base = history.commit({"a": "1", "b": "1"})
    partly = paths("a", "b", base=base)
    past, ahead = deadline(PAST, condition_id="past"), deadline(FUTURE, condition_id="ahead")
    optional = {"required": False}
    history.commit(
        {
            "a": "2",
            **committed(
                capsule("none"),
                capsule("only-optional", {**past, **optional}),
                capsule("stale-and-unverifiable", past, _SCOPE),
                capsule("stale-and-valid", past, ahead),
                capsule("stale-and-partly", past, partly),
                capsule("partly-and-unverifiable", partly, _SCOPE),
                capsule("valid-and-unverifiable", ahead, _SCOPE),
                capsule("valid-and-optional", ahead, {**past, **optional}),
                capsule("all-valid", ahead),
            ),
        }
    )
    return Vector(
        name="aggregate",
        rules=(
            "not-declared", "stale-and-unverifiable", "any-stale", "any-partly-stale", "any-unverifiable",
            "all-valid", "required-only",
        ),
        says="The first rule that applies to the required conditions; without any, nothing is declared.",
        history=history,
        expect={
            "capsules": [
                found("none", "not_declared", needs_action=False),
                found("only-optional", "not_declared", needs_action=False),
                found("stale-and-unverifiable", "partially_stale"),
                found("stale-and-valid", "stale"),
                found("stale-and-partly", "stale"),
                found("partly-and-unverifiable", "partially_stale"),
                found("valid-and-unverifiable", "unverifiable"),
                found("valid-and-optional", "valid"),
                found("all-valid", "valid"),
            ]
        },
    )  # fmt: skip
