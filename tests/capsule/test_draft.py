from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.capsule.draft import DraftForm, DraftRefused, form_of, read_draft
from ophiuchus.text.problem import ProblemCode
from ophiuchus.text.strict_json import MAX_BYTES

JSON = b'{\n  "goal": "x",\n  "validity": [{"paths": ["a", "b"]}]\n}\n'
YAML = b"goal: x\nvalidity:\n  - paths: [a, b]\n"
DOCUMENT = {"goal": "x", "validity": [{"paths": ["a", "b"]}]}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("d.json", JSON),
        ("D.JSON", JSON),
        ("-", JSON),
        ("draft", b"\n\n  " + JSON),
        ("d.yaml", YAML),
        ("d.yml", YAML),
        ("-", YAML),
        ("draft.txt", YAML),
        ("d.yaml", b"\xef\xbb\xbf" + YAML),
        ("d.json", b"\xef\xbb\xbf" + JSON),
        ("d.yaml", JSON),
    ],
)
def test_a_draft_is_json_or_yaml_by_its_name_or_its_first_character(name: str, data: bytes) -> None:
    assert read_draft(name, data).document == DOCUMENT


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"goal": "x"}', "json"),
        ("\n  \t{", "json"),
        ("\ufeff{", "json"),
        ("# A", "markdown"),
        ("\ufeff\n \n## Goal\nx", "markdown"),
        ("#\tA\nx", "markdown"),
        ("# A\n\nThe goal: x", "markdown"),
        ("# A\n\nauthor: x", "markdown"),
        ("# A\n## Goal\n", "markdown"),
        ("A\n===\nx", "markdown"),
        ("A\n---\nx", "markdown"),
        ("---\ngoal: x\n---\n", "markdown"),
        ("---\n---", "markdown"),
        ("\n---  \ngoal: x\n---\t\n# A", "markdown"),
        ("goal: x", "yaml"),
        ("---\ngoal: x\n", "yaml"),
        ("---\ngoal: x\n...\n", "yaml"),
        ("# A\ngoal: x", "yaml"),
        ("# A\n\n  # B\n\ngoal: x", "yaml"),
        ("# A\n#B\n\n'validity' :\n  - x", "yaml"),
        ('# A\n---\n"goal": x', "yaml"),
        ("goal: |\n---\n", "yaml"),
        ("#A\ngoal: x", "yaml"),
        ("#A\nx", "yaml"),
        ("A\n\n===\n", "yaml"),
        ("just words", "yaml"),
        ("- a", "yaml"),
        ("%YAML 1.2\n---\ngoal: x", "yaml"),
        ("", "yaml"),
    ],
)
def test_without_a_known_ending_the_beginning_says_how_it_is_written(text: str, form: str) -> None:
    for name in ("-", "draft", "draft.txt", "notes.md.orig"):
        assert form_of(name, text.encode()) == form
    for line_end in ("\r\n", "\r"):
        assert form_of("-", text.replace("\n", line_end).encode()) == form


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("d.json", DraftForm.JSON),
        ("d.yaml", DraftForm.YAML),
        ("d.YML", DraftForm.YAML),
        ("d.md", DraftForm.MARKDOWN),
        ("a.json/d.Markdown", DraftForm.MARKDOWN),
    ],
)
@pytest.mark.parametrize("data", [b"{", b"# A", b"goal: x", b"\xff"])
def test_a_known_ending_says_how_it_is_written(name: str, form: DraftForm, data: bytes) -> None:
    assert form_of(name, data) is form


@pytest.mark.parametrize(
    ("name", "data", "code", "line"),
    [
        ("d.json", b'{"goal": "x",\n"goal": "y"}', ProblemCode.DUPLICATE_KEY, 2),
        ("d.json", YAML, ProblemCode.NOT_JSON, 1),
        ("-", b'{"goal": NaN}', ProblemCode.BAD_NUMBER, 1),
        ("-", b"{goal: x}", ProblemCode.NOT_JSON, 1),
        ("d.json", b"[1]", ProblemCode.BAD_FIELD, 1),
        ("d.yaml", b"- a\n", ProblemCode.BAD_FIELD, 1),
        ("d.yaml", b"", ProblemCode.BAD_FIELD, None),
        ("-", b"", ProblemCode.BAD_FIELD, None),
        ("-", b"just words\n", ProblemCode.BAD_FIELD, 1),
        ("d.yaml", b"goal: x\nb: &a [1]\n", ProblemCode.NOT_YAML, 2),
        ("d.yaml", b"goal: x\ngoal: y\n", ProblemCode.DUPLICATE_KEY, 2),
        (
            "d.yaml",
            b"a: 1\n<<<<<<< HEAD\ngoal: x\n=======\ngoal: y\n>>>>>>> b\n",
            ProblemCode.MERGE_CONFLICT,
            2,
        ),
        ("d.yaml", b'a: "\\U00110000"', ProblemCode.NOT_YAML, None),
        ("d.yaml", b"goal: x\nstate: \xff\n", ProblemCode.NOT_UTF8, 2),
        ("d.yaml", b"x" * (MAX_BYTES + 1), ProblemCode.TOO_LARGE, None),
        ("d.md", b"# A\nx\xff\n", ProblemCode.NOT_UTF8, 2),
        ("d.md", b"x" * (MAX_BYTES + 1), ProblemCode.TOO_LARGE, None),
        ("d.json", b" " * (MAX_BYTES + 1), ProblemCode.TOO_LARGE, None),
        ("d.json", "{}".encode("utf-16"), ProblemCode.NOT_UTF8, None),
        ("d.md", "# A".encode("utf-16"), ProblemCode.NOT_UTF8, None),
    ],
)
def test_what_cannot_be_read_is_one_problem_with_its_line(
    name: str, data: bytes, code: ProblemCode, line: int | None
) -> None:
    with pytest.raises(DraftRefused) as refused:
        read_draft(name, data)
    (problem,) = refused.value.problems
    assert (problem.path, problem.code, problem.line) == (name, code, line)
    assert problem.message in refused.value.message


@pytest.mark.parametrize(
    ("name", "data"),
    [("d.yaml", b"state: s\ngoal: fix #12 now\n"), ("d.md", b"---\ntitle: fix #12 now\n---\n## Goal\nx\n")],
)
def test_a_text_that_a_comment_may_have_cut_is_told(name: str, data: bytes) -> None:
    (warning,) = read_draft(name, data).warnings
    assert warning.startswith(f'{name}:2: left out, line 2: "#12 now" is a comment of YAML')


@pytest.mark.parametrize(("name", "data"), [("d.json", JSON), ("d.yaml", YAML)])
def test_a_problem_points_at_its_field_or_at_what_is_around_it(name: str, data: bytes) -> None:
    draft = read_draft(name, data)
    lines = data.decode().splitlines()

    def line_of(*pointer: str | int) -> str:
        line = draft.problem(pointer, ProblemCode.BAD_FIELD, "x").line
        return lines[line - 1] if line else ""

    assert "goal" in line_of("goal")
    assert "validity" in line_of("validity")
    assert "paths" in line_of("validity", 0, "paths", 1)
    assert "paths" in line_of("validity", 0, "kind")
    assert "validity" in line_of("validity", 7)
    assert line_of("state") == lines[0]


@given(
    st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.sampled_from(["-", "d.json", "d.yaml"])
)
def test_any_bytes_are_a_draft_or_refused(data: bytes, name: str) -> None:
    try:
        draft = read_draft(name, data)
    except DraftRefused as refused:
        problems = refused.problems
    else:
        problems = ()
        json.dumps(draft.document).encode()
    assert all(problem.path == name and problem.message for problem in problems)
