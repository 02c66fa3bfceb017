"""What changed, per glob, between many bases and the judged tree: all conditions answered at once.

No process per capsule, base or glob, and no blob is read: one batch for the bases, one listing of the judged
tree, one chain of tree comparisons. Each path that ever differs is matched once (facts/git.md §1.1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, count

from ophiuchus.git.anchors import digest, digest_of_nothing, is_anchor
from ophiuchus.git.background import in_background
from ophiuchus.git.base_facts import UNCHANGED, BaseFacts
from ophiuchus.git.bases import look_up
from ophiuchus.git.findings import TOO_MANY_FILES, AnchorFact, BaseState, GlobFact, PathsFacts, PathsQuestion
from ophiuchus.git.globs import Glob, RefusedGlob, compile_glob
from ophiuchus.git.history import ancestry
from ophiuchus.git.listing import Listing
from ophiuchus.git.matches import Matches
from ophiuchus.git.objects import Commit, TreeTooLarge, TreeUnreadable, Unusable, commits
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import MalformedPath
from ophiuchus.git.tree_chain import TreeState, compare_trees, extend

Fetch = Callable[[Sequence[str]], Mapping[str, Unusable]]
"""Gets commits by full id into the scratch repository; tells which it could not get, and why."""

Bases = dict[str | None, Commit | Unusable]

_TOO_COSTLY = Unusable(BaseState.OVER_BUDGET, "matching its wildcards takes too long")
_TOO_DIFFERENT = Unusable(BaseState.OVER_BUDGET, "too much changed between the bases")
_TOO_LARGE = Unusable(BaseState.OVER_BUDGET, TOO_MANY_FILES)
_UNREADABLE = Unusable(BaseState.UNREADABLE, "one of the two trees cannot be read to its end")


def look(
    scratch: Scratch,
    tree: str,
    questions: Sequence[PathsQuestion],
    *,
    head: str | None = None,
    fetch: Fetch | None = None,
) -> Iterator[PathsFacts]:
    """The answer to each question about the judged `tree` (its full id), in their order.

    Git has been asked when this returns; an answer is put together when it is taken, lest all of them lie
    about long before they are used. `head` is the judged commit, where there is one, for `in_history`.
    `fetch` is asked once, for those absent bases whose conditions hold a glob that no equal anchor answers;
    without it nothing is fetched.
    """
    bases = look_up(scratch, (question.base for question in questions))
    here = [found.id for found in bases.values() if isinstance(found, Commit)]
    with (
        in_background(lambda: ancestry(scratch, head, here)) as in_history,
        in_background(lambda: compare_trees(scratch, tree, _youngest_first(bases))) as compared,
    ):
        declared = _Declared(questions)
        if not declared.globs:
            return (_without_trees(question, declared, bases, None) for question in questions)
        try:
            listing = Listing(scratch, tree)
            trees = compared()
            if fetch is not None and (wanted := _worth_fetching(questions, declared, listing, bases)):
                fetched = _fetched(scratch, fetch, wanted)
                extend(scratch, trees, _youngest_first(fetched))
                bases |= fetched
            matches = Matches(listing, declared.globs, trees.paths)
        except TreeTooLarge:
            return (_without_trees(question, declared, bases, _TOO_LARGE) for question in questions)
        except (TreeUnreadable, MalformedPath):
            return (_without_trees(question, declared, bases, _UNREADABLE) for question in questions)
        asked = _asked(questions, declared, bases)
        unchanged = _unchanged(declared, matches)
        then = BaseFacts(trees, declared.globs, matches, unchanged, asked)
        too_costly = frozenset(number for number, found in enumerate(matches.selections) if found is None)
        answers = _Answers(unchanged, bases, too_costly, _Anchors(listing, matches), then, in_history())
    return map(answers.to, questions, declared.numbers)


def _fetched(scratch: Scratch, fetch: Fetch, wanted: Sequence[str]) -> Bases:
    """What the wanted bases are after fetching."""
    failures = fetch(wanted)
    return {
        base: found if isinstance(found, Commit) else failures.get(base, found)
        for base, found in commits(scratch, wanted).items()
    }


class _Declared:
    """All distinct globs by number: the accepted ones, and behind them the refused ones with the reason.

    `numbers` are those of each question's globs: what is asked of a glob later is looked up by its number,
    for to look up fifty thousand texts again and again takes long.
    """

    def __init__(self, questions: Sequence[PathsQuestion]) -> None:
        self.globs: list[Glob] = []
        self.refused: dict[str, str] = {}
        number_of: dict[str, int] = defaultdict(count().__next__)
        self.numbers = [list(map(number_of.__getitem__, question.globs)) for question in questions]
        for text in number_of:
            try:
                self.globs.append(compile_glob(text))
            except RefusedGlob as refusal:
                self.refused[text] = refusal.reason
        if self.refused:
            in_order = chain((glob.text for glob in self.globs), self.refused)
            renumbered = {number_of[text]: number for number, text in enumerate(in_order)}
            self.numbers = [list(map(renumbered.__getitem__, numbers)) for numbers in self.numbers]

    def accepted(self, numbers: Sequence[int]) -> Sequence[int]:
        """Those of the numbers that are an accepted glob's."""
        if not self.refused:
            return numbers
        return [number for number in numbers if number < len(self.globs)]


class _Anchors:
    """Declared anchors against what globs match in the judged tree."""

    def __init__(self, listing: Listing, matches: Matches) -> None:
        self._object_format = listing.object_format
        self._matches = matches
        self._nothing = digest_of_nothing(listing.object_format)
        self._digests: dict[int, str] = {}

    def fact(self, number: int, declared: str | None) -> AnchorFact | None:
        """What a declared digest says of the glob; None where it is no digest, or nothing was matched."""
        selection = self._matches.selections[number]
        if selection is None or not is_anchor(declared):
            return None
        found = self._digests.get(number)
        if found is None:
            entries = self._matches.entries(selection)
            found = self._digests[number] = digest(self._object_format, entries)
        return AnchorFact(equal=declared == found, nothing_then=declared == self._nothing)


def _worth_fetching(
    questions: Sequence[PathsQuestion], declared: _Declared, listing: Listing, bases: Bases
) -> list[str]:
    """The absent bases that some glob still needs: not those that equal anchors answer for."""
    wanted: dict[str, None] = {}
    anchors: _Anchors | None = None
    for question, numbers in zip(questions, declared.numbers, strict=True):
        base = bases[question.base]
        if question.base is None or isinstance(base, Commit) or base.state is not BaseState.ABSENT:
            continue
        if question.anchors and anchors is None:
            anchors = _Anchors(listing, Matches(listing, declared.globs))
        for number in declared.accepted(numbers):
            text = declared.globs[number].text
            anchor = None if anchors is None else anchors.fact(number, question.anchors.get(text))
            if anchor is None or not anchor.equal:
                wanted[question.base] = None
                break
    return list(wanted)


def _youngest_first(bases: Bases) -> list[str]:
    """The trees of all present bases in an order in which neighbours differ little."""
    present = {found.id: found for found in bases.values() if isinstance(found, Commit)}
    by_age = sorted(present.values(), key=lambda commit: (-commit.committed_at, commit.id))
    return [commit.tree for commit in by_age]


def _asked(questions: Sequence[PathsQuestion], declared: _Declared, bases: Bases) -> dict[str, set[int]]:
    """By base tree the globs that are asked there."""
    asked: dict[str, set[int]] = {}
    for question, numbers in zip(questions, declared.numbers, strict=True):
        base = bases[question.base]
        if isinstance(base, Commit):
            asked.setdefault(base.tree, set()).update(declared.accepted(numbers))
    return asked


def _unchanged(declared: _Declared, matches: Matches) -> list[GlobFact]:
    """What is known of each glob, by number, where nothing of it changed."""
    now, pointers = matches.matches_now, matches.pointers
    accepted = [
        GlobFact(glob.text, None, now(number), UNCHANGED, None, pointers.get(number))
        for number, glob in enumerate(declared.globs)
    ]
    return accepted + [GlobFact(text, reason) for text, reason in declared.refused.items()]


def _without_trees(
    question: PathsQuestion, declared: _Declared, bases: Bases, why: Unusable | None
) -> PathsFacts:
    """The answer where no tree was read: there is no glob to match, or the judged tree cannot be read."""
    base = bases[question.base]
    gap = base if isinstance(base, Unusable) else why
    globs = tuple(GlobFact(text, refused=declared.refused.get(text)) for text in question.globs)
    if gap is None:
        return PathsFacts(BaseState.COMPARED, globs)
    return PathsFacts(gap.state, globs, gap.detail)


@dataclass(frozen=True, slots=True)
class _Answers:
    """All that was found, to be put together for each question.

    `unchanged` has by number of the glob what is the same for every base at which nothing of it changed, so
    that it is shared.
    """

    unchanged: Sequence[GlobFact]
    bases: Bases
    too_costly: AbstractSet[int]
    anchors: _Anchors
    then: BaseFacts
    in_history: Mapping[str, bool]

    def to(self, question: PathsQuestion, numbers: Sequence[int]) -> PathsFacts:
        """The facts that answer `question`, whose globs have these numbers."""
        base = self.bases[question.base]
        gap = self._gap(base, numbers)
        unchanged = self.unchanged
        if gap is None and isinstance(base, Commit):
            changed = self.then.at(base.tree)
            globs = [changed[number] if number in changed else unchanged[number] for number in numbers]
        else:
            globs = [unchanged[number]._replace(base=None) for number in numbers]
        if question.anchors:
            globs = [
                self._anchored(fact, number, question.anchors.get(fact.glob))
                for fact, number in zip(globs, numbers, strict=True)
            ]
        return PathsFacts(
            base_state=BaseState.COMPARED if gap is None else gap.state,
            globs=tuple(globs),
            detail="" if gap is None else gap.detail,
            in_history=self.in_history.get(base.id) if isinstance(base, Commit) else None,
        )

    def _gap(self, base: Commit | Unusable, numbers: Sequence[int]) -> Unusable | None:
        """Why the base was not compared for a question; None where it was."""
        if isinstance(base, Unusable):
            return base
        state = self.then.states[base.tree]
        if state is TreeState.UNREADABLE:
            return _UNREADABLE
        if self.too_costly and not self.too_costly.isdisjoint(numbers):
            return _TOO_COSTLY
        return _TOO_DIFFERENT if state is TreeState.OVER_BUDGET else None

    def _anchored(self, fact: GlobFact, number: int, declared: str | None) -> GlobFact:
        if declared is None or fact.refused is not None:
            return fact
        return fact._replace(anchor=self.anchors.fact(number, declared))
