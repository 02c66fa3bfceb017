"""What happened: the event that started the run, from the environment and the event's file.

The file is what the platform sent, so it is taken for data of any shape: a missing, huge or odd one is an
event without details (some runners do not mount it), never a failure. No pull request is the normal case for
push, schedule, workflow_dispatch, merge_group, workflow_run and others (case C016).
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ophiuchus.text.repository import repository_name

EVENT_FILE_BYTES = 32 * 1024 * 1024
"""Most bytes read of the event's file; the platform sends at most 25 MB."""
PULL_REQUEST_EVENTS = frozenset(
    {"pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"}
)
FOLLOWING_EVENT = "workflow_run"
"""The event of a run that follows another one, such as a fork's, and may write where that one may not."""
FOLLOWED_PULL_REQUEST = "OPHIUCHUS_PULL_REQUEST"
"""The variable by which such a run says which pull request it found; the event of a fork's run names none."""

# A pipe in the file's place must not be waited for. Windows has neither: there no file is one.
_NOT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PULL_REF = re.compile(r"refs/pull/([1-9][0-9]{0,14})/(merge|head)", re.ASCII)
_COUNT = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_ORIGIN = re.compile(
    r"(?:https://[A-Za-z0-9][A-Za-z0-9.-]*|http://(?:127\.0\.0\.1|\[::1\]))(?::[0-9]{1,5})?"
    r"(?:/[A-Za-z0-9._~-]+)*"
)
_NUMBERS = range(1, 10**15)


@dataclass(frozen=True, slots=True)
class PullRequest:
    """The pull request an event is about; ids are None where the event does not tell them.

    `head` and `base` are what they were when the event was sent: a re-run gets the old ones. `followed`: the
    workflow found its number, so that nothing but `head` is known to belong to this run.
    """

    number: int
    head: str | None
    base: str | None
    locked: bool
    followed: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One event. None is not known; `repository` is `owner/name`.

    `repository_url` is its page, below which commits have theirs, and `run_url` the page of this run. `base`
    is the commit that the change of a pull request, or of a merge group, is to be put upon; `merge` the
    commit that GitHub made to try a pull request's merge. `proposed`: somebody proposed what is checked out,
    perhaps from a fork, be the pull request known or not.
    """

    name: str
    repository: str | None
    default_branch: str | None
    pull_request: PullRequest | None
    run_url: str | None
    repository_url: str | None = None
    base: str | None = None
    merge: str | None = None
    proposed: bool = False

    def base_of(self, commit: str, parents: Sequence[str]) -> str | None:
        """What the change in the judged `commit` is to be compared with; None where the event tells of none.

        Its first parent where it is the merge that the event is about: the base that the event names may be
        older by then. Else that base (design §4).
        """
        pull = self.pull_request
        if pull and len(parents) == 2 and (commit == self.merge or parents[1] == pull.head):
            return parents[0]
        return self.base


def read_event(env: Mapping[str, str]) -> Event:
    """The event that `env` and the file it names (`GITHUB_EVENT_PATH`) tell of. Raises nothing."""
    name = env.get("GITHUB_EVENT_NAME", "")
    payload = _read_payload(env.get("GITHUB_EVENT_PATH", ""))
    repository = repository_name(env.get("GITHUB_REPOSITORY")) or repository_name(
        _at(payload, "repository", "full_name")
    )
    branch = _at(payload, "repository", "default_branch")
    pull = _pull_request(name, env, payload)
    group = _at(payload, "merge_group", "base_sha") if name == "merge_group" else None
    page = _repository_url(env, repository)
    return Event(
        name=name,
        repository=repository,
        default_branch=branch if isinstance(branch, str) and branch else None,
        pull_request=pull,
        run_url=_run_url(env, page),
        repository_url=page,
        base=pull.base if pull else _matching(_COMMIT, group),
        merge=_merge(env) if pull else None,
        proposed=_first_event(name, payload) in PULL_REQUEST_EVENTS,
    )


def _pull_request(name: str, env: Mapping[str, str], payload: dict[str, Any]) -> PullRequest | None:
    if name == FOLLOWING_EVENT:
        return _followed(env, payload)
    if name not in PULL_REQUEST_EVENTS:
        return None
    number = _at(payload, "pull_request", "number")
    if number is None and (ref := _PULL_REF.fullmatch(env.get("GITHUB_REF", ""))):
        number = int(ref[1])
    if type(number) is not int or number not in _NUMBERS:
        return None
    return PullRequest(
        number=number,
        head=_matching(_COMMIT, _at(payload, "pull_request", "head", "sha")),
        base=_matching(_COMMIT, _at(payload, "pull_request", "base", "sha")),
        locked=_at(payload, "pull_request", "locked") is True,
    )


def _first_event(name: str, payload: dict[str, Any]) -> str:
    """The event's name, or that of the one whose run it follows."""
    followed = _at(payload, FOLLOWING_EVENT, "event") if name == FOLLOWING_EVENT else None
    return followed if isinstance(followed, str) else name


def _followed(env: Mapping[str, str], payload: dict[str, Any]) -> PullRequest | None:
    """The pull request whose run this one follows: the workflow found its number, the event its head."""
    number = _matching(_COUNT, env.get(FOLLOWED_PULL_REQUEST, "").strip())
    head = _matching(_COMMIT, _at(payload, "workflow_run", "head_sha"))
    if number is None or int(number) not in _NUMBERS or head is None:
        return None
    if _at(payload, "workflow_run", "event") != "pull_request":
        return None
    return PullRequest(number=int(number), head=head, base=None, locked=False, followed=True)


def _merge(env: Mapping[str, str]) -> str | None:
    ref = _PULL_REF.fullmatch(env.get("GITHUB_REF", ""))
    return _matching(_COMMIT, env.get("GITHUB_SHA")) if ref and ref[2] == "merge" else None


def _repository_url(env: Mapping[str, str], repository: str | None) -> str | None:
    server = _matching(_ORIGIN, env.get("GITHUB_SERVER_URL", "").rstrip("/"))
    return f"{server}/{repository}" if server and repository else None


def _run_url(env: Mapping[str, str], repository_url: str | None) -> str | None:
    run = _matching(_COUNT, env.get("GITHUB_RUN_ID"))
    return f"{repository_url}/actions/runs/{run}" if repository_url and run else None


def _read_payload(path: str) -> dict[str, Any]:
    try:
        # Not blocking: something else than a file (a pipe without a writer) must not hold the run up.
        handle = os.open(path, os.O_RDONLY | _NOT_WAITING)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return {}
            with open(handle, "rb", closefd=False) as file:
                content = file.read(EVENT_FILE_BYTES + 1)
        finally:
            os.close(handle)
        if len(content) > EVENT_FILE_BYTES:
            return {}
        payload = json.loads(content.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _at(value: Any, *keys: str) -> Any:
    """The value at `keys`, None where the way does not lead there."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _matching(pattern: re.Pattern[str], value: Any) -> str | None:
    return value if isinstance(value, str) and pattern.fullmatch(value) else None
