"""Vectors about attribution: what a change made stale, added, declared anew or took away (design §4)."""

from __future__ import annotations

from collections.abc import Iterator

from vectors.history import History
from vectors.vector import FUTURE, PAST, Vector, capsule, committed, deadline, found, judged, paths, place


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield _introduced()
    yield _declared_anew()
    yield _base_is_no_ancestor()


def _introduced() -> Vector:
    history = History()
    first = history.commit({"a": "1", "b": "1", "c": "1", "d": "1"})
    base = history.commit(
        {
            "b": "2",
            **committed(
                capsule("broken", paths("a", base=first)),
                capsule("was-stale", paths("b", base=first)),
                capsule("one-more", deadline(PAST), paths("b", "c", "d", base=first)),
                capsule("mended", paths("a", base=first, condition_id="p"), deadline(FUTURE)),
                capsule("holds", paths("d", base=first)),
                capsule("optional", paths("a", base=first, required=False), deadline(FUTURE)),
            ),
        }
    )
    history.commit({"a": "2", "c": "2", **committed(capsule("added-stale", paths("b", base=first)))})
    return Vector(
        name="introduced",
        rules=("introduced", "one-more-glob", "before", "new", "required-only-introduces"),
        says="A condition that got worse, or has one more changed glob, is what the change introduced; a "
        "capsule that came with it is new instead.",
        history=history,
        base=base,
        expect={
            "evaluated": {"base": base},
            "capsules": [
                found(
                    "broken", "stale", judged("stale", introduced=True),
                    introduced=True, before="valid", new=False,
                ),
                found(
                    "was-stale", "stale", judged("stale", introduced=False),
                    introduced=False, before="stale",
                ),
                found(
                    "one-more", "stale",
                    judged("stale", condition_id="deadline", introduced=False),
                    judged("partially_stale", condition_id="paths", introduced=True),
                    introduced=True, before="stale",
                ),
                found("mended", "stale", introduced=True, before="valid"),
                found("holds", "valid", introduced=False, before="valid"),
                found("optional", "valid", introduced=False, before="valid"),
                found("added-stale", "stale", new=True, introduced=False, before=None),
            ],
        },
    )  # fmt: skip


def _declared_anew() -> Vector:
    history = History()
    first = history.commit({"a": "1"})
    base = history.commit(
        {
            "a": "2",
            **committed(
                capsule("edited", paths("a", base=first)),
                capsule("reworded", deadline(FUTURE)),
                capsule("deleted", paths("a", base=first)),
                capsule("left", paths("a", base=first)),
            ),
        }
    )
    history.commit(
        {
            place("deleted"): None,
            **committed(
                capsule("edited", paths("a", base=base)),
                capsule("reworded", deadline(FUTURE), state="Nearly done"),
                capsule("goes-on", deadline(FUTURE), parent_capsule_id="left"),
            ),
        }
    )
    return Vector(
        name="declared-anew",
        rules=("redeclared", "removed"),
        says="Edited conditions, and going on from a capsule that needed action, are declared anew; "
        "a deleted capsule is listed with what it was.",
        history=history,
        base=base,
        expect={
            "capsules": [
                found("edited", "valid", redeclared=True, new=False),
                found("reworded", "valid", redeclared=False),
                found("left", "stale", redeclared=False, continued=True),
                found("goes-on", "valid", redeclared=True, new=True),
            ],
            "removed": [{"path": place("deleted"), "capsule_id": "deleted", "before": "stale"}],
        },
    )


def _base_is_no_ancestor() -> Vector:
    history = History()
    first = history.commit({"a": "1"})
    declared = committed(capsule("cap", paths("a", base=first)))
    theirs = history.commit({"b": "theirs", **declared})
    history.commit({"a": "2", **declared}, on=first)
    return Vector(
        name="base-beside",
        rules=("ancestry-does-not-matter",),
        says="Trees are compared: a base on another branch is as good as an ancestor.",
        history=history,
        base=theirs,
        expect={"capsules": [found("cap", "stale", introduced=True, before="valid", new=False)]},
    )
