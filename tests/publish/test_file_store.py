from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from receipt_rows import NOW, receipt

from ophiuchus.publish.receipts import Malformed, Receipt, ReceiptStatus, Row
from ophiuchus.publish.stores.file import MOST_BYTES, FileStore
from ophiuchus.publish.stores.store import StoreMissing, StoreUnreadable, StoreUnwritable

CLAIM = receipt()
KEY = CLAIM.claim_key
PUBLISHED = receipt(ReceiptStatus.PUBLISHED)
FAILED = receipt(ReceiptStatus.FAILED)
NEXT_CLAIM = receipt(nonce="cd" * 16)
SETTLED = receipt(ReceiptStatus.PUBLISHED, resolved_by="octocat")
GIVEN_BACK = receipt(ReceiptStatus.FAILED, resolved_by="octocat")
OTHER = receipt(capsule_id="other")
NOBODY = 65_534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "receipts.jsonl"


@pytest.fixture
def store(path: Path) -> FileStore:
    store = FileStore(path)
    assert store.create(NOW)
    return store


def test_a_row_is_there_for_the_next_run(store: FileStore, path: Path) -> None:
    assert store.swap(None, CLAIM, NOW)
    assert store.swap(None, OTHER, NOW)
    assert store.swap(CLAIM, PUBLISHED, NOW)
    assert FileStore(path).read() == {KEY: PUBLISHED, OTHER.claim_key: OTHER}
    assert path.read_bytes() == CLAIM.line() + OTHER.line() + PUBLISHED.line()


@pytest.mark.parametrize("before", [None, PUBLISHED, Malformed(KEY, "there", "0d" * 32)])
def test_a_row_that_is_not_as_it_was_is_not_changed(store: FileStore, path: Path, before: Row | None) -> None:
    store.swap(None, CLAIM, NOW)
    assert not store.swap(before, PUBLISHED, NOW)
    assert path.read_bytes() == CLAIM.line()


@pytest.mark.parametrize(
    "rows",
    [
        (CLAIM, PUBLISHED),
        (CLAIM, FAILED, NEXT_CLAIM),
        (CLAIM, PUBLISHED, PUBLISHED),
        (CLAIM, receipt(ReceiptStatus.AMBIGUOUS), GIVEN_BACK, NEXT_CLAIM),
        (CLAIM, GIVEN_BACK, SETTLED, GIVEN_BACK),
    ],
)
def test_the_last_row_of_a_claim_counts(store: FileStore, path: Path, rows: tuple[Receipt, ...]) -> None:
    path.write_bytes(b"".join(row.line() for row in rows))
    assert store.read()[KEY] == rows[-1]


@pytest.mark.parametrize(
    "rows",
    [
        (PUBLISHED, FAILED),
        (PUBLISHED, NEXT_CLAIM),
        (PUBLISHED, CLAIM, FAILED),
        (CLAIM, NEXT_CLAIM),
        (receipt(ReceiptStatus.AMBIGUOUS), FAILED),
        (SETTLED, FAILED),
    ],
)
def test_a_row_that_no_run_and_no_person_put_upon_another_proves_nothing(
    store: FileStore, path: Path, rows: tuple[Receipt, ...]
) -> None:
    path.write_bytes(b"".join(row.line() for row in rows))
    found = store.read()[KEY]
    assert isinstance(found, Malformed)
    assert found.where == f"{path}:{len(rows)}, against an earlier line"
    assert store.swap(found, SETTLED, NOW)
    assert store.read()[KEY] == SETTLED


def test_a_missing_file_is_not_an_empty_one(path: Path) -> None:
    store = FileStore(path)
    for refused in (store.read, lambda: store.swap(None, CLAIM, NOW)):
        with pytest.raises(StoreMissing) as missing:
            refused()
        assert "receipts init --receipts file:PATH" in missing.value.remedy
    assert not path.exists()


def test_it_is_made_once_with_its_folder_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "receipts.jsonl"
    assert FileStore(path).create(NOW)
    assert not FileStore(path).create(NOW)
    assert path.stat().st_mode & 0o777 == 0o600
    assert FileStore(path).read() == {}


BAD_LINES = {
    "torn": CLAIM.line()[:-30],
    "conflict markers": b"<<<<<<< ours\n"
    + CLAIM.line()
    + b"=======\n"
    + PUBLISHED.line()
    + b">>>>>>> theirs\n",
    "no JSON": b"see the wiki\n",
    "another key": CLAIM.line().replace(KEY.encode(), b"ab" * 32),
    "an unknown row without its parts": b'{"claim_key":"%s","status":"published"}\n' % KEY.encode(),
}


@pytest.mark.parametrize("fault", BAD_LINES)
def test_c100_a_line_that_is_no_receipt_stops_all_and_is_named(
    store: FileStore, path: Path, fault: str
) -> None:
    path.write_bytes(OTHER.line() + BAD_LINES[fault])
    for refused in (store.read, lambda: store.swap(None, CLAIM, NOW)):
        with pytest.raises(StoreUnreadable, match="line 2 is no receipt"):
            refused()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'"claimed"', b'"retracted"', ""),
        (b'"schema_version":1', b'"schema_version":2', ", written by a newer Ophiuchus"),
    ],
)
def test_c100_a_row_of_unknown_words_blocks_its_own_key_alone(
    store: FileStore, path: Path, old: bytes, new: bytes, told: str
) -> None:
    path.write_bytes(CLAIM.line().replace(old, new))
    row = store.read()[KEY]
    assert isinstance(row, Malformed)
    assert row.where == f"{path}:1{told}"
    assert store.swap(None, OTHER, NOW)
    assert not store.swap(None, CLAIM, NOW)
    assert store.swap(row, SETTLED, NOW)
    assert store.read()[KEY] == SETTLED


@given(before=st.binary(max_size=200), after=st.binary(max_size=200), cut=st.integers(0, 40))
def test_a_key_with_a_row_is_never_read_as_free(before: bytes, after: bytes, cut: int) -> None:
    line = PUBLISHED.line()
    with TemporaryDirectory() as folder:
        path = Path(folder, "r")
        path.write_bytes(before + b"\n" + line[: len(line) - cut] + after)
        store = FileStore(path)
        try:
            assert KEY in store.read()
        except StoreUnreadable:
            with pytest.raises(StoreUnreadable):
                store.swap(None, CLAIM, NOW)
        else:
            assert not store.swap(None, CLAIM, NOW)


def test_blank_lines_and_a_last_line_without_its_end_are_no_fault(store: FileStore, path: Path) -> None:
    path.write_bytes(b"\n  \r\n" + CLAIM.line().rstrip())
    assert store.read() == {KEY: CLAIM}
    assert store.swap(None, OTHER, NOW)
    assert store.read() == {KEY: CLAIM, OTHER.claim_key: OTHER}


def test_a_line_that_is_just_being_written_is_waited_for(store: FileStore, path: Path) -> None:
    line = CLAIM.line()
    path.write_bytes(line[:50])
    found: list[object] = []
    with FileLock(f"{path}.lock"):
        reader = threading.Thread(target=lambda: found.append(store.read()))
        reader.start()
        reader.join(0.2)
        assert reader.is_alive()
        with path.open("ab") as file:
            file.write(line[50:])
    reader.join(10)
    assert found == [{KEY: CLAIM}]


def test_a_lock_that_is_held_is_told_and_nothing_is_written(store: FileStore, path: Path) -> None:
    with (
        FileLock(f"{path}.lock"),
        pytest.raises(StoreUnwritable, match="another process holds"),
    ):
        FileStore(path, lock_seconds=0.1).swap(None, CLAIM, NOW)
    assert store.read() == {}


@pytest.mark.parametrize("line", [CLAIM.line()[:-1], CLAIM.line()[:9]])
def test_c100_a_last_line_that_cannot_be_looked_at_again_is_unreadable(path: Path, line: bytes) -> None:
    """So that a preview, which goes on without receipts that it cannot read, goes on."""
    path.write_bytes(line)
    with FileLock(f"{path}.lock"), pytest.raises(StoreUnreadable, match="its last line is not whole"):
        FileStore(path, lock_seconds=0.1).read()
    Path(f"{path}.lock").unlink(missing_ok=True)
    Path(f"{path}.lock").mkdir()
    with pytest.raises(StoreUnreadable, match="its last line is not whole"):
        FileStore(path).read()


def test_two_spellings_of_one_file_have_one_lock(store: FileStore, path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to(path)
    with FileLock(f"{path}.lock"), pytest.raises(StoreUnwritable, match="another process holds"):
        FileStore(link, lock_seconds=0.1).swap(None, CLAIM, NOW)
    assert FileStore(link).swap(None, CLAIM, NOW)
    assert store.read() == {KEY: CLAIM}


def test_of_the_same_claim_stored_twice_at_once_one_wins_every_time(store: FileStore, path: Path) -> None:
    stores = [FileStore(path), FileStore(path)]
    with ThreadPoolExecutor(2) as pool:
        for number in range(30):
            claim = receipt(capsule_id=f"cap-{number}")
            both = Barrier(2)

            def swap(one: FileStore, both: Barrier = both, claim: Receipt = claim) -> bool:
                both.wait()
                return one.swap(None, claim, NOW)

            assert sorted(pool.map(swap, stores)) == [False, True]
    assert len(path.read_bytes().splitlines()) == 30
    assert len(store.read()) == 30


def test_a_full_disk_leaves_the_file_as_it_was(store: FileStore, path: Path) -> None:
    store.swap(None, OTHER, NOW)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for room in (0, 100):  # none at all, and too little for the line
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, hard))
        try:
            with pytest.raises(StoreUnwritable, match="cannot be written"):
                store.swap(None, CLAIM, NOW)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes() == before
    assert store.swap(None, CLAIM, NOW)


def test_what_is_no_plain_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("pipe", "folder", "loop"):
        with pytest.raises(StoreUnreadable) as caught:
            FileStore(tmp_path / name).read()
        # Whoever lists receipts did not mean to publish.
        assert "published" not in caught.value.remedy


def test_a_file_that_is_too_large_is_told(store: FileStore, path: Path) -> None:
    os.truncate(path, MOST_BYTES + 1)
    with pytest.raises(StoreUnreadable, match="more than 67,108,864 bytes"):
        store.read()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnwritable):
        FileStore(tmp_path / "file" / "r").create(NOW)
    with pytest.raises((StoreUnreadable, StoreUnwritable)):
        FileStore(tmp_path / "file" / "r").swap(None, CLAIM, NOW)
    path = tmp_path / "r"
    FileStore(path).create(NOW)
    Path(f"{path}.lock").mkdir()
    with pytest.raises(StoreUnwritable):
        FileStore(path).swap(None, CLAIM, NOW)


@contextmanager
def as_somebody(folder: Path) -> Iterator[None]:
    """Root is forbidden nothing, so it becomes somebody else, whose the folder then is."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(folder, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_permissions_are_kept_to() -> None:
    with TemporaryDirectory() as folder, as_somebody(Path(folder)):
        path = Path(folder) / "receipts.jsonl"
        store = FileStore(path)
        store.create(NOW)
        store.swap(None, OTHER, NOW)
        path.chmod(0o400)
        assert store.read() == {OTHER.claim_key: OTHER}
        with pytest.raises(StoreUnwritable, match="Permission denied"):
            store.swap(None, CLAIM, NOW)
        path.chmod(0)
        with pytest.raises(StoreUnreadable, match="Permission denied"):
            store.read()


def test_a_place_that_cannot_serve_is_not_taken_for_a_store(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreUnreadable):
        FileStore(path).create(NOW)
