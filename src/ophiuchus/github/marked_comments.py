"""Our own comments under one pull request: found, created, updated, deleted.

Ours is a comment whose body begins with our marker and that this token's identity wrote. The marker alone
proves nothing (anybody can quote or plant it: case C046), nor does a login (app and personal tokens differ),
so GitHub is asked over all pages, with the question only it can answer: `viewerDidAuthor` (case C008).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError
from pydantic.alias_generators import to_camel

from ophiuchus.github.failure import CallFailed, Cause
from ophiuchus.github.kept_text import below_marker, with_marker

if TYPE_CHECKING:
    from ophiuchus.github.client import Client
    from ophiuchus.github.wire import Answer

_QUERY = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { url viewerDidAuthor body }
      }
    }
  }
}
"""
# The URL holds the comment's number in full, on every version of the server; `databaseId` is a 32-bit field.
_ID_IN_URL = re.compile(r"#issuecomment-([1-9][0-9]{0,18})$")


@dataclass(frozen=True, slots=True)
class OwnComment:
    """A comment of ours. `body` is what GitHub has, without the marker; smaller ids are older."""

    id: int
    body: str


@dataclass(frozen=True, slots=True)
class MarkedComments:
    """The comments under pull request `number` that carry `marker` and are ours; CallFailed is raised."""

    client: Client
    repository: str
    number: int
    marker: str

    def own(self) -> list[OwnComment]:
        """All of them, oldest first."""
        owner, name = self.repository.split("/")
        found: list[OwnComment] = []
        after: str | None = None
        while True:
            variables = {"owner": owner, "name": name, "number": self.number, "after": after}
            comments = _comments_of(self.client.query(_QUERY, variables))
            found.extend(own for node in comments.nodes if node and (own := self._own_of(node)))
            page = comments.page_info
            if not page.has_next_page:
                return sorted(found, key=lambda own: own.id)
            if not page.end_cursor or page.end_cursor == after:
                raise CallFailed(Cause.BAD_ANSWER)
            after = page.end_cursor

    def pull_request(self) -> LivePull:
        """The pull request they stand under, as it is now."""
        try:
            return LivePull.model_validate(self.client.read(f"/repos/{self.repository}/pulls/{self.number}"))
        except ValidationError:
            raise CallFailed(Cause.BAD_ANSWER) from None

    def create(self, body: str) -> int:
        """Post a new one; its id."""
        path = f"/repos/{self.repository}/issues/{self.number}/comments"
        return _written_id(self.client.write("POST", path, {"body": with_marker(self.marker, body)}))

    def update(self, comment_id: int, body: str) -> None:
        """Replace the body of one."""
        answer = self.client.write("PATCH", self._path(comment_id), {"body": with_marker(self.marker, body)})
        if _written_id(answer) != comment_id:
            raise CallFailed(Cause.BAD_ANSWER, status=answer.status, unknown=True)

    def delete(self, comment_id: int) -> None:
        """Remove one; that it is gone already is fine."""
        try:
            self.client.write("DELETE", self._path(comment_id))
        except CallFailed as failure:
            if failure.cause not in (Cause.NOT_FOUND, Cause.GONE):
                raise

    def _path(self, comment_id: int) -> str:
        return f"/repos/{self.repository}/issues/comments/{comment_id}"

    def _own_of(self, node: _Node) -> OwnComment | None:
        if not node.viewer_did_author:
            return None
        body = below_marker(self.marker, node.body)
        if body is None:
            return None
        number = _ID_IN_URL.search(node.url)
        if number is None:
            raise CallFailed(Cause.BAD_ANSWER)
        return OwnComment(int(number[1]), body)


class _Model(BaseModel):
    """GitHub's camelCase names; what an answer has beyond the query is left alone."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class _PageInfo(_Model):
    has_next_page: StrictBool
    end_cursor: str | None


class _Node(_Model):
    url: str
    viewer_did_author: StrictBool
    body: str


class _Comments(_Model):
    page_info: _PageInfo
    nodes: list[_Node | None]


class _PullRequest(_Model):
    comments: _Comments


class _Repository(_Model):
    pull_request: _PullRequest | None


class _Data(_Model):
    repository: _Repository | None


class _Written(_Model):
    id: Annotated[int, Field(strict=True, gt=0)]


class _Head(_Model):
    sha: Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")]


class LivePull(_Model):
    """A pull request as GitHub has it now."""

    head: _Head
    locked: StrictBool = False


def _comments_of(data: dict[str, Any]) -> _Comments:
    """One page of comments. Raises CallFailed where the pull request is not there or the answer is odd."""
    try:
        repository = _Data.model_validate(data).repository
    except ValidationError:
        raise CallFailed(Cause.BAD_ANSWER) from None
    if repository is None or repository.pull_request is None:
        raise CallFailed(Cause.NOT_FOUND)
    return repository.pull_request.comments


def _written_id(answer: Answer) -> int:
    """The id that a write's answer confirms. Raises CallFailed, `unknown`, where there is none."""
    try:
        return _Written.model_validate(answer.json_object()).id
    except (ValidationError, CallFailed):
        raise CallFailed(Cause.BAD_ANSWER, status=answer.status, unknown=True) from None
