"""One run that may write to destinations: what was asked, where it runs, and how a commit is opened for it.

In a workflow what is written is judged on objects that this program fetched itself; a person's own clone is
judged where it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from ophiuchus.capsule.shelf import DEFAULT_PATTERN
from ophiuchus.commands.branch_tip import Tip
from ophiuchus.commands.edge import Edge
from ophiuchus.commands.judging import NoCommit, Opened, Place, open_place, remote_of
from ophiuchus.commands.receipt_store import open_receipts
from ophiuchus.commands.server_place import open_on_server
from ophiuchus.git.checkout import Checkout, open_checkout
from ophiuchus.git.remote import Remote
from ophiuchus.git.server_view import default_branch
from ophiuchus.publish.stores.store import Store
from ophiuchus.text.problem import ExpectedFailure

if TYPE_CHECKING:
    from ophiuchus.workflow.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(ABC):
    """What every such run is asked. `approval` is the approved digest, None: nobody approved.

    `event` is the workflow's, None outside of one. `token` reads the repository and writes the receipts.
    """

    directory: Path
    aliases: tuple[str, ...]
    approval: str | None = None
    receipts: str
    capsules: str = DEFAULT_PATTERN
    event: Event | None = None
    token: str = field(default="", repr=False)

    @abstractmethod
    def files(self, top: Path) -> tuple[str, ...]:
        """The files that are read beside the capsules, as paths in the repository at `top`."""


What = TypeVar("What", bound=Asked)


@dataclass(frozen=True, slots=True)
class Run(Generic[What]):
    """One run: the request, where it runs, and the server of the repository where that is known."""

    request: What
    edge: Edge
    checkout: Checkout
    remote: Remote | None

    @property
    def server(self) -> Remote | None:
        """Where what is written is judged: in a workflow the server, None in a person's own clone."""
        return None if self.request.event is None else self.remote

    def open_here(self) -> AbstractContextManager[Opened]:
        """The commit of the clone, as `check` opens it."""
        request = self.request
        place = Place(directory=request.directory, now=self.edge.now, in_ci=request.event is not None)
        return open_place(place, request.capsules, self.edge)

    def open_to_write(self) -> AbstractContextManager[Opened]:
        """The commit to write from: in a workflow as the server has it. Raises NoCommit."""
        if self.server is None:
            return self.open_here()
        if self.checkout.head is None:
            raise NoCommit("there is no commit to judge", "check out the repository first")
        return self._open_on(self.server, self.checkout.head)

    def default_branch(self, opened: Opened) -> str | None:
        """The default branch, as the server says; None in a person's own clone, or where it has none."""
        return default_branch(opened.scratch, self.server, self.edge.env) if self.server else None

    def tip(
        self, branch: str | None, head: str, state: Hashable, state_of: Callable[[Opened], Hashable]
    ) -> Tip | None:
        """The tip of `branch`, to be compared with the `state` of `head`; None in a person's own clone."""
        if (server := self.server) is None:
            return None

        def state_at(commit: str) -> Hashable:
            with self._open_on(server, commit) as opened:
                return state_of(opened)

        return Tip(
            server=server,
            env=self.edge.env,
            object_format=self.checkout.object_format,
            branch=branch,
            head=head,
            state=state,
            state_at=state_at,
        )

    def open_receipts(self) -> AbstractContextManager[Store]:
        """The place where the run's receipts are. Raises what `receipt_store.open_receipts` raises."""
        return open_receipts(
            self.request.receipts,
            self.edge,
            top=self.checkout.top,
            token=self.request.token,
            object_format=self.checkout.object_format,
        )

    def _open_on(self, server: Remote, commit: str) -> AbstractContextManager[Opened]:
        request = self.request
        files = request.files(self.checkout.top)
        return open_on_server(
            self.checkout, commit, server, self.edge, capsules=request.capsules, files=files
        )


def start_run(request: What, edge: Edge, *, needs_server: bool) -> Run[What]:
    """The run that was asked for. Raises what `open_checkout` raises, and `remote_of` where it is needed."""
    checkout = open_checkout(request.directory, edge.env, in_ci=request.event is not None)
    try:
        remote = remote_of(edge.env, request.token)
    except ExpectedFailure:
        if needs_server:
            raise
        remote = None
    return Run(request, edge, checkout, remote)
