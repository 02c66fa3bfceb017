"""The branch of receipts as `ophiuchus receipts init` leaves it, made on the server itself."""

from __future__ import annotations

from git_repository import Repository


def make_receipts_branch(server: Repository) -> None:
    """Make it; one that is there already is begun anew."""
    page = server.git("hash-object", "-w", "--stdin", stdin=b"# Receipts\n")
    tree = server.git("mktree", stdin=f"100644 blob {page}\tREADME.md\n".encode())
    commit = server.git("commit-tree", "-m", "Keep receipts here", tree)
    server.git("update-ref", "refs/heads/ophiuchus/receipts", commit)
