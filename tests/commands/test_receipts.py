from __future__ import annotations

import io
import json
import shlex
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from command_run import NOW, CommandRun, capsule
from git_repository import ENV, Repository
from receipt_rows import receipt
from smart_http import serve_bare, serving

from ophiuchus.cli import main
from ophiuchus.commands.edge import Edge
from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.receipts import Receipt, ReceiptStatus, claim_key, idempotency_key, target_digest
from ophiuchus.publish.stores.file import FileStore
from ophiuchus.text.instant import format_instant
from ophiuchus.text.terminal import Terminal

API = "https://api.github.com"
TARGET = "acme/web"
DESTINATIONS = f"""\
[destinations.tracker]
provider = "github"
target = "{TARGET}"

[destinations.board]
provider = "jira"
target = "OPH"
"""
SECRET = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
PAST = format_instant(NOW - timedelta(hours=1))


def row(status: ReceiptStatus, capsule_id: str = "session-keys", **fields: object) -> Receipt:
    """A receipt of the hand-off at `tracker`."""
    values: dict[str, object] = {
        "claim_key": claim_key(capsule_id, ProviderName.GITHUB, API, TARGET),
        "capsule_id": capsule_id,
        "target_digest": target_digest(ProviderName.GITHUB, API, TARGET),
        "idempotency_key": idempotency_key(capsule_id, ProviderName.GITHUB, TARGET, Operation.CREATE),
        "destination_alias": "tracker",
        "claimed_until": PAST,
        **fields,
    }
    return receipt(status, **values)


CLAIM = row(ReceiptStatus.CLAIMED)
KEY = CLAIM.claim_key
DONE = row(ReceiptStatus.PUBLISHED, "gateway", at="2026-06-01T00:00:00Z")
OTHER = row(ReceiptStatus.FAILED, "mail", at="2026-06-02T00:00:00Z")
MALFORMED = CLAIM.line().replace(b'"claimed"', b'"retracted"')


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repository = Repository.create(tmp_path_factory.mktemp("project") / "checkout")
    files = {
        ".ophiuchus/session-keys.json": capsule("session-keys"),
        ".ophiuchus/destinations.toml": DESTINATIONS,
    }
    repository.commit(files)
    return repository.top


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "receipts.jsonl"


class Receipts:
    """`ophiuchus receipts` on one file, run in the checkout."""

    def __init__(self, checkout: Path, path: Path) -> None:
        self.checkout = checkout
        self.path = path

    def hold(self, *lines: bytes) -> None:
        self.path.write_bytes(b"".join(lines))

    def __call__(self, *words: str, **env: str) -> CommandRun:
        return CommandRun(self.checkout, "receipts", *words, "--receipts", f"file:{self.path}", env=env)


@pytest.fixture
def receipts(checkout: Path, path: Path) -> Receipts:
    return Receipts(checkout, path)


def test_init_makes_the_file_once(receipts: Receipts) -> None:
    made = receipts("init")
    assert (made.status, made.err) == (0, "")
    assert made.out.startswith("made an empty place for receipts")
    receipts.hold(CLAIM.line())
    again = receipts("init", "--format", "json")
    assert (again.status, again.json) == (0, {"made": False})
    assert receipts.path.read_bytes() == CLAIM.line()


@pytest.mark.parametrize("action", ["list", "export"])
def test_a_missing_store_is_told_with_its_remedy(receipts: Receipts, action: str) -> None:
    run = receipts(action)
    assert (run.status, run.out) == (2, "")
    assert "receipts init" in run.err


def test_a_list_begins_with_what_needs_a_person_and_ends_with_the_oldest(receipts: Receipts) -> None:
    receipts.hold(DONE.line(), OTHER.line(), CLAIM.line())
    listed = receipts("list")
    assert listed.status == 0
    lines = listed.out.splitlines()
    names = ("session-keys", "mail", "gateway")
    places = [next(n for n, line in enumerate(lines) if name in line) for name in names]
    assert places == sorted(places)
    assert "1 of 3 wait for a person" in listed.out
    found = receipts("list", "--format", "json").json
    assert [(one["capsule_id"], one["standing"]) for one in found["receipts"]] == [
        ("session-keys", "ambiguous"),
        ("mail", "failed"),
        ("gateway", "published"),
    ]


def test_an_empty_list_says_so(receipts: Receipts) -> None:
    receipts.hold()
    assert "no receipts yet" in receipts("list").out
    assert receipts("list", "--format", "json").json["receipts"] == []


def test_export_gives_the_rows_as_they_are_stored(receipts: Receipts) -> None:
    receipts.hold(DONE.line(), OTHER.line(), MALFORMED)
    lines = receipts("export").out.splitlines()
    assert sorted(lines) == sorted(
        [
            DONE.line().decode().strip(),
            OTHER.line().decode().strip(),
            json.dumps({"claim_key": KEY, "standing": "malformed", "where": f"{receipts.path}:3"}),
        ]
    )


@pytest.mark.parametrize("name", [KEY, KEY[:8], "session-keys@tracker", "Session-Keys@tracker"])
def test_one_is_shown_with_what_to_do(receipts: Receipts, name: str) -> None:
    receipts.hold(DONE.line(), CLAIM.line())
    shown = receipts("show", name)
    assert shown.status == 0
    assert f"ophiuchus receipts resolve {KEY} --published REFERENCE" in shown.out
    assert receipts("show", name, "--format", "json").json["standing"] == "ambiguous"


def test_what_a_person_is_told_to_run_finds_the_same_receipts(checkout: Path, tmp_path: Path) -> None:
    receipts = Receipts(checkout, tmp_path / "our receipts.jsonl")
    receipts.hold(CLAIM.line())
    (said,) = [line for line in receipts("list").out.splitlines() if "wait for a person" in line]
    show = said.partition("ophiuchus receipts ")[2].removesuffix(" says how.")
    shown = CommandRun(checkout, "receipts", *shlex.split(show.replace("KEY", KEY)))
    assert shown.status == 0, shown.err
    (said,) = [line for line in shown.out.splitlines() if "--not-published" in line]
    settle = said.partition("ophiuchus receipts ")[2].partition(" if not: ")[0]
    settled = CommandRun(checkout, "receipts", *shlex.split(settle))
    assert settled.status == 0, settled.err
    assert "Nothing is there: the next run writes it." in settled.out


def test_one_that_is_settled_asks_for_nothing(receipts: Receipts) -> None:
    receipts.hold(DONE.line())
    shown = receipts("show", "gateway@tracker")
    assert "external_reference: 7" in shown.out
    assert "resolve" not in shown.out


@pytest.mark.parametrize("name", ["gone@tracker", "session-keys@board", "f" * 64, "abc", "../x", KEY.upper()])
def test_what_names_no_receipt_is_told(receipts: Receipts, name: str) -> None:
    receipts.hold(CLAIM.line())
    for words in (("show", name), ("resolve", name, "--not-published")):
        run = receipts(*words)
        assert (run.status, run.out) == (2, "")
    assert receipts.path.read_bytes() == CLAIM.line()


def test_an_alias_that_meant_two_places_is_not_guessed_at(receipts: Receipts) -> None:
    elsewhere = receipt(ReceiptStatus.AMBIGUOUS, destination_alias="tracker")
    receipts.hold(CLAIM.line(), elsewhere.line())
    run = receipts("resolve", "session-keys@tracker", "--not-published")
    assert run.status == 2
    assert KEY[:16] in run.err
    assert elsewhere.claim_key[:16] in run.err


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("resolve",),
        ("resolve", KEY),
        ("resolve", KEY, "--published", "7", "--not-published"),
        ("list", KEY),
        ("init", KEY),
        ("export", KEY),
        ("forget", KEY),
        ("show", KEY, "--not-published"),
        ("list", "--published", "7"),
        ("init", "--by", "ada"),
    ],
)
def test_what_cannot_be_meant_is_bad_input(receipts: Receipts, words: tuple[str, ...]) -> None:
    receipts.hold(CLAIM.line())
    run = receipts(*words)
    assert (run.status, run.out) == (2, "")


def test_it_is_settled_as_published(receipts: Receipts) -> None:
    receipts.hold(CLAIM.line())
    run = receipts("resolve", KEY, "--published", "128", "--by", "ada", "--format", "json")
    assert run.status == 0
    kept = FileStore(receipts.path).read()[KEY]
    assert isinstance(kept, Receipt)
    assert run.json == {**kept.model_dump(mode="json"), "standing": "published"}
    assert (kept.external_reference, kept.resolved_by) == ("128", "ada")


@pytest.mark.parametrize(("env", "by"), [({"GITHUB_ACTOR": "octo-cat"}, "octo-cat"), ({}, "somebody")])
def test_it_is_settled_as_not_published_by_whoever_runs_it(
    receipts: Receipts, env: dict[str, str], by: str
) -> None:
    receipts.hold(CLAIM.line())
    assert receipts("resolve", KEY[:8], "--not-published", **env).status == 0
    kept = FileStore(receipts.path).read()[KEY]
    assert isinstance(kept, Receipt)
    assert (kept.status, kept.resolved_by) == (ReceiptStatus.FAILED, by)


def test_what_somebody_else_settles_just_now_is_left_as_it_is(checkout: Path, path: Path) -> None:
    theirs = row(ReceiptStatus.PUBLISHED).line()

    class SettledMeanwhile(dict[str, str]):
        """An environment that is asked who runs this between reading the receipts and writing one."""

        def get(self, name: str, default: Any = None) -> Any:
            if name == "GITHUB_ACTOR":
                path.write_bytes(CLAIM.line() + theirs)
            return super().get(name, default)

    path.write_bytes(CLAIM.line())
    err = io.StringIO()
    edge = Edge(SettledMeanwhile(ENV), NOW, io.BytesIO(), Terminal(io.StringIO(), err))
    words = ("receipts", "resolve", KEY, "--not-published", "-C", str(checkout))
    assert main((*words, "--receipts", f"file:{path}"), edge) == 2
    assert "changed the receipt just now" in err.getvalue()
    assert path.read_bytes() == CLAIM.line() + theirs


@pytest.mark.parametrize("words", [("--by", SECRET), ()])
def test_a_secret_for_a_name_is_not_kept(receipts: Receipts, words: tuple[str, ...]) -> None:
    receipts.hold(CLAIM.line())
    before = receipts.path.read_bytes()
    run = receipts("resolve", KEY, "--not-published", *words, GITHUB_ACTOR=SECRET)
    assert (run.status, run.out) == (2, "")
    assert SECRET[4:12] not in run.err
    assert receipts.path.read_bytes() == before


def test_a_run_that_may_be_at_it_is_waited_for(receipts: Receipts) -> None:
    until = format_instant(NOW + timedelta(seconds=1))
    receipts.hold(row(ReceiptStatus.CLAIMED, claimed_until=until).line())
    run = receipts("resolve", KEY, "--not-published")
    assert run.status == 2
    assert until in run.err


@pytest.mark.parametrize("name", [KEY, "session-keys@tracker"])
def test_a_row_that_cannot_be_read_is_settled_too(receipts: Receipts, name: str) -> None:
    receipts.hold(DONE.line(), MALFORMED)
    assert "cannot be read" in receipts("list").out
    assert "resolve" in receipts("show", name).out
    run = receipts("resolve", name, "--published", "128")
    assert (run.status, run.err) == (0, "")
    kept = FileStore(receipts.path).read()[KEY]
    assert isinstance(kept, Receipt)
    assert kept.is_about("session-keys", ProviderName.GITHUB, API, TARGET)
    assert kept.external_reference == "128"


def test_a_row_that_is_nobody_s_any_more_must_be_named(receipts: Receipts) -> None:
    gone = row(ReceiptStatus.AMBIGUOUS, "gone")
    receipts.hold(gone.line().replace(b'"ambiguous"', b'"retracted"'))
    run = receipts("resolve", gone.claim_key, "--not-published")
    assert run.status == 2
    assert "CAPSULE@ALIAS" in run.err
    assert receipts("resolve", "gone@tracker", "--not-published").status == 0
    unknown = receipts("resolve", "gone@pager", "--not-published")
    assert unknown.status == 2


@pytest.mark.parametrize("where", ["", "file:", "cloud", "branch:x", "file"])
def test_other_places_are_refused(checkout: Path, where: str) -> None:
    assert CommandRun(checkout, "receipts", "list", "--receipts", where).status == 2


def test_a_home_that_no_shell_spelled_out_is_no_folder_of_that_name(tmp_path: Path) -> None:
    run = CommandRun(tmp_path, "receipts", "init", "--receipts", "file:~/r.jsonl")
    assert run.status == 2
    assert "Write the whole path" in run.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_inside_the_checkout_is_refused_by_whatever_name(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(checkout)
    names = ["r.jsonl", ".git/r.jsonl", str(checkout / "sub" / "r.jsonl"), str(tmp_path / "link" / "r.jsonl")]
    for name in names:
        run = CommandRun(checkout, "receipts", "init", "--receipts", f"file:{name}")
        assert run.status == 2, name
        assert "inside the checkout" in run.err
    assert CommandRun(checkout, "receipts", "init", "--receipts", "file:../beside.jsonl").status == 0


def test_no_checkout_is_needed_for_a_file(tmp_path: Path) -> None:
    place = f"file:{tmp_path}/r.jsonl"
    assert CommandRun(tmp_path, "receipts", "init", "--receipts", place).status == 0
    assert CommandRun(tmp_path, "receipts", "list", "--receipts", place).status == 0


def test_without_a_server_the_branch_is_told_to_be_unknown(checkout: Path) -> None:
    run = CommandRun(checkout, "receipts", "list")
    assert run.status == 2
    assert "GITHUB_SERVER_URL" in run.err
    assert "file:PATH" in run.err


@pytest.fixture
def server_env(tmp_path: Path) -> Iterator[dict[str, str]]:
    source = Repository.create(tmp_path / "source")
    serve_bare(source.top, tmp_path / "served", "acme/web")
    with serving(tmp_path / "served") as server:
        server.takes_pushes = True
        server.token = "t0" * 20
        yield {"GITHUB_SERVER_URL": server.url, "GITHUB_REPOSITORY": "acme/web", "GITHUB_TOKEN": server.token}


def test_the_branch_is_the_default_place(checkout: Path, server_env: dict[str, str]) -> None:
    def run(*words: str) -> CommandRun:
        return CommandRun(checkout, "receipts", *words, env=server_env)

    missing = run("list")
    assert missing.status == 2
    assert "receipts init" in missing.err
    assert run("init").status == 0
    assert "no receipts yet" in run("list").out
    assert server_env["GITHUB_TOKEN"] not in missing.err


def test_nothing_of_a_row_reaches_the_runner_as_a_command(receipts: Receipts) -> None:
    receipts.hold(MALFORMED)
    evil = receipts.path.parent / "##[error]x"
    receipts.path.rename(evil)
    run = CommandRun(receipts.checkout, "receipts", "list", "--receipts", f"file:{evil}", env=ENV)
    assert run.status == 0
    assert "##[" not in run.out
