"""The loopback GitHubs with issues: who the token is, listing by creator, opening, changing.

`IssuesInMemory` is ours; `IssuesOnEmulate` has `emulate` behind the same front. Issues share their numbers
with pull requests, and the list has both, as at GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

from emulated_github import EmulatedGitHub
from loopback_github import LoopbackGitHub, MemoryGitHub, Reply, Seen, json_reply

BODY_CHARACTERS = 65_536
TITLE_CHARACTERS = 256


@dataclass(frozen=True)
class Issue:
    number: int
    login: str
    title: str
    body: str | None
    state: str = "open"
    reason: str | None = None
    is_pull: bool = False

    def as_json(self) -> dict[str, Any]:
        pull = {"pull_request": {"url": "https://github.example/pull"}} if self.is_pull else {}
        return {
            "number": self.number,
            "title": self.title,
            "body": self.body,
            "state": self.state,
            "state_reason": self.reason,
            "user": {"login": self.login},
            **pull,
        }

    @classmethod
    def from_json(cls, item: Mapping[str, Any]) -> Issue:
        return cls(
            number=item["number"],
            login=item["user"]["login"],
            title=item["title"],
            body=item["body"],
            state=item["state"],
            reason=item["state_reason"],
        )


class KeepsIssues(LoopbackGitHub):
    """The front's part: GraphQL's `viewer`."""

    def issues(self) -> list[Issue]:
        """All issues that are no pull requests, oldest first."""
        raise NotImplementedError

    def open_issue(self, login: str, title: str, body: str | None) -> int:
        """Somebody opens an issue; its number."""
        raise NotImplementedError

    def shut(self, number: int, state: str = "closed") -> None:
        """A person closes an issue, or opens it again."""
        raise NotImplementedError

    def open_issues(self) -> list[Issue]:
        return [issue for issue in self.issues() if issue.state == "open"]

    def answer(self, seen: Seen) -> Reply:
        if seen.path == "GRAPHQL" and re.fullmatch(r"query \{ viewer \{ login \} \}", seen.body["query"]):
            login = self.login_of(seen)
            if login is None:
                return json_reply(401, {"message": "Bad credentials"})
            return json_reply(200, {"data": {"viewer": {"login": login}}})
        return super().answer(seen)


class IssuesInMemory(KeepsIssues, MemoryGitHub):
    """One repository in memory. `has_issues` and `locked_issues` are its settings."""

    def __init__(self) -> None:
        super().__init__()
        self.has_issues = True
        self.locked_issues: set[int] = set()
        self._issues: dict[int, Issue] = {}

    def issues(self) -> list[Issue]:
        with self._lock:
            return [issue for _, issue in sorted(self._issues.items()) if not issue.is_pull]

    def open_issue(self, login: str, title: str, body: str | None, *, is_pull: bool = False) -> int:
        with self._lock:
            number = len(self._issues) + 1
            self._issues[number] = Issue(number, login, title, body, is_pull=is_pull)
            return number

    def shut(self, number: int, state: str = "closed") -> None:
        with self._lock:
            self._issues[number] = replace(self._issues[number], state=state)

    def rest(self, seen: Seen) -> Reply:
        address = urlsplit(seen.path)
        path = address.path.removeprefix(f"/repos/{self.repository}")
        if not re.fullmatch(r"/issues(/\d+)?", path):
            return super().rest(seen)
        login = self.login_of(seen)
        if login is None:
            return json_reply(401, {"message": "Bad credentials"})
        if not self.has_issues:
            return json_reply(410, {"message": "Issues has been disabled in this repository."})
        with self._lock:
            if seen.method == "GET":
                return self._list({name: one for name, (one,) in parse_qs(address.query).items()})
            if seen.method == "POST":
                return self._open(login, seen.body)
            return self._patch(int(path.removeprefix("/issues/")), seen.body)

    def _list(self, asked: dict[str, str]) -> Reply:
        found = [
            issue
            for _, issue in sorted(self._issues.items(), reverse=asked.get("direction", "desc") == "desc")
            if issue.login == asked.get("creator", issue.login)
            and asked.get("state", "open") in ("all", issue.state)
        ]
        size, number = min(int(asked.get("per_page", "30")), 100), int(asked.get("page", "1"))
        return json_reply(200, [issue.as_json() for issue in found[size * (number - 1) : size * number]])

    def _open(self, login: str, given: dict[str, Any]) -> Reply:
        if too_long := _too_long(given):
            return too_long
        number = self.open_issue(login, given["title"], given["body"])
        return json_reply(201, self._issues[number].as_json())

    def _patch(self, number: int, given: dict[str, Any]) -> Reply:
        if number not in self._issues:
            return json_reply(404, {"message": "Not Found"})
        if number in self.locked_issues:
            return json_reply(403, {"message": "This issue is locked."})
        if too_long := _too_long(given):
            return too_long
        names = {"title": "title", "body": "body", "state": "state", "state_reason": "reason"}
        self._issues[number] = replace(
            self._issues[number], **{names[name]: value for name, value in given.items()}
        )
        return json_reply(200, self._issues[number].as_json())


def _too_long(given: dict[str, Any]) -> Reply | None:
    if len(given.get("body") or "") > BODY_CHARACTERS or len(given.get("title", "")) > TITLE_CHARACTERS:
        return json_reply(422, {"message": "Validation Failed"})
    return None


class IssuesOnEmulate(KeepsIssues, EmulatedGitHub):
    """A fresh repository on a running `emulate`. Its one pull request takes the number 1."""

    def issues(self) -> list[Issue]:
        items = self._ask("GET", f"/repos/{self.repository}/issues?state=all&per_page=100&direction=asc")
        return sorted((Issue.from_json(item) for item in items), key=lambda issue: issue.number)

    def open_issue(self, login: str, title: str, body: str | None) -> int:
        path = f"/repos/{self.repository}/issues"
        number: int = self._ask("POST", path, {"title": title, "body": body}, login)["number"]
        return number

    def shut(self, number: int, state: str = "closed") -> None:
        self._ask("PATCH", f"/repos/{self.repository}/issues/{number}", {"state": state})
