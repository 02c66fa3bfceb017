"""Payloads: exactly the request's body, the artifact that the provider is for, the same bytes each time."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import built_reports
import pytest
from hostile_capsules import MARK, HandOff, hand_offs
from hypothesis import given, settings
from hypothesis import strategies as st
from publishable import DOCUMENT, PATHS, SCOPE, capsule, report

from ophiuchus.assess.fidelity import FidelityVerdict
from ophiuchus.git.findings import Change
from ophiuchus.publish.capability import CAPABILITIES, Deployment, Kind, Operation, ProviderName
from ophiuchus.publish.destination import (
    ClickUpDestination,
    Destination,
    GitHubDestination,
    JiraDestination,
    SlackDestination,
    TeamsDestination,
)
from ophiuchus.publish.digest import canonical_json
from ophiuchus.publish.leaks import leaks_of_capsule, leaks_of_payload
from ophiuchus.publish.payload import FrameTooLong, Payload, compose_payload
from ophiuchus.views.budget import CLICKUP, COMMENT, JIRA, SLACK, TEAMS, WIKI, utf16_units
from ophiuchus.views.render.title import GITHUB_TITLE

GITHUB = GitHubDestination(provider=ProviderName.GITHUB, target="acme/web", labels=("hand-off",))
CLOUD = JiraDestination(provider=ProviderName.JIRA, target="OPH")
DATA_CENTER = CLOUD.model_copy(update={"deployment": Deployment.DATA_CENTER})
LIST = ClickUpDestination(provider=ProviderName.CLICKUP, target="901")
CHAT = SlackDestination(provider=ProviderName.SLACK, target="C0123ABCD")
CHANNEL = TeamsDestination(
    provider=ProviderName.TEAMS, target="0a1b2c3d-0000-4aaa-8bbb-0123456789ab/19:x@thread.tacv2"
)
ALL: list[Destination] = [GITHUB, CLOUD, DATA_CENTER, LIST, CHAT, CHANNEL]
everywhere = pytest.mark.parametrize(
    "destination", ALL, ids=["github", "jira", "wiki", "clickup", "slack", "teams"]
)
either = pytest.mark.parametrize("operation", Operation)
TOKEN = "gh" + "p_" + "A1b2C3d4E5f6" * 3


def payload(destination: Destination, operation: Operation = Operation.CREATE, **fields: Any) -> Payload:
    return compose_payload(destination, operation, capsule(**fields), report())


def shape(value: Any) -> Any:
    """The keys of a body, each text that is not fixed as its type."""
    return {key: shape(one) for key, one in value.items()} if isinstance(value, dict) else type(value)


ADF = {"type": str, "version": int, "content": list}
MESSAGE = {
    "text": str, "blocks": list, "unfurl_links": bool, "unfurl_media": bool, "parse": str, "link_names": bool,
}  # fmt: skip
HTML = {"contentType": str, "content": str}
FIELDS = {"project": {"key": str}, "issuetype": {"name": str}, "summary": str}


@pytest.mark.parametrize(
    ("destination", "created", "appended"),
    [
        (GITHUB, {"title": str, "body": str, "labels": list}, {"body": str}),
        (CLOUD, {"fields": {**FIELDS, "description": ADF}}, {"body": ADF}),
        (DATA_CENTER, {"fields": {**FIELDS, "description": str}}, {"body": str}),
        (LIST, {"name": str, "markdown_content": str}, {"comment_text": str, "notify_all": bool}),
        (CHAT, MESSAGE, {**MESSAGE, "reply_broadcast": bool}),
        (CHANNEL, {"subject": str, "body": HTML}, {"body": HTML}),
    ],
    ids=lambda value: getattr(value, "provider", ""),
)
def test_the_content_is_the_requests_body(
    destination: Destination, created: dict[str, Any], appended: dict[str, Any]
) -> None:
    assert shape(payload(destination).content) == created
    assert shape(payload(destination, Operation.APPEND).content) == appended


def test_options_are_in_what_is_made_and_not_in_what_is_added() -> None:
    assert payload(GITHUB).content["labels"] == ["hand-off"]
    bug = CLOUD.model_copy(update={"issue_type": "Bug", "labels": ("a", "b")})
    fields = payload(bug).content["fields"]
    assert (fields["project"], fields["issuetype"], fields["labels"]) == (
        {"key": "OPH"},
        {"name": "Bug"},
        ["a", "b"],
    )
    tagged = LIST.model_copy(update={"tags": ("a",)})
    assert payload(tagged).content["tags"] == ["a"]
    for destination in (GITHUB, bug, tagged):
        plain = destination.model_copy(update={"labels": (), "tags": ()})
        assert payload(destination, Operation.APPEND).content == payload(plain, Operation.APPEND).content


def test_nothing_makes_slack_look_for_names_or_addresses() -> None:
    content = payload(CHAT, Operation.APPEND).content
    off = ("unfurl_links", "unfurl_media", "link_names", "reply_broadcast")
    assert [content[name] for name in off] == [False] * 4
    assert content["parse"] == "none"


@everywhere
def test_a_record_and_a_discussion_are_two_artifacts(destination: Destination) -> None:
    readable = payload(destination).readable
    discusses = CAPABILITIES[destination.provider].kind is Kind.DISCUSS
    assert ("Who owns the schedule?" in readable) is discusses
    assert "Session keys rotate weekly." in readable


@everywhere
@either
def test_the_same_commit_gives_the_same_bytes(destination: Destination, operation: Operation) -> None:
    one, other = payload(destination, operation), payload(destination, operation)
    assert canonical_json(dict(one.content)) == canonical_json(dict(other.content))
    assert one.readable == other.readable


@everywhere
@either
def test_the_view_holds_its_own_fidelity(destination: Destination, operation: Operation) -> None:
    made = payload(destination, operation)
    (unit,) = made.fidelity
    assert unit.verdict is FidelityVerdict.PRESERVED
    assert "next_action: ✓ preserved" in made.readable
    assert "preserved" in json.dumps(made.content)
    assert "to be judged" not in made.readable


@everywhere
def test_personal_data_is_shown_only_where_the_destination_asks(destination: Destination) -> None:
    assert "Lovelace" not in canonical_json(dict(payload(destination).content))
    asked = destination.model_copy(update={"contact_cards": True})
    assert "Lovelace" in canonical_json(dict(payload(asked).content))


def test_a_title_is_one_line_within_the_providers_limit() -> None:
    assert CAPABILITIES[ProviderName.GITHUB].title_limit == GITHUB_TITLE
    long = "Keys\nof @octocat " + "x" * 300
    for destination, title in (
        (GITHUB, payload(GITHUB, title=long).content["title"]),
        (CLOUD, payload(CLOUD, title=long).content["fields"]["summary"]),
        (LIST, payload(LIST, title=long).content["name"]),
        (CHANNEL, payload(CHANNEL, title=long).content["subject"]),
    ):
        limit = CAPABILITIES[destination.provider].title_limit
        assert limit is not None
        assert utf16_units(title) <= limit
        assert title.startswith("Keys of @")
        assert "\n" not in title
    assert payload(GITHUB, title=long).readable.startswith("Keys of @\u200boctocat")


@pytest.mark.parametrize("letters", ["слово ", "漢", "😀", '"', "&", "'", "$", "{*_", "\\", "<b>", "a\n"])
@everywhere
@either
def test_c052_goal_state_and_next_action_stay_however_long_their_letters_get(
    destination: Destination, operation: Operation, letters: str
) -> None:
    """Jira's JSON spells most letters of the world in six characters and an emoji in twelve."""
    text = letters * 3_000
    long = {name: f"{name} {text}"[:9_000] for name in ("goal", "state", "next_action")}
    sent = payload(destination, operation, **long, title="t", evidence=[text[:2_000]] * 5)
    names = {part.name for part in sent.document.parts}
    assert {"the goal", "the state", "the next action"} <= names
    for name in long:
        assert f"{name} " in sent.readable


def test_what_is_added_repeats_no_title_field() -> None:
    assert payload(GITHUB, Operation.APPEND).title == ""


def test_a_payload_does_not_print() -> None:
    assert "weekly" not in repr(payload(GITHUB))


def test_a_frame_that_does_not_fit_is_told_not_left_out() -> None:
    # In JSON each of these characters takes twelve, and an id is told whole.
    wide = "\U0001d306"
    scopes = [
        {"condition_id": f"{number}{wide * 127}", "kind": "declared_scope", "scope": "s"}
        for number in range(10)
    ]
    units = [
        {"unit_id": f"u{number}", "kind": "validity", "index": number, "why": wide * 200}
        for number in range(10)
    ]
    found = report(*(replace(SCOPE, condition_id=str(scope["condition_id"])) for scope in scopes))
    hand_off = capsule(title=wide * 300, validity=scopes, critical=units)
    assert compose_payload(GITHUB, Operation.CREATE, hand_off, found).content["body"]
    with pytest.raises(FrameTooLong) as refusal:
        compose_payload(CLOUD, Operation.CREATE, hand_off, found)
    assert "jira" in refusal.value.message


# Bodies for anything that a capsule can hold.


def texts_of(value: Any) -> str:
    return (
        "".join(map(texts_of, value.values() if isinstance(value, dict) else value))
        if isinstance(value, dict | list)
        else str(value)
    )


@settings(max_examples=60, deadline=None)
@given(hand_offs(longest=3_000, most_items=8), st.sampled_from(ALL), st.sampled_from(Operation))
def test_any_capsule_gives_a_body_within_the_limits(
    hand_off: HandOff, destination: Destination, operation: Operation
) -> None:
    with suppress(FrameTooLong):
        made = compose_payload(destination, operation, hand_off.capsule, hand_off.report)
        spelled = canonical_json(dict(made.content))
        content = made.content
        match destination:
            case GitHubDestination():
                assert utf16_units(content["body"]) <= COMMENT.limit
            case JiraDestination():
                text = content["fields"]["description"] if operation is Operation.CREATE else content["body"]
                size = utf16_units(text) if isinstance(text, str) else len(canonical_json(text))
                assert size <= (WIKI.limit if isinstance(text, str) else JIRA.limit)
            case ClickUpDestination():
                text = content["markdown_content" if operation is Operation.CREATE else "comment_text"]
                assert utf16_units(text) <= CLICKUP.limit
            case SlackDestination():
                assert utf16_units(content["text"]) <= SLACK.limit
                assert len(content["blocks"]) <= 50
            case TeamsDestination():
                assert utf16_units(content["body"]["content"]) <= TEAMS.limit
        assert json.loads(spelled) == content
        assert MARK in texts_of(dict(content))


# Secrets.


@everywhere
@either
def test_an_ordinary_hand_off_leaks_nothing(destination: Destination, operation: Operation) -> None:
    assert leaks_of_capsule(capsule()) == ()
    assert leaks_of_payload(payload(destination, operation)) == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"goal": f"Use {TOKEN}."},
        {"evidence": ["a", TOKEN]},
        {"x_team": {"note": [TOKEN]}},
        {"goal": f"{TOKEN[:12]}\u200b{TOKEN[12:]}"},
        {"contact_cards": [{"name": "n", "contact": TOKEN}]},
    ],
    ids=["goal", "evidence", "unknown key", "split", "contact"],
)
def test_a_secret_in_any_field_is_found_without_its_value(fields: dict[str, Any]) -> None:
    leaks = leaks_of_capsule(capsule(**fields))
    assert leaks
    assert TOKEN not in str(leaks)


@everywhere
@either
def test_a_secret_that_making_it_inert_splits_is_found_in_what_is_sent(
    destination: Destination, operation: Operation
) -> None:
    leaks = leaks_of_payload(payload(destination, operation, goal=f"Use {TOKEN}."))
    assert leaks
    assert TOKEN not in str(leaks)


def test_a_secret_in_the_name_of_a_changed_file_is_found_in_what_is_sent() -> None:
    changed = built_reports.condition(
        PATHS.verdict.STALE, built_reports.glob("src/**", {f"src/{TOKEN}": Change.ADDED}), condition_id="code"
    )
    made = compose_payload(
        GITHUB, Operation.CREATE, capsule(), report(changed, report().validity.conditions[1])
    )
    assert TOKEN in made.readable
    assert leaks_of_payload(made)


def test_the_document_of_these_tests_has_a_word_in_every_place() -> None:
    assert {"title", "goal", "evidence", "critical", "validity", "contact_cards"} <= DOCUMENT.keys()
