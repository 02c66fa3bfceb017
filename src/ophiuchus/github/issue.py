"""The rolling issue of a sweep: one per key, open while something needs action, closed when nothing does.

    keep_issue(request: IssueRequest, env: Mapping[str, str]) -> IssueOutcome

It raises nothing that GitHub or the network can cause and never changes the exit status: what could not be
written is one notice. `body` and `footer` of the request are rendered GFM; the footer (time, commit, run) is
shown and left out of what decides "unchanged"; marker and separator are added here.

The rules: an issue of ours is updated in its place and opened again rather than opened twice; of two, which
only sweeps that run at once can leave, the lower number is kept and the other is closed as its duplicate; an
issue of somebody else is never touched; every write is sent at most once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ophiuchus.github.access import NoAccess, read_access
from ophiuchus.github.comment import Patience
from ophiuchus.github.failure import CallFailed, Cause, in_words
from ophiuchus.github.kept_text import marker_line, says_the_same, with_footer
from ophiuchus.text.problem import Notice, NoticeCode

if TYPE_CHECKING:
    from ophiuchus.github.marked_issues import MarkedIssues, OwnIssue

MOST_MENTIONS = 10
"""Most owners that are notified of a new issue."""

_PATIENCE = Patience()
_HANDLE = re.compile(r"@[A-Za-z0-9][A-Za-z0-9_-]{0,38}(?:/[A-Za-z0-9][A-Za-z0-9_-]{0,99})?", re.ASCII)


class IssueState(StrEnum):
    """What became of the issue."""

    CREATED = "created"
    UPDATED = "updated"
    REOPENED = "reopened"
    CLOSED = "closed"
    UNCHANGED = "unchanged"
    NOT_NEEDED = "not_needed"
    NOT_WRITTEN = "not_written"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class IssueRequest:
    """What the issue shall say. `key` tells the issues of several sweeps of one repository apart.

    `title` is one plain line that acts on nothing. `body` and `footer` are GFM and, with `mention_line`,
    under 60,000 characters. `mentions` are the owners to notify when the issue is created, as CODEOWNERS
    spells them: what is no handle is passed over.
    """

    action_needed: bool
    key: str
    title: str
    body: str
    footer: str
    mentions: tuple[str, ...]
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class IssueOutcome:
    """What became of it. `url` leads to the issue (empty: none known), built from configured values."""

    state: IssueState
    url: str = ""
    notice: Notice | None = None


_PERMISSION = "give the job `permissions: issues: write`"
_WORDS = {
    Cause.FORBIDDEN: f"this token may not write issues here; {_PERMISSION}",
    Cause.LOCKED: "the issue is locked",
    Cause.NOT_FOUND: f"this token cannot see the repository's issues; {_PERMISSION}",
    Cause.GONE: "issues are switched off in this repository, or this one was deleted",
    Cause.REFUSED: "GitHub refused the issue",
}


def keep_issue(request: IssueRequest, env: Mapping[str, str], patience: Patience = _PATIENCE) -> IssueOutcome:
    """Create, update, close, open again or leave alone the issue of `request.key`.

    `env` names server and repository.
    """
    try:
        access = read_access(env, request.token)
    except NoAccess as missing:
        return _not_written(str(missing))
    # PyGithub and pydantic take longer than judging does; only a run that asks GitHub shall wait for them.
    from ophiuchus.github.client import Client  # noqa: PLC0415
    from ophiuchus.github.marked_issues import MarkedIssues, login_of  # noqa: PLC0415

    page = f"{access.server_url}/{access.repository}/issues"
    marker = marker_line("issue", request.key)
    with Client(access, call_seconds=patience.call, total_seconds=patience.total) as client:
        try:
            issues = MarkedIssues(client, access.repository, marker, login_of(client))
            return _Keeper(request, issues, page).keep()
        except CallFailed as failure:
            return _failed(failure)


def mention_line(owners: Iterable[str]) -> str:
    """The line that notifies the first owners that are users or teams; empty where there are none.

    It is live by design. A handle has letters, digits, `-` and `_` only, so it is no other markup.
    """
    handles = [owner for owner in dict.fromkeys(owners) if _HANDLE.fullmatch(owner)]
    return f"To the owners: {' '.join(handles[:MOST_MENTIONS])}" if handles else ""


@dataclass(frozen=True, slots=True)
class _Keeper:
    """One sweep's dealings with its issue."""

    request: IssueRequest
    issues: MarkedIssues
    page: str

    def keep(self) -> IssueOutcome:
        if own := self.issues.own():
            return self._settle(own)
        if not self.request.action_needed:
            return IssueOutcome(IssueState.NOT_NEEDED)
        return self._create()

    def _create(self) -> IssueOutcome:
        """Open it, then look again: a sweep beside this one may have done the same."""
        footers = filter(None, (mention_line(self.request.mentions), self.request.footer))
        created = self.issues.create(self.request.title, with_footer(self.request.body, "\n\n".join(footers)))
        # What GitHub says of the new issue is the surest word on whose issues to look for.
        issues = replace(self.issues, login=created.login) if created.login else self.issues
        try:
            own = issues.own()
            if own and own[0].number < created.number:
                return self._settle(own)
            return self._close_others(own, self._done(IssueState.CREATED, created.number), created.number)
        except CallFailed:
            return self._done(IssueState.CREATED, created.number)

    def _settle(self, own: Sequence[OwnIssue]) -> IssueOutcome:
        """Bring the oldest to where it shall be, then close the others, so that a current one is there."""
        oldest, needed = own[0], self.request.action_needed
        if oldest.is_open and needed:
            state = self._update(oldest)
        elif needed:
            self.issues.reopen(oldest.number, title=self.request.title, body=self._text())
            state = IssueState.REOPENED
        elif oldest.is_open:
            self.issues.close(oldest.number, body=self._text(), is_done=True)
            state = IssueState.CLOSED
        else:
            state = IssueState.NOT_NEEDED
        return self._close_others(own, self._done(state, oldest.number), oldest.number)

    def _update(self, issue: OwnIssue) -> IssueState:
        """Write only what is not so already."""
        title = None if issue.title == self.request.title else self.request.title
        body = None if says_the_same(issue.body, self.request.body) else self._text()
        if title is None and body is None:
            return IssueState.UNCHANGED
        self.issues.update(issue.number, title=title, body=body)
        return IssueState.UPDATED

    def _close_others(self, own: Sequence[OwnIssue], outcome: IssueOutcome, kept: int) -> IssueOutcome:
        """Close every own issue but `kept` as its duplicate; one that cannot be closed is named, no more."""
        left: list[int] = []
        for issue in own:
            if issue.is_open and issue.number != kept:
                said = f"Duplicate of #{kept}: two sweeps ran at once, and that issue was opened first."
                try:
                    self.issues.close(issue.number, body=said, is_done=False)
                except CallFailed:
                    left.append(issue.number)
        if not left:
            return outcome
        numbers = ", ".join(map(str, left))
        return replace(
            outcome, notice=_notice(f"A second issue of this action could not be closed: {numbers}")
        )

    def _text(self) -> str:
        return with_footer(self.request.body, self.request.footer)

    def _done(self, state: IssueState, number: int) -> IssueOutcome:
        return IssueOutcome(state, url=f"{self.page}/{number}")


def _failed(failure: CallFailed) -> IssueOutcome:
    words = in_words(failure, _WORDS)
    if not failure.unknown:
        return _not_written(words)
    return IssueOutcome(
        IssueState.UNKNOWN,
        notice=_notice(
            f"Whether the issue was written is not known: {words}; the next sweep finds it or writes it"
        ),
    )


def _not_written(why: str) -> IssueOutcome:
    return IssueOutcome(IssueState.NOT_WRITTEN, notice=_notice(f"The issue was not written: {why}"))


def _notice(message: str) -> Notice:
    return Notice("", NoticeCode.NOT_POSTED, message)
