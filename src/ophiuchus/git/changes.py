"""What changed, per glob, between many bases and the judged tree: all conditions answered at once.

No process per capsule, base or glob, and no blob is read: one batch for the bases, one listing of the judged
tree, one chain of tree comparisons. Each path that ever differs is matched once (facts/git.md §1.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ophiuchus.git.anchors import digest, digest_of_nothing, is_anchor
from ophiuchus.git.base_facts import BaseFacts
from ophiuchus.git.bases import look_up
from ophiuchus.git.findings import AnchorFact, BaseState, GlobFact, PathsFacts, PathsQuestion
from ophiuchus.git.globs import Glob, RefusedGlob, compile_glob
from ophiuchus.git.history import asking_ancestry
from ophiuchus.git.listing import Listing
from ophiuchus.git.objects import Commit, TreeUnreadable, Unusable, commits
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.selection import Selection, select_in_budget
from ophiuchus.git.tree_chain import TreeState, compare_trees

Fetch = Callable[[Sequence[str]], Mapping[str, Unusable]]
"""Gets commits by full id into the scratch repository; tells which it could not get, and why."""

Bases = Mapping[str | None, Commit | Unusable]

_TOO_COSTLY = Unusable(BaseState.OVER_BUDGET, "matching its wildcards takes too long")
_TOO_DIFFERENT = Unusable(BaseState.OVER_BUDGET, "too much changed between the bases")
_UNREADABLE = Unusable(BaseState.UNREADABLE, "one of the two trees cannot be read to its end")


def look(
    scratch: Scratch,
    tree: str,
    questions: Sequence[PathsQuestion],
    *,
    head: str | None = None,
    fetch: Fetch | None = None,
) -> list[PathsFacts]:
    """The answer to each question about the judged `tree` (its full id), in their order.

    `head` is the judged commit, where there is one, for `in_history`. `fetch` is asked once, for those absent
    bases whose conditions hold a glob that no equal anchor answers; without it nothing is fetched.
    """
    declared = _Declared(questions)
    bases = look_up(scratch, (question.base for question in questions))
    here = [found.id for found in bases.values() if isinstance(found, Commit)]
    with asking_ancestry(scratch, head, here) as ancestry:
        now = _Now(scratch, tree, declared.globs)
        if fetch is not None and (wanted := _worth_fetching(questions, declared, now, bases)):
            failures = fetch(wanted)
            for base, found in commits(scratch, wanted).items():
                bases[base] = found if isinstance(found, Commit) else failures.get(base, found)
        then = _compare(scratch, tree, questions, declared, bases)
        answers = _Answers(declared, now, then, bases, ancestry())
    return [answers.to(question) for question in questions]


class _Declared:
    """All distinct globs: accepted ones by number, refused ones with the reason."""

    def __init__(self, questions: Sequence[PathsQuestion]) -> None:
        self.globs: list[Glob] = []
        self.number_of: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        for text in dict.fromkeys(text for question in questions for text in question.globs):
            try:
                self.globs.append(compile_glob(text))
                self.number_of[text] = len(self.number_of)
            except RefusedGlob as refusal:
                self.refused[text] = refusal.reason

    def numbers(self, question: PathsQuestion) -> list[int]:
        """The numbers of the question's accepted globs."""
        return [self.number_of[text] for text in question.globs if text not in self.refused]


class _Now:
    """What the judged tree alone tells: which globs match something, whose pointer they follow, anchors."""

    def __init__(self, scratch: Scratch, tree: str, globs: Sequence[Glob]) -> None:
        self.readable = True
        self.selections: list[Selection | None] = [None] * len(globs)
        self.pointers: dict[int, bytes] = {}
        self._nothing = digest_of_nothing(scratch.object_format)
        self._digests: dict[int, str] = {}
        if not globs:
            return
        try:
            self._listing = Listing(scratch, tree)
        except TreeUnreadable:
            self.readable = False
            return
        self.selections = select_in_budget(globs, self._listing.paths)
        for number, glob in enumerate(globs if self._listing.submodules else ()):
            selection = self.selections[number]
            if selection is not None and (pointer := self._listing.submodule_of(glob)):
                self.pointers[number] = pointer
                self.selections[number] = self._listing.following(glob, selection)

    def anchor(self, number: int, declared: str | None) -> AnchorFact | None:
        """What a declared digest says of the glob; None where it is no digest or the tree was not matched."""
        selection = self.selections[number]
        if selection is None or not is_anchor(declared):
            return None
        found = self._digests.get(number)
        if found is None:
            found = self._digests[number] = digest(self._listing, selection)
        return AnchorFact(equal=declared == found, nothing_then=declared == self._nothing)


def _worth_fetching(
    questions: Sequence[PathsQuestion], declared: _Declared, now: _Now, bases: Bases
) -> list[str]:
    """The absent bases that some glob still needs: not those that equal anchors answer for."""
    wanted: dict[str, None] = {}
    for question in questions:
        base = bases[question.base]
        if question.base is None or isinstance(base, Commit) or base.state is not BaseState.ABSENT:
            continue
        for text in question.globs:
            if text not in declared.refused:
                anchor = now.anchor(declared.number_of[text], question.anchors.get(text))
                if anchor is None or not anchor.equal:
                    wanted[question.base] = None
                    break
    return list(wanted)


def _compare(
    scratch: Scratch, tree: str, questions: Sequence[PathsQuestion], declared: _Declared, bases: Bases
) -> BaseFacts:
    """All present bases against `tree`, youngest first: so neighbours in the chain differ little."""
    present = {found.id: found for found in bases.values() if isinstance(found, Commit)}
    by_age = sorted(present.values(), key=lambda commit: (-commit.committed_at, commit.id))
    asked: dict[str, set[int]] = {}
    for question in questions:
        base = bases[question.base]
        if isinstance(base, Commit):
            asked.setdefault(base.tree, set()).update(declared.numbers(question))
    globs = {number: declared.globs[number] for number in sorted(set().union(*asked.values()))}
    return BaseFacts(compare_trees(scratch, tree, [commit.tree for commit in by_age]), globs, asked)


@dataclass(frozen=True, slots=True)
class _Answers:
    """All that was found, to be put together for each question."""

    declared: _Declared
    now: _Now
    then: BaseFacts
    bases: Bases
    in_history: Mapping[str, bool]

    def to(self, question: PathsQuestion) -> PathsFacts:
        """The facts that answer `question`."""
        base = self.bases[question.base]
        gap = self._gap(base, self.declared.numbers(question))
        compared = base.tree if gap is None and isinstance(base, Commit) else None
        return PathsFacts(
            base_state=BaseState.COMPARED if gap is None else gap.state,
            globs=tuple(self._fact(text, question.anchors.get(text), compared) for text in question.globs),
            detail="" if gap is None else gap.detail,
            in_history=self.in_history.get(base.id) if isinstance(base, Commit) else None,
        )

    def _fact(self, text: str, anchor: str | None, compared: str | None) -> GlobFact:
        number = self.declared.number_of.get(text)
        if number is None:
            return GlobFact(text, refused=self.declared.refused[text])
        base, pointer_then = (None, None) if compared is None else self.then.of(compared, number)
        return GlobFact(
            glob=text,
            matches_now=bool(self.now.selections[number]),
            base=base,
            anchor=self.now.anchor(number, anchor),
            submodule=self.now.pointers.get(number) or pointer_then,
        )

    def _gap(self, base: Commit | Unusable, numbers: Sequence[int]) -> Unusable | None:
        """Why the base was not compared for a condition with these globs; None where it was."""
        if isinstance(base, Unusable):
            return base
        state = self.then.states[base.tree]
        if state is TreeState.UNREADABLE or not self.now.readable:
            return _UNREADABLE
        if any(self.now.selections[number] is None for number in numbers) or (
            self.then.too_costly and not self.then.too_costly.isdisjoint(numbers)
        ):
            return _TOO_COSTLY
        return _TOO_DIFFERENT if state is TreeState.OVER_BUDGET else None
