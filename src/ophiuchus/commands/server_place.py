"""A commit opened for judging as the server has it: what `publish` judges on in a workflow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ophiuchus.capsule.shelf import capsule_files, read_shelf
from ophiuchus.commands.edge import Edge
from ophiuchus.commands.judging import COMPARING, Opened
from ophiuchus.commands.progress import progress
from ophiuchus.git.checkout import Checkout
from ophiuchus.git.objects import commit, list_tree
from ophiuchus.git.remote import Remote
from ophiuchus.git.scratch import open_own
from ophiuchus.git.server_view import fetch_blobs, fetch_commit
from ophiuchus.report.judge import Target

FETCHING = "fetching what is to be published"


@contextmanager
def open_on_server(
    checkout: Checkout, commit_id: str, remote: Remote, edge: Edge, *, capsules: str, files: Sequence[str]
) -> Iterator[Opened]:
    """The commit `commit_id` in a repository of our own, with its capsules and `files`; nothing is borrowed.

    `checkout` tells the object format and how paths are spelled, no more. Raises ServerUnreadable and what
    `open_place` raises.
    """
    env = edge.env
    with (
        progress(edge.terminal, FETCHING) as told,
        open_own(env, checkout.object_format) as scratch,
    ):
        fetch_commit(scratch, remote, env, commit_id)
        judged = commit(scratch, commit_id)
        wanted = capsule_files(scratch, judged.tree, capsules)
        for file in files:
            name = file.encode("utf-8", "surrogateescape")
            wanted += (entry for entry in list_tree(scratch, judged.tree, name) if entry.path == name)
        fetch_blobs(scratch, remote, env, [entry.id for entry in wanted if entry.mode != b"160000"])
        target = Target(
            tree=judged.tree,
            head=judged.id,
            parents=judged.parents,
            now=edge.now,
            shallow=False,
            repository=remote.repository,
        )
        shelf = read_shelf(scratch, judged.tree, capsules)
        told.enter(COMPARING)
        yield Opened(checkout, scratch, target, shelf, told)
