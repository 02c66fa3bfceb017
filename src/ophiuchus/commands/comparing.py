"""What a change is compared with: which commit, whether it can be had, and whose files may set something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ophiuchus.capsule.shelf import Shelf
from ophiuchus.git.checkout import Checkout, UnknownRevision, resolve_commit
from ophiuchus.git.fetch import Fetcher
from ophiuchus.git.findings import BaseState
from ophiuchus.git.history import parted_at
from ophiuchus.git.object_id import is_full_id
from ophiuchus.git.objects import Unusable
from ophiuchus.git.scratch import Scratch
from ophiuchus.report.base import Base, read_base
from ophiuchus.report.gate import about_a_change
from ophiuchus.report.judge import Target
from ophiuchus.report.model import GateRule, Scope
from ophiuchus.text.problem import Notice, NoticeCode

if TYPE_CHECKING:
    from ophiuchus.workflow.event import Event


@dataclass(frozen=True, slots=True)
class Compared:
    """What the judged tree is compared with, None where that is nothing or cannot be had.

    `policy` is the tree whose files may set something: in a pull request its base's, or none where that is
    unknown.
    """

    since: Base | None = None
    policy: str | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing:
    """How capsules are read, of the judged tree (`shelf`) and of what it is compared with."""

    scratch: Scratch
    target: Target
    shelf: Shelf
    capsules: str
    scope: Scope
    fetcher: Fetcher | None

    def with_given(self, base_id: str) -> Compared:
        """Compared with the commit that a person named."""
        found = self._read(base_id)
        if isinstance(found, Unusable):
            return self._unknown(base_id, found)
        parted = self._parted_at(base_id)
        notices = (_taken_back(base_id, parted),) if parted not in (None, base_id) else ()
        return Compared(found, found.tree, notices)

    def with_the_events(self, base_id: str) -> Compared:
        """Compared with the commit that a pull request is to be merged into.

        Where a pull request's head is judged and not its merge, that commit may have moved on: then with the
        one where they parted, else what others did since would count as taken back by this change. Policy
        stays that of the base, or a branch from before a switch would be judged without it.
        """
        found = self._read(base_id)
        if isinstance(found, Unusable):
            return self._unknown(base_id, found)
        if base_id in self.target.parents or (parted := self._parted_at(base_id)) == base_id:
            return Compared(found, found.tree)
        since = self._read(parted) if parted else None
        if parted and isinstance(since, Base):
            return Compared(since, found.tree, (_moved_on(base_id, parted),))
        return Compared(found, found.tree, (_perhaps_moved_on(base_id),))

    def with_nothing(self, event: Event | None, fail_on: Sequence[GateRule]) -> Compared:
        """Compared with nothing: a gate about this change was then asked for in vain, but on a push."""
        if event is not None and not event.proposed:
            return Compared(policy=self.target.tree)
        policy = self.target.tree if event is None else None
        if not about_a_change(fail_on):
            return Compared(policy=policy)
        message = f"{_NOT_KNOWN}: it is compared with no commit; name one with `--base` (input `base`)"
        return Compared(policy=policy, notices=(Notice("", NoticeCode.BASE_UNKNOWN, message),))

    def _read(self, base_id: str) -> Base | Unusable:
        """The base, fetched with its files where it is missing: its capsules are read too."""

        def read() -> Base | Unusable:
            return read_base(
                self.scratch,
                base_id,
                self.target.tree,
                self.shelf,
                pattern=self.capsules,
                scope=self.scope,
            )

        found = read()
        if self.fetcher is not None and isinstance(found, Unusable) and found.state is BaseState.ABSENT:
            return self.fetcher([base_id], with_files=True).get(base_id) or read()
        return found

    def _parted_at(self, base_id: str) -> str | None:
        head = self.target.head
        return None if head is None else parted_at(self.scratch, base_id, head)

    def _unknown(self, base_id: str, found: Unusable) -> Compared:
        return Compared(notices=(_base_unknown(base_id, found, self.target.parents),))


def base_id_of(
    checkout: Checkout, target: Target, base: str | None, event: Event | None, env: Mapping[str, str]
) -> str | None:
    """The full id of what the change is compared with; whether it is in the clone is another question.

    `base` is what a person calls it; without it `event` may tell. Raises UnknownRevision.
    """
    if base is not None:
        try:
            return resolve_commit(checkout, base, env)
        except UnknownRevision:
            if is_full_id(base, checkout.object_format):
                return base
            raise
    if event is None or target.head is None:
        return None
    return event.base_of(target.head, target.parents)


_NOT_KNOWN = (
    "what this change did to the capsules is not known, and nothing counts as introduced or declared anew"
)


def _base_unknown(base_id: str, found: Unusable, parents: Sequence[str]) -> Notice:
    """What is said where attribution was asked for and is not possible."""
    why = found.detail
    if found.state is BaseState.NOT_ON_SERVER:
        why = "it is neither in this clone nor on the server"
    elif found.state is BaseState.FETCH_FAILED:
        why = f"it is not in this clone, and fetching failed: {found.detail}"
    remedy = "check out again, whole"
    if found.state in (BaseState.ABSENT, BaseState.NOT_ON_SERVER, BaseState.FETCH_FAILED):
        remedy = f"check out with `fetch-depth: {2 if base_id in parents else 0}`"
    message = f"{_NOT_KNOWN}: the commit {base_id} that it is compared with cannot be used ({why}); {remedy}"
    return Notice("", NoticeCode.BASE_UNKNOWN, message)


def _taken_back(base_id: str, parted: str | None) -> Notice:
    message = (
        f"the judged commit does not descend from {base_id}, which it is compared with: what was done there "
        f"since they parted counts as taken back by this change; compare with {parted} to leave that out"
    )
    return Notice("", NoticeCode.NOT_AN_ANCESTOR, message)


def _moved_on(base_id: str, parted: str) -> Notice:
    message = (
        f"the base of this pull request, {base_id}, moved on since its head left it: the change is compared "
        f"with {parted}, where they parted"
    )
    return Notice("", NoticeCode.NOT_AN_ANCESTOR, message)


def _perhaps_moved_on(base_id: str) -> Notice:
    message = (
        f"whether the judged commit descends from {base_id}, which it is compared with, cannot be "
        "told in this clone: what was done there meanwhile may count as taken back by this change; check out "
        "the pull request's merge (actions/checkout without `ref`), or with `fetch-depth: 0`"
    )
    return Notice("", NoticeCode.NOT_AN_ANCESTOR, message)
