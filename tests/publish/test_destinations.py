"""destinations.toml: what is read from it, and that every fault is told with its line and what to do."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.publish.capability import Deployment, ProviderName
from ophiuchus.publish.destination import (
    DESTINATIONS,
    SCHEMA_ID,
    ClickUpDestination,
    GitHubDestination,
    JiraDestination,
    SlackDestination,
    TeamsDestination,
    destinations_schema,
)
from ophiuchus.publish.destinations import (
    PATH,
    Destinations,
    UnknownDestination,
    read_destinations,
)
from ophiuchus.text.problem import Problem, ProblemCode

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema" / "destinations-v1.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(destinations_schema())
TEAM = "0a1b2c3d-0000-4aaa-8bbb-0123456789ab"
TOKEN = "gh" + "p_" + "A1b2C3d4E5f6" * 3

ALL = f"""\
[destinations.tracker]
provider = "github"
target = "Acme/Web"
labels = ["hand-off", "needs triage"]

[destinations.board]
provider = "jira"
target = "oph"
issue_type = "Story"
labels = ["hand-off"]
deployment = "data_center"
append_to = "OPH-7"
contact_cards = true

[destinations.list]
provider = "clickup"
target = "901234567890"
tags = ["hand-off"]

[destinations."team.chat"]
provider = "slack"
target = "C0123ABCD"
append_to = "1700000000.000100"

[destinations.channel]
provider = "teams"
target = "{TEAM.upper()}/19:abc@thread.tacv2"
"""


def destinations(text: str) -> Destinations:
    read = read_destinations(text.encode())
    assert isinstance(read, Destinations), read
    return read


def problems(text: str | bytes) -> tuple[Problem, ...]:
    read = read_destinations(text.encode() if isinstance(text, str) else text)
    assert isinstance(read, tuple)
    assert read
    return read


def test_every_provider_has_its_own_options() -> None:
    read = destinations(ALL)
    assert dict(read.by_alias) == {
        "tracker": GitHubDestination(
            provider=ProviderName.GITHUB, target="acme/web", labels=("hand-off", "needs triage")
        ),
        "board": JiraDestination(
            provider=ProviderName.JIRA,
            target="OPH",
            issue_type="Story",
            labels=("hand-off",),
            deployment=Deployment.DATA_CENTER,
            append_to="OPH-7",
            contact_cards=True,
        ),
        "list": ClickUpDestination(provider=ProviderName.CLICKUP, target="901234567890", tags=("hand-off",)),
        "team.chat": SlackDestination(
            provider=ProviderName.SLACK, target="C0123ABCD", append_to="1700000000.000100"
        ),
        "channel": TeamsDestination(provider=ProviderName.TEAMS, target=f"{TEAM}/19:abc@thread.tacv2"),
    }
    assert list(read.by_alias) == ["tracker", "board", "list", "team.chat", "channel"]


def test_the_example_is_read() -> None:
    example = Path(__file__).parents[2] / "examples" / "destinations.toml"
    assert list(destinations(example.read_text("utf-8")).by_alias) == ["tracker", "board", "team-chat"]


def test_personal_data_is_shown_only_where_it_is_asked_for() -> None:
    assert [one.contact_cards for one in destinations(ALL).by_alias.values()].count(True) == 1


def test_a_byte_order_mark_and_an_empty_file_are_no_faults() -> None:
    assert read_destinations(b"\xef\xbb\xbf" + ALL.encode()) == destinations(ALL)
    assert destinations("") == Destinations({})
    assert destinations("# later\n[destinations]\n") == Destinations({})


def test_a_destination_is_asked_for_by_its_alias() -> None:
    read = destinations(ALL)
    assert read.named("board") is read.by_alias["board"]
    with pytest.raises(UnknownDestination) as caught:
        read.named("bord")
    assert caught.value.message == f'{PATH} has no destination "bord"; is board meant?'
    assert "tracker, board, list" in caught.value.remedy
    with pytest.raises(UnknownDestination) as caught:
        destinations("").named("x")
    assert "[destinations.ALIAS]" in caught.value.remedy


BOARD = '[destinations.board]\nprovider = "jira"\ntarget = "OPH"\n'


GITHUB = '[destinations.a]\nprovider = "github"\n'
SLACK = '[destinations.a]\nprovider = "slack"\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[destination.a]\n", 1, "`destination` is not known; is `destinations` meant?"),
        (BOARD + 'isue_type = "Bug"\n', 4, "board.isue_type` is not known; is `issue_type` meant?"),
        (BOARD + 'base_url = "https://x.example"\n', 4, "come from the environment"),
        (BOARD + "api_token = 1\n", 4, "come from the environment"),
        (BOARD + "colour = 1\n", 4, "known are: provider, target, append_to, contact_cards, issue_type"),
        (SLACK + 'target = "C12"\nlabels = []\n', 4, "`destinations.a.labels` is not known"),
        ('[destinations.a]\nprovider = "trello"\n', 2, 'is "trello"; write one of: github, jira, clickup'),
        ('[destinations.a]\nprovider = ["jira"]\n', 2, "is a list; write one of: github"),
        ('[destinations.a]\ntarget = "OPH"\n', 1, "a.provider` is missing; write one of: github"),
        ("destinations.a = {}\n", 1, "a.provider` is missing; write one of: github"),
        (SLACK, 1, "`destinations.a.target` is missing; add it"),
        ("destinations = 5\n", 1, "`destinations` must be a table"),
        ('[destinations]\na = "jira"\n', 2, "`destinations.a` must be a table"),
        (BOARD.replace("board", '"a b"'), 1, "must be an alias of up to 64 letters"),
        (SLACK + "target = 5\n", 3, "`destinations.a.target` must be text"),
        (SLACK + "target = 2026-01-01\n", 3, "is no target at slack; write the id of a channel"),
        (SLACK + 'target = "#general"\n', 3, "an id does not"),
        (GITHUB + 'target = "https://github.com/a/b"\n', 3, "write a repository, OWNER/NAME"),
        (BOARD + 'contact_cards = "yes"\n', 4, "must be true or false"),
        (BOARD + 'labels = "a"\n', 4, "must be a list"),
        (BOARD + 'labels = [\n "a",\n "b c",\n]\n', 4, "board.labels[1]` must be one word without blanks"),
        (BOARD + f"labels = {['a'] * 21}\n", 4, "has 21 items; at most 20 are allowed"),
        (BOARD + 'issue_type = " Bug"\n', 4, "must be one line of text without blanks at its ends"),
        (BOARD + f'issue_type = "{"x" * 51}"\n', 4, "has 51 characters; at most 50 are allowed"),
        (BOARD + 'deployment = "server"\n', 4, 'is "server"; write one of: cloud, data_center'),
        (BOARD + 'append_to = "7"\n', 4, "is no id of an artifact at jira"),
        (BOARD + 'append_to = "OTHER-7"\n', 4, "is no issue of the project OPH"),
        (BOARD + 'append_to = "OPH-7/12"\n', 4, "names a part of an artifact"),
        (BOARD + BOARD.replace("board", "b").replace("OPH", "oph"), 6, "same place as `destinations.board`"),
    ],
    ids=lambda value: repr(value)[-40:],
)
def test_a_fault_is_told_with_its_line_and_what_to_do(text: str, line: int, words: str) -> None:
    found = [one for one in problems(text) if words in one.message]
    assert [(one.path, one.line, one.code) for one in found] == [(PATH, line, ProblemCode.BAD_FIELD)], (
        problems(text)
    )


def test_all_faults_are_told_in_the_order_of_their_lines() -> None:
    text = BOARD + 'deployment = "x"\nlabels = 1\n[destinations.z]\nprovider = "jira"\n'
    assert [one.line for one in problems(text)] == [4, 5, 6]


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"a = 1\na = 2\n", 2, ProblemCode.NOT_TOML),
        (b"a = 1\n<<<<<<< HEAD\nb = 1\n=======\n", 2, ProblemCode.MERGE_CONFLICT),
        (b"a = 1\n\xff\n", 2, ProblemCode.NOT_UTF8),
        (b"#" * 300_000, None, ProblemCode.TOO_LARGE),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_toml_is_told_with_its_place(data: bytes, line: int | None, code: ProblemCode) -> None:
    (problem,) = problems(data)
    assert (problem.path, problem.line, problem.code) == (PATH, line, code)


def test_too_many_destinations_are_refused() -> None:
    text = "".join(f'[destinations.d{n}]\nprovider = "clickup"\ntarget = "{n + 1}"\n' for n in range(51))
    (problem,) = problems(text)
    assert problem.code is ProblemCode.TOO_MANY


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BOARD + f'labels = [\n "a",\n "{TOKEN}"]\n', 4),
        (BOARD + f'token = "{TOKEN}"\n', 4),
        (BOARD + f'{TOKEN} = 1\n', 4),
        (f'[destinations.a]\nprovider = "{TOKEN}"\n', 2),
        (f'[destinations.{TOKEN}]\nprovider = "slack"\ntarget = "C12"\n', 1),
    ],
)  # fmt: skip
def test_a_secret_is_told_without_its_value_and_alone(text: str, line: int) -> None:
    for problem in problems(text + '[destinations.z]\nprovider = "q"\n'):
        assert "what looks like a secret" in problem.message
        assert TOKEN not in problem.message
        assert problem.line in (line, 1)


VALUES = st.recursive(
    st.booleans() | st.integers(-2, 3) | st.sampled_from(["", " ", "a", "jira", "slack", "OPH", "C12", "1"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["provider", "target", "x"]), inner)
    ),
    max_leaves=4,
)
KEYS = ["provider", "target", "labels", "tags", "append_to", "contact_cards", "issue_type", "deployment"]
TABLE = st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, VALUES)) | VALUES


@given(st.fixed_dictionaries({}, optional={"destinations": st.dictionaries(st.sampled_from("ab-"), TABLE)}))
def test_no_document_raises_and_what_is_accepted_fits_the_schema(document: dict[str, Any]) -> None:
    text = "".join(f"{key} = {inline(value)}\n" for key, value in document.items())
    read = read_destinations(text.encode())
    if isinstance(read, Destinations):
        VALIDATOR.validate(document)
    else:
        assert all(problem.line == 1 for problem in read)


def inline(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {inline(one)}' for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


# The published schema.


def test_the_published_schema_is_in_step() -> None:
    """Write it anew with `ophiuchus schema destinations > docs/schema/destinations-v1.schema.json`."""
    assert json.loads(PUBLISHED.read_text("utf-8")) == destinations_schema()


def test_it_is_a_schema_with_a_name_and_no_host() -> None:
    jsonschema.Draft202012Validator.check_schema(destinations_schema())
    assert destinations_schema()["$id"] == SCHEMA_ID
    assert "://" not in json.dumps(destinations_schema()).replace(destinations_schema()["$schema"], "")


def test_every_key_has_a_description() -> None:
    schema = destinations_schema()
    for part in (schema, *schema["$defs"].values()):
        assert part["description"]
        for rules in part.get("properties", {}).values():
            assert rules.get("description") or "$ref" in rules, rules


def test_the_schema_takes_what_reading_takes_and_no_unknown_key() -> None:
    document = tomllib.loads(ALL)
    VALIDATOR.validate(document)
    for alias in document["destinations"]:
        changed = {**document["destinations"], alias: {**document["destinations"][alias], "host": "x"}}
        assert not VALIDATOR.is_valid({"destinations": changed})
    assert not VALIDATOR.is_valid({"destinations": {"a b": document["destinations"]["board"]}})


def test_every_provider_has_a_shape() -> None:
    assert {one.name for one in DESTINATIONS} == set(ProviderName)
