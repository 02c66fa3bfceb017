from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from emulated_github import MISSING, is_installed, running_emulate
from loopback_github import PERSON, ROBOT, Fault, Reply, json_reply
from loopback_issues import IssuesInMemory, IssuesOnEmulate, KeepsIssues

from ophiuchus.github.comment import Patience
from ophiuchus.github.failure import Cause
from ophiuchus.github.issue import (
    _WORDS,
    MOST_MENTIONS,
    IssueOutcome,
    IssueRequest,
    IssueState,
    keep_issue,
    mention_line,
)
from ophiuchus.github.kept_text import RUN_LINE, marker_line
from ophiuchus.text.problem import NoticeCode

KEY = "sweep"
MARKER = marker_line("issue", KEY)
TITLE = "Hand-offs that need action"
COUNTER = itertools.count()
CLEAN: dict[str, Any] = {"action_needed": False}


@pytest.fixture(scope="session")
def emulate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_emulate(tmp_path_factory.mktemp("emulate")) as url:
        yield url


@pytest.fixture(
    params=[
        "memory",
        pytest.param(
            "emulate", marks=[pytest.mark.node, pytest.mark.skipif(not is_installed(), reason=MISSING)]
        ),
    ]
)
def github(request: pytest.FixtureRequest) -> Iterator[KeepsIssues]:
    """A repository on our own double, and on one that we did not write."""
    if request.param == "memory":
        double: KeepsIssues = IssuesInMemory()
    else:
        double = IssuesOnEmulate(request.getfixturevalue("emulate"), f"issues{next(COUNTER)}")
    with double:
        yield double


@pytest.fixture
def memory() -> Iterator[IssuesInMemory]:
    with IssuesInMemory() as double:
        yield double


A_REQUEST = IssueRequest(
    action_needed=True, key=KEY, title=TITLE, body="report", footer="", mentions=(), token="robot-token"
)


def keep(github: KeepsIssues, body: str = "report", **changes: Any) -> IssueOutcome:
    request = replace(A_REQUEST, body=body, **changes)
    return keep_issue(request, github.env, Patience(call=5, total=10))


def ours(text: str) -> str:
    return f"{MARKER}\n\n{text}"


def told(github: KeepsIssues) -> list[tuple[str, str | None]]:
    return [(issue.state, issue.body) for issue in github.issues()]


def writes(github: KeepsIssues) -> list[str]:
    return [method for method, _ in github.writes()]


def message_of(outcome: IssueOutcome) -> str:
    assert outcome.notice is not None
    assert outcome.notice.code is NoticeCode.NOT_POSTED
    assert "\n" not in outcome.notice.message
    return outcome.notice.message


# One issue, in the right state.


def test_over_five_sweeps_there_is_one_issue_and_it_is_right_each_time(github: KeepsIssues) -> None:
    """The acceptance of issue 7; the fifth is two at once."""
    first = keep(github, "one is stale")
    assert (first.state, told(github)) == (IssueState.CREATED, [("open", ours("one is stale"))])
    dirtier = keep(github, "two are stale")
    assert (dirtier.state, told(github)) == (IssueState.UPDATED, [("open", ours("two are stale"))])
    clean = keep(github, "nothing to do", **CLEAN)
    assert (clean.state, told(github)) == (IssueState.CLOSED, [("closed", ours("nothing to do"))])
    again = keep(github, "one is stale")
    assert (again.state, told(github)) == (IssueState.REOPENED, [("open", ours("one is stale"))])
    outcomes = at_once(github, 2)
    assert {outcome.url for outcome in outcomes} == {first.url}
    assert told(github) == [("open", ours("report"))]
    assert [outcome.notice for outcome in (first, dirtier, clean, again, *outcomes)] == [None] * 6


@pytest.mark.parametrize("action_needed", [False, True])
@pytest.mark.parametrize("before", [None, "open", "closed"])
def test_the_issue_is_open_exactly_while_something_needs_action(
    github: KeepsIssues, before: str | None, action_needed: bool
) -> None:
    if before is not None:
        number = github.open_issue(ROBOT, TITLE, ours("old"))
        github.shut(number, before)
    outcome = keep(github, "new", action_needed=action_needed)
    wanted = {
        (None, False): (IssueState.NOT_NEEDED, []),
        (None, True): (IssueState.CREATED, [("open", ours("new"))]),
        ("open", False): (IssueState.CLOSED, [("closed", ours("new"))]),
        ("open", True): (IssueState.UPDATED, [("open", ours("new"))]),
        ("closed", False): (IssueState.NOT_NEEDED, [("closed", ours("old"))]),
        ("closed", True): (IssueState.REOPENED, [("open", ours("new"))]),
    }
    assert (outcome.state, told(github)) == wanted[before, action_needed]
    assert len(writes(github)) == (outcome.state is not IssueState.NOT_NEEDED)
    assert outcome.notice is None


def test_why_it_is_closed_and_open_again_is_said(github: KeepsIssues) -> None:
    keep(github)
    keep(github, "fine", **CLEAN)
    assert [issue.reason for issue in github.issues()] == ["completed"]
    keep(github)
    assert [issue.reason for issue in github.issues()] == ["reopened"]


def test_what_is_unchanged_is_not_written_again(github: KeepsIssues) -> None:
    first = keep(github, footer="10:00, commit a")
    again = keep(github, footer="11:00, commit b")
    assert [first.state, again.state] == [IssueState.CREATED, IssueState.UNCHANGED]
    assert first.url == again.url
    assert told(github) == [("open", ours(f"report\n\n{RUN_LINE}\n\n10:00, commit a"))]
    assert writes(github) == ["POST"]


def test_only_what_is_new_is_written(memory: IssuesInMemory) -> None:
    keep(memory)
    assert keep(memory, title="Stale hand-offs").state is IssueState.UPDATED
    assert keep(memory, "more", title="Stale hand-offs").state is IssueState.UPDATED
    assert [seen.body for seen in memory.seen if seen.method == "PATCH"] == [
        {"title": "Stale hand-offs"},
        {"body": ours("more")},
    ]


def test_the_marker_stands_first_and_a_blank_line_follows(memory: IssuesInMemory) -> None:
    keep(memory, "| a |\n|---|\n")
    (issue,) = memory.issues()
    assert re.fullmatch(r"<!-- ophiuchus:issue:[0-9a-f]{16} -->\n\n\| a \|\n\|---\|\n", issue.body or "")
    assert issue.title == TITLE


def test_the_url_is_built_from_the_server_and_the_number(memory: IssuesInMemory) -> None:
    memory.open_issue(PERSON, "first", "x")
    assert keep(memory).url == "https://github.example/person/repo/issues/2"


def test_sweeps_with_different_keys_do_not_share_an_issue(github: KeepsIssues) -> None:
    keep(github, "one")
    keep(github, "two", key="another")
    keep(github, "one again")
    assert [(issue.body or "").split("\n\n")[1] for issue in github.issues()] == ["one again", "two"]


# Whose it is.


@pytest.mark.parametrize("before", [99, 100, 101, 230])
def test_the_issue_is_found_on_whatever_page_it_is(memory: IssuesInMemory, before: int) -> None:
    for number in range(before):
        memory.open_issue(ROBOT, f"another {number}", "no marker")
    own = memory.open_issue(ROBOT, TITLE, ours("old"))
    for _ in range(5):
        memory.open_issue(ROBOT, "later", None)
    assert keep(memory, "new").state is IssueState.UPDATED
    assert memory.writes() == [("PATCH", f"/issues/{own}")]


def test_issues_of_others_are_not_even_asked_for(memory: IssuesInMemory) -> None:
    for number in range(300):
        memory.open_issue(PERSON, f"another {number}", "x")
    assert keep(memory, **CLEAN).state is IssueState.NOT_NEEDED
    assert len([seen for seen in memory.seen if seen.method == "GET"]) == 1


@pytest.mark.parametrize(
    ("login", "body"),
    [
        (PERSON, ours("planted by a person")),
        (ROBOT, f"> {MARKER}\nplease keep this"),
        (ROBOT, f"see\n\n{MARKER}"),
        (ROBOT, f" {MARKER}"),
        (ROBOT, f"{MARKER} and more"),
        (ROBOT, marker_line("issue", "another key")),
        (ROBOT, marker_line("comment", KEY)),
        (ROBOT, None),
    ],
)
def test_an_issue_that_is_not_ours_is_never_touched_c046(
    github: KeepsIssues, login: str, body: str | None
) -> None:
    """C046: ours is the marker at the fixed place and written by this token's identity."""
    github.open_issue(login, TITLE, body)
    assert keep(github).state is IssueState.CREATED
    assert told(github) == [("open", body), ("open", ours("report"))]
    assert writes(github) == ["POST"]


def test_an_issue_of_somebody_else_is_not_touched_although_the_list_has_it(memory: IssuesInMemory) -> None:
    """The list is asked for by its creator; who opened an issue is looked at all the same."""
    number = memory.open_issue(PERSON, TITLE, ours("planted by a person"))
    (planted,) = memory.issues()
    memory.faults.append(Fault("GET", "issues", raw=json_reply(200, [planted.as_json()]).as_bytes()))
    outcome = keep(memory)
    assert (outcome.state, writes(memory)) == (IssueState.CREATED, ["POST"])
    assert not outcome.url.endswith(f"/{number}")


def test_a_pull_request_of_ours_is_no_issue(memory: IssuesInMemory) -> None:
    memory.open_issue(ROBOT, TITLE, ours("x"), is_pull=True)
    assert keep(memory).state is IssueState.CREATED
    assert writes(memory) == ["POST"]


def test_an_issue_with_windows_line_ends_is_ours(memory: IssuesInMemory) -> None:
    memory.open_issue(ROBOT, TITLE, f"{MARKER}\r\n\r\nreport\r\n")
    assert keep(memory).state is IssueState.UNCHANGED


def test_an_issue_that_was_deleted_or_moved_away_is_opened_anew(memory: IssuesInMemory) -> None:
    keep(memory)
    memory._issues.clear()
    assert keep(memory).state is IssueState.CREATED


# Two at once.


def at_once(github: KeepsIssues, count: int) -> list[IssueOutcome]:
    """So many sweeps that all look for the issue before any of them goes on."""
    together = threading.Barrier(count)
    github.faults += [Fault("GET", "/issues", before=lambda: together.wait(5), times=1) for _ in range(count)]
    outcomes: list[IssueOutcome] = []
    sweeps = [threading.Thread(target=lambda: outcomes.append(keep(github))) for _ in range(count)]
    for sweep in sweeps:
        sweep.start()
    for sweep in sweeps:
        sweep.join()
    return outcomes


@pytest.mark.parametrize("count", [2, 4])
def test_sweeps_at_once_end_with_exactly_one_open_issue(github: KeepsIssues, count: int) -> None:
    outcomes = at_once(github, count)
    first, *others = github.issues()
    assert (first.state, first.body) == ("open", ours("report"))
    for other in others:
        assert (other.state, other.reason) == ("closed", "not_planned")
        assert (other.body or "").startswith(ours(f"Duplicate of #{first.number}: "))
    assert {outcome.url.rpartition("/")[2] for outcome in outcomes} == {str(first.number)}
    assert all(outcome.notice is None for outcome in outcomes)
    assert keep(github, "fine", **CLEAN).state is IssueState.CLOSED
    assert github.open_issues() == []
    assert keep(github).url.endswith(f"/{first.number}")


def test_of_two_the_lower_number_wins_and_a_person_s_reopening_changes_nothing(github: KeepsIssues) -> None:
    low = github.open_issue(ROBOT, TITLE, ours("old"))
    high = github.open_issue(ROBOT, TITLE, ours("newer"))
    github.shut(low)
    outcome = keep(github)
    assert outcome.state is IssueState.REOPENED
    assert [issue.number for issue in github.open_issues()] == [low]
    github.shut(high, "open")
    assert keep(github).state is IssueState.UNCHANGED
    assert [issue.number for issue in github.open_issues()] == [low]


def test_a_duplicate_that_cannot_be_closed_is_named(memory: IssuesInMemory) -> None:
    memory.open_issue(ROBOT, TITLE, ours("report"))
    high = memory.open_issue(ROBOT, TITLE, ours("report"))
    memory.locked_issues.add(high)
    outcome = keep(memory)
    assert outcome.state is IssueState.UNCHANGED
    assert message_of(outcome) == f"A second issue of this action could not be closed: {high}"


def test_a_name_that_the_list_does_not_know_is_corrected_by_the_new_issue_s_own(
    memory: IssuesInMemory,
) -> None:
    """Else every sweep would open one more."""
    memory.open_issue(ROBOT, TITLE, ours("old"))
    reply = json_reply(200, {"data": {"viewer": {"login": "robot[bot]"}}})
    memory.faults.append(Fault("POST", "GRAPHQL", raw=reply.as_bytes()))
    assert keep(memory).url.endswith("/1")
    assert [issue.number for issue in memory.open_issues()] == [1]


def test_a_second_look_that_fails_leaves_the_new_issue(memory: IssuesInMemory) -> None:
    memory.faults.append(Fault("GET", "/issues", commit=True))
    memory.faults.append(Fault("GET", "/issues", raw=json_reply(500, {}).as_bytes()))
    outcome = keep(memory)
    assert (outcome.state, outcome.notice) == (IssueState.CREATED, None)
    assert told(memory) == [("open", ours("report"))]


# What can go wrong is one notice.


REFUSALS = [
    (json_reply(401, {"message": "Bad credentials"}), "the token is not valid"),
    (json_reply(403, {"message": "Resource not accessible by integration"}), "permissions: issues: write"),
    (json_reply(404, {"message": "Not Found"}), "permissions: issues: write"),
    (json_reply(410, {"message": "Issues has been disabled in this repository."}), "switched off"),
    (json_reply(301, {"message": "Moved"}, Location="https://elsewhere.example/"), "renamed"),
    (json_reply(429, {"message": "slow down"}), "throttling"),
    (json_reply(403, {"message": "You have exceeded a secondary rate limit"}), "throttling"),
]


@pytest.mark.parametrize(("reply", "words"), REFUSALS)
@pytest.mark.parametrize("at", ["who", "list", "open"])
def test_a_refusal_is_one_notice_and_nothing_is_tried_again(
    memory: IssuesInMemory, reply: Reply, words: str, at: str
) -> None:
    method, path = {"who": ("POST", "GRAPHQL"), "list": ("GET", "/issues"), "open": ("POST", "/issues$")}[at]
    memory.faults.append(Fault(method, path, raw=reply.as_bytes()))
    outcome = keep(memory)
    assert outcome.state is IssueState.NOT_WRITTEN
    assert outcome.url == ""
    assert words in message_of(outcome)
    assert writes(memory) == (["POST"] if at == "open" else [])
    assert memory.issues() == []


def test_the_permission_that_github_names_is_told(memory: IssuesInMemory) -> None:
    reply = json_reply(403, {"message": "no"}, X_Accepted_GitHub_Permissions="issues=write")
    memory.faults.append(Fault("POST", "/issues$", raw=reply.as_bytes()))
    assert message_of(keep(memory)).endswith("GitHub would accept: issues=write")


@pytest.mark.parametrize("action_needed", [False, True])
def test_where_issues_are_switched_off_there_is_one_notice(
    memory: IssuesInMemory, action_needed: bool
) -> None:
    memory.has_issues = False
    outcome = keep(memory, action_needed=action_needed)
    assert outcome.state is IssueState.NOT_WRITTEN
    assert "issues are switched off in this repository" in message_of(outcome)
    assert memory.writes() == []


def test_a_locked_issue_is_left_alone_and_told(memory: IssuesInMemory) -> None:
    keep(memory, "old")
    memory.locked_issues.add(1)
    outcome = keep(memory, "new")
    assert outcome.state is IssueState.NOT_WRITTEN
    assert "the issue is locked" in message_of(outcome)
    assert told(memory) == [("open", ours("old"))]


@pytest.mark.parametrize("before", [None, "open", "closed"])
@pytest.mark.parametrize(
    "fault",
    [
        {"raw": b""},
        {"raw": b"", "reset": True},
        {"raw": json_reply(502, {}).as_bytes()},
        {"raw": Reply(200, b"<html>").as_bytes()},
        {"raw": json_reply(200, {"number": 3}).as_bytes()},
    ],
    ids=["closed", "reset", "502", "html", "no state"],
)
def test_an_answer_that_is_lost_after_the_write_is_not_known_and_the_next_sweep_finds_it(
    memory: IssuesInMemory, before: str | None, fault: dict[str, Any]
) -> None:
    if before is not None:
        memory.shut(memory.open_issue(ROBOT, TITLE, ours("old")), before)
    method = "POST" if before is None else "PATCH"
    memory.faults.append(Fault(method, "/issues", commit=True, **fault))
    outcome = keep(memory)
    assert outcome.state is IssueState.UNKNOWN
    assert "is not known" in message_of(outcome)
    assert writes(memory) == [method]
    assert keep(memory).state is IssueState.UNCHANGED
    assert told(memory) == [("open", ours("report"))]


def test_an_answer_about_another_issue_is_no_confirmation(memory: IssuesInMemory) -> None:
    memory.open_issue(ROBOT, TITLE, ours("old"))
    reply = json_reply(200, {"number": 2, "state": "open"})
    memory.faults.append(Fault("PATCH", "/issues", raw=reply.as_bytes()))
    assert keep(memory).state is IssueState.UNKNOWN


@pytest.mark.parametrize(
    "items",
    [
        {},
        [{}],
        ["x"],
        [{"number": 0, "state": "open", "title": "t", "body": "", "user": {"login": "robot"}}],
        [{"number": 1, "state": "ajar", "title": "t", "body": "", "user": {"login": "robot"}}],
    ],
)
def test_an_odd_list_opens_nothing(memory: IssuesInMemory, items: Any) -> None:
    memory.faults.append(Fault("GET", "/issues", raw=json_reply(200, items).as_bytes()))
    outcome = keep(memory)
    assert "makes no sense" in message_of(outcome)
    assert memory.writes() == []


@pytest.mark.parametrize("data", [{}, {"viewer": None}, {"viewer": {"login": ""}}])
def test_without_a_name_nothing_is_asked_for(memory: IssuesInMemory, data: Any) -> None:
    memory.faults.append(Fault("POST", "GRAPHQL", raw=json_reply(200, {"data": data}).as_bytes()))
    assert "makes no sense" in message_of(keep(memory))
    assert [seen.path for seen in memory.seen] == ["GRAPHQL"]


def test_without_a_token_or_an_address_nothing_is_asked(memory: IssuesInMemory) -> None:
    assert "no token was given" in message_of(keep(memory, token=" "))
    outcome = keep_issue(A_REQUEST, {**memory.env, "GITHUB_API_URL": "http://api.example"})
    assert "GITHUB_API_URL" in message_of(outcome)
    assert memory.seen == []


def test_an_answer_that_drips_ends_with_the_time_there_is(memory: IssuesInMemory) -> None:
    memory.faults.append(Fault("GET", "/issues", drip=0.05))
    outcome = keep_issue(A_REQUEST, memory.env, Patience(call=5, total=0.4))
    assert "took too long" in message_of(outcome)
    assert memory.writes() == []


def test_every_cause_has_words_and_the_token_is_shown_nowhere(memory: IssuesInMemory) -> None:
    own = {Cause.FORBIDDEN, Cause.LOCKED, Cause.NOT_FOUND, Cause.GONE, Cause.REFUSED}
    assert set(_WORDS) == own
    assert "robot-token" not in repr(A_REQUEST)


# Who is notified.


def test_owners_are_mentioned_once_when_the_issue_is_new_and_never_again(github: KeepsIssues) -> None:
    mentions = ("@octo/payments", "@zoe")
    keep(github, mentions=mentions, footer="10:00")
    line = "To the owners: @octo/payments @zoe"
    assert told(github) == [("open", ours(f"report\n\n{RUN_LINE}\n\n{line}\n\n10:00"))]
    assert keep(github, mentions=mentions, footer="11:00").state is IssueState.UNCHANGED
    keep(github, "more", mentions=mentions, footer="12:00")
    assert told(github) == [("open", ours(f"more\n\n{RUN_LINE}\n\n12:00"))]
    keep(github, "fine", mentions=mentions, **CLEAN)
    keep(github, "again", mentions=mentions)
    assert told(github) == [("open", ours("again"))]


def test_at_most_ten_owners_are_mentioned_each_once() -> None:
    names = [f"@o{number}" for number in range(30)]
    assert mention_line(["@o0", *names]).split()[3:] == names[:MOST_MENTIONS]
    assert MOST_MENTIONS == 10


@pytest.mark.parametrize(
    "name",
    [
        "a@b.example",
        "@",
        "@-a",
        "@a b",
        "@a/",
        "@a/b/c",
        "@a)](x",
        "@é",
        "@" + "a" * 40,
        "@a\n@b",
        "a",
        "@a<b>",
    ],
)
def test_what_is_no_handle_is_not_mentioned(name: str) -> None:
    assert mention_line([name]) == ""
