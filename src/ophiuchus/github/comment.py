"""The comment on the pull request: one per key, kept up to date, never in anybody's way.

    keep_comment(request: CommentRequest, env: Mapping[str, str]) -> CommentOutcome

It raises nothing that GitHub or the network can cause and never changes the exit status: what could not be
posted is one notice (case C004). `body` and `footer` of the request are rendered GFM; the footer (time, run)
is shown and left out of what decides "unchanged"; marker and separator are added here.

The rules: a superseded run leaves the comment alone (case C026); of two own comments the older is kept (case
C025); a comment of somebody else is never touched (case C046); every write is sent at most once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ophiuchus.github.access import NoAccess, read_access
from ophiuchus.github.failure import CallFailed, Cause, in_words
from ophiuchus.github.kept_text import marker_line, says_the_same, with_footer
from ophiuchus.text.problem import Notice, NoticeCode

if TYPE_CHECKING:
    from ophiuchus.github.marked_comments import MarkedComments, OwnComment


class CommentMode(StrEnum):
    """The input `comment`."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class CommentState(StrEnum):
    """What became of the comment."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    NOT_NEEDED = "not_needed"
    OFF = "off"
    SUPERSEDED = "superseded"
    NOT_POSTED = "not_posted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CommentRequest:
    """What shall stand on the pull request.

    `event` is the event's name; `pull_number` None where it has no pull request; `head` the head commit that
    the event (or the judged merge commit) named; `locked` what the event said of the conversation. `key`
    (input `comment_key`) tells the comments of several jobs apart. `body` and `footer` are GFM, together
    under 60,000 characters; the footer is the document's volatile part, rendered by itself, or empty.
    """

    mode: CommentMode
    action_needed: bool
    key: str
    body: str
    footer: str
    event: str
    pull_number: int | None
    head: str | None
    locked: bool
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds: for the next byte of an answer, and for all that is done about the comment."""

    call: int = 15
    total: float = 60.0


@dataclass(frozen=True, slots=True)
class CommentOutcome:
    """What became of it. `url` leads to the comment (empty: none known), built from configured values."""

    state: CommentState
    url: str = ""
    notice: Notice | None = None


_PERMISSION = "give the job `permissions: pull-requests: write`"
_FORK = (
    "on a pull request from a fork or from Dependabot the token may only read, whatever the workflow says, "
    "and the job summary holds the report"
)
_LOCKED = "the conversation is locked"
_WORDS = {
    Cause.FORBIDDEN: f"this token may not write here; {_PERMISSION}; {_FORK}",
    Cause.LOCKED: _LOCKED,
    Cause.NOT_FOUND: f"this token cannot see the pull request; {_PERMISSION}",
    Cause.GONE: "GitHub says that the pull request or the comment is gone",
    Cause.REFUSED: "GitHub refused the comment",
}


def keep_comment(
    request: CommentRequest, env: Mapping[str, str], patience: Patience = Patience()
) -> CommentOutcome:
    """Create, update or leave alone the comment of `request.key`; `env` names server and repository."""
    if request.mode is CommentMode.NEVER:
        return CommentOutcome(CommentState.OFF)
    if request.pull_number is None:
        return _not_posted(f"the event {request.event} has no pull request")
    if request.head is None:
        return _not_posted("the event does not say for which head commit it was sent")
    if request.locked:
        return _not_posted(_LOCKED)
    try:
        access = read_access(env, request.token)
    except NoAccess as missing:
        return _not_posted(str(missing))
    # PyGithub and pydantic take longer than judging does; only a run that asks GitHub shall wait for them.
    from ophiuchus.github.client import Client  # noqa: PLC0415
    from ophiuchus.github.marked_comments import MarkedComments  # noqa: PLC0415

    marker = marker_line("comment", request.key)
    page = f"{access.server_url}/{access.repository}/pull/{request.pull_number}"
    with Client(access, call_seconds=patience.call, total_seconds=patience.total) as client:
        comments = MarkedComments(client, access.repository, request.pull_number, marker)
        return _Keeper(request, comments, page).keep()


@dataclass(frozen=True, slots=True)
class _Keeper:
    """One run's dealings with its comment."""

    request: CommentRequest
    comments: MarkedComments
    page: str

    def keep(self) -> CommentOutcome:
        try:
            own = self.comments.own()
            if not own and self.request.mode is CommentMode.AUTO and not self.request.action_needed:
                return CommentOutcome(CommentState.NOT_NEEDED)
            if len(own) == 1 and self._says_the_same(own[0]):
                return self._done(CommentState.UNCHANGED, own[0].id)
            if hindrance := self._hindrance():
                return hindrance
            return self._reduce(own) if own else self._create()
        except CallFailed as failure:
            return _failed(failure)

    def _create(self) -> CommentOutcome:
        """Post it, then look again: a run beside this one may have done the same (platform complaint 29)."""
        created = self.comments.create(self._text())
        try:
            own = self.comments.own()
            if not own or own[0].id >= created:
                return self._remove(own, CommentState.CREATED, created)
            if hindrance := self._hindrance():
                self.comments.delete(created)
                return hindrance
            return self._reduce(own)
        except CallFailed:
            return self._done(CommentState.CREATED, created)

    def _reduce(self, own: list[OwnComment]) -> CommentOutcome:
        """Bring the oldest up to date, then remove the others, so that a current comment is always there."""
        oldest = own[0]
        if self._says_the_same(oldest):
            return self._remove(own, CommentState.UNCHANGED, oldest.id)
        self.comments.update(oldest.id, self._text())
        return self._remove(own, CommentState.UPDATED, oldest.id)

    def _remove(self, own: list[OwnComment], state: CommentState, kept: int) -> CommentOutcome:
        """Delete every own comment but `kept`; one that cannot be deleted is named, no more."""
        left: list[int] = []
        for comment in own:
            if comment.id != kept:
                try:
                    self.comments.delete(comment.id)
                except CallFailed:
                    left.append(comment.id)
        outcome = self._done(state, kept)
        if not left:
            return outcome
        ids = ", ".join(map(str, left))
        return replace(
            outcome, notice=_notice(f"A second comment of this action could not be removed: {ids}")
        )

    def _hindrance(self) -> CommentOutcome | None:
        """Why nothing must be written now. Asked just before a write, since pushes go on meanwhile."""
        pull = self.comments.pull_request()
        if pull.locked:
            return _not_posted(_LOCKED)
        if pull.head.sha == self.request.head:
            return None
        return CommentOutcome(
            CommentState.SUPERSEDED,
            notice=_notice(
                f"The comment was left alone: this run is about {self.request.head}, "
                f"and the pull request's head is {pull.head.sha} by now"
            ),
        )

    def _text(self) -> str:
        return with_footer(self.request.body, self.request.footer)

    def _says_the_same(self, own: OwnComment) -> bool:
        return says_the_same(own.body, self.request.body)

    def _done(self, state: CommentState, comment_id: int) -> CommentOutcome:
        return CommentOutcome(state, url=f"{self.page}#issuecomment-{comment_id}")


def _failed(failure: CallFailed) -> CommentOutcome:
    words = in_words(failure, _WORDS)
    if not failure.unknown:
        return _not_posted(words)
    return CommentOutcome(
        CommentState.UNKNOWN,
        notice=_notice(
            f"Whether the comment was posted is not known: {words}; the next run finds it or posts it"
        ),
    )


def _not_posted(why: str) -> CommentOutcome:
    return CommentOutcome(CommentState.NOT_POSTED, notice=_notice(f"The comment was not posted: {why}"))


def _notice(message: str) -> Notice:
    return Notice("", NoticeCode.NOT_POSTED, message)
