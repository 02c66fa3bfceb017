"""What answers for the server is none: a proxy's or a network's login page, or an answer that is cut.

Git reads a page of one line, or of none, as the list of a repository that has no branch.
"""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from git_repository import ENV
from smart_http import GitServer, serving

from ophiuchus.git.branch_store import BranchStore, BranchUnreadable, BranchUnwritable
from ophiuchus.git.remote import Remote
from ophiuchus.git.scratch import Scratch, open_own
from ophiuchus.git.server_view import ServerUnreadable, branch_tip, default_branch, fetch_blobs, fetch_commit
from ophiuchus.text.problem import ExpectedFailure

ADVERTISED = "application/x-git-upload-pack-advertisement"
RESULT = "application/x-git-upload-pack-result"
SERVICE = b"001e# service=git-upload-pack\n"
ID = b"1" * 40
SOME_ID = "1" * 40

PAGES: dict[str, tuple[str | None, bytes]] = {
    "a page of one line": ("text/html", b"<html>Log in</html>"),
    "a page of one line with its end": ("text/html; charset=utf-8", b"<html>Log in</html>\n"),
    "a page of two lines": ("text/html", b"<html>\nLog in</html>\n"),
    "a page of many lines": ("text/html", b"<!DOCTYPE html>\n" + b"<p>Log in, secret words</p>\n" * 50),
    "a page that begins with an empty line": ("text/html", b"\n<html></html>"),
    "an empty page": ("text/html", b""),
    "an empty text": ("text/plain", b""),
    "an empty answer of no type": (None, b""),
    "bytes of no type": (None, b"\x00\x01\x02"),
    "a JSON object": ("application/json", b'{"message": "Log in"}'),
    "XML": ("application/xml", b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"),
    "a page whose first line looks like a commit": ("text/html", ID + b"\trefs/heads/other\n"),
    "a page of 40 letters and a tab": ("text/html", b"z" * 40 + b"\tLog in\n"),
    "a page under git's type": (ADVERTISED, b"<html>Log in</html>"),
    "a flush only": (ADVERTISED, b"0000"),
    "the service of pushes": (ADVERTISED, b"001f# service=git-receive-pack\n0000"),
    "a proper list as a text": ("text/plain", SERVICE + b"0000000eversion 2\n000cls-refs\n0000"),
    "a version 2 that can do nothing": (ADVERTISED, SERVICE + b"0000000eversion 2\n0000"),
    "a version nobody knows": (ADVERTISED, SERVICE + b"0000000eversion 9\n0000"),
    "a list that is given to the question too": (
        ADVERTISED,
        SERVICE + b"0000000eversion 2\n000cls-refs\n000afetch\n0000",
    ),
}
CUT: dict[str, tuple[str | None, bytes]] = {
    "nothing under git's type": (ADVERTISED, b""),
    "a length cut": (ADVERTISED, SERVICE[:2]),
    "the service cut": (ADVERTISED, SERVICE[:10]),
    "the service only": (ADVERTISED, SERVICE),
    "the version cut": (ADVERTISED, SERVICE + b"0000000ever"),
    "no end behind the version": (ADVERTISED, SERVICE + b"0000000eversion 2\n"),
    "no end behind what it can do": (ADVERTISED, SERVICE + b"0000000eversion 2\n000cls-refs\n"),
}
ANSWERS: dict[str, tuple[str | None, bytes]] = {
    "a page instead of the answer": ("text/html", b"<html>Log in</html>"),
    "an empty page instead of the answer": ("text/html", b""),
    "an empty answer": (RESULT, b""),
    "a page under the answer's type": (RESULT, b"<html>Log in</html>"),
    "one line without an end": (RESULT, b"003d" + ID + b" refs/heads/other\n"),
    "a length cut": (RESULT, b"00"),
    "a line cut": (RESULT, b"003d" + ID[:7]),
    "a line that names no commit": (RESULT, b"0015nothing of git's\n0000"),
}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    """A server with one commit on `main`, and nothing else."""
    root = tmp_path_factory.mktemp("served")
    bare = root / "owner" / "name"
    git(root, "init", "-q", "--bare", "--initial-branch=main", str(bare))
    git(bare, "update-ref", "refs/heads/main", git(bare, "commit-tree", "-m", "x", git(bare, "write-tree")))
    with serving(root) as server:
        server.takes_pushes = True
        yield server


@pytest.fixture
def server(started: GitServer) -> Iterator[GitServer]:
    yield started
    started.page, started.page_for, started.redirect_to = None, ("GET", "POST"), None


@pytest.fixture(scope="module")
def scratch() -> Iterator[Scratch]:
    with open_own(ENV, "sha1") as scratch:
        yield scratch


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENV, capture_output=True, check=True)
    return done.stdout.decode().strip()


Question = Callable[[Scratch, Remote], object]
QUESTIONS: dict[str, Question] = {
    "the branch": lambda scratch, remote: BranchStore(scratch, remote, ENV, "kept").read(),
    "its tip": lambda scratch, remote: branch_tip(scratch, remote, ENV, "kept"),
    "the default branch": lambda scratch, remote: default_branch(scratch, remote, ENV),
}
FETCHES: dict[str, Question] = {
    "a commit": lambda scratch, remote: fetch_commit(scratch, remote, ENV, SOME_ID),
    "a file": lambda scratch, remote: fetch_blobs(scratch, remote, ENV, [SOME_ID]),
}


def refused(server: GitServer, scratch: Scratch, ask: Question) -> ExpectedFailure:
    with pytest.raises((BranchUnreadable, ServerUnreadable)) as failure:
        ask(scratch, Remote(server.url, "owner/name"))
    assert "secret words" not in failure.value.message + failure.value.remedy
    return failure.value


def assert_not_answered(failure: ExpectedFailure) -> None:
    assert "no git server" in failure.message or "its answer broke off" in failure.message
    assert "GITHUB_SERVER_URL" in failure.remedy or "network" in failure.remedy


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_no_repository_without_branches(server: GitServer, scratch: Scratch, page: str) -> None:
    server.page = PAGES[page]
    for ask in QUESTIONS.values():
        failure = refused(server, scratch, ask)
        assert "what answers there is no git server" in failure.message
        assert "login page" in failure.remedy
        assert "token" not in failure.remedy


@pytest.mark.parametrize("page", ["a page of one line", "a page of many lines", "an empty page"])
def test_nothing_is_fetched_from_a_page(server: GitServer, scratch: Scratch, page: str) -> None:
    server.page = PAGES[page]
    for ask in FETCHES.values():
        assert "what answers there is no git server" in refused(server, scratch, ask).message


@pytest.mark.parametrize("cut", CUT)
def test_a_list_that_is_cut_is_no_repository_without_branches(
    server: GitServer, scratch: Scratch, cut: str
) -> None:
    server.page = CUT[cut]
    for ask in QUESTIONS.values():
        assert_not_answered(refused(server, scratch, ask))


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_none_is_no_repository_without_branches(
    server: GitServer, scratch: Scratch, answer: str
) -> None:
    server.page, server.page_for = ANSWERS[answer], ("POST",)
    for ask in QUESTIONS.values():
        assert_not_answered(refused(server, scratch, ask))


def test_a_redirect_to_a_login_page_says_what_to_look_at(server: GitServer, scratch: Scratch) -> None:
    server.redirect_to = "http://127.0.0.1:1/login"
    for ask in QUESTIONS.values():
        failure = refused(server, scratch, ask)
        assert "a redirect, which is not followed" in failure.message
        assert "GITHUB_SERVER_URL" in failure.remedy


def test_nothing_is_pushed_to_a_page(server: GitServer, scratch: Scratch) -> None:
    branch = BranchStore(scratch, Remote(server.url, "owner/name"), ENV, "kept")
    server.page = PAGES["a page of one line"]
    with pytest.raises((BranchUnreadable, BranchUnwritable), match="no git server"):
        branch.change(None, "a", b"0", "Begin", 1)
    server.page = None
    assert branch.read() is None


@pytest.mark.parametrize("protocol", [None, "", "version=1"])
def test_a_repository_without_the_branch_is_known_in_every_protocol(
    server: GitServer, scratch: Scratch, protocol: str | None
) -> None:
    git(server.root, "init", "-q", "--bare", "--initial-branch=main", "owner/empty")
    server.protocol = protocol
    for name, default in (("name", "main"), ("empty", None)):
        remote = Remote(server.url, f"owner/{name}")
        assert branch_tip(scratch, remote, ENV, "kept") is None
        assert default_branch(scratch, remote, ENV) == default
    server.protocol = None


@pytest.mark.parametrize("name", ["a\u2028b", "a\x85b", "\u00e9/x", "refs/heads/kept", "a\u00a0b"])
def test_a_branch_is_known_by_any_name_that_git_takes(server: GitServer, scratch: Scratch, name: str) -> None:
    bare = server.root / "owner" / "name"
    remote, ref = Remote(server.url, "owner/name"), f"refs/heads/{name}"
    commit = git(bare, "rev-parse", "refs/heads/main")
    git(bare, "update-ref", ref, commit)
    git(bare, "symbolic-ref", "HEAD", ref)
    try:
        assert default_branch(scratch, remote, ENV) == name
        assert branch_tip(scratch, remote, ENV, name) == commit
        assert branch_tip(scratch, remote, ENV, "kept") is None
    finally:
        git(bare, "symbolic-ref", "HEAD", "refs/heads/main")
        git(bare, "update-ref", "-d", ref)


@contextmanager
def proxy(answer: bytes) -> Iterator[str]:
    """A proxy on loopback that says `answer` to whoever asks for a tunnel; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        connection.recv(65_536)
                        connection.sendall(answer)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 403 Blocked\r\nContent-Length: 6\r\n\r\n<html>",
        b"HTTP/1.1 407 Log in\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 502 No server\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        b"HTTP/1.1 302 Elsewhere\r\nLocation: http://login.invalid/\r\nContent-Length: 0\r\n\r\n",
        b"<html>Log in</html>",
        b"",
    ],
    ids=["blocked", "log in", "no server", "a page in the tunnel", "elsewhere", "a page", "nothing"],
)
def test_a_proxy_that_makes_no_tunnel_is_told_as_no_connection(scratch: Scratch, answer: bytes) -> None:
    remote = Remote("https://git.invalid", "owner/name", "t0" * 20)
    with proxy(answer) as address:
        env = {**ENV, "https_proxy": address}
        with pytest.raises(ServerUnreadable) as refused:
            default_branch(scratch, remote, env)
    assert re.search("could not be reached|no secure connection", refused.value.message)
    assert "proxy" in refused.value.remedy
    assert "token" not in refused.value.remedy


@pytest.mark.parametrize("name", ["redirect/proxy", "TLS/certificate", "does-not-exist/not-found"])
def test_the_name_of_a_repository_is_no_cause(scratch: Scratch, tmp_path: Path, name: str) -> None:
    with serving(tmp_path) as server:
        server.status = 500
        with pytest.raises(ServerUnreadable, match="answered with status 500"):
            default_branch(scratch, Remote(server.url, name), ENV)
