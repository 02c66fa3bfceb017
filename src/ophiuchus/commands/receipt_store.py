"""Where `--receipts` says that receipts are kept: a branch on the run's own server, or a file elsewhere."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ophiuchus.commands.edge import Edge
from ophiuchus.commands.judging import NoRemote, remote_of
from ophiuchus.git.branch_store import BranchStore
from ophiuchus.git.scratch import open_own
from ophiuchus.publish.stores.branch import BRANCH, ReceiptsBranch
from ophiuchus.publish.stores.file import FileStore
from ophiuchus.publish.stores.store import ON_BRANCH, Store
from ophiuchus.text.problem import ExpectedFailure

_IN_FILE = "file:"


class NoPlaceForReceipts(ExpectedFailure):
    """`--receipts` names neither the branch nor a file outside the checkout."""


def add_receipts(parser: argparse.ArgumentParser) -> None:
    """Declare the option that says where receipts are kept."""
    parser.add_argument(
        "--receipts",
        default=ON_BRANCH,
        metavar="branch|file:PATH",
        help=f"where receipts are kept: the branch {BRANCH} on the server (default), "
        "or a file outside the checkout",
    )


@contextmanager
def open_receipts(
    where: str, edge: Edge, *, top: Path | None, token: str, object_format: str = "sha1"
) -> Iterator[Store]:
    """The store that `where` (`branch` or `file:PATH`) names; nothing is read yet.

    `top` is the checkout's folder, where there is one; `token` may write to the branch, whose server keeps
    objects in `object_format`. Raises NoPlaceForReceipts, NoRemote, RefusedRemote and NoRoom.
    """
    if where == ON_BRANCH:
        try:
            remote = remote_of(edge.env, token)
        except NoRemote as error:
            raise NoRemote(
                f"it is not known on which server the branch {BRANCH} is",
                "Set GITHUB_SERVER_URL, GITHUB_REPOSITORY (OWNER/NAME) and GITHUB_TOKEN, "
                "or keep receipts in a file with --receipts file:PATH.",
            ) from error
        with open_own(edge.env, object_format) as scratch:
            yield ReceiptsBranch(BranchStore(scratch, remote, edge.env, BRANCH))
    else:
        yield FileStore(_file(where, top))


def _file(where: str, top: Path | None) -> Path:
    """The file that is named, with links followed, so that every spelling of it is locked as one."""
    name = where.removeprefix(_IN_FILE)
    if name == where or not name:
        raise NoPlaceForReceipts(
            f"receipts cannot be kept in {where!r}",
            "Give `branch`, or `file:` and a path outside the checkout.",
        )
    if name.startswith("~"):
        raise NoPlaceForReceipts(
            f"receipts cannot be kept in {where!r}: no shell has spelled out its ~", "Write the whole path."
        )
    path = Path(os.path.realpath(name))
    if top is not None and path.is_relative_to(os.path.realpath(top)):
        raise NoPlaceForReceipts(
            f"receipts are not kept inside the checkout, as in {name}",
            "Whoever can change the checkout could change them: name a file elsewhere, or use `branch`.",
        )
    return path
