"""Vectors about git_paths: what changed between two trees, and how that is known (design §3, §4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from vectors.history import History, executable, link, submodule
from vectors.vector import Fragment, Vector, capsule, committed, found, glob, judged, notice, paths

_ABSENT = "1" * 40
_NOTHING = f"sha256:{hashlib.sha256(b'sha1' + bytes(1)).hexdigest()}"


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield _changes()
    yield _trees_not_history()
    yield _verdicts()
    yield _matches_nothing()
    yield _bases()
    yield _anchors()
    yield _anchors_of_nothing()
    yield _disagreement()


def _changes() -> Vector:
    history = History()
    base = history.commit(
        {
            "a/gone": "1", "a/text": "1", "a/mode": "1", "a/both": "1", "a/type": "1",
            "a/module": submodule("2" * 40), "b/kept": "1",
        }
    )  # fmt: skip
    history.commit(
        {
            "a/gone": None, "a/text": "2", "a/mode": executable("1"), "a/both": executable("2"),
            "a/type": link("text"), "a/module": submodule("3" * 40), b"a/caf\xe9": "new",
            **committed(capsule("kinds", paths("a/**", "b/**", base=base))),
        }
    )  # fmt: skip
    changed = {
        "a/gone": "deleted", "a/text": "content", "a/mode": "mode", "a/both": "content", "a/type": "type",
        "a/module": "submodule", "a/caf\\xe9": "added",
    }  # fmt: skip
    globs = (glob("a/**", "changed", **changed), glob("b/**", "unchanged"))
    return Vector(
        name="kinds-of-change",
        rules=("kinds-of-change", "odd-names"),
        says="Every changed path is told with how it changed; bytes that are not UTF-8 are spelled.",
        history=history,
        expect={
            "capsules": [
                found("kinds", "partially_stale", judged("partially_stale", *globs, method="base_tree"))
            ]
        },
    )


def _trees_not_history() -> Vector:
    history = History()
    base = history.commit({"a/x": "1", "b/x": "1", "c/x": "1"})
    history.commit({"a/x": "2", "b/x": None, "elsewhere/x": "1"})
    history.commit(
        {
            "a/x": "1",
            **committed(
                capsule("back", paths("a/**", base=base)), capsule("renamed", paths("b/**", base=base))
            ),
        }
    )
    return Vector(
        name="trees-not-history",
        rules=("trees-compared", "rename-out", "nothing-compared"),
        says="Changed and changed back is unchanged; a rename out of the glob is a change. Without a base "
        "nothing is known of this change's share.",
        history=history,
        expect={
            "capsules": [
                found("renamed", "stale", judged("stale", glob("b/**", "changed", **{"b/x": "deleted"}))),
                found("back", "valid", judged("valid", glob("a/**", "unchanged"), introduced=None), new=None),
            ]
        },
    )


def _verdicts() -> Vector:
    history = History()
    base = history.commit({"a": "1", "b": "1", "c": "1"})
    history.commit(
        {
            "b": "2",
            "c": "2",
            **committed(
                capsule("all-same", paths("a", base=base)),
                capsule("some", paths("a", "b", base=base)),
                capsule("all-changed", paths("b", "c", base=base)),
                capsule("some-unread", paths("a", "/a", base=base)),
                capsule("changed-unread", paths("b", "/a", base=base)),
                capsule("none-read", paths("/a", "../b", base=base)),
            ),
        }
    )
    unread = glob("/a", "not_evaluated")
    return Vector(
        name="verdict-of-globs",
        rules=("all-unchanged", "some-changed", "all-changed", "none-evaluated", "left-out-of-ratio"),
        says="The verdict counts the globs that could be evaluated; the others are named in a notice.",
        history=history,
        expect={
            "capsules": [
                found("all-same", "valid", judged("valid", glob("a", "unchanged"))),
                found("some", "partially_stale"),
                found("all-changed", "stale"),
                found("some-unread", "valid", judged("valid", glob("a", "unchanged"), unread)),
                found("changed-unread", "stale", judged("stale", glob("b", "changed"), unread)),
                found("none-read", "unverifiable"),
            ],
            "notices": [
                notice("some-unread", "glob_not_evaluated"),
                notice("changed-unread", "glob_not_evaluated"),
                notice("none-read", "glob_not_evaluated"),
                notice("none-read", "glob_not_evaluated"),
            ],
        },
    )


def _matches_nothing() -> Vector:
    history = History()
    base = history.commit({"gone/x": "1", "kept": "1"})
    history.commit(
        {
            "gone/x": None,
            "came/x": "1",
            **committed(
                capsule("gone", paths("gone/**", base=base)),
                capsule("came", paths("came/**", base=base)),
                capsule("neither", paths("nowhere/**", base=base)),
            ),
        }
    )
    return Vector(
        name="matches-nothing",
        rules=("matches-nothing", "gone-is-changed"),
        says="A glob that matches in neither tree is not evaluated; one whose files went or came is changed.",
        history=history,
        expect={
            "capsules": [
                found("gone", "stale"),
                found("came", "stale"),
                found("neither", "unverifiable", judged("unverifiable", glob("nowhere/**", "not_evaluated"))),
            ]
        },
    )


def _bases() -> Vector:
    history = History()
    base = history.commit({"a": "1"})
    grounded = {"condition_id": "paths", "kind": "git_paths", "paths": ["a"]}
    history.commit(
        committed(
            capsule("absent", paths("a", base=_ABSENT)),
            capsule("no-base", paths("a", base=None)),
            capsule("short-id", paths("a", base=base[:12])),
            capsule("grounded", grounded, grounding={"commit": base}),
            capsule(
                "bad-ground",
                grounded,
                paths("a", base=base, condition_id="own"),
                grounding={"commit": "main"},
            ),
        )
    )
    return Vector(
        name="bases",
        rules=("base-absent", "no-base", "malformed-commit", "grounding-commit", "needs-action"),
        says="A base that is absent, not declared or no full id makes its condition unverifiable, with a "
        "remedy; the grounding's commit is the default.",
        history=history,
        expect={
            "capsules": [
                found("absent", "unverifiable", judged("unverifiable"), needs_action=True),
                found("no-base", "unverifiable", judged("unverifiable")),
                found("short-id", "unverifiable", judged("unverifiable"), needs_action=True),
                found("grounded", "valid"),
                found(
                    "bad-ground", "unverifiable",
                    judged("unverifiable", condition_id="paths"), judged("valid", condition_id="own"),
                ),
            ],
            "problems": [],
        },
    )  # fmt: skip


def _anchors() -> Vector:
    history = History()
    base = history.commit({"a/x": "1", "a/y": "1", "b/x": "1"})
    of_a, of_b = history.anchor(base, "a/x", "a/y"), history.anchor(base, "b/x")
    history.commit(
        {
            "b/x": "2",
            **committed(
                capsule("equal", paths("a/**", base=_ABSENT, anchors={"a/**": of_a})),
                capsule("differs", paths("b/**", base=_ABSENT, anchors={"b/**": of_b})),
                capsule("without-base", paths("a/**", "b/**", anchors={"a/**": of_a, "b/**": of_b})),
                capsule("one-of-two", paths("a/**", "b/**", anchors={"a/**": of_a})),
                capsule("changed-and-bare", paths("b/**", "a/**", anchors={"b/**": of_b})),
            ),
        }
    )
    unknown: Fragment = {"glob": "b/**", "result": "changed", "changed_count": None, "changed": []}
    return Vector(
        name="anchors",
        rules=("anchor-digest", "anchor-equal", "anchor-differs", "anchor-missing"),
        says="Where the base tree is not there, a digest tells whether a glob changed, but not which paths; "
        "beside a glob without either, unchanged is not enough for valid.",
        history=history,
        expect={
            "capsules": [
                found("equal", "valid", judged("valid", glob("a/**", "unchanged"), method="anchor")),
                found("differs", "stale", judged("stale", unknown, method="anchor")),
                found("without-base", "partially_stale", judged("partially_stale", method="anchor")),
                found(
                    "one-of-two", "unverifiable",
                    judged("unverifiable", glob("a/**", "unchanged"), glob("b/**", "not_evaluated")),
                ),
                found("changed-and-bare", "stale"),
            ]
        },
    )  # fmt: skip


def _anchors_of_nothing() -> Vector:
    history = History()
    history.commit(
        {
            "came/x": "1",
            **committed(
                capsule("still", paths("none/**", anchors={"none/**": _NOTHING})),
                capsule("came", paths("came/**", anchors={"came/**": _NOTHING})),
            ),
        }
    )
    return Vector(
        name="anchors-of-nothing",
        rules=("anchor-of-nothing",),
        says="The digest of nothing: still nothing is not evaluated, something is changed.",
        history=history,
        expect={
            "capsules": [
                found("came", "stale", judged("stale", glob("came/**", "changed"))),
                found("still", "unverifiable", judged("unverifiable", glob("none/**", "not_evaluated"))),
            ]
        },
    )


def _disagreement() -> Vector:
    history = History()
    base = history.commit({"a": "1"})
    wrong = f"sha256:{'0' * 64}"
    history.commit(committed(capsule("both", paths("a", base=base, anchors={"a": wrong}))))
    return Vector(
        name="base-and-anchor-disagree",
        rules=("base-decides",),
        says="Where base and anchor disagree, the base decides, and a notice says so.",
        history=history,
        expect={
            "capsules": [found("both", "valid", judged("valid", method="base_tree"))],
            "notices": [notice("both", "anchor_disagrees")],
        },
    )
