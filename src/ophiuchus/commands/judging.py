"""What every command that judges shares: opening a checkout, and judging its capsules."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ophiuchus.capsule.model import Capsule
from ophiuchus.capsule.shelf import Shelf, read_shelf
from ophiuchus.commands.comparing import Compared, Comparing, base_id_of
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.ledger_switches import judge_ledgers
from ophiuchus.commands.progress import Progress, progress
from ophiuchus.git.checkout import Checkout, open_checkout, resolve_commit
from ophiuchus.git.fetch import Fetcher
from ophiuchus.git.objects import commit
from ophiuchus.git.remote import Remote
from ophiuchus.git.scratch import Scratch, index_tree, open_scratch
from ophiuchus.report.judge import Target, judge
from ophiuchus.report.model import GateRule, Report, Scope
from ophiuchus.report.scope import continued_in, lineage_of
from ophiuchus.report.shard import WHOLE, Shard, ShelfPart, part_of
from ophiuchus.report.with_ledgers import with_ledgers
from ophiuchus.text.authorities import authorities_variable
from ophiuchus.text.instant import NotAnInstant, parse_instant
from ophiuchus.text.problem import ExpectedFailure, Notice, NoticeCode
from ophiuchus.text.repository import repository_name

if TYPE_CHECKING:
    from ophiuchus.workflow.event import Event

HEAD, INDEX = "HEAD", "index"
READING, COMPARING = "reading the capsules", "comparing with their bases"
FETCHING = "fetching missing commits"


class NoCommit(ExpectedFailure):
    """The repository has no commit that could be judged."""


class NoSuchFolder(ExpectedFailure):
    """`-C` names no folder."""


class NoRemote(ExpectedFailure):
    """The environment does not say where this repository is served."""


class BadMoment(ExpectedFailure):
    """`--at` is no moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What is to be judged: the checkout that `directory` is in, and of it a commit's tree or the index.

    `tree` is `HEAD`, `index`, or what a person calls a commit. `in_ci` keeps to the folder itself and refuses
    borrowed objects (`open_checkout`).
    """

    directory: Path
    now: datetime
    tree: str = HEAD
    in_ci: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """A checkout that is open for judging, with its capsules read. `progress` hears what is done with it."""

    checkout: Checkout
    scratch: Scratch
    target: Target
    shelf: Shelf
    progress: Progress


@dataclass(frozen=True, slots=True)
class Judgement:
    """A report, and of its capsules those with critical units, by path: what a view is measured against."""

    report: Report
    critical: Mapping[str, Capsule]


@contextmanager
def open_place(place: Place, capsules: str, edge: Edge) -> Iterator[Opened]:
    """Open what is to be judged and read the capsules that the glob `capsules` names.

    Raises ExpectedFailure for all that the checkout is not as it must be.
    """
    if not place.directory.is_dir():
        raise NoSuchFolder(f"{place.directory} is no folder", "Name the folder of a checkout.")
    env = edge.env
    with progress(edge.terminal, READING) as told:
        checkout = open_checkout(place.directory, env, in_ci=place.in_ci)
        with open_scratch(checkout, env) as scratch:
            judged = None if place.tree == INDEX else commit(scratch, _commit_id(checkout, place.tree, env))
            target = Target(
                tree=judged.tree if judged else index_tree(scratch, checkout),
                head=judged.id if judged else None,
                # From the raw commit, so that a depth-1 clone knows them.
                parents=judged.parents if judged else (),
                now=place.now,
                shallow=checkout.shallow is not None,
                repository=repository_name(env.get("GITHUB_REPOSITORY")),
            )
            shelf = read_shelf(scratch, target.tree, capsules)
            told.enter(COMPARING)
            yield Opened(checkout, scratch, target, shelf, told)


def judge_checkout(
    place: Place,
    edge: Edge,
    *,
    remote: Remote | None,
    capsules: str,
    scope: Scope,
    fail_on: tuple[GateRule, ...],
    base: str | None = None,
    event: Event | None = None,
    shard: Shard = WHOLE,
    most: int | None = None,
    switches: Mapping[str, str] = {},
) -> Judgement:
    """Judge every capsule of a checkout. Raises ExpectedFailure where nothing can be judged.

    `base` is what a person calls the commit that the change is compared with; without it `event` may tell.
    Commits that are missing are fetched from `remote`, where there is one. Of a shard only its own capsules
    are judged, all others are known as parents and namesakes; a shard is compared with no base. At most
    `most` capsules are judged, those first that nobody continues. `switches` are the inputs that switch the
    ledgers on or off; of shards, the first one judges them.
    """
    env = edge.env
    with open_place(place, capsules, edge) as opened:
        lineage = lineage_of(opened.shelf)
        continued = continued_in(lineage, scope)
        part, truncated = _at_most(most, part_of(opened.shelf, shard), continued)
        fetcher = fetcher_for(opened, remote, env)
        comparing = Comparing(
            scratch=opened.scratch,
            target=opened.target,
            shelf=opened.shelf,
            capsules=capsules,
            scope=scope,
            fetcher=fetcher,
        )
        # An event is about HEAD: what another tree is compared with it does not tell.
        heard = event if place.tree == HEAD else None
        base_id = base_id_of(opened.checkout, opened.target, base, heard, env)
        compared = _compared(comparing, base_id, event, fail_on, is_given=base is not None)
        report = judge(
            opened.scratch,
            opened.target,
            part.capsules,
            problems=part.problems,
            notices=[*part.notices, *compared.notices],
            continued=continued,
            lineage=lineage,
            base=compared.since,
            fetcher=fetcher,
            fail_on=fail_on,
        )
        if shard.number == 1:
            judged = judge_ledgers(
                opened.scratch,
                opened.target.tree,
                base=compared.since.tree if compared.since else None,
                policy=compared.policy,
                asked=switches,
                env=env,
                capsules=[(one.path, one.capsule) for one in part.capsules],
                fail_on=fail_on,
            )
            report = with_ledgers(report, judged)
    cut = None if shard == WHOLE else str(shard)
    return Judgement(
        replace(report, evaluated=replace(report.evaluated, shard=cut, truncated=truncated)),
        {one.path: one.capsule for one in part.capsules if one.capsule.critical},
    )


def _compared(
    comparing: Comparing,
    base_id: str | None,
    event: Event | None,
    fail_on: Sequence[GateRule],
    *,
    is_given: bool,
) -> Compared:
    """Compared with the commit `base_id`, which a person gave or the event told; None: with nothing."""
    if base_id is None:
        return comparing.with_nothing(event, fail_on)
    return comparing.with_given(base_id) if is_given else comparing.with_the_events(base_id)


def fetcher_for(opened: Opened, remote: Remote | None, env: Mapping[str, str]) -> Fetcher | None:
    """What gets missing commits from `remote`, where there is one, and says so while it takes long."""
    if remote is None:
        return None
    during = partial(opened.progress.during, FETCHING)
    return Fetcher(opened.scratch, remote, env, opened.target.head, during)


def remote_of(env: Mapping[str, str], token: str) -> Remote:
    """Where this repository is served, by the run's environment, never by the checkout's own `origin`.

    Raises NoRemote and RefusedRemote.
    """
    repository = repository_name(env.get("GITHUB_REPOSITORY"))
    server = env.get("GITHUB_SERVER_URL", "")
    if repository is None or not server:
        raise NoRemote(
            "it is not known where to fetch missing commits from",
            "Set GITHUB_SERVER_URL and GITHUB_REPOSITORY (OWNER/NAME), and GITHUB_TOKEN for a private one.",
        )
    named = authorities_variable(env)
    ca_bundle = Path(env[named]).absolute() if named else None
    remote = Remote(server, repository, token.strip(), ca_bundle)
    _ = remote.url
    return remote


def exit_status(report: Report) -> ExitStatus:
    """A problem beats the gate (design §5, exit table)."""
    if report.problems:
        return ExitStatus.BAD_INPUT
    return ExitStatus.DONE if report.gate.passed else ExitStatus.GATE


def add_place(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say what is judged, and when."""
    parser.add_argument("-C", dest="directory", default=".", metavar="DIR", help="a folder of the checkout")
    parser.add_argument(
        "--tree",
        default=HEAD,
        metavar="COMMIT|index",
        help="judge another commit, or what `git add` has put into the index (default: HEAD)",
    )
    parser.add_argument("--at", metavar="TIME", help="judge as if it were then, such as 2026-07-01T12:00:00Z")


def add_fetching(parser: argparse.ArgumentParser) -> None:
    """Declare the option that lets missing base commits be fetched."""
    parser.add_argument(
        "--fetch-missing",
        action="store_true",
        help="fetch base commits that the clone lacks, from GITHUB_SERVER_URL/GITHUB_REPOSITORY",
    )


def remote_in(arguments: argparse.Namespace, edge: Edge) -> Remote | None:
    """Where the option of `add_fetching` lets commits be fetched from. Raises as `remote_of`."""
    return remote_of(edge.env, edge.env.get("GITHUB_TOKEN", "")) if arguments.fetch_missing else None


def place_in(arguments: argparse.Namespace, edge: Edge) -> Place:
    """What the options of `add_place` say. Raises BadMoment."""
    now = edge.now
    if arguments.at is not None:
        try:
            now = parse_instant(arguments.at)
        except NotAnInstant as error:
            raise BadMoment(
                f"--at {arguments.at!r} is no moment", "write it as RFC 3339, such as 2026-07-01T12:00:00Z"
            ) from error
    return Place(directory=Path(arguments.directory), now=now, tree=arguments.tree)


def _at_most(most: int | None, part: ShelfPart, continued: frozenset[str]) -> tuple[ShelfPart, int]:
    """`part` with at most `most` capsules, in the order they come in, and how many it leaves out.

    What is continued is the first to be left out. That any are is told.
    """
    number = len(part.capsules)
    if most is None or number <= most:
        return part, 0
    kept = sorted(part.capsules, key=lambda shelved: shelved.capsule.capsule_id in continued)[:most]
    message = (
        f"{number - most:,} of {number:,} capsules were not judged, for no more were asked for; raise "
        "`--most`, or judge in more shards"
    )
    told = Notice("", NoticeCode.TRUNCATED, message)
    return replace(part, capsules=tuple(kept), notices=(*part.notices, told)), number - most


def _commit_id(checkout: Checkout, tree: str, env: Mapping[str, str]) -> str:
    if tree != HEAD:
        return resolve_commit(checkout, tree, env)
    if checkout.head is None:
        raise NoCommit("there is no commit yet", "commit something first, or judge with `--tree index`")
    return checkout.head
