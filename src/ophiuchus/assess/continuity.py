"""The continuity track: one declared parent, found by id among the capsules already read. Pure.

Nothing is stored: no index, no cache that outlives a run (first seed, "Parent/delta continuity"). Ids of
capsules are compared without case, ids within a capsule as they are spelled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ophiuchus.capsule.model import Capsule
from ophiuchus.text.word import Word

CONTINUITY_LIMIT = (
    "Continuity compares a capsule with the one it says it continues, as both stand in what was judged. It "
    "is no history of the work: an ancestor that is gone is reported as gone, never reconstructed."
)
"""The continuity track's limit sentence, shown wherever its findings are shown."""

MOST_HOPS = 10
"""Most ancestors that are walked over."""


class ContinuityStatus(Word):
    """What became of the walk over the ancestors; the first that applies, after `none`."""

    NONE = "none"
    CYCLE = "cycle"
    GONE = "gone"
    BOUNDED = "bounded"
    COMPARED = "compared"


@dataclass(frozen=True, slots=True)
class IdDelta:
    """Ids of both, of the child alone, of the parent alone; in the order of the capsule that has them."""

    inherited: tuple[str, ...]
    added: tuple[str, ...]
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountDelta:
    """How many texts of a list are in both, in the child alone, in the parent alone.

    Never which: without an id nobody can tell whether a text was resolved, dropped or only reworded.
    """

    carried_over: int
    added: int
    absent_here: int


@dataclass(frozen=True, slots=True)
class StateTransition:
    """A negative-knowledge item whose state is another one than in the parent."""

    item_id: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A capsule against its immediate parent.

    `resolved` are the parent's critical units that a unit of the child says it supersedes.
    """

    critical: IdDelta
    validity: IdDelta
    negative_knowledge: IdDelta
    evidence: CountDelta
    rejected: CountDelta
    constraints: CountDelta
    open_questions: CountDelta
    resolved: tuple[str, ...]
    transitions: tuple[StateTransition, ...]


@dataclass(frozen=True, slots=True)
class Continuity:
    """One capsule's place in its line. `hops` counts the ancestors that were read."""

    status: ContinuityStatus
    parent_capsule_id: str | None = None
    hops: int = 0
    delta: Delta | None = None


ALONE = Continuity(ContinuityStatus.NONE)
"""The place of a capsule that continues no other, as most do."""


class Lineage:
    """Who continues whom among one commit's capsules, whose ids are compared without case.

    One whose id another has too is nobody's parent, nor is any capsule continued by it.
    """

    def __init__(self, capsules: Iterable[Capsule]) -> None:
        self._by_id: dict[str, Capsule] = {}
        shared: set[str] = set()
        for capsule in capsules:
            key = capsule.capsule_id.casefold()
            if self._by_id.setdefault(key, capsule) is not capsule:
                shared.add(key)
        for key in shared:
            del self._by_id[key]
        # Each parent's lists are counted once, however many children it has.
        self._counted: dict[str, tuple[Counter[str], ...]] = {}

    def continuity(self, capsule: Capsule) -> Continuity:
        """Where `capsule`, which need not be one of these, stands (design §4; case C094)."""
        if capsule.parent_capsule_id is None:
            return ALONE
        status, hops = self._walk(capsule)
        delta = self._delta(capsule, capsule.parent_capsule_id) if hops else None
        return Continuity(status, capsule.parent_capsule_id, hops, delta)

    def continued(self) -> frozenset[str]:
        """Ids of the capsules that a newer one continues, so that they gate nothing (design §4, "Continued").

        A child counts that declares at least one required condition, lest an empty page silence its parent,
        and whose line of parents has an end.
        """
        by_id = self._by_id
        parents = {
            key: capsule.parent_capsule_id.casefold()
            for key, capsule in by_id.items()
            if capsule.parent_capsule_id is not None
        }
        endless = _endless(parents)
        return frozenset(
            by_id[parent].capsule_id
            for key, parent in parents.items()
            if parent in by_id
            and key not in endless
            and any(condition.required for condition in by_id[key].validity)
        )

    def _walk(self, capsule: Capsule) -> tuple[ContinuityStatus, int]:
        visited = {capsule.capsule_id.casefold()}
        hops = 0
        declared = capsule.parent_capsule_id
        while declared is not None:
            key = declared.casefold()
            if key in visited:
                return ContinuityStatus.CYCLE, hops
            if key not in self._by_id:
                return ContinuityStatus.GONE, hops
            if hops == MOST_HOPS:
                return ContinuityStatus.BOUNDED, hops
            visited.add(key)
            hops += 1
            declared = self._by_id[key].parent_capsule_id
        return ContinuityStatus.COMPARED, hops

    def _delta(self, child: Capsule, parent_id: str) -> Delta:
        key = parent_id.casefold()
        parent = self._by_id[key]
        if key not in self._counted:
            self._counted[key] = tuple(map(Counter, _bare_texts(parent)))
        evidence, rejected, constraints, open_questions = map(
            _count_delta, _bare_texts(child), _bare_texts(parent), self._counted[key]
        )
        units = [unit.unit_id for unit in parent.critical]
        superseded = [unit.supersedes for unit in child.critical if unit.supersedes is not None]
        states = {item.item_id: item.state for item in parent.negative_knowledge}
        return Delta(
            critical=_id_delta([unit.unit_id for unit in child.critical], units),
            validity=_id_delta(
                [condition.condition_id for condition in child.validity],
                [condition.condition_id for condition in parent.validity],
            ),
            negative_knowledge=_id_delta([item.item_id for item in child.negative_knowledge], list(states)),
            evidence=evidence,
            rejected=rejected,
            constraints=constraints,
            open_questions=open_questions,
            resolved=tuple(dict.fromkeys(one for one in superseded if one in units)),
            transitions=tuple(
                StateTransition(item.item_id, states[item.item_id], item.state)
                for item in child.negative_knowledge
                if states.get(item.item_id, item.state) != item.state
            ),
        )


def _id_delta(child: Sequence[str], parent: Sequence[str]) -> IdDelta:
    return IdDelta(
        inherited=tuple(one for one in child if one in parent),
        added=tuple(one for one in child if one not in parent),
        dropped=tuple(one for one in parent if one not in child),
    )


def _bare_texts(capsule: Capsule) -> tuple[Sequence[str], ...]:
    """The lists of bare text, which have no ids."""
    return capsule.evidence, capsule.rejected, capsule.constraints, capsule.open_questions


def _count_delta(child: Sequence[str], parent: Sequence[str], counts: Counter[str]) -> CountDelta:
    """`counts` is `parent` counted. The work is that of the child's texts alone."""
    carried_over = (Counter(child) & counts).total()
    return CountDelta(carried_over, len(child) - carried_over, len(parent) - carried_over)


def _endless(parents: Mapping[str, str]) -> set[str]:
    """Ids whose line of parents comes back on itself (case C094)."""
    ends: dict[str, bool] = {}
    for key in parents:
        line: dict[str, None] = {}
        at = key
        while at in parents and at not in ends and at not in line:
            line[at] = None
            at = parents[at]
        end = at not in line and ends.get(at, True)
        ends.update(dict.fromkeys(line, end))
    return {key for key, end in ends.items() if not end}
