"""What would be published: a hand-off as it is judged on one opened commit, and its writes."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ophiuchus.capsule.model import Capsule, GitPaths
from ophiuchus.capsule.shelf import ShelvedCapsule
from ophiuchus.commands.finding import find_capsule, judge_found
from ophiuchus.commands.judging import Opened, fetcher_for
from ophiuchus.commands.run import Asked, Run
from ophiuchus.git.bases import look_up
from ophiuchus.git.findings import BaseState
from ophiuchus.git.history import ancestry
from ophiuchus.git.named_files import read_files
from ophiuchus.git.objects import Unread, Unusable
from ophiuchus.git.server_view import are_ancestors
from ophiuchus.publish.destination import Destination
from ophiuchus.publish.destinations import PATH, Destinations, read_destinations
from ophiuchus.publish.gate import PublishWhen
from ophiuchus.publish.origins import Origin, read_origin
from ophiuchus.publish.proposal import Proposal, propose
from ophiuchus.publish.receipts import Row
from ophiuchus.report.model import CapsuleReport
from ophiuchus.text.problem import ExpectedFailure, Problem
from ophiuchus.text.strict_json import MAX_BYTES


class NoDestination(ExpectedFailure):
    """None was named, or the judged commit has no file of them."""


class Unpublishable(ExpectedFailure):
    """The capsule or the destinations cannot be read; the message has a line for each problem."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(f"{one.place()}: {one.message}" for one in problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Asked):
    """What is to be published."""

    capsule: str
    publish_when: PublishWhen | None = None

    def files(self, top: Path) -> tuple[str, ...]:
        """The destinations, and where the named capsule may be, if it is no id."""
        place = Path(os.path.realpath(self.directory), self.capsule)
        return (PATH, self.capsule, os.path.relpath(place, top))


@dataclass(frozen=True, slots=True)
class Judged:
    """One commit's proposal, and what the gate looks at beside it."""

    shelved: ShelvedCapsule
    report: CapsuleReport
    proposal: Proposal
    head: str
    problems: int
    same_id: int
    with_base_in_history: frozenset[str]

    @property
    def state(self) -> Hashable:
        """All that the default branch's tip must have in common with what was judged, head apart."""
        return self.proposal.view_digest, self.problems, self.same_id, self.with_base_in_history


def judge_to_publish(
    run: Run[Request], opened: Opened, rows: Mapping[str, Row], *, unattended: bool
) -> Judged:
    """The proposal on one opened commit, with the receipts in `rows`.

    History is asked about the bases only for what is published `unattended`: fetching it takes long.
    Raises Unpublishable, NoDestination, UnknownDestination, what `find_capsule` and `read_origin` raise.
    """
    request, edge = run.request, run.edge
    found = find_capsule(request.capsule, str(request.directory), edge, opened)
    if found.capsule is not None:
        _fetch_bases(run, opened, found.capsule.capsule)
    report = judge_found(found, opened, run.remote, edge)
    if found.capsule is None or opened.target.head is None:
        raise Unpublishable(report.problems)
    capsule = found.capsule.capsule
    # Only a parent that is committed, and the only one with its id, is one.
    parent = opened.shelf.by_id(capsule.parent_capsule_id) if capsule.parent_capsule_id else None
    proposal = propose(
        found.capsule,
        report.capsules[0],
        named_destinations(request.aliases, opened, edge.env),
        rows,
        parent.capsule.capsule_id if parent else None,
    )
    return Judged(
        shelved=found.capsule,
        report=report.capsules[0],
        proposal=proposal,
        head=opened.target.head,
        problems=len(found.problems),
        same_id=len(opened.shelf.all_with_id(capsule.capsule_id)),
        with_base_in_history=_with_base_in_history(run, opened, capsule) if unattended else frozenset(),
    )


def _fetch_bases(run: Run[Request], opened: Opened, capsule: Capsule) -> None:
    """Get the bases that are missing here, also those that anchors could stand in for.

    Which means a verdict has is a part of what is approved: it must not hang on how deep a clone is.
    """
    fetcher = fetcher_for(opened, run.remote, run.edge.env)
    found = look_up(opened.scratch, _bases(capsule).values())
    missing = [
        base
        for base, one in found.items()
        if base is not None and isinstance(one, Unusable) and one.state is BaseState.ABSENT
    ]
    if fetcher is not None and missing:
        fetcher(missing)


def _bases(capsule: Capsule) -> dict[str, str]:
    """The declared base of each condition that has one, by the condition's id."""
    return {
        condition.condition_id: base
        for condition in capsule.validity
        if isinstance(condition, GitPaths) and (base := capsule.base_of(condition)) is not None
    }


def named_destinations(
    aliases: Sequence[str], opened: Opened, env: Mapping[str, str]
) -> dict[str, tuple[Destination, Origin]]:
    """The destinations of the judged tree that are named, each with where its service is.

    Raises NoDestination, UnknownDestination, Unpublishable and what `read_origin` raises.
    """
    if not aliases:
        raise NoDestination("no destination was named", f"name one or more aliases of {PATH}")
    known = destinations_in(opened)
    named = {alias: known.named(alias) for alias in dict.fromkeys(aliases)}
    return {alias: (one, read_origin(one.provider, env)) for alias, one in named.items()}


def destinations_in(opened: Opened) -> Destinations:
    """The destinations of the judged tree. Raises NoDestination and Unpublishable."""
    content = read_files(opened.scratch, opened.target.tree, [PATH], MAX_BYTES).get(PATH)
    if content is None:
        raise NoDestination(
            f"the judged commit has no file {PATH}", "commit one with a table [destinations.ALIAS]"
        )
    if isinstance(content, Unread):
        raise NoDestination(f"{PATH} cannot be read", f"commit a file of at most {MAX_BYTES:,} bytes")
    read = read_destinations(content)
    if isinstance(read, Destinations):
        return read
    raise Unpublishable(read)


def _with_base_in_history(run: Run[Request], opened: Opened, capsule: Capsule) -> frozenset[str]:
    """The conditions whose base is an ancestor of the judged commit."""
    bases, head = _bases(capsule), opened.target.head
    wanted = sorted(set(bases.values()))
    if not wanted or head is None:
        return frozenset()
    if run.server is not None:
        is_known = are_ancestors(run.server, run.edge.env, opened.scratch.object_format, head, wanted)
        return frozenset(bases) if is_known else frozenset()
    known = ancestry(opened.scratch, head, wanted)
    return frozenset(condition for condition, base in bases.items() if known.get(base, False))
