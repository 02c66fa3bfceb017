"""What a person or an agent hands to `capture`: a capsule without the parts that `capture` knows better.

A draft is JSON, read as strictly as a capsule; the small part of YAML that `yaml_draft` accepts; or Markdown
with headings, as `markdown_draft` reads it. Its name's ending says which, else how it begins (`form_of`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from ophiuchus.capsule.fields import MOST_FAULTS
from ophiuchus.capsule.markdown_blocks import lines_of
from ophiuchus.capsule.markdown_draft import Fault, NotDraftMarkdown, front_matter, read_notes
from ophiuchus.capsule.markdown_sections import HEADINGS, LeftOut
from ophiuchus.capsule.model import Capsule
from ophiuchus.text.file_text import Place, UnusableFile, accident, decode, place_at
from ophiuchus.text.json_scan import Pointer
from ophiuchus.text.problem import ExpectedFailure, Problem, ProblemCode
from ophiuchus.text.strict_json import MAX_BYTES, NotStrictJson, locate, parse_json, too_large
from ophiuchus.text.wording import json_excerpt


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


class DraftForm(StrEnum):
    """How a draft is written."""

    JSON = "json"
    YAML = "yaml"
    MARKDOWN = "markdown"


_FORM_OF_ENDING = {
    ".json": DraftForm.JSON,
    ".yaml": DraftForm.YAML,
    ".yml": DraftForm.YAML,
    ".md": DraftForm.MARKDOWN,
    ".markdown": DraftForm.MARKDOWN,
}
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_FIELD = re.compile(rf"([\"']?)(?:{'|'.join(Capsule.model_fields)})\1[ \t]*:(?:[ \t]|$)")
_NO_MAPPING = "is no mapping: a draft has fields, such as goal: …, or begins with a heading, as in Markdown"


def form_of(name: str, data: bytes) -> DraftForm:
    """How a draft is written: by its name's ending, else by how it begins, blank lines apart.

    A brace begins JSON. A line `---` begins Markdown if there is a second one, for that would be a second
    document of YAML. A heading, with # or underlined, begins Markdown, unless the first line that is neither
    `---` nor begins with # gives a field of a capsule, as in `goal: …`: then what stands before it are
    comments of YAML. All else is YAML.
    """
    if ending := _FORM_OF_ENDING.get(PurePath(name).suffix.lower()):
        return ending
    lines = [line.rstrip(" \t") for line in lines_of(data.decode("utf-8-sig", "replace"))]
    shown = [line for line in lines if line]
    if not shown:
        return DraftForm.YAML
    if shown[0].lstrip(" \t").startswith("{"):
        return DraftForm.JSON
    if shown[0] == "---":
        return DraftForm.MARKDOWN if "---" in shown[1:] else DraftForm.YAML
    if shown[0].startswith(("%YAML", "%TAG")):
        return DraftForm.YAML
    text = next((line for line in shown if line != "---" and not line.lstrip(" \t").startswith("#")), "")
    if _FIELD.match(text):
        return DraftForm.YAML
    below = lines[lines.index(shown[0]) + 1 :]
    is_heading = _HEADING.match(shown[0]) or (below and _UNDERLINE.match(below[0]))
    return DraftForm.MARKDOWN if is_heading else DraftForm.YAML


def read_draft(name: str, data: bytes) -> Draft:
    """The draft in `data`, which is called `name`. Raises DraftRefused."""
    match form_of(name, data):
        case DraftForm.JSON:
            return _draft(name, _parse_json(name, data), _NO_MAPPING)
        case DraftForm.YAML:
            return _draft(name, _parse_yaml(name, _decoded(name, data)), _NO_MAPPING)
        case DraftForm.MARKDOWN:
            return _read_markdown(name, _decoded(name, data))


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A value that was read, where what it holds stands, and what its author should know."""

    value: Any
    place_of: Callable[[Pointer], Place | None]
    warnings: tuple[str, ...] = ()


def _draft(name: str, parsed: _Parsed, no_mapping: str) -> Draft:
    if isinstance(parsed.value, dict):
        return Draft(name, parsed.value, parsed.place_of, parsed.warnings)
    raise DraftRefused((Draft(name, {}, parsed.place_of).problem((), ProblemCode.BAD_FIELD, no_mapping),))


def _parse_json(name: str, data: bytes) -> _Parsed:
    try:
        document = parse_json(data).document
    except NotStrictJson as refused:
        raise DraftRefused((refused.problem(name),)) from refused

    def place_of(pointer: Pointer) -> Place | None:
        found = locate(data, [pointer]).get(pointer)
        return (found.key or found.value) if found else None

    return _Parsed(document, place_of)


def _parse_yaml(name: str, text: str) -> _Parsed:
    from ophiuchus.capsule.yaml_draft import NotDraftYaml, parse_yaml  # noqa: PLC0415 - slow to import

    try:
        yaml = parse_yaml(text)
    except NotDraftYaml as refused:
        if befell := accident(text):
            raise DraftRefused((befell.problem(name),)) from refused
        line, column = (None, None) if refused.index is None else place_at(text, refused.index)
        raise DraftRefused((Problem(name, line, column, refused.code, refused.message),)) from refused

    def place_of(pointer: Pointer) -> Place | None:
        start = yaml.starts.get(pointer)
        return None if start is None else place_at(text, start)

    def aside(index: int) -> str:
        line = place_at(text, index).line
        words = json_excerpt(text[index:].partition("\n")[0].rstrip())
        why = f"{words} is a comment of YAML; quote the whole text if it belongs to it"
        return f"{name}:{line}: left out, line {line}: {why}"

    return _Parsed(yaml.value, place_of, tuple(map(aside, yaml.asides)))


def _read_markdown(name: str, text: str) -> Draft:
    lines = lines_of(text)
    try:
        length = front_matter(lines)
        front = _read_front_matter(name, lines[:length])
        known = {key: value for key, value in front.document.items() if key in Capsule.model_fields}
        notes = read_notes(lines[length:], length + 1, known)
    except NotDraftMarkdown as refused:
        raise DraftRefused(tuple(_problems(name, refused.faults))) from refused

    def place_of(pointer: Pointer) -> Place | None:
        if line := notes.lines.get(pointer):
            return Place(line, 1)
        # The document as a whole is more than the front matter.
        return front.place_of(pointer) if pointer else None

    left_out = [*_left_out_of_front(front, lines[:length]), *notes.left_out]
    return Draft(name, notes.document, place_of, (*front.warnings, *_told(name, left_out)))


def _read_front_matter(name: str, lines: Sequence[str]) -> Draft:
    front = _Parsed(None, lambda _: None) if not lines else _parse_yaml(name, "\n".join(lines[:-1]))
    if front.value is None:
        return Draft(name, {}, front.place_of)
    return _draft(name, front, "the front matter is no mapping: it has fields, such as validity: …")


def _left_out_of_front(front: Draft, lines: Sequence[str]) -> Iterator[LeftOut]:
    """Keys that are no fields; or, where there are no keys, a text that stands between two rules."""
    shown = [number for number, line in enumerate(lines, 1) if line.strip()][1:-1]
    if shown and not front.document:
        yield LeftOut(shown[0], shown[-1], "between two lines --- they are comments of YAML")
    starts = [place.line for key in front.document if (place := front.place_of((key,)))]
    for key, start in zip(front.document, starts, strict=True):
        if key not in Capsule.model_fields:
            next_start = bisect_right(starts, start)
            end = starts[next_start] if next_start < len(starts) else len(lines)
            last = shown[bisect_left(shown, end) - 1]
            yield LeftOut(start, last, f"{json_excerpt(key)} is no field of a hand-off")


def _problems(name: str, faults: Sequence[Fault]) -> Iterator[Problem]:
    for one in faults[:MOST_FAULTS]:
        yield Problem(name, one.line, None, one.code, one.message)
    if (more := len(faults) - MOST_FAULTS) > 0:
        yield Problem(name, None, None, ProblemCode.TOO_MANY, f"{more} more faults are not listed")


def _told(name: str, left_out: Sequence[LeftOut]) -> Iterator[str]:
    for one in left_out:
        lines = f"line {one.first}" if one.first == one.last else f"lines {one.first} to {one.last}"
        yield f"{name}:{one.first}: left out, {lines}: {one.why}"
    if any(one.by_heading for one in left_out):
        yield f"the headings that are read are {', '.join(words for words, *_ in HEADINGS.values())}"


def _decoded(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise DraftRefused((Problem(name, None, None, ProblemCode.TOO_LARGE, too_large(len(data))),))
    try:
        return decode(data)
    except UnusableFile as unusable:
        raise DraftRefused((unusable.problem(name),)) from unusable
