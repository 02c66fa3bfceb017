from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loopback_github import PERSON, ROBOT, Fault, MemoryGitHub, json_reply

from ophiuchus.github.access import read_access
from ophiuchus.github.client import Client
from ophiuchus.github.failure import CallFailed, Cause
from ophiuchus.github.kept_text import marker_line
from ophiuchus.github.marked_comments import MarkedComments, OwnComment

MARKER = marker_line("comment", "key")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def github() -> Iterator[MemoryGitHub]:
    with MemoryGitHub() as double:
        yield double


@pytest.fixture
def client(github: MemoryGitHub) -> Iterator[Client]:
    with Client(read_access(github.env, "robot-token"), call_seconds=5, total_seconds=60) as client:
        yield client


@pytest.fixture
def comments(github: MemoryGitHub, client: Client) -> MarkedComments:
    return MarkedComments(client, github.repository, github.number, MARKER)


def page(
    *nodes: object, has_next_page: object = False, end_cursor: object = None, **changes: object
) -> dict[str, Any]:
    listing = {"pageInfo": {"hasNextPage": has_next_page, "endCursor": end_cursor}, "nodes": list(nodes)}
    return {"data": {"repository": {"pullRequest": {"comments": listing | changes}}}}


def node(**changes: object) -> dict[str, object]:
    return {"url": "https://x/o/r/pull/7#issuecomment-5", "viewerDidAuthor": True, "body": MARKER} | changes


def answer_query(github: MemoryGitHub, value: object, times: int = 1) -> None:
    github.faults.append(Fault("POST", "GRAPHQL", raw=json_reply(200, value).as_bytes(), times=times))


@given(st.text())
def test_a_marker_holds_nothing_of_its_key(key: str) -> None:
    assert re.fullmatch(r"<!-- ophiuchus:comment:[0-9a-f]{16} -->", marker_line("comment", key))


def test_keys_and_kinds_have_markers_of_their_own() -> None:
    markers = {marker_line(kind, key) for kind in ("comment", "issue") for key in ("", "a", "b", "\ud800")}
    assert len(markers) == 8


def test_own_comments_come_oldest_first_and_without_their_marker(
    github: MemoryGitHub, comments: MarkedComments
) -> None:
    first = github.say(ROBOT, f"{MARKER}\n\none")
    github.say(PERSON, f"{MARKER}\n\nnot ours")
    second = github.say(ROBOT, f"{MARKER}\n\ntwo")
    assert comments.own() == [OwnComment(first, "\none"), OwnComment(second, "\ntwo")]


def test_ids_beyond_32_bits_are_read(github: MemoryGitHub, comments: MarkedComments) -> None:
    answer_query(github, page(node(url="https://x/o/r/pull/7#issuecomment-9007199254740993")))
    assert [own.id for own in comments.own()] == [9007199254740993]


def test_a_comment_without_a_node_is_passed_over(github: MemoryGitHub, comments: MarkedComments) -> None:
    answer_query(github, page(None, node()))
    assert len(comments.own()) == 1


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"data": None},
        {"data": []},
        {"data": {}},
        {"data": {"repository": []}},
        {"data": {"repository": {}}},
        {"data": {"repository": {"pullRequest": {}}}},
        page(node(viewerDidAuthor="true")),
        page(node(viewerDidAuthor=1)),
        page(node(body=None)),
        page(node(url=None)),
        page(node(url="https://x/o/r/pull/7#issuecomment-0")),
        page(node(url="https://x/o/r/pull/7#issuecomment-1x")),
        page(node(url="https://x/o/r/pull/7")),
        page(nodes=None),
        page("text"),
        page(has_next_page="no"),
        page(has_next_page=True, end_cursor=None),
        page(has_next_page=True, end_cursor=""),
    ],
    ids=lambda value: json.dumps(value)[-60:],
)
def test_a_listing_of_another_shape_is_no_listing(
    github: MemoryGitHub, comments: MarkedComments, value: object
) -> None:
    answer_query(github, value)
    with pytest.raises(CallFailed) as failure:
        comments.own()
    assert failure.value.cause is Cause.BAD_ANSWER
    assert not failure.value.unknown


def test_a_listing_that_does_not_go_on_is_no_listing(github: MemoryGitHub, comments: MarkedComments) -> None:
    answer_query(github, page(has_next_page=True, end_cursor="same"), times=5)
    with pytest.raises(CallFailed, match="bad_answer"):
        comments.own()
    assert len(github.seen) == 2


@pytest.mark.parametrize(
    "value", [{"data": {"repository": None}}, {"data": {"repository": {"pullRequest": None}}}]
)
def test_a_pull_request_that_is_not_there_is_not_found(
    github: MemoryGitHub, comments: MarkedComments, value: object
) -> None:
    answer_query(github, value)
    with pytest.raises(CallFailed, match="not_found"):
        comments.own()


@pytest.mark.parametrize(
    ("errors", "cause"),
    [
        ([{"type": "NOT_FOUND"}], Cause.NOT_FOUND),
        ([{"type": "FORBIDDEN"}], Cause.FORBIDDEN),
        ([{"type": "INSUFFICIENT_SCOPES"}], Cause.FORBIDDEN),
        ([{"type": "RATE_LIMITED"}], Cause.THROTTLED),
        ([{"type": "SOMETHING"}], Cause.BAD_ANSWER),
        ([{"type": []}], Cause.BAD_ANSWER),
        ([{}], Cause.BAD_ANSWER),
        (["text"], Cause.BAD_ANSWER),
        ("text", Cause.BAD_ANSWER),
        ({"type": "FORBIDDEN"}, Cause.BAD_ANSWER),
    ],
)
def test_an_answer_with_errors_is_no_listing_whatever_data_it_has(
    github: MemoryGitHub, comments: MarkedComments, errors: object, cause: Cause
) -> None:
    answer_query(github, page() | {"errors": errors})
    with pytest.raises(CallFailed) as failure:
        comments.own()
    assert failure.value.cause is cause


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"head": "a" * 40},
        {"head": {"sha": "A" * 40}},
        {"head": {"sha": "a" * 39}},
        {"head": {"sha": None}},
        {"head": {"sha": "a" * 40 + "\n"}},
        {"head": {"sha": "a" * 40}, "locked": "no"},
    ],
    ids=json.dumps,
)
def test_a_pull_request_of_another_shape_is_no_pull_request(
    github: MemoryGitHub, comments: MarkedComments, value: object
) -> None:
    github.faults.append(Fault("GET", "/pulls/7", raw=json_reply(200, value).as_bytes()))
    with pytest.raises(CallFailed, match="bad_answer"):
        comments.pull_request()


def test_an_update_that_confirms_another_comment_is_not_confirmed(
    github: MemoryGitHub, comments: MarkedComments
) -> None:
    own = github.say(ROBOT, MARKER)
    github.faults.append(Fault("PATCH", "", raw=json_reply(200, {"id": own + 1}).as_bytes()))
    with pytest.raises(CallFailed) as failure:
        comments.update(own, "x")
    assert failure.value.unknown


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(JSON)
def test_no_answer_of_any_shape_raises_anything_but_a_failed_call(
    github: MemoryGitHub, comments: MarkedComments, value: object
) -> None:
    for status, verb, call in (
        (200, "POST", comments.own),
        (201, "POST", lambda: comments.create("body")),
        (200, "GET", comments.pull_request),
    ):
        github.faults[:] = [Fault(verb, "", raw=json_reply(status, value).as_bytes())]
        with pytest.raises(CallFailed):
            call()
