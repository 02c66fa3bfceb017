"""Drafts in Markdown: which field each part becomes, what is left out, and that nothing gets lost between."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ophiuchus.capsule.composition import Ground, compose, file_bytes
from ophiuchus.capsule.draft import DraftRefused, read_draft
from ophiuchus.capsule.markdown_blocks import lines_of
from ophiuchus.capsule.markdown_draft import TEXT_FIELDS, front_matter
from ophiuchus.capsule.markdown_sections import HEADINGS
from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.reading import read_capsule
from ophiuchus.text.problem import ProblemCode

NOTES = """\
---
critical:
  - {unit_id: u, kind: constraints, index: 1}
validity:
  - {condition_id: until, kind: time_window, not_after: 2027-01-01T00:00:00Z}
negative_knowledge:
  - item_id: n
    hypothesis: h
    why_invalid: w
    applies_while: [paths]
parent_capsule_id: earlier
---

# Rotate the session keys

## Goal

Keys are replaced every 24 hours.
Nobody is logged out: not even `bots`.

## Where it stands

- the key is made
- the old key:
  - is accepted

```python
# not a heading
rotate()
```

### In production

Nothing yet.

## Next steps
1. Refuse the old key.
2. Measure.

## Evidence
- `tests/session` passes
- the log says:
  ```
  # rotated
  ```

## Failed attempts

### Both keys in the cookie

It grows over 4 KiB.

- really

### A longer key

No.

## Constraints

One sentence.

- two

## Open questions
* Is one hour enough?

Paths
-----
- `src/session/**`
- docs/keys.md
"""


def read(text: str) -> tuple[dict[str, Any], list[str]]:
    draft = read_draft("n.md", text.encode())
    return draft.document, list(draft.warnings)


def body(heading: str, text: str) -> Any:
    """What the field is that `heading` names, with this text below it."""
    document, warnings = read(f"## {heading}\n{text}\n")
    assert warnings == []
    (value,) = document.values()
    return value


def refused(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(DraftRefused) as caught:
        read(text)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_notes_become_a_document() -> None:
    document, warnings = read(NOTES)
    assert warnings == []
    assert document == {
        "critical": [{"unit_id": "u", "kind": "constraints", "index": 1}],
        "validity": [
            {"condition_id": "until", "kind": "time_window", "not_after": "2027-01-01T00:00:00Z"},
            {"condition_id": "paths", "kind": "git_paths", "paths": ["src/session/**", "docs/keys.md"]},
        ],
        "negative_knowledge": [
            {"item_id": "n", "hypothesis": "h", "why_invalid": "w", "applies_while": ["paths"]}
        ],
        "parent_capsule_id": "earlier",
        "title": "Rotate the session keys",
        "goal": "Keys are replaced every 24 hours.\nNobody is logged out: not even `bots`.",
        "state": (
            "- the key is made\n- the old key:\n  - is accepted\n\n"
            "```python\n# not a heading\nrotate()\n```\n\n### In production\n\nNothing yet."
        ),
        "next_action": "1. Refuse the old key.\n2. Measure.",
        "evidence": ["`tests/session` passes", "the log says:\n```\n# rotated\n```"],
        "rejected": [
            "Both keys in the cookie\n\nIt grows over 4 KiB.\n\n- really",
            "A longer key\n\nNo.",
        ],
        "constraints": ["One sentence.", "two"],
        "open_questions": ["Is one hour enough?"],
    }


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_other_line_ends_and_a_byte_order_mark_change_nothing(line_end: str) -> None:
    data = b"\xef\xbb\xbf" + NOTES.replace("\n", line_end).encode()
    assert read_draft("n.md", data).document == read(NOTES)[0]


# Headings.


@pytest.mark.parametrize(
    ("name", "heading"), [(name, one) for name, headings in HEADINGS.items() for one in headings]
)
def test_every_heading_of_the_table_names_its_field(name: str, heading: str) -> None:
    field = "validity" if name == "paths" else name
    assert list(read(f"## {heading}\n\n- x\n")[0]) == [field]
    assert field in Capsule.model_fields


@pytest.mark.parametrize(
    "heading",
    [
        "## Next steps",
        "# next steps",
        "###### NEXT STEPS",
        "## Next steps:",
        "## **Next steps**",
        "## 3. Next steps",
        "## 3) Next steps ##",
        "## Next step(s)",
        "## ➡️ Next steps",
        "## Next-steps",
        "Next steps\n==========",
        "Next\nsteps\n---",
    ],
)
def test_the_words_of_a_heading_count_not_its_markup(heading: str) -> None:
    assert read(f"{heading}\nx\n")[0] == {"next_action": "x"}


def test_what_didnt_work_is_known_with_either_apostrophe() -> None:
    assert body("What didn't work", "- x") == body("What didn\u2019t work", "- x") == ["x"]


@pytest.mark.parametrize(
    "heading", ["Next steps for you", "The goal", "Goal 2", "Goaal", "2026", "Blockers / open questions"]
)
def test_a_heading_that_only_resembles_one_is_not_read(heading: str) -> None:
    document, warnings = read(f"## {heading}\nx\n")
    assert document == {}
    assert warnings[0] == (
        f'n.md:1: left out, lines 1 to 2: the heading "{heading}" names no field that is read'
    )
    assert warnings[1].startswith("the headings that are read are Goal, State, Next action, Evidence")


def test_a_known_heading_opens_its_field_at_any_level_until_its_level_ends() -> None:
    document, warnings = read(
        "# T\n## State\na\n### Evidence\n- e\n#### Log\nf\n### Details\nb\n"
        "## Notes\nc\n### Goal\ng\n## More\nd\n"
    )
    assert document == {
        "title": "T",
        "state": "a\n\n### Details\nb",
        "evidence": ["e", "Log\nf"],
        "goal": "g",
    }
    assert [warning.partition(": the")[0] for warning in warnings[:2]] == [
        "n.md:10: left out, lines 10 to 11",
        "n.md:14: left out, lines 14 to 15",
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A\n# B\n", "A"),
        ("A\n===\n", "A"),
        ("## Goal\nx\n# A\n", "A"),
        ("# Goal\nx\n# A\n", None),
        ("## A\n", None),
        ("#\n# A\n", None),
        ("```\n# A\n```\n", None),
        ("<!--\n# A\n-->\n", None),
        ("---\ntitle: A\n---\n# A\n", "A"),
        ("---\ntitle: A\n---\n# B\n", "A"),
        ("---\ntitle:\n---\n# B\n", "B"),
    ],
)
def test_the_first_heading_of_level_one_is_the_title(text: str, title: str | None) -> None:
    assert read(text)[0].get("title") == title


def test_a_title_beside_that_of_the_front_matter_is_told_unless_it_is_the_same() -> None:
    assert read("---\ntitle: A\n---\n# A\n")[1] == []
    assert read("---\ntitle: A\n---\n# B\n")[1] == [
        "n.md:4: left out, line 4: the front matter gives the title"
    ]


# Text and lists.


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("- a\n- b", ["a", "b"]),
        ("1. a\n2. b", ["a", "b"]),
        ("- a\n  more\n\n  and more\n- b", ["a\nmore\n\nand more", "b"]),
        ("- a\n  - b\n    - c", ["a\n- b\n  - c"]),
        ("- [x] a", ["[x] a"]),
        ("a\nb\n\nc", ["a\nb", "c"]),
        ("  a", ["a"]),
        ("We saw:\n- a", ["We saw:", "a"]),
        ("```\n# a\n```", ["```\n# a\n```"]),
        ("> a\n> b", ["> a\n> b"]),
        ("    code\n      more", ["    code\n      more"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |\n|---|---|\n| 1 | 2 |"]),
        ("### A\n\nb\n- c\n\n#### D\ne\n### F", ["A\n\nb\n- c\n\n#### D\ne", "F"]),
        ("-\n- a\n-   \n***", ["a"]),
        ("### \n- a", ["- a"]),
        ("a: b # c", ["a: b # c"]),
    ],
)
def test_what_becomes_an_entry_of_a_list(text: str, entries: list[str]) -> None:
    assert body("Evidence", text) == entries


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\n\n a\n\n\nb \n", "a\n\nb"),
        ("- only one\n  thing", "only one\nthing"),
        ("- a\n- b", "- a\n- b"),
        ("a\n\n---\n\nb", "a\n\nb"),
        ("### A\nb", "A\nb"),
        ("a\n### B\nc", "a\n\n### B\nc"),
    ],
)
def test_what_becomes_a_text(text: str, value: str) -> None:
    assert body("State", text) == value.replace("a\n\n### B", "a\n### B")


def test_an_empty_section_is_a_field_that_is_left_out() -> None:
    assert read("## Goal\n## Evidence\n\n---\n## State\nx\n## Next steps\n\n## Paths\n")[0] == {"state": "x"}


def test_two_headings_of_one_list_field_are_one_list() -> None:
    assert read("## Rejected\n- a\n## State\nx\n## Dead ends\n- b\n")[0]["rejected"] == ["a", "b"]


# What is left out.


def test_comments_are_left_out_wherever_they_stand_and_told() -> None:
    document, warnings = read("## Goal\n<!-- what\nfor? -->\nx\n<!-- y -->\n")
    assert document == {"goal": "x"}
    assert warnings == [
        "n.md:2: left out, lines 2 to 3: a comment is no part of a field",
        "n.md:5: left out, line 5: a comment is no part of a field",
    ]


def test_text_below_no_heading_or_below_the_title_is_told() -> None:
    document, warnings = read("a\n\n- b\n\n# T\n**Date:** today\n\n## Goal\nx\n")
    assert document == {"title": "T", "goal": "x"}
    assert warnings == [
        "n.md:1: left out, lines 1 to 3: they stand below no heading that names a field",
        "n.md:6: left out, line 6: they stand below no heading that names a field",
    ]


def test_a_section_that_is_not_read_is_told_once_with_all_it_holds() -> None:
    _, warnings = read("## Notes\na\n\n---\n\n### More\n- b\n\n### Goal\nx\n")
    assert warnings[0].startswith("n.md:1: left out, lines 1 to 7: ")
    assert len(warnings) == 2


@pytest.mark.parametrize("field", ["Validity", "Negative knowledge", "Critical", "Parent capsule ID"])
def test_a_heading_that_only_front_matter_can_give_says_so(field: str) -> None:
    key = field.lower().replace(" ", "_")
    assert f"give `{key}` in the front matter" in read(f"## {field}\n- x\n")[1][0]


# Paths.


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("- src/**\n- docs/*.md", ["src/**", "docs/*.md"]),
        ("- `src/**`\n- `` a`b ``", ["src/**", "a`b"]),
        ("```\nsrc/**\n\n  docs/*.md\n```", ["src/**", "docs/*.md"]),
        ("1. app/[id]/page.tsx", ["app/[id]/page.tsx"]),
        ("- with blank/**", ["with blank/**"]),
    ],
)
def test_paths_become_one_condition(text: str, paths: list[str]) -> None:
    assert body("Paths", text) == [{"condition_id": "paths", "kind": "git_paths", "paths": paths}]


def test_what_else_stands_below_paths_is_told() -> None:
    document, warnings = read(
        "## Paths\nThese:\n- `src/**` \u2014 the code\n- docs/a\n  b\n### More\n- c\n## Paths\n- d\n"
    )
    assert document["validity"][0]["paths"] == ["src/**", "docs/a", "c", "d"]
    assert warnings == [
        "n.md:2: left out, line 2: below `Paths` only list items count",
        'n.md:3: left out, line 3: only the pattern of an item counts, not "\u2014 the code"',
        'n.md:4: left out, lines 4 to 5: only the pattern of an item counts, not "b"',
        "n.md:6: left out, line 6: below `Paths` only list items count",
    ]


def test_paths_without_a_pattern_are_refused() -> None:
    ((line, message),) = refused("## Goal\nx\n## Paths\nsrc/**\n")
    assert line == 3
    assert "names no pattern" in message


def test_conditions_of_another_shape_are_left_as_they_are_for_the_capsule_to_refuse() -> None:
    assert read("---\nvalidity: x\n---\n## Paths\n- a\n")[0] == {"validity": "x"}


# Front matter.


@pytest.mark.parametrize("front", ["---\n---\n", "--- \n\n---\t\n", "\n\n---\n---\n"])
def test_front_matter_may_be_empty(front: str) -> None:
    assert read(f"{front}## Goal\nx\n") == ({"goal": "x"}, [])


@pytest.mark.parametrize(("inside", "lines"), [("# A", "line 2"), ("\n# A\n\n## B\n", "lines 3 to 5")])
def test_text_between_two_rules_that_would_be_comments_is_told(inside: str, lines: str) -> None:
    document, (warning,) = read(f"---\n{inside}\n---\n## Goal\nx\n")
    assert document == {"goal": "x"}
    assert f"left out, {lines}: between two lines ---" in warning
    assert read("---\n# a comment\ngoal: x\n---\n")[1] == []


@pytest.mark.parametrize(
    ("front", "told"),
    [
        ("date: 2026-01-01\ngoal: x\n", ['line 2: "date"']),
        ("goal: x\nmore:\n  - a\n\n  - b\n\n", ['lines 3 to 6: "more"']),
        ("a: 1\n# c\nb: 2\ngoal: x\n", ['lines 2 to 3: "a"', 'line 4: "b"']),
        ("{a: 1, b: 2, goal: x}\n", ['line 2: "a"', 'line 2: "b"']),
        ('{"a": 1,\n goal: x}\n', ['line 2: "a"']),
    ],
)
def test_keys_of_the_front_matter_that_are_no_fields_are_told_and_not_kept(
    front: str, told: list[str]
) -> None:
    document, warnings = read(f"---\n{front}---\n# T\n")
    assert document == {"goal": "x", "title": "T"}
    assert [one.partition("left out, ")[2] for one in warnings] == [
        f"{one} is no field of a hand-off" for one in told
    ]


def test_front_matter_alone_is_a_draft() -> None:
    assert read("---\ngoal: x\nstate: y\n---\n")[0] == {"goal": "x", "state": "y"}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("---\ngoal: x\n", 1, "no"),
        ("\n---\ngoal: x\n# A\n", 2, "another line ---"),
        ("---\n- x\n---\n", 2, "front matter is no mapping"),
        ("---\na: &b c\n---\n", 2, "anchor"),
        ("---\na: 1\na: 2\n---\n", 3, "twice"),
        ("---\na: 1\n...\nb: 2\n---\n", 4, "document start"),
        ("---\na: [\n---\n", 2, "flow node"),
        ("## Goal\nx\n\n## State\ny\n\n## Objective\nz\n", 7, "`goal` is given at line 1 already"),
        ("---\ngoal: x\n---\n## Goal\ny\n", 4, "`goal` is given in the front matter too"),
        ("---\nevidence: [x]\n---\n\n## Evidence\n- y\n", 5, "`evidence` is given in the front matter too"),
        ("## Goal\nx\n<<<<<<< HEAD\ny\n=======\nz\n>>>>>>> b\n", 3, "unresolved merge conflict at line 3"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    ((at, message),) = refused(text)
    assert at == line
    assert words in message


def test_every_field_that_is_given_twice_is_told_at_once() -> None:
    told = refused("## Goal\na\n## State\nb\n## Goal\nc\n## Status\nd\n## Goal\ne\n")
    assert sorted(line or 0 for line, _ in told) == [5, 7, 9]
    many = refused("## Goal\na\n" * 51)
    assert len(many) == 21
    assert many[-1] == (None, "30 more faults are not listed")


def test_conflict_marks_in_code_are_no_conflict() -> None:
    assert "<<<<<<<" in body("State", "```\n<<<<<<< HEAD\n```")


def test_places_are_those_of_headings_and_items_and_of_the_front_matter() -> None:
    draft = read_draft("n.md", NOTES.encode())
    lines = NOTES.splitlines()

    def at(*pointer: str | int) -> str:
        line = draft.problem(pointer, ProblemCode.BAD_FIELD, "x").line
        return lines[line - 1] if line else ""

    assert at("title") == "# Rotate the session keys"
    assert at("goal") == "## Goal"
    assert at("evidence", 1) == "- the log says:"
    assert at("rejected", 1) == "### A longer key"
    assert at("validity", 1) == "Paths"
    assert at("validity", 1, "paths", 1) == "- docs/keys.md"
    assert at("validity", 0, "not_after").strip().startswith("- {condition_id: until")
    assert at("critical", 0, "index").strip().startswith("- {unit_id")
    assert at("nothing") == ""


# Nothing is lost, nothing is made up.

WORDS = iter(range(10**9))
HEADING_WORDS = [one for headings in HEADINGS.values() for one in headings]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Notes in which every line that is not markup alone holds a word of its own, such as w12x."""
    lines = []
    for _ in range(draw(st.integers(0, 16))):
        word = f"w{next(WORDS)}x"
        kinds = ["heading", "known", "line", "markup"]
        kind = draw(st.sampled_from(kinds))
        marks = "#" * draw(st.integers(1, 4))
        if kind == "heading":
            lines.append(f"{marks} {word}")
        elif kind == "known":
            lines.append(f"{marks} {draw(st.sampled_from(HEADING_WORDS))}")
        elif kind == "line":
            before = ["", "- ", "  - ", "  ", "    ", "1. ", "> ", "- `", "<!-- ", "```", "~~~ ", "| "]
            after = ["", "", ":", " -->", "` y", " #"]
            lines.append(draw(st.sampled_from(before)) + word + draw(st.sampled_from(after)))
        else:
            lines.append(draw(st.sampled_from(["", "", "---", "===", "```", "~~~", "-->", "<!--", "- "])))
    if draw(st.booleans()):
        lines += [line for name in TEXT_FIELDS for line in (f"# {name}", f"w{next(WORDS)}x")]
    return "\n".join(lines)


def strings_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in strings_in(one)]
    if isinstance(value, list):
        return [text for one in value for text in strings_in(one)]
    return [str(value)]


def lines_told(warnings: list[str]) -> set[int]:
    told: set[int] = set()
    for warning in warnings:
        if found := re.match(r"n\.md:\d+: left out, lines? (\d+)(?: to (\d+))?: ", warning):
            told |= set(range(int(found[1]), int(found[2] or found[1]) + 1))
    return told


@settings(max_examples=500)
@given(texts())
def test_every_word_is_in_a_field_or_told_and_none_is_made_up(text: str) -> None:
    try:
        document, warnings = read(text)
    except DraftRefused:
        return
    told = lines_told(warnings)
    kept = "\n".join(strings_in(document))
    for number, line in enumerate(lines_of(text), 1):
        if number <= front_matter(lines_of(text)):
            continue  # that is YAML
        if line.startswith(("```", "~~~")) and "git_paths" in kept:
            continue  # what a fence of patterns is marked with
        for word in re.findall(r"w\d+x", line):
            assert kept.count(word) == 1 or number in told, (word, document, warnings)
    made_up = set(re.findall(r"\w+", kept)) - set(re.findall(r"\w+", text)) - {"git_paths", "paths", "None"}
    assert made_up == set()


@given(texts())
def test_notes_become_a_capsule_that_is_read_back_or_are_refused(text: str) -> None:
    ground = Ground("0" * 40, None, frozenset(), False, "ophiuchus", "1")
    try:
        document = compose(read_draft("n.md", text.encode()), ground, datetime(2026, 7, 1, tzinfo=UTC))
    except DraftRefused:
        return
    assert read_capsule("x.json", file_bytes(document)).capsule is not None


@given(st.text(max_size=120) | st.binary(max_size=120) | texts(), st.sampled_from(["n.md", "-"]))
def test_any_text_is_a_draft_or_refused(text: str | bytes, name: str) -> None:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    try:
        draft = read_draft(name, data)
    except DraftRefused as error:
        problems = error.problems
    else:
        problems = ()
        json.dumps(draft.document).encode()
    assert all(problem.path == name and problem.message for problem in problems)
