from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from git_repository import ENV, Repository
from smart_http import GitServer, serve_bare, serving

from ophiuchus.git import fetch as fetching
from ophiuchus.git.changes import look
from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.fetch import fetch_commits
from ophiuchus.git.findings import BaseFact, BaseState, Change, ChangedPath, PathsFacts, PathsQuestion
from ophiuchus.git.objects import Commit, Unusable, commits
from ophiuchus.git.remote import RefusedRemote, Remote
from ophiuchus.git.scratch import open_scratch

ABSENT = [f"{number:040x}" for number in range(1, 200)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty commits; each has its own folder of blobs and trees that a careless fetch would send.

    With a bare mirror to serve and a clone of depth 1; the tests work on copies.
    """
    folder = tmp_path_factory.mktemp("made")
    repository = Repository.create(folder / "r")
    repository.write("large", os.urandom(200_000).hex())
    for number in range(20):
        repository.commit(
            {f"d{number}/{name}": os.urandom(2000).hex() for name in range(10)} | {"f": str(number)}
        )
    serve_bare(repository.top, folder / "served")
    Repository.clone(repository, folder / "s", "--depth=1")
    return folder


@pytest.fixture
def repository(made: Path, tmp_path: Path) -> Repository:
    shutil.copytree(made / "r", tmp_path / "r")
    return Repository(tmp_path / "r")


@pytest.fixture
def server(made: Path, tmp_path: Path) -> Iterator[GitServer]:
    shutil.copytree(made / "served", tmp_path / "served")
    with serving(tmp_path / "served") as server:
        yield server


@pytest.fixture
def shallow(made: Path, tmp_path: Path) -> Repository:
    shutil.copytree(made / "s", tmp_path / "s")
    return Repository(tmp_path / "s")


def history(repository: Repository) -> list[str]:
    """All commits, oldest first."""
    return repository.git("rev-list", "--reverse", "main").split("\n")


def fetched(
    clone: Repository, server: GitServer, wanted: list[str], *, token: str = "", server_url: str = ""
) -> tuple[dict[str, Unusable], dict[str, Commit | Unusable]]:
    """What could not be had, and what is in the scratch repository then; the clone must not change."""
    before = clone.fingerprint()
    checkout = open_checkout(clone.top, ENV)
    remote = Remote(server_url or server.url, "owner/name", token)
    with open_scratch(checkout, ENV) as scratch:
        failures = fetch_commits(scratch, remote, ENV, wanted, head=checkout.head)
        found = commits(scratch, wanted)
    assert clone.fingerprint() == before
    return failures, found


def judged(clone: Repository, server: GitServer, *bases: str) -> list[PathsFacts]:
    checkout = open_checkout(clone.top, ENV)
    remote = Remote(server.url, "owner/name")
    with open_scratch(checkout, ENV) as scratch:
        fetch = partial(fetch_commits, scratch, remote, ENV, head=checkout.head)
        questions = [PathsQuestion(("f", "large"), base) for base in bases]
        return list(look(scratch, clone.tree(), questions, head=checkout.head, fetch=fetch))


def test_all_absent_bases_come_in_one_request_without_blobs(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    wanted = history(repository)[:-1]
    failures, found = fetched(shallow, server, wanted)
    assert failures == {}
    assert all(isinstance(commit, Commit) for commit in found.values())
    assert len({one.path for one in server.exchanges if one.method == "GET"}) == 1
    assert sum(one.sent > 500 for one in server.posts) <= 2
    assert {one.protocol for one in server.exchanges} == {"version=2"}
    # Nineteen commits with some trees; one blob alone has 400,000 bytes.
    assert server.bytes_out < 60_000


def test_what_was_fetched_is_judged_as_in_a_full_clone(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    bases = history(repository)[:-1]
    (last,) = repository.git("rev-parse", "main").split()
    expected = BaseFact(1, (ChangedPath(b"f", Change.CONTENT),))
    for facts in judged(shallow, server, *bases):
        assert facts.base_state is BaseState.COMPARED
        assert [fact.base for fact in facts.globs] == [expected, BaseFact(0)]
        assert facts.in_history is None
    requests = len(server.exchanges)
    assert judged(shallow, server, last)[0].globs[0].base == BaseFact(0)
    assert len(server.exchanges) == requests


def test_trees_that_the_clone_has_are_not_sent_again(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    repository.commit({f"wide/{number}/f": "1" for number in range(2000)})
    near = repository.commit({"f": "near"})
    repository.commit({"f": "now"})
    repository.git("push", "-q", str(server.root / "owner" / "name"), "main")
    clone = Repository.clone(repository, shallow.top.parent / "s2", "--depth=1")
    failures, found = fetched(clone, server, [near])
    assert failures == {}
    assert isinstance(found[near], Commit)
    assert server.bytes_out < 5_000


def test_an_id_that_the_server_lacks_costs_one_small_round_trip(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    wanted = history(repository)[:-1]
    fetched(shallow, server, wanted)
    undisturbed_posts, undisturbed_bytes = len(server.posts), server.bytes_out
    server.exchanges.clear()
    gone = ABSENT[:8]
    mixed = [*gone[:3], *wanted[:5], *gone[3:], *wanted[5:]]
    failures, found = fetched(shallow, server, mixed)
    assert {commit: failure.state for commit, failure in failures.items()} == dict.fromkeys(
        gone, BaseState.NOT_ON_SERVER
    )
    assert all(isinstance(found[commit], Commit) for commit in wanted)
    assert len(server.posts) - undisturbed_posts <= len(gone)
    misses = sorted(one.received for one in server.posts)[: len(gone)]
    assert max(misses) < 300
    assert server.bytes_out - undisturbed_bytes < 8 * 1000


def test_bases_that_the_server_lacks_spoil_no_other(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    bases = history(repository)[:-1]
    answers = judged(shallow, server, *bases[:4], *ABSENT[:5], *bases[4:])
    states = [facts.base_state for facts in answers]
    assert states == [BaseState.COMPARED] * 4 + [BaseState.NOT_ON_SERVER] * 5 + [BaseState.COMPARED] * 15


def test_a_limited_number_of_ids_may_be_unknown(
    repository: Repository, shallow: Repository, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MOST_DROPPED", 3)
    base = history(repository)[0]
    failures, _ = fetched(shallow, server, [*ABSENT[:6], base])
    states = [failures[commit].state for commit in (*ABSENT[:6], base)]
    assert states == [BaseState.NOT_ON_SERVER] * 3 + [BaseState.FETCH_FAILED] * 4
    assert "3" in failures[base].detail
    assert len(server.posts) == 4


def test_commits_that_no_branch_reaches_are_still_given(
    repository: Repository, shallow: Repository, server: GitServer, tmp_path: Path
) -> None:
    repository.git("checkout", "-q", "-b", "squashed", "main~3")
    lost = repository.commit({"f": "squashed"})
    repository.git("push", "-q", str(server.root / "owner" / "name"), "squashed")
    bare = Repository(server.root / "owner" / "name")
    bare.git("update-ref", "-d", "refs/heads/squashed")
    failures, found = fetched(shallow, server, [lost])
    assert failures == {}
    assert isinstance(found[lost], Commit)


def test_a_head_that_the_server_does_not_know_is_no_hindrance(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    shallow.commit({"f": "local"})
    base = history(repository)[3]
    (facts,) = judged(shallow, server, base)
    assert facts.globs[0].base == BaseFact(1, (ChangedPath(b"f", Change.CONTENT),))


def test_the_clones_own_files_of_what_is_sent_again_keep_their_times(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    """Of an object that git finds when it would write it singly, it renews the time instead."""
    packs = shallow.top / ".git" / "objects" / "pack"
    (pack,) = packs.glob("*.pack")
    content = pack.read_bytes()
    for file in packs.iterdir():
        file.unlink()
    shallow.git("unpack-objects", "-q", stdin=content)
    # Of such a head the server knows nothing, so it sends all of the base.
    shallow.git("checkout", "-q", "--orphan", "apart")
    shallow.commit({"new": "1"})
    before = shallow.fingerprint()
    base = history(repository)[3]
    checkout = open_checkout(shallow.top, ENV)
    with open_scratch(checkout, ENV) as scratch:
        remote = Remote(server.url, "owner/name")
        assert fetch_commits(scratch, remote, ENV, [base], head=checkout.head, with_files=True) == {}
    assert shallow.fingerprint() == before


def test_trap_23_a_clone_without_trees_gets_them(
    repository: Repository, server: GitServer, tmp_path: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    treeless = Repository.clone(repository, tmp_path / "t", "--filter=tree:0")
    before = treeless.fingerprint()
    bases = history(repository)[:-1]
    expected = BaseFact(1, (ChangedPath(b"f", Change.CONTENT),))
    for facts in judged(treeless, server, *bases):
        assert facts.base_state is BaseState.COMPARED
        assert [fact.base for fact in facts.globs] == [expected, BaseFact(0)]
    assert treeless.fingerprint() == before


def test_trap_22_a_clone_without_blobs_fetches_like_any_other(
    repository: Repository, server: GitServer, tmp_path: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    partial_clone = Repository.clone(repository, tmp_path / "t", "--filter=blob:none", "--depth=2")
    (facts,) = judged(partial_clone, server, history(repository)[0])
    assert facts.globs[0].base == BaseFact(1, (ChangedPath(b"f", Change.CONTENT),))


def test_trap_30_sha256_commits_are_fetched(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r", object_format="sha256")
    base = repository.commit({"f": "1"})
    repository.commit({"f": "2"})
    serve_bare(repository.top, tmp_path / "served")
    clone = Repository.clone(repository, tmp_path / "s", "--depth=1")
    with serving(tmp_path / "served") as server:
        failures, found = fetched(clone, server, [base, "1" * 64])
    assert list(failures) == ["1" * 64]
    assert failures["1" * 64].state is BaseState.NOT_ON_SERVER
    assert isinstance(found[base], Commit)


def test_a_full_clone_is_left_whole(repository: Repository, server: GitServer, tmp_path: Path) -> None:
    main = history(repository)
    repository.git("checkout", "-q", "-b", "other", "main~5")
    other = repository.commit({"f": "other"})
    repository.git("push", "-q", str(server.root / "owner" / "name"), "other")
    clone = Repository.clone(repository, tmp_path / "full", "--single-branch", "--branch=main")
    failures, found = fetched(clone, server, [other])
    assert failures == {}
    assert isinstance(found[other], Commit)
    assert history(clone) == main


def test_the_token_travels_in_a_header_and_nowhere_else(
    repository: Repository, shallow: Repository, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "t" + "0" * 39
    server.token = token
    seen: list[bytes] = []
    real = fetching._bytes_below

    def spy(folder: Path) -> int:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                seen.append(process.read_bytes())
            except OSError:
                continue
        return real(folder)

    monkeypatch.setattr(fetching, "_bytes_below", spy)
    server.stall_seconds = 0.3
    base = history(repository)[0]
    failures, found = fetched(shallow, server, [base], token=token)
    assert failures == {}
    assert isinstance(found[base], Commit)
    assert any(b"remote-http" in line for line in seen)
    assert not any(token.encode() in line for line in seen)
    assert token not in repr(Remote(server.url, "owner/name", token))


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_token_that_may_not_read_is_a_cause_of_its_own(
    repository: Repository, shallow: Repository, server: GitServer, token: str
) -> None:
    server.token = "right"
    base = history(repository)[0]
    failures, found = fetched(shallow, server, [base], token=token)
    assert failures == {base: Unusable(BaseState.FETCH_FAILED, failures[base].detail)}
    assert "token may not read" in failures[base].detail
    assert isinstance(found[base], Unusable)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "token may not read"),
        (404, "no such repository"),
        (429, "status 429"),
        (500, "status 500"),
        (503, "503"),
    ],
)
def test_what_the_server_answers_is_told_in_our_words(
    repository: Repository, shallow: Repository, server: GitServer, status: int, words: str
) -> None:
    server.status = status
    base = history(repository)[0]
    failures, _ = fetched(shallow, server, [base])
    assert failures[base].state is BaseState.FETCH_FAILED
    assert words in failures[base].detail
    assert "secret words" not in failures[base].detail


def test_a_redirect_is_not_followed(
    repository: Repository, shallow: Repository, server: GitServer, tmp_path: Path
) -> None:
    with serving(tmp_path / "served") as elsewhere:
        server.redirect_to = elsewhere.url
        base = history(repository)[0]
        failures, _ = fetched(shallow, server, [base], token="t")
        assert elsewhere.exchanges == []
    assert "redirect" in failures[base].detail


def test_a_server_that_is_not_there_is_a_cause_of_its_own(
    repository: Repository, shallow: Repository
) -> None:
    base = history(repository)[0]
    nobody = GitServer(Path("/nowhere"), url="http://127.0.0.1:1")
    failures, _ = fetched(shallow, nobody, [base])
    assert failures == {base: Unusable(BaseState.FETCH_FAILED, "the server could not be reached")}


def test_an_answer_that_is_cut_off_is_a_failure(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    server.cut_after = 100
    base = history(repository)[0]
    failures, found = fetched(shallow, server, [base])
    assert failures[base].state is BaseState.FETCH_FAILED
    assert isinstance(found[base], Unusable)


def test_a_server_without_protocol_2_may_not_give_commits_by_id(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    server.protocol = "version=0"
    base = history(repository)[0]
    failures, _ = fetched(shallow, server, [base])
    assert failures == {base: Unusable(BaseState.FETCH_FAILED, "the server does not give commits by id")}


def test_a_server_that_stalls_is_given_up(
    repository: Repository, shallow: Repository, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.5)
    server.stall_seconds = 5
    base = history(repository)[0]
    began = time.monotonic()
    failures, _ = fetched(shallow, server, [base])
    assert time.monotonic() - began < 4
    assert failures == {base: Unusable(BaseState.FETCH_FAILED, "fetching took longer than 0.5 seconds")}


def test_too_many_bytes_are_given_up(
    repository: Repository, shallow: Repository, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MOST_BYTES", 0)
    monkeypatch.setattr(fetching, "_bytes_below", lambda folder: 1)
    server.stall_seconds = 1
    base = history(repository)[0]
    failures, _ = fetched(shallow, server, [base])
    assert failures == {base: Unusable(BaseState.FETCH_FAILED, "more than 0 MiB arrived")}


@pytest.mark.parametrize(
    "address",
    ["http://example.invalid", "file:///tmp", "ssh://git@example.invalid", "ext::sh", "https://user@example.invalid",
     "https://example.invalid?x=1", "https://example.invalid#x", "http://localhost:1", "http://127.0.0.1.example.invalid",
     "https://", "", "https://example.invalid:x", "https://example.invalid/\n", "--upload-pack=x", "https://-x/",
     "https://example.invalid:65536", "http://127.0.0.256", "https://example.invalid/a/.."],
)  # fmt: skip
def test_only_https_and_http_on_loopback_are_addresses(address: str) -> None:
    with pytest.raises(RefusedRemote):
        assert Remote(address, "owner/name").url


def test_nothing_is_fetched_from_any_other_address(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    with pytest.raises(RefusedRemote):
        fetched(shallow, server, [history(repository)[0]], server_url=elsewhere)
    assert server.exchanges == []


def test_the_checkouts_configuration_has_no_part_in_fetching(
    repository: Repository, shallow: Repository, server: GitServer, tmp_path: Path
) -> None:
    fired = tmp_path / "fired"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho x >> {fired}\n")
    program.chmod(0o755)
    for key, value in {
        "remote.origin.url": f"ext::{program}", "protocol.ext.allow": "always", "core.sshCommand": program,
        f"url.ext::{program} .insteadOf": "http://", "credential.helper": program, "core.askPass": program,
        "core.alternateRefsCommand": program, "core.hooksPath": tmp_path, "http.proxy": "http://127.0.0.1:1",
        "alias.for-each-ref": f"!{program}", "core.fsmonitor": program, "fetch.writeCommitGraph": "true",
    }.items():  # fmt: skip
        shallow.git("config", key, str(value))
    (tmp_path / "reference-transaction").write_bytes(program.read_bytes())
    (tmp_path / "reference-transaction").chmod(0o755)
    fired.unlink(missing_ok=True)
    base = history(repository)[0]
    failures, found = fetched(shallow, server, [base])
    assert failures == {}
    assert isinstance(found[base], Commit)
    assert not fired.exists()


def test_proxies_of_the_environment_are_used(
    repository: Repository, shallow: Repository, server: GitServer
) -> None:
    base = history(repository)[0]
    with open_scratch(open_checkout(shallow.top, ENV), ENV) as scratch:
        environment = {**ENV, "http_proxy": "http://127.0.0.1:1"}
        failures = fetch_commits(scratch, Remote(server.url, "owner/name"), environment, [base])
    assert failures == {base: Unusable(BaseState.FETCH_FAILED, "the server could not be reached")}
    assert server.exchanges == []
