"""Our own issues in a repository: found, created, changed.

Ours is an issue whose body begins with our marker and that this token's identity opened, in whatever state it
is: a closed one is opened again, not opened twice (platform complaint 65). GitHub is asked who the token is
(an installation's token may not read `/user`), and then for all issues of that creator, page by page. The
search is not used: it lags behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, StrictStr, TypeAdapter, ValidationError

from ophiuchus.github.failure import CallFailed, Cause
from ophiuchus.github.kept_text import below_marker, with_marker

if TYPE_CHECKING:
    from ophiuchus.github.client import Client
    from ophiuchus.github.wire import Answer

_WHO_ASKS = "query { viewer { login } }"
_PAGE = 100
"""Issues on one page: as many as GitHub gives."""
_REOPENED = {"state": "open", "state_reason": "reopened"}
_DONE = {"state": "closed", "state_reason": "completed"}
_NOT_NEEDED = {"state": "closed", "state_reason": "not_planned"}


class _State(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class OwnIssue:
    """An issue of ours. `body` is what GitHub has, without the marker; lower numbers are older."""

    number: int
    is_open: bool
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Created:
    """What a new issue is known by. `login` is who opened it, as GitHub says."""

    number: int
    login: str


def login_of(client: Client) -> str:
    """Who the token is. Raises CallFailed."""
    try:
        return _Asked.model_validate(client.query(_WHO_ASKS, {})).viewer.login
    except ValidationError:
        raise CallFailed(Cause.BAD_ANSWER) from None


@dataclass(frozen=True, slots=True)
class MarkedIssues:
    """The issues of `repository` that carry `marker` and that `login` opened; CallFailed is raised."""

    client: Client
    repository: str
    marker: str
    login: str

    def own(self) -> list[OwnIssue]:
        """All of them, the oldest first."""
        found: list[OwnIssue] = []
        number = 1
        while True:
            page = self._page(number)
            found.extend(own for issue in page if (own := self._own_of(issue)))
            if len(page) < _PAGE:
                return sorted(found, key=lambda own: own.number)
            number += 1

    def create(self, title: str, body: str) -> Created:
        """Open a new one."""
        answer = self.client.write(
            "POST", self._path(), {"title": title, "body": with_marker(self.marker, body)}
        )
        written = _written(answer)
        return Created(written.number, written.user.login if written.user else "")

    def update(self, number: int, *, title: str | None, body: str | None) -> None:
        """Set what is not None."""
        given = {"title": title, "body": None if body is None else with_marker(self.marker, body)}
        self._change(number, {name: value for name, value in given.items() if value is not None})

    def reopen(self, number: int, *, title: str, body: str) -> None:
        """Open a closed one again, with what it shall say now."""
        self._change(number, {"title": title, "body": with_marker(self.marker, body), **_REOPENED})

    def close(self, number: int, *, body: str, is_done: bool) -> None:
        """Close one with its last words: as done, or as one that there was no need for."""
        self._change(number, {"body": with_marker(self.marker, body), **(_DONE if is_done else _NOT_NEEDED)})

    def _change(self, number: int, fields: Mapping[str, str]) -> None:
        answer = self.client.write("PATCH", f"{self._path()}/{number}", fields)
        written = _written(answer)
        if written.number != number or written.state != fields.get("state", written.state):
            raise CallFailed(Cause.BAD_ANSWER, status=answer.status, unknown=True)

    def _page(self, number: int) -> list[_Issue]:
        asked = {
            "creator": self.login,
            "state": "all",
            "sort": "created",
            "direction": "asc",
            "per_page": _PAGE,
            "page": number,
        }
        try:
            return _ISSUES.validate_python(self.client.read_list(f"{self._path()}?{urlencode(asked)}"))
        except ValidationError:
            raise CallFailed(Cause.BAD_ANSWER) from None

    def _path(self) -> str:
        return f"/repos/{self.repository}/issues"

    def _own_of(self, issue: _Issue) -> OwnIssue | None:
        if issue.pull_request is not None or issue.user is None:
            return None
        if issue.user.login.casefold() != self.login.casefold():
            return None
        body = below_marker(self.marker, issue.body or "")
        if body is None:
            return None
        return OwnIssue(issue.number, issue.state is _State.OPEN, issue.title, body)


class _Model(BaseModel):
    """What an answer has beyond this is left alone."""

    model_config = ConfigDict(frozen=True)


class _User(_Model):
    login: Annotated[str, Field(strict=True, min_length=1, max_length=100)]


class _Asked(_Model):
    viewer: _User


class _Written(_Model):
    number: Annotated[int, Field(strict=True, gt=0)]
    state: _State
    user: _User | None = None


class _Issue(_Written):
    """One of the list, in which pull requests stand too."""

    title: StrictStr
    body: StrictStr | None = None
    pull_request: Any = None


_ISSUES = TypeAdapter(list[_Issue])


def _written(answer: Answer) -> _Written:
    """The issue that a write's answer confirms. Raises CallFailed, `unknown`, where there is none."""
    try:
        return _Written.model_validate(answer.json_object())
    except (ValidationError, CallFailed):
        raise CallFailed(Cause.BAD_ANSWER, status=answer.status, unknown=True) from None
