"""What can go wrong with a call to GitHub, as facts in our own words.

An SDK's exception is never printed and never kept: it may hold headers, bodies, the token. What leaves the
client is a cause from a closed set, the status, and for a write whether it may have happened all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

_PERMISSIONS = re.compile(
    r"[a-z_]{1,40}=(?:read|write|admin)(?:[,;] ?[a-z_]{1,40}=(?:read|write|admin)){0,9}"
)


class Cause(StrEnum):
    """Why a call did not do what it was for."""

    UNREACHABLE = "unreachable"
    NO_ANSWER = "no_answer"
    TOO_SLOW = "too_slow"
    MOVED = "moved"
    BAD_TOKEN = "bad_token"  # noqa: S105 - the name of a cause, no secret
    FORBIDDEN = "forbidden"
    LOCKED = "locked"
    THROTTLED = "throttled"
    NOT_FOUND = "not_found"
    GONE = "gone"
    REFUSED = "refused"
    SERVER_ERROR = "server_error"
    BAD_ANSWER = "bad_answer"


class CallFailed(Exception):
    """One call to GitHub did not succeed.

    `status` is the answer's, None without one. `unknown` says that a write may have happened although nothing
    confirms it (an answer lost after the commit, a 5xx, a 2xx without a proper body: facts/providers.md §2).
    `permissions` is what GitHub says it would accept, `detail` the class of the network's error, `wait` in
    how many seconds a throttled client may ask again, None where the answer does not say.
    """

    def __init__(
        self,
        cause: Cause,
        *,
        status: int | None = None,
        unknown: bool = False,
        permissions: str = "",
        detail: str = "",
        wait: int | None = None,
    ) -> None:
        super().__init__(cause.value)
        self.cause = cause
        self.status = status
        self.unknown = unknown
        self.permissions = permissions
        self.detail = detail
        self.wait = wait


_WORDS = {
    Cause.UNREACHABLE: "GitHub's API could not be reached",
    Cause.NO_ANSWER: "GitHub's API did not answer",
    Cause.TOO_SLOW: "GitHub's API took too long",
    Cause.MOVED: "the API answered with a redirect, which is not followed; was the repository renamed?",
    Cause.BAD_TOKEN: "the token is not valid here; check the input github_token",
    Cause.THROTTLED: "GitHub is throttling this token; the next run tries again",
    Cause.SERVER_ERROR: "GitHub's API failed",
    Cause.BAD_ANSWER: "GitHub's API gave an answer that makes no sense here",
}


def in_words(failure: CallFailed, of_this: Mapping[Cause, str]) -> str:
    """A failure in our words, never the SDK's, never the server's.

    `of_this` says what the causes mean that depend on what was asked for.
    """
    words = of_this.get(failure.cause) or _WORDS[failure.cause]
    if failure.detail:
        words += f" ({failure.detail})"
    if failure.status is not None:
        words += f" (status {failure.status})"
    if failure.permissions:
        words += f"; GitHub would accept: {failure.permissions}"
    return words


def quotable_permissions(header: str) -> str:
    """The value of `X-Accepted-GitHub-Permissions` if it is nothing but permissions, else nothing."""
    return header if _PERMISSIONS.fullmatch(header) else ""
