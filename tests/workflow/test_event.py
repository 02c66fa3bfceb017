from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.workflow.event import EVENT_FILE_BYTES, PULL_REQUEST_EVENTS, Event, PullRequest, read_event

HEAD, BASE = "a" * 40, "b" * 40
REPOSITORY = {"full_name": "o/r", "default_branch": "trunk"}
PULL = {
    "number": 7,
    "locked": False,
    "head": {"sha": HEAD, "repo": {"full_name": "fork/r"}},
    "base": {"sha": BASE, "repo": {"full_name": "o/r"}},
}
ENV = {
    "GITHUB_REPOSITORY": "o/r",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_RUN_ID": "1000001",
}


def event(tmp_path: Path, name: str, payload: Any = None, content: bytes | None = None, **more: str) -> Event:
    path = tmp_path / "event.json"
    path.write_bytes(json.dumps(payload).encode() if content is None else content)
    return read_event({**ENV, "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), **more})


@pytest.mark.parametrize(
    "name",
    ["pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"],
)
def test_an_event_about_a_pull_request_names_it(tmp_path: Path, name: str) -> None:
    found = event(tmp_path, name, {"pull_request": PULL, "repository": REPOSITORY})
    assert found == Event(
        name=name,
        repository="o/r",
        default_branch="trunk",
        pull_request=PullRequest(number=7, head=HEAD, base=BASE, locked=False),
        run_url="https://github.example/o/r/actions/runs/1000001",
        repository_url="https://github.example/o/r",
        base=BASE,
        proposed=True,
    )


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("push", {"ref": "refs/heads/main", "repository": {"full_name": "o/r"}}),
        ("schedule", {"schedule": "0 4 * * 1"}),
        ("workflow_dispatch", {"inputs": {"number": "7"}}),
        ("merge_group", {"merge_group": {"head_sha": HEAD}}),
        ("workflow_run", {"workflow_run": {"pull_requests": []}}),
        ("workflow_run", {"workflow_run": {"pull_requests": [{"number": 7}]}}),
        ("issue_comment", {"issue": {"number": 7, "pull_request": {"url": "x"}}}),
        ("repository_dispatch", {"client_payload": {"pull_request": PULL}}),
        ("push", {"pull_request": PULL}),
        ("", {}),
        ("something_new", {"pull_request": PULL}),
    ],
)
def test_other_events_have_no_pull_request(tmp_path: Path, name: str, payload: dict[str, Any]) -> None:
    """C016: that is normal, and nobody's number is taken from elsewhere."""
    found = event(tmp_path, name, payload, GITHUB_REF="refs/pull/9/merge")
    assert (found.name, found.pull_request) == (name, None)


FOLLOWED = {"workflow_run": {"event": "pull_request", "head_sha": HEAD, "pull_requests": []}}


def test_a_run_that_follows_a_pull_requests_run_says_which_one_it_found(tmp_path: Path) -> None:
    found = event(tmp_path, "workflow_run", FOLLOWED, OPHIUCHUS_PULL_REQUEST="7").pull_request
    assert found == PullRequest(number=7, head=HEAD, base=None, locked=False, followed=True)


@pytest.mark.parametrize("number", ["", "0", "-7", "07", "7.0", "7; rm", "\uff19", "1" * 30])
def test_a_found_number_that_is_none_is_not_taken(tmp_path: Path, number: str) -> None:
    found = event(tmp_path, "workflow_run", FOLLOWED, OPHIUCHUS_PULL_REQUEST=number)
    assert found.pull_request is None


@pytest.mark.parametrize(
    "change", [{"event": "push"}, {"event": None}, {"head_sha": None}, {"head_sha": "main"}]
)
def test_only_the_run_of_a_pull_request_is_followed(tmp_path: Path, change: dict[str, Any]) -> None:
    payload = {"workflow_run": {**FOLLOWED["workflow_run"], **change}}
    assert event(tmp_path, "workflow_run", payload, OPHIUCHUS_PULL_REQUEST="7").pull_request is None


@pytest.mark.parametrize(
    ("name", "followed", "proposed"),
    [
        *((name, None, True) for name in sorted(PULL_REQUEST_EVENTS)),
        ("workflow_run", "pull_request", True),
        ("workflow_run", "pull_request_target", True),
        ("workflow_run", "push", False),
        ("workflow_run", ["pull_request"], False),
        ("workflow_run", None, False),
        ("push", "pull_request", False),
        ("merge_group", None, False),
    ],
)
def test_what_was_proposed_is_known_though_the_pull_request_is_not(
    tmp_path: Path, name: str, followed: Any, proposed: bool
) -> None:
    found = event(tmp_path, name, {"workflow_run": {"event": followed}})
    assert found.pull_request is None
    assert found.proposed is proposed


def test_no_other_event_hears_of_a_found_number(tmp_path: Path) -> None:
    assert event(tmp_path, "push", FOLLOWED, OPHIUCHUS_PULL_REQUEST="7").pull_request is None


@pytest.mark.parametrize("number", ["7", 7.0, True, 0, -1, [7], {"a": 7}, 10**30, "abc", "7; rm"])
def test_a_wrong_number_is_refused(tmp_path: Path, number: Any) -> None:
    """C016"""
    payload = {"pull_request": {**PULL, "number": number}}
    assert event(tmp_path, "pull_request", payload).pull_request is None


@pytest.mark.parametrize("value", ["HEAD", "a" * 39, "A" * 40, "a" * 41, 7, None, "a" * 40 + "\n"])
def test_a_head_that_is_no_commit_id_is_not_known(tmp_path: Path, value: Any) -> None:
    payload = {"pull_request": {**PULL, "head": {"sha": value}}}
    found = event(tmp_path, "pull_request", payload).pull_request
    assert found is not None
    assert found.head is None


def test_sha256_commits_are_known(tmp_path: Path) -> None:
    payload = {"pull_request": {**PULL, "head": {"sha": "c" * 64}}}
    found = event(tmp_path, "pull_request", payload).pull_request
    assert found is not None
    assert found.head == "c" * 64


@pytest.mark.parametrize(
    ("locked", "expected"), [(True, True), (False, False), ("true", False), (None, False)]
)
def test_a_locked_conversation_is_seen(tmp_path: Path, locked: Any, expected: bool) -> None:
    found = event(tmp_path, "pull_request", {"pull_request": {**PULL, "locked": locked}}).pull_request
    assert found is not None
    assert found.locked is expected


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"text"',
        b"\xff\xfe{\x00}\x00",
        b"[" * 200_000,
        b'{"number": ' + b"9" * 5000 + b"}",
        b'{"pull_request": {"number": NaN}}',
        b'{"repository": {"default_branch": "trunk"}}' + b" " * EVENT_FILE_BYTES,
    ],
    ids=lambda content: content[:12],
)
def test_an_odd_event_file_is_an_event_without_details(tmp_path: Path, content: bytes) -> None:
    found = event(tmp_path, "push", content=content)
    page = "https://github.example/o/r"
    assert found == Event("push", "o/r", None, None, f"{page}/actions/runs/1000001", page)


def test_a_byte_order_mark_is_no_hindrance(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + json.dumps({"pull_request": PULL}).encode()
    assert event(tmp_path, "pull_request", content=content).pull_request is not None


@pytest.mark.parametrize("kind", ["absent", "folder", "pipe", "unset", "nul"])
def test_a_missing_event_file_is_tolerated_and_the_ref_names_the_pull_request(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "event"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    spelled = {"unset": "", "nul": "a\0b"}.get(kind, str(path))
    env = {**ENV, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": spelled}
    assert read_event(env).pull_request is None
    found = read_event({**env, "GITHUB_REF": "refs/pull/12/merge"})
    assert found.pull_request == PullRequest(number=12, head=None, base=None, locked=False)


@pytest.mark.parametrize(
    "ref", ["refs/pull/0/merge", "refs/pull/x/merge", "refs/heads/main", "refs/pull/٣/merge"]
)
def test_a_ref_that_names_no_pull_request_gives_none(ref: str) -> None:
    assert read_event({"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": ref}).pull_request is None


@pytest.mark.parametrize(
    ("given_name", "in_payload", "expected"),
    [
        ("o/r", "x/y", "o/r"),
        ("", "x/y", "x/y"),
        ("/some/path/of/a/clone", "x/y", "x/y"),
        ("user_emu/r.github.io", None, "user_emu/r.github.io"),
        ("o/..", None, None),
        ("o/r/s", None, None),
        ("o/r\n", None, None),
        ("-o/r", None, None),
        (None, 7, None),
    ],
)
def test_the_repository_is_owner_and_name_or_not_known(
    tmp_path: Path, given_name: str | None, in_payload: Any, expected: str | None
) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps({"repository": {"full_name": in_payload}}))
    env = {"GITHUB_EVENT_PATH": str(path)}
    if given_name is not None:
        env["GITHUB_REPOSITORY"] = given_name
    assert read_event(env).repository == expected


@pytest.mark.parametrize(
    ("server", "run", "url"),
    [
        ("https://ghes.example:8443/sub/", "5", "https://ghes.example:8443/sub/o/r/actions/runs/5"),
        ("http://127.0.0.1:3000", "5", "http://127.0.0.1:3000/o/r/actions/runs/5"),
        ("javascript:alert(1)", "5", None),
        ("https://user@host", "5", None),
        ("http://host", "5", None),
        ("https://host/?a=b", "5", None),
        ("https://host", "5/../6", None),
        ("https://host", "", None),
        ("", "5", None),
    ],
)
def test_the_run_s_page_is_built_from_checked_parts(server: str, run: str, url: str | None) -> None:
    env = {"GITHUB_REPOSITORY": "o/r", "GITHUB_SERVER_URL": server, "GITHUB_RUN_ID": run}
    assert read_event(env).run_url == url


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["pull_request", "repository", "number", "head", "base", "sha", "locked", "full_name"]
            )
            | st.text(max_size=5),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(["pull_request", "push", "x"]), JSON, st.sampled_from(["", "refs/pull/3/head", "\0"]))
def test_any_json_is_some_event(name: str, payload: Any, ref: str) -> None:
    with tempfile.NamedTemporaryFile("w") as file:
        json.dump(payload, file)
        file.flush()
        found = read_event({"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": file.name, "GITHUB_REF": ref})
    assert isinstance(found, Event)
    assert found.name == name
    if found.pull_request is not None:
        assert name == "pull_request"
        assert type(found.pull_request.number) is int
        assert found.pull_request.number > 0


@given(st.binary(max_size=200))
def test_any_bytes_are_some_event(content: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        assert read_event({"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": file.name}).name == "push"


# What the change is compared with.

MERGE, MAIN, OTHER = "d" * 40, "e" * 40, "f" * 40
ON_MERGE = {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_SHA": MERGE}


@pytest.mark.parametrize(
    ("name", "env", "judged", "base"),
    [
        ("pull_request", ON_MERGE, (MERGE, [MAIN, HEAD]), MAIN),
        # The head moved on since the event was sent, and so did the base.
        ("pull_request", ON_MERGE, (MERGE, [MAIN, OTHER]), MAIN),
        ("pull_request", ON_MERGE, (OTHER, [MAIN, HEAD]), MAIN),
        ("pull_request_target", {"GITHUB_SHA": MAIN}, (MERGE, [MAIN, HEAD]), MAIN),
        # The head itself is checked out, be it a merge of the branch's own or not.
        ("pull_request", ON_MERGE, (HEAD, [OTHER]), BASE),
        ("pull_request", ON_MERGE, (HEAD, [OTHER, MAIN]), BASE),
        ("pull_request", {"GITHUB_REF": "refs/pull/7/head", "GITHUB_SHA": HEAD}, (HEAD, [OTHER, MAIN]), BASE),
        ("pull_request", {}, (OTHER, []), BASE),
        ("pull_request", ON_MERGE, (MERGE, [MAIN, HEAD, OTHER]), BASE),
        ("merge_group", {"GITHUB_SHA": MERGE}, (MERGE, [MAIN, HEAD]), OTHER),
        ("push", ON_MERGE, (MERGE, [MAIN, HEAD]), None),
        ("schedule", {}, (MERGE, [MAIN, HEAD]), None),
    ],
)
def test_the_base_is_the_first_parent_of_the_events_merge_or_what_the_event_names(
    tmp_path: Path, name: str, env: dict[str, Any], judged: tuple[str, list[str]], base: str | None
) -> None:
    payload = {"pull_request": PULL, "merge_group": {"base_sha": OTHER}}
    assert event(tmp_path, name, payload, **env).base_of(*judged) == base


def test_without_its_file_an_event_still_knows_its_merge(tmp_path: Path) -> None:
    found = event(tmp_path, "pull_request", content=b"", **ON_MERGE)
    assert found.base_of(MERGE, [MAIN, HEAD]) == MAIN
    assert found.base_of(HEAD, [OTHER]) is None
