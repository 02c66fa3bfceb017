from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from emulated_github import MISSING, EmulatedGitHub, is_installed, running_emulate
from loopback_github import PERSON, ROBOT, Fault, LoopbackGitHub, MemoryGitHub, json_reply

from ophiuchus.github.comment import (
    CommentMode,
    CommentOutcome,
    CommentRequest,
    CommentState,
    Patience,
    keep_comment,
)
from ophiuchus.github.kept_text import RUN_LINE, marker_line
from ophiuchus.text.problem import NoticeCode
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Paragraph,
    Part,
    Quote,
    Strong,
    Table,
    Text,
)
from ophiuchus.views.render.gfm import render_gfm

KEY = "check / one"
MARKER = marker_line("comment", KEY)
ANOTHER_HEAD = "b" * 40
COUNTER = itertools.count()


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
def github(request: pytest.FixtureRequest) -> Iterator[LoopbackGitHub]:
    """A pull request on our own double, and on one that we did not write."""
    if request.param == "memory":
        double: LoopbackGitHub = MemoryGitHub()
    else:
        double = EmulatedGitHub(request.getfixturevalue("emulate"), f"repo{next(COUNTER)}")
    with double:
        yield double


@pytest.fixture
def memory() -> Iterator[MemoryGitHub]:
    with MemoryGitHub() as double:
        yield double


def a_request(github: LoopbackGitHub, body: str = "two are stale") -> CommentRequest:
    return CommentRequest(
        mode=CommentMode.AUTO,
        action_needed=True,
        key=KEY,
        body=body,
        footer="",
        event="pull_request",
        pull_number=github.number,
        head=github.head,
        locked=False,
        token="robot-token",
    )


def keep(github: LoopbackGitHub, body: str = "two are stale", **changes: object) -> CommentOutcome:
    request = replace(a_request(github, body), **changes)  # type: ignore[arg-type]  # fields by name
    return keep_comment(request, github.env, Patience(call=5, total=10))


def message_of(outcome: CommentOutcome) -> str:
    assert outcome.notice is not None
    assert outcome.notice.code is NoticeCode.NOT_POSTED
    assert "\n" not in outcome.notice.message
    return outcome.notice.message


def ours(text: str) -> str:
    return f"{MARKER}\n\n{text}"


def bodies(github: LoopbackGitHub) -> list[str]:
    return [comment.body for comment in github.comments()]


# When there is a comment, and when not.


@pytest.mark.parametrize("there", [False, True], ids=["none yet", "one is there"])
@pytest.mark.parametrize("action_needed", [False, True], ids=["nothing to do", "action needed"])
@pytest.mark.parametrize("mode", CommentMode)
def test_a_comment_is_created_when_the_mode_wants_it_and_then_kept_up_to_date(
    github: LoopbackGitHub, mode: CommentMode, action_needed: bool, there: bool
) -> None:
    if there:
        github.say(ROBOT, ours("old"))
    outcome = keep(github, "new", mode=mode, action_needed=action_needed)
    wanted = mode is CommentMode.ALWAYS or (mode is CommentMode.AUTO and (action_needed or there))
    if not wanted:
        assert outcome.state is (CommentState.OFF if mode is CommentMode.NEVER else CommentState.NOT_NEEDED)
        assert github.writes() == []
    elif there:
        assert outcome.state is CommentState.UPDATED
        assert bodies(github) == [ours("new")]
    else:
        assert outcome.state is CommentState.CREATED
        assert bodies(github) == [ours("new")]
    assert outcome.notice is None


def test_the_comment_says_so_when_all_is_fine_again(github: LoopbackGitHub) -> None:
    assert keep(github, "Action required: 1").state is CommentState.CREATED
    assert keep(github, "Nothing to do", action_needed=False).state is CommentState.UPDATED
    assert bodies(github) == [ours("Nothing to do")]


def test_never_asks_nothing_at_all(memory: MemoryGitHub) -> None:
    assert keep(memory, mode=CommentMode.NEVER) == CommentOutcome(CommentState.OFF)
    assert memory.seen == []


def test_what_is_unchanged_is_not_posted_again(github: LoopbackGitHub) -> None:
    first = keep(github, "report", footer="10:00, run 1")
    again = keep(github, "report", footer="11:00, run 2")
    assert [first.state, again.state] == [CommentState.CREATED, CommentState.UNCHANGED]
    assert first.url == again.url
    assert bodies(github) == [ours(f"report\n\n{RUN_LINE}\n\n10:00, run 1")]
    assert [method for method, _ in github.writes()] == ["POST"]


@pytest.mark.parametrize(
    ("stored", "given", "same"),
    [
        ("a\r\nb", "a\nb", True),
        ("a  \nb\n\n", "a\nb", True),
        (f"a\n\n{RUN_LINE}\n\nx", "a", True),
        (f"a\r\n\r\n{RUN_LINE}\r\n\r\nx", "a\n", True),
        ("a", "a", True),
        ("a\nb", "a\nc", False),
        ("a\n\nb", "a\nb", False),
        (f"a\n\n{RUN_LINE}\n\nx", "b", False),
        (f"a\n{RUN_LINE}\nb\n{RUN_LINE}\nx", "a", False),
    ],
)
@pytest.mark.parametrize("footer", ["", "11:00, run 2"])
def test_line_ends_trailing_blanks_time_and_run_do_not_make_a_difference(
    memory: MemoryGitHub, stored: str, given: str, same: bool, footer: str
) -> None:
    memory.say(ROBOT, ours(stored))
    outcome = keep(memory, given, footer=footer)
    assert outcome.state is (CommentState.UNCHANGED if same else CommentState.UPDATED)
    if not same:
        end = f"\n\n{RUN_LINE}\n\n{footer}" if footer else ""
        assert bodies(memory) == [ours(given + end)]


def test_the_url_is_built_from_the_server_and_the_id(memory: MemoryGitHub) -> None:
    outcome = keep(memory)
    number = memory.comments()[0].id
    assert outcome.url == f"https://github.example/person/repo/pull/7#issuecomment-{number}"


def test_the_marker_stands_first_and_a_blank_line_follows(memory: MemoryGitHub) -> None:
    keep(memory, "| a |\n|---|\n")
    assert re.fullmatch(
        r"<!-- ophiuchus:comment:[0-9a-f]{16} -->\n\n\| a \|\n\|---\|\n", memory.comments()[0].body
    )


def test_jobs_with_different_keys_do_not_share_a_comment(github: LoopbackGitHub) -> None:
    keep(github, "one")
    keep(github, "two", key="check / two")
    keep(github, "one again")
    assert [body.split("\n\n")[1] for body in bodies(github)] == ["one again", "two"]


# Whose it is.


@pytest.mark.parametrize("before", [32, 130])
def test_the_comment_is_found_on_whatever_page_it_is_c008(github: LoopbackGitHub, before: int) -> None:
    """C008: with the comment at position 33 or 131 the call is PATCH, not POST."""
    for number in range(before):
        github.say(PERSON, f"unrelated {number}")
    own = github.say(ROBOT, ours("old"))
    assert keep(github, "new").state is CommentState.UPDATED
    assert github.writes() == [("PATCH", f"/issues/comments/{own}")]
    assert github.comments()[before].body == ours("new")


@pytest.mark.parametrize(
    ("login", "body"),
    [
        (PERSON, ours("planted by a person")),
        (ROBOT, f"> {MARKER}\nplease keep this"),
        (ROBOT, f"see\n\n{MARKER}"),
        (ROBOT, f" {MARKER}"),
        (ROBOT, f"{MARKER} and more"),
        (ROBOT, marker_line("comment", "another key")),
        (ROBOT, marker_line("issue", KEY)),
    ],
)
def test_a_comment_that_is_not_ours_is_never_touched_c046(
    github: LoopbackGitHub, login: str, body: str
) -> None:
    """C046: ours is the marker at the fixed place and written by this token's identity."""
    foreign = github.say(login, body)
    assert keep(github).state is CommentState.CREATED
    assert github.comments()[0].body == body
    assert [(method, path) for method, path in github.writes() if str(foreign) in path.split("/")[-1]] == []


def test_a_comment_with_the_marker_and_windows_line_ends_is_ours(memory: MemoryGitHub) -> None:
    own = memory.say(ROBOT, f"{MARKER}\r\n\r\nold")
    assert keep(memory).state is CommentState.UPDATED
    assert memory.writes() == [("PATCH", f"/issues/comments/{own}")]


@pytest.mark.parametrize("line", [MARKER, RUN_LINE])
def test_no_data_spells_a_line_that_is_ours_c046(line: str) -> None:
    """C046: a marker inside capsule text is neutralised, so it can never be found later."""
    said: tuple[Block, ...] = (
        Paragraph((Text(line),)),
        Paragraph((Text(f"a\n{line}\nb"),)),
        Paragraph((Code(line),)),
        Quote(f"a\n{line}"),
        CodeBlock(f"a\n{line}\nb"),
        Details((Text(line),), (CodeBlock(line),)),
        Bullets(((Text(line),), (Strong(line),))),
        Table((line,), (((Text(line),),),)),
    )
    for blocks in (said, said[::-1], *((block,) for block in said)):
        lines = render_gfm(Document((Part("all", 0, blocks),))).split("\n")
        assert line not in [each.strip() for each in lines]


# Two runs at once.


def test_of_two_own_comments_the_older_is_kept_c025(github: LoopbackGitHub) -> None:
    """C025: the oldest is updated, the extra removed, and nothing of other people's."""
    older = github.say(ROBOT, ours("old"))
    github.say(PERSON, ours("a person's"))
    younger = github.say(ROBOT, ours("old too"))
    outcome = keep(github, "new")
    assert outcome.state is CommentState.UPDATED
    assert outcome.url.endswith(f"#issuecomment-{older}")
    assert github.writes() == [
        ("PATCH", f"/issues/comments/{older}"),
        ("DELETE", f"/issues/comments/{younger}"),
    ]
    assert bodies(github) == [ours("new"), ours("a person's")]


def test_two_own_comments_are_reduced_though_the_older_is_up_to_date(memory: MemoryGitHub) -> None:
    memory.say(ROBOT, ours("same"))
    younger = memory.say(ROBOT, ours("same"))
    assert keep(memory, "same").state is CommentState.UNCHANGED
    assert memory.writes() == [("DELETE", f"/issues/comments/{younger}")]


def test_a_second_comment_that_cannot_be_removed_is_named(memory: MemoryGitHub) -> None:
    memory.say(ROBOT, ours("old"))
    younger = memory.say(ROBOT, ours("old"))
    memory.faults.append(Fault("DELETE", "", raw=json_reply(403, {"message": "no"}).as_bytes()))
    outcome = keep(memory, "new")
    assert outcome.state is CommentState.UPDATED
    assert message_of(outcome).endswith(f"could not be removed: {younger}")


def test_a_second_comment_that_is_gone_already_is_fine(memory: MemoryGitHub) -> None:
    memory.say(ROBOT, ours("old"))
    memory.say(ROBOT, ours("old"))
    memory.faults.append(Fault("DELETE", "", raw=json_reply(404, {"message": "Not Found"}).as_bytes()))
    assert keep(memory, "new").notice is None


def test_a_run_that_posted_second_updates_the_first_and_removes_its_own(github: LoopbackGitHub) -> None:
    github.faults.append(Fault("POST", "comments", before=lambda: github.say(ROBOT, ours("from run A"))))
    outcome = keep(github, "from run B")
    assert bodies(github) == [ours("from run B")]
    assert outcome.state is CommentState.UPDATED
    assert outcome.url.endswith(f"#issuecomment-{github.comments()[0].id}")
    assert [method for method, _ in github.writes()] == ["POST", "PATCH", "DELETE"]


def test_a_run_that_posted_first_removes_the_second(github: LoopbackGitHub) -> None:
    listings = 0

    def another_run() -> None:
        nonlocal listings
        listings += 1
        if listings == 2:
            github.say(ROBOT, ours("from run B"))

    github.faults.append(Fault("POST", "GRAPHQL", before=another_run, times=2))
    assert keep(github, "from run A").state is CommentState.CREATED
    assert bodies(github) == [ours("from run A")]


def test_a_run_that_lost_its_comment_to_another_run_writes_into_the_one_that_stayed(
    memory: MemoryGitHub,
) -> None:
    def another_run() -> None:
        memory.say(ROBOT, ours("from run A"))

    def removes_ours() -> None:
        del memory._comments[memory.comments()[-1].id]

    memory.faults.append(Fault("POST", "comments", before=another_run))
    memory.faults.append(Fault("POST", "GRAPHQL"))
    memory.faults.append(Fault("POST", "GRAPHQL", before=removes_ours))
    assert keep(memory, "from run B").state is CommentState.UPDATED
    assert bodies(memory) == [ours("from run B")]


def test_a_run_superseded_while_it_posted_takes_its_comment_back(memory: MemoryGitHub) -> None:
    def newer_run() -> None:
        memory.say(ROBOT, ours("fresh"))
        memory.head = ANOTHER_HEAD

    memory.faults.append(Fault("POST", "comments", before=newer_run))
    assert keep(memory, "old").state is CommentState.SUPERSEDED
    assert bodies(memory) == [ours("fresh")]


@pytest.mark.parametrize("path", ["GRAPHQL", "issues/comments"])
def test_a_comment_that_was_posted_stays_posted_when_looking_again_fails(
    memory: MemoryGitHub, path: str
) -> None:
    memory.faults.append(Fault("POST", "comments", before=lambda: memory.say(ROBOT, ours("twin"))))
    memory.faults.append(Fault("POST", "GRAPHQL"))
    memory.faults.append(Fault("POST" if path == "GRAPHQL" else "PATCH", path, raw=b""))
    outcome = keep(memory, "mine")
    assert outcome.state is CommentState.CREATED
    assert ours("mine") in bodies(memory)


def test_runs_at_the_same_moment_leave_one_comment(memory: MemoryGitHub) -> None:
    together = threading.Barrier(4)
    memory.faults.append(Fault("POST", "GRAPHQL", before=lambda: together.wait(timeout=5), times=4))
    outcomes: list[CommentOutcome] = []
    runs = [
        threading.Thread(target=lambda name=name: outcomes.append(keep(memory, f"from {name}")))
        for name in range(4)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(outcomes) == 4
    assert len(memory.comments()) == 1
    assert {outcome.notice for outcome in outcomes} == {None}


# Which run may speak.


@pytest.mark.parametrize("there", [False, True])
def test_a_superseded_run_leaves_the_comment_alone_and_says_so_c026(
    github: LoopbackGitHub, there: bool
) -> None:
    """C026: the event's head is not the pull request's head any more."""
    if there:
        github.say(ROBOT, ours("fresh"))
    outcome = keep(github, "old", head=ANOTHER_HEAD)
    assert outcome.state is CommentState.SUPERSEDED
    assert github.writes() == []
    message = message_of(outcome)
    assert ANOTHER_HEAD in message
    assert github.head in message


def test_a_push_while_the_comments_are_read_supersedes_the_run(memory: MemoryGitHub) -> None:
    def push() -> None:
        memory.head = ANOTHER_HEAD

    memory.faults.append(Fault("POST", "GRAPHQL", before=push))
    assert keep(memory).state is CommentState.SUPERSEDED
    assert memory.writes() == []


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch", "merge_group", "workflow_run"])
def test_an_event_without_pull_request_is_one_notice_and_no_call_c016(
    memory: MemoryGitHub, event: str
) -> None:
    """C016: no pull request is normal; nothing is sent, not even to issue 0."""
    outcome = keep(memory, event=event, pull_number=None, head=None)
    assert outcome.state is CommentState.NOT_POSTED
    assert message_of(outcome) == f"The comment was not posted: the event {event} has no pull request"
    assert memory.seen == []


def test_an_event_that_names_no_head_is_not_commented(memory: MemoryGitHub) -> None:
    assert "for which head commit" in message_of(keep(memory, head=None))
    assert memory.seen == []


def test_a_pull_request_that_is_not_there_is_a_notice(github: LoopbackGitHub) -> None:
    outcome = keep(github, pull_number=4711)
    assert outcome.state is CommentState.NOT_POSTED
    assert "cannot see the pull request" in message_of(outcome)
    assert github.writes() == []


# Where it may not write.


def test_a_locked_conversation_in_the_event_is_not_even_asked_about(memory: MemoryGitHub) -> None:
    assert "locked" in message_of(keep(memory, locked=True))
    assert memory.seen == []


def test_a_conversation_locked_meanwhile_is_seen_before_writing(memory: MemoryGitHub) -> None:
    memory.locked = True
    assert "the conversation is locked" in message_of(keep(memory))
    assert memory.writes() == []


def test_a_conversation_locked_at_the_last_moment_is_told_from_a_missing_permission(
    memory: MemoryGitHub,
) -> None:
    def lock() -> None:
        memory.locked = True

    memory.faults.append(Fault("POST", "comments", before=lock))
    outcome = keep(memory)
    assert outcome.state is CommentState.NOT_POSTED
    assert "the conversation is locked" in message_of(outcome)
    assert "permissions" not in message_of(outcome)


def test_a_token_that_may_only_read_names_the_permission_line_c004(github: LoopbackGitHub) -> None:
    """C004: the 403 is one notice, and nobody is sent to pull_request_target."""
    refusal = json_reply(
        403,
        {"message": "Resource not accessible by integration"},
        X_Accepted_GitHub_Permissions="issues=write; pull_requests=write",
    )
    github.faults.append(Fault("POST", "comments", raw=refusal.as_bytes()))
    outcome = keep(github)
    assert outcome.state is CommentState.NOT_POSTED
    assert outcome.url == ""
    message = message_of(outcome)
    assert message.startswith("The comment was not posted: this token may not write here")
    assert "permissions: pull-requests: write" in message
    assert "from a fork" in message
    assert message.endswith("GitHub would accept: issues=write; pull_requests=write")
    assert "pull_request_target" not in message
    assert "Resource not accessible" not in message
    assert len(github.writes()) == 1


@pytest.mark.parametrize(
    "header",
    ["issues=write; x=<b>", "::error::x", "issues=write; " * 11 + "issues=write", "issues = write", "a"],
)
def test_an_odd_permissions_header_is_not_quoted(memory: MemoryGitHub, header: str) -> None:
    refusal = json_reply(403, {"message": "no"}, X_Accepted_GitHub_Permissions=header)
    memory.faults.append(Fault("POST", "comments", raw=refusal.as_bytes()))
    message = message_of(keep(memory))
    assert "may not write here" in message
    assert "GitHub would accept" not in message


def test_a_body_that_is_too_long_is_refused_by_github_and_told(memory: MemoryGitHub) -> None:
    outcome = keep(memory, "x" * 70_000)
    assert outcome.state is CommentState.NOT_POSTED
    assert "GitHub refused the comment (status 422)" in message_of(outcome)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GITHUB_API_URL", "", "GITHUB_API_URL is not set"),
        ("GITHUB_API_URL", "http://github.example/api/v3", "GITHUB_API_URL is not an https URL"),
        ("GITHUB_REPOSITORY", "nothing", "GITHUB_REPOSITORY is not OWNER/NAME"),
    ],
)
def test_an_environment_that_names_no_github_is_a_notice(
    memory: MemoryGitHub, name: str, value: str, words: str
) -> None:
    outcome = keep_comment(a_request(memory), {**memory.env, name: value})
    assert outcome.state is CommentState.NOT_POSTED
    assert words in message_of(outcome)
    assert memory.seen == []


def test_no_token_is_a_notice(memory: MemoryGitHub) -> None:
    assert "no token" in message_of(keep(memory, token=" \n"))
    assert memory.seen == []


# The other kinds of server, and what a comment costs.


def test_an_enterprise_server_is_asked_below_its_base_path() -> None:
    with MemoryGitHub(base="/api/v3", graphql="/api/graphql") as github:
        assert keep(github).state is CommentState.CREATED
        assert keep(github, "new").state is CommentState.UPDATED
        assert not [seen for seen in github.seen if seen.path.startswith("OUTSIDE")]


def test_pygithub_is_imported_only_where_github_is_asked(memory: MemoryGitHub) -> None:
    program = """
import sys
from dataclasses import replace
from ophiuchus.github.comment import CommentMode, CommentRequest, keep_comment
request = CommentRequest(CommentMode.NEVER, True, "k", "b", "f", "push", None, None, False, "t")
keep_comment(request, {})
keep_comment(replace(request, mode=CommentMode.AUTO), {})
keep_comment(replace(request, mode=CommentMode.AUTO, pull_number=7, head="a" * 40), {})
print(sorted({"github", "requests", "urllib3", "pydantic"} & set(sys.modules)))
"""
    source = Path(__file__).parents[2] / "src"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(source), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"


def test_a_quiet_run_asks_one_question_and_an_update_three(memory: MemoryGitHub) -> None:
    keep(memory, action_needed=False)
    memory.say(ROBOT, ours("old"))
    keep(memory, "new")
    assert [seen.method for seen in memory.seen] == ["POST", "POST", "GET", "PATCH"]
