"""One vector: a history, what is to be judged in it, and what the report must hold; and how to write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vectors.history import History

NOW = "2026-07-01T12:00:00Z"
FOLDER = ".ophiuchus"
STREAM, DESCRIPTION = "history.fast-import", "vector.json"

Fragment = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """`rules` are ids of the README's table. `base` is the commit that attribution compares with."""

    name: str
    rules: tuple[str, ...]
    says: str
    history: History
    expect: Fragment
    tree: str = "HEAD"
    now: str = NOW
    base: str | None = None
    scope: str = "live"
    files: Mapping[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        told = {
            "rules": self.rules, "says": self.says, "tree": self.tree, "now": self.now, "base": self.base,
            "scope": self.scope, "expect": self.expect,
        }  # fmt: skip
        written = {STREAM: self.history.stream, DESCRIPTION: json.dumps(told, indent=2).encode() + b"\n"}
        object.__setattr__(self, "files", written)


def capsule(capsule_id: str, *conditions: Fragment, **fields: Any) -> str:
    """A capsule's text: the fields that it must have, the conditions, and whatever else is given."""
    document = {
        "schema_version": 1,
        "capsule_id": capsule_id,
        "goal": "Ship it",
        "state": "Half done",
        "next_action": "Finish",
        "validity": list(conditions),
        **fields,
    }
    return json.dumps({key: value for key, value in document.items() if value is not ...}, indent=1) + "\n"


def place(capsule_id: str) -> str:
    """Where the vectors keep a capsule."""
    return f"{FOLDER}/{capsule_id}.json"


def committed(*capsules: str) -> dict[str | bytes, str]:
    """Files with these capsules, each under its own id."""
    return {place(json.loads(text)["capsule_id"]): text for text in capsules}


def paths(*globs: str, base: str | None = None, **more: Any) -> dict[str, Any]:
    """A git_paths condition; its id is `paths` unless another is given."""
    return {"condition_id": "paths", "kind": "git_paths", "paths": list(globs), "base_commit": base, **more}


def deadline(not_after: str, **more: Any) -> dict[str, Any]:
    """A time_window condition; its id is `deadline` unless another is given."""
    return {"condition_id": "deadline", "kind": "time_window", "not_after": not_after, **more}


PAST, FUTURE = "2026-06-30T00:00:00Z", "2026-08-01T00:00:00Z"
"""Before and after `NOW`."""


def found(capsule_id: str, aggregate: str | None = None, *conditions: Fragment, **more: Any) -> Fragment:
    """What the report says of one capsule. Without `conditions` nothing is said of them."""
    fragment: dict[str, Any] = {"path": place(capsule_id), "capsule_id": capsule_id}
    if aggregate is not None:
        fragment["validity"] = {"aggregate": aggregate}
    if conditions:
        fragment["validity"]["conditions"] = list(conditions)
    return {**fragment, **more}


def judged(verdict: str, *globs: Fragment, **more: Any) -> Fragment:
    """What the report says of one condition."""
    return {"verdict": verdict, **({"paths": list(globs)} if globs else {}), **more}


def glob(text: str, result: str, **changed: str) -> Fragment:
    """What the report says of one glob; `changed` gives paths and how they changed, where they are told."""
    listed = [{"path": path, "change": how} for path, how in changed.items()]
    return {"glob": text, "result": result, **({"changed": listed} if listed else {})}


def problem(capsule_id: str, code: str, **more: Any) -> Fragment:
    """A problem with one file."""
    return {"path": place(capsule_id), "code": code, **more}


notice = problem
"""A notice about one file has the same keys."""
