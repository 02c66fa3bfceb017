from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest
from git_repository import ENV
from receipt_rows import NOW, receipt
from smart_http import GitServer, serving

from ophiuchus.git.branch_store import MOST_FILE_BYTES, BranchStore
from ophiuchus.git.remote import Remote
from ophiuchus.git.scratch import Scratch, open_own
from ophiuchus.publish.receipts import Malformed, Receipt, ReceiptStatus, Row
from ophiuchus.publish.stores.branch import BRANCH, ReceiptsBranch
from ophiuchus.publish.stores.store import StoreMissing, StoreUnreadable, StoreUnwritable

CLAIM = receipt()
KEY = CLAIM.claim_key
PUBLISHED = receipt(ReceiptStatus.PUBLISHED)
OTHER = receipt(capsule_id="other")
SETTLED = receipt(ReceiptStatus.FAILED, resolved_by="ada")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    git(tmp_path, "init", "-q", "--bare", "owner/name")
    with serving(tmp_path) as server:
        server.takes_pushes = True
        yield server


@contextmanager
def opened(server: GitServer) -> Iterator[ReceiptsBranch]:
    with open_own(ENV, "sha1") as scratch:
        yield ReceiptsBranch(BranchStore(scratch, Remote(server.url, "owner/name"), ENV, BRANCH))


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, env=ENV, input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


def put(server: GitServer, files: dict[str, bytes]) -> None:
    """Let the branch hold exactly these files, as whoever may write to it could."""
    bare = server.root / "owner/name"
    stream = b"commit refs/heads/%s\ncommitter x <> 1 +0000\ndata 0\ndeleteall\n" % BRANCH.encode()
    for path, content in files.items():
        stream += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content)
    git(bare, "fast-import", "--quiet", "--force", stdin=stream)


def test_a_row_is_there_for_the_next_machine(server: GitServer) -> None:
    with opened(server) as first, opened(server) as second:
        assert first.create(NOW)
        assert not second.create(NOW)
        assert first.read() == {}
        assert first.swap(None, CLAIM, NOW)
        assert not second.swap(None, CLAIM, NOW)
        assert second.swap(CLAIM, PUBLISHED, NOW)
        assert not first.swap(CLAIM, receipt(ReceiptStatus.FAILED), NOW)
        assert first.read() == second.read() == {KEY: PUBLISHED}
    bare = server.root / "owner/name"
    subjects = git(bare, "log", "--format=%s", BRANCH).split("\n")
    assert subjects == [
        "Published: session-keys for team",
        "Claimed: session-keys for team",
        "Keep receipts here",
    ]
    stored = git(bare, "show", f"{BRANCH}:receipts/{KEY}.json")
    assert stored.encode() + b"\n" == PUBLISHED.line()


def test_a_missing_branch_is_not_an_empty_one(server: GitServer) -> None:
    with opened(server) as store:
        for refused in (store.read, lambda: store.swap(None, CLAIM, NOW)):
            with pytest.raises(StoreMissing) as missing:
                refused()
            assert "receipts init" in missing.value.remedy


def test_what_the_server_refuses_is_told_as_the_store_s_own_failure(server: GitServer) -> None:
    with opened(server) as store:
        store.create(NOW)
        server.takes_pushes = False
        with pytest.raises(StoreUnwritable, match="may not write"):
            store.swap(None, CLAIM, NOW)
        server.status = 503
        for refused in (store.read, lambda: store.swap(None, CLAIM, NOW), lambda: store.create(NOW)):
            with pytest.raises(StoreUnreadable):
                refused()


def test_different_rows_changed_at_once_are_all_kept(server: GitServer) -> None:
    claims = [receipt(capsule_id=f"cap-{number}") for number in range(4)]
    with opened(server) as store:
        store.create(NOW)
        all_at_once = Barrier(len(claims))

        def swap(claim: Receipt) -> bool:
            with opened(server) as one:
                all_at_once.wait()
                return one.swap(None, claim, NOW)

        with ThreadPoolExecutor(len(claims)) as pool:
            assert all(pool.map(swap, claims))
        assert store.read() == {claim.claim_key: claim for claim in claims}


def test_of_the_same_claim_stored_twice_at_once_one_wins_every_time(server: GitServer) -> None:
    with opened(server) as first, opened(server) as second, ThreadPoolExecutor(2) as pool:
        first.create(NOW)
        for number in range(3):
            claim = receipt(capsule_id=f"cap-{number}")
            both = Barrier(2)

            def swap(one: ReceiptsBranch, both: Barrier = both, claim: Receipt = claim) -> bool:
                both.wait()
                return one.swap(None, claim, NOW)

            assert sorted(pool.map(swap, (first, second))) == [False, True]


HOSTILE = {
    "nothing": b"",
    "torn": CLAIM.line()[:-30],
    "conflict markers": b"<<<<<<< ours\n%s=======\n%s>>>>>>> theirs\n" % (CLAIM.line(), PUBLISHED.line()),
    "another key's row": OTHER.line(),
    "an unknown status": CLAIM.line().replace(b'"claimed"', b'"retracted"'),
    "a newer schema": CLAIM.line().replace(b'"schema_version":1', b'"schema_version":2'),
    "two rows": CLAIM.line() + PUBLISHED.line(),
    "too large": b" " * (MOST_FILE_BYTES + 1),
    "noise": bytes(range(256)),
}


def test_c100_a_file_that_is_no_receipt_blocks_its_own_key_alone(server: GitServer) -> None:
    rows = {name: receipt(capsule_id=f"cap-{number}") for number, name in enumerate(HOSTILE)}
    put(server, {f"receipts/{row.claim_key}.json": HOSTILE[name] for name, row in rows.items()})
    with opened(server) as store:
        found = store.read()
        for name, row in rows.items():
            assert isinstance(found[row.claim_key], Malformed), name
        first = next(iter(rows.values()))
        assert not store.swap(None, first, NOW)
        assert store.swap(None, CLAIM, NOW)
        assert store.swap(found[first.claim_key], first, NOW)
        assert store.read()[first.claim_key] == first


def test_what_stands_in_a_receipt_s_place_or_beside_it_is_no_proof_of_a_free_one(server: GitServer) -> None:
    failed = receipt(ReceiptStatus.FAILED)
    for suffix in (".json/x", "", ".json.orig", "~HEAD"):
        path = f"receipts/{KEY}{suffix}"
        put(server, {path: failed.line()})
        with opened(server) as store:
            assert isinstance(store.read()[KEY], Malformed), path
    put(server, {f"receipts/{KEY}.json": PUBLISHED.line(), f"receipts/{KEY}.bak": failed.line()})
    with opened(server) as store:
        assert store.read() == {KEY: PUBLISHED}


def test_other_files_of_the_branch_are_no_rows(server: GitServer) -> None:
    others = {"README.md": b"x", "receipts/notes.json": CLAIM.line(), f"old/{KEY}.json": CLAIM.line()}
    put(server, {**others, f"receipts/{OTHER.claim_key}.json": OTHER.line()})
    with opened(server) as store:
        assert store.read() == {OTHER.claim_key: OTHER}


@pytest.mark.parametrize("files", [{"src/a.py": b"1"}, {"README.md": b"# A project\n"}, {"README.md/a": b""}])
def test_a_branch_that_was_not_made_for_receipts_is_no_empty_store(
    server: GitServer, files: dict[str, bytes]
) -> None:
    put(server, files)
    with opened(server) as store:
        for refused in (store.read, lambda: store.swap(None, CLAIM, NOW), lambda: store.create(NOW)):
            with pytest.raises(StoreMissing, match="was not made for receipts"):
                refused()
    with opened(server) as store:
        put(server, {**files, f"receipts/{KEY}.json": PUBLISHED.line()})
        assert store.read() == {KEY: PUBLISHED}


class Moved(BranchStore):
    """A branch that somebody moves just before the first change of it, and never again."""

    def __init__(self, scratch: Scratch, server: GitServer, move: Callable[[GitServer], object]) -> None:
        super().__init__(scratch, Remote(server.url, "owner/name"), ENV, BRANCH)
        self._move: Callable[[], object] | None = lambda: move(server)

    def change(self, tip: str | None, path: str, content: bytes, message: str, at: int) -> bool:
        if self._move is not None:
            self._move()
            self._move = None
        return super().change(tip, path, content, message, at)


PAGE = b"# Receipts\n"
IN_PLACE = f"receipts/{KEY}.json"
BESIDE = f"receipts/{OTHER.claim_key}.json"


def at_branch(server: GitServer, *arguments: str) -> None:
    git(server.root / "owner/name", *arguments)


MOVES: dict[str, tuple[Callable[[GitServer], object], bool | type[Exception], dict[str, Row] | None]] = {
    "another row is settled": (
        lambda server: put(
            server, {IN_PLACE: CLAIM.line(), BESIDE: receipt(ReceiptStatus.FAILED, capsule_id="other").line()}
        ),
        True,
        {KEY: PUBLISHED, OTHER.claim_key: receipt(ReceiptStatus.FAILED, capsule_id="other")},
    ),
    "the row is settled by a person": (
        lambda server: put(server, {IN_PLACE: SETTLED.line(), BESIDE: OTHER.line()}),
        False,
        {KEY: SETTLED, OTHER.claim_key: OTHER},
    ),
    "the row is deleted": (
        lambda server: put(server, {BESIDE: OTHER.line()}),
        False,
        {OTHER.claim_key: OTHER},
    ),
    "all rows are deleted": (lambda server: put(server, {"README.md": PAGE}), False, {}),
    "it begins anew, with the row": (
        lambda server: anew(server, {IN_PLACE: CLAIM.line()}),
        True,
        {KEY: PUBLISHED},
    ),
    "it begins anew, without the row": (lambda server: anew(server, {"README.md": PAGE}), False, {}),
    "it begins anew, for something else": (
        lambda server: anew(server, {"src/a.py": b"1"}),
        StoreMissing,
        None,
    ),
    "a login page stands before it": (
        lambda server: setattr(server, "page", ("text/html", b"<html>Log in</html>")),
        StoreUnreadable,
        None,
    ),
    "an empty page stands before it": (
        lambda server: setattr(server, "page", ("text/html", b"")),
        StoreUnreadable,
        None,
    ),
    "the repository is gone": (
        lambda server: shutil.rmtree(server.root / "owner/name"),
        StoreUnreadable,
        None,
    ),
}


def anew(server: GitServer, files: dict[str, bytes]) -> None:
    at_branch(server, "update-ref", "-d", f"refs/heads/{BRANCH}")
    put(server, files)


@pytest.mark.parametrize("move", MOVES)
def test_a_branch_that_is_moved_before_a_row_is_settled_loses_no_row(server: GitServer, move: str) -> None:
    moves, wanted, left = MOVES[move]
    put(server, {IN_PLACE: CLAIM.line(), BESIDE: OTHER.line()})
    with open_own(ENV, "sha1") as scratch:
        store = ReceiptsBranch(Moved(scratch, server, moves))
        if isinstance(wanted, bool):
            assert store.swap(CLAIM, PUBLISHED, NOW) is wanted
        else:
            with pytest.raises(wanted):
                store.swap(CLAIM, PUBLISHED, NOW)
    if left is not None:
        with opened(server) as another:
            assert another.read() == left


def test_a_branch_that_is_deleted_before_a_row_is_settled_comes_back_whole_or_is_missed(
    server: GitServer,
) -> None:
    put(server, {IN_PLACE: CLAIM.line(), BESIDE: OTHER.line()})
    with open_own(ENV, "sha1") as scratch:
        gone = Moved(scratch, server, lambda _: at_branch(server, "update-ref", "-d", f"refs/heads/{BRANCH}"))
        try:
            assert ReceiptsBranch(gone).swap(CLAIM, PUBLISHED, NOW)
        except StoreMissing:
            return
    with opened(server) as another:
        assert another.read() == {KEY: PUBLISHED, OTHER.claim_key: OTHER}
