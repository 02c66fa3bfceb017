"""Vectors about reading: which files are capsules, and what keeps one from being read (design §3)."""

from __future__ import annotations

from collections.abc import Iterator

from vectors.history import History, link
from vectors.vector import FUTURE, Vector, capsule, committed, deadline, found, notice, place, problem

_OLDER = capsule("older", schema_version=...)
_MARK = "\ufeff"


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield _versions()
    yield _bytes()
    yield _places()
    yield _fields()
    yield _titles()
    yield _expiry()
    yield _bounds()
    yield _unknown_words()


def _versions() -> Vector:
    history = History()
    texts = (
        _OLDER,
        capsule("newer", schema_version=2),
        *(
            capsule(f"odd-{number}", schema_version=odd)
            for number, odd in enumerate(("1", 0, 1.5, None, True))
        ),
    )
    history.commit(committed(*texts))
    return Vector(
        name="schema-version",
        rules=("version-absent", "version-newer", "version-other"),
        says="An absent version reads as 1, a larger integer is left alone, anything else is a problem.",
        history=history,
        expect={
            "capsules": [found("older", "not_declared")],
            "problems": [problem(f"odd-{number}", "bad_field") for number in range(5)],
            "notices": [notice("older", "no_schema_version"), notice("newer", "newer_schema")],
        },
    )


def _bytes() -> Vector:
    text = capsule("x")
    spoiled = {
        "utf-16": (text.encode("utf-16"), "not_utf8"),
        "latin-1": (capsule("x", title="T").replace('"T"', '"\xe9"').encode("latin-1"), "not_utf8"),
        "no-json": (b'{"schema_version": 1,}', "not_json"),
        "empty": (b"", "not_json"),
        "nan": (capsule("x", odd=1).replace('"odd": 1', '"odd": NaN').encode(), "bad_number"),
        "overflow": (capsule("x", odd=1).replace('"odd": 1', '"odd": 1e999').encode(), "bad_number"),
        "long-number": (
            capsule("x", odd=1).replace('"odd": 1', '"odd": ' + "9" * 5000).encode(), "bad_number"
        ),
        "twice": (b'{"schema_version": 1, "goal": "a",\n "goal": "b"}', "duplicate_key"),
        "surrogate": (capsule("x", title="T").replace('"T"', '"\\ud800"').encode(), "lone_surrogate"),
        "deep": (('{"schema_version":1,"x":' + "[" * 70 + "]" * 70 + "}").encode(), "too_deep"),
        "large": (capsule("x", state="s" * 262_145).encode(), "too_large"),
        "conflict": (
            b'{\n<<<<<<< ours\n "goal": "a"\n=======\n "goal": "b"\n>>>>>>> theirs\n}\n', "merge_conflict"
        ),
        "lfs": (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n",
            "lfs_pointer",
        ),
    }  # fmt: skip
    lines = {"twice": 2, "conflict": 2}
    history = History()
    history.commit(
        {
            **{place(name): content for name, (content, _) in spoiled.items()},
            **committed(capsule("good", deadline(FUTURE))),
            place("marked"): (_MARK + capsule("marked")).encode(),
        }
    )
    return Vector(
        name="unreadable-files",
        rules=(
            "utf-8", "json", "number", "duplicate-key", "lone-surrogate", "nesting", "size", "merge-conflict",
            "lfs-pointer", "byte-order-mark", "one-bad-file",
        ),
        says="Each fault of a file is a problem of that file, with its line where there is one; "
        "the others go on.",
        history=history,
        expect={
            "capsules": [found("good", "valid"), found("marked", "not_declared")],
            "problems": [
                problem(name, code, **({"line": lines[name]} if name in lines else {}))
                for name, (_, code) in spoiled.items()
            ],
            "notices": [notice("marked", "byte_order_mark")],
        },
    )  # fmt: skip


def _places() -> Vector:
    history = History()
    nested = place("deep/er/nested")
    history.commit(
        {
            **committed(capsule("Twin"), capsule("good")),
            nested: capsule("nested"),
            place("copy"): capsule("tWIN"),
            place("link"): link("good.json"),
            place("settings"): '{"indent": 2}\n',
            place("list"): "[1, 2]\n",
            ".ophiuchus/notes.md": "not JSON\n",
            "elsewhere/cap.json": capsule("elsewhere"),
        }
    )
    first = history.tip
    history.commit({place("late"): capsule("late")})
    return Vector(
        name="which-files",
        rules=("folder", "duplicate-id", "regular-file", "not-a-capsule", "judged-tree"),
        says="Regular .json files below .ophiuchus/ of the judged tree; two with one id, "
        "compared without case, are a problem for both; JSON that is no capsule is a notice.",
        history=history,
        tree=first,
        expect={
            "evaluated": {"head": first},
            "capsules": [
                found("good", "not_declared"),
                found("Twin", "not_declared"),
                {"path": place("copy"), "capsule_id": "tWIN"},
                {"path": nested, "capsule_id": "nested"},
            ],
            "problems": [
                problem("Twin", "duplicate_id"), problem("copy", "duplicate_id"),
                problem("link", "not_a_regular_file"),
            ],
            "notices": [notice("settings", "not_a_capsule"), notice("list", "not_a_capsule")],
        },
    )  # fmt: skip


def _fields() -> Vector:
    pointing = [{"unit_id": "u", "kind": "evidence", "index": 1}]
    with_nul = {"condition_id": "c", "kind": "git_paths", "paths": ["a\0b"], "base_commit": "1" * 40}
    hanging = [{"unit_id": "u", "kind": "validity", "ref": "nowhere"}]
    refused = {
        "no-goal": capsule("no-goal", goal=...),
        "blank-state": capsule("blank-state", state=" \n"),
        "no-action": capsule("no-action", next_action=...),
        "bad-id": capsule("-bad"),
        "created": capsule("created", created_at="2026-01-01T00:00:00"),
        "expires": capsule("expires", expires_at="tomorrow"),
        "parents": capsule("parents", parent_capsule_id=["a", "b"]),
        "index": capsule("index", evidence=["one"], critical=pointing),
        "ref": capsule("ref", critical=hanging),
        "nul": capsule("nul", with_nul),
    }
    history = History()
    history.commit({place(name): text for name, text in refused.items()})
    return Vector(
        name="fields",
        rules=(
            "required-text",
            "capsule-id",
            "created-at",
            "expires-at",
            "one-parent",
            "critical-pointer",
            "nul-in-glob",
        ),
        says="What a field cannot hold is a problem.",
        history=history,
        expect={"capsules": [], "problems": [problem(name, "bad_field") for name in refused], "notices": []},
    )


def _titles() -> Vector:
    history = History()
    history.commit(committed(capsule("goal", goal="First line\nsecond"), capsule("own", title="Its own")))
    return Vector(
        name="title",
        rules=("title",),
        says="Without a title the goal's first line stands in.",
        history=history,
        expect={"capsules": [found("goal", title="First line"), found("own", title="Its own")]},
    )


def _expiry() -> Vector:
    history = History()
    history.commit(
        committed(
            capsule("over", deadline(FUTURE), expires_at="2026-07-01T12:00:00Z"),
            capsule("ahead", deadline(FUTURE), expires_at="2026-07-01T12:00:01Z"),
        )
    )
    return Vector(
        name="expiry",
        rules=("expiry", "needs-action"),
        says="A capsule's own end is another thing than validity, and has come when `now` has reached it.",
        history=history,
        expect={
            "capsules": [
                found("over", "valid", expired=True, needs_action=True),
                found("ahead", "valid", expired=False, needs_action=False),
            ]
        },
    )


def _bounds() -> Vector:
    def numbered(count: int) -> list[dict[str, str]]:
        return [deadline(FUTURE, condition_id=f"c{number}") for number in range(count)]

    many = [f"{number}/**" for number in range(51)]
    pathy = {"condition_id": "p", "kind": "git_paths", "paths": many, "base_commit": "1" * 40}
    history = History()
    history.commit(
        committed(
            capsule("ten", *numbered(10)), capsule("eleven", *numbered(11)),
            capsule("globs", pathy), capsule("none", {**pathy, "paths": []}),
            capsule("a" * 128),
        )
    )  # fmt: skip
    return Vector(
        name="bounds",
        rules=("most-conditions", "most-globs"),
        says="Ten conditions are read and eleven are a problem; a condition has 1 to 50 globs.",
        history=history,
        expect={
            "capsules": [found("ten", "valid"), found("a" * 128)],
            "problems": [problem(name, "bad_field") for name in ("eleven", "globs", "none")],
        },
    )


def _unknown_words() -> Vector:
    items = [
        {"item_id": "n", "hypothesis": "h", "why_invalid": "w", "state": "paused", "applies_while": ["c"]}
    ]
    text = capsule(
        "odd",
        {"condition_id": "c", "kind": "weather", "sky": "blue"},
        negative_knowledge=items,
        critical=[{"unit_id": "u", "kind": "mood"}],
        next_step="misspelt",
    )
    history = History()
    history.commit(committed(text))
    return Vector(
        name="unknown-words",
        rules=(
            "unknown-key", "unknown-condition-kind", "unknown-critical-kind", "unknown-state", "needs-action",
        ),
        says="What this version does not know is said, and is no error; nobody has to act on it.",
        history=history,
        expect={
            "capsules": [
                found(
                    "odd", "unverifiable", {"condition_id": "c", "verdict": "unverifiable"},
                    needs_action=False,
                    negative_knowledge=[{"item_id": "n", "standing": "applicability_unknown"}],
                    fidelity=[{"consumer": "summary", "units": [{"unit_id": "u", "verdict": "unsupported"}]}],
                )
            ],
            "problems": [],
            "notices": [notice("odd", "unknown_key")],
        },
    )  # fmt: skip
