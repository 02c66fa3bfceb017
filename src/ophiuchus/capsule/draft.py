"""What a person or an agent hands to `capture`: a capsule without the parts that `capture` knows better.

A draft is JSON, read as strictly as a capsule, or the small part of YAML that `yaml_draft` accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.problem import ExpectedFailure, Problem, ProblemCode
from ophiuchus.text.strict_json import MAX_BYTES, NotStrictJson, Place, locate, parse_json, too_large


class DraftRefused(ExpectedFailure):
    """A draft cannot become a capsule; `problems` says why, with places in the draft."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        told = "\n".join(f"{problem.place()}: {problem.message}" for problem in problems)
        super().__init__(f"the draft cannot become a capsule\n{told}", "Correct the draft and try again.")
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft's object. `name` is what it is called in messages; `place_of` finds a value's place in it.

    `warnings` say, one a sentence, what its author should know before anything else is looked at.
    """

    name: str
    document: dict[str, Any]
    place_of: Callable[[Pointer], Place | None]
    warnings: tuple[str, ...] = ()

    def problem(self, pointer: Pointer, code: ProblemCode, message: str) -> Problem:
        """A problem at `pointer`, or at the nearest thing around it that the draft holds."""
        while (place := self.place_of(pointer)) is None and pointer:
            pointer = pointer[:-1]
        line, column = place or (None, None)
        return Problem(self.name, line, column, code, message)


def read_draft(name: str, data: bytes) -> Draft:
    """The draft in `data`: JSON or YAML by its name's ending, else JSON if it begins with a brace.

    Raises DraftRefused.
    """
    suffix = PurePath(name).suffix.lower()
    is_json = suffix == ".json" or (suffix not in (".yaml", ".yml") and data.lstrip()[:1] == b"{")
    draft = _read_json(name, data) if is_json else _read_yaml(name, data)
    if not isinstance(draft.document, dict):
        raise DraftRefused(
            (draft.problem((), ProblemCode.BAD_FIELD, "is no mapping: a draft has fields, such as goal: …"),)
        )
    return draft


def _read_json(name: str, data: bytes) -> Draft:
    try:
        document = parse_json(data).document
    except NotStrictJson as refused:
        raise DraftRefused((refused.problem(name),)) from refused

    def place_of(pointer: Pointer) -> Place | None:
        found = locate(data, [pointer]).get(pointer)
        return (found.key or found.value) if found else None

    return Draft(name, document, place_of)


def _read_yaml(name: str, data: bytes) -> Draft:
    from ophiuchus.capsule.yaml_draft import NotDraftYaml, parse_yaml  # noqa: PLC0415 - slow to import

    text = _decoded(name, data)

    def place_at(index: int) -> Place:
        return Place(text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))

    try:
        yaml = parse_yaml(text)
    except NotDraftYaml as refused:
        line, column = (None, None) if refused.index is None else place_at(refused.index)
        raise DraftRefused((Problem(name, line, column, refused.code, refused.message),)) from refused

    def place_of(pointer: Pointer) -> Place | None:
        start = yaml.starts.get(pointer)
        return None if start is None else place_at(start)

    return Draft(name, yaml.value, place_of)


def _decoded(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise DraftRefused((Problem(name, None, None, ProblemCode.TOO_LARGE, too_large(len(data))),))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = "is not UTF-8: save it as UTF-8"
        raise DraftRefused((Problem(name, line, None, ProblemCode.NOT_UTF8, message),)) from error
