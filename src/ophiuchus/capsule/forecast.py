"""How a capsule that is being captured will read, told to its author before anybody else can notice. Pure.

Nothing here is wrong with the file: these are slips (a pattern that matches nothing) and consequences (work
that is not committed yet will make the hand-off stale).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import PurePosixPath

from ophiuchus.capsule.model import KNOWN_KINDS, Capsule, GitPaths, TimeWindow
from ophiuchus.git.globs import Glob, RefusedGlob, compile_glob
from ophiuchus.git.own_checkout import UncommittedPath
from ophiuchus.git.selection import SortedPaths, select
from ophiuchus.text.clean import spell_path
from ophiuchus.text.instant import NotAnInstant, parse_instant
from ophiuchus.text.wording import json_excerpt

PATHS_NAMED = 3
"""Most uncommitted paths that one warning names."""


@dataclass(frozen=True, slots=True)
class GlobDigests:
    """One glob's anchor at the condition's base, its anchor in HEAD (or the index), and that of nothing."""

    then: str
    now: str
    nothing: str


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known when a capsule is captured.

    `digests` has every accepted glob of each git_paths condition, by the condition's index and the glob;
    `place` is where the capsule will be, from the top.
    """

    place: PurePosixPath
    digests: Mapping[tuple[int, str], GlobDigests]
    uncommitted: Sequence[UncommittedPath]
    from_index: bool


def forecast(capsule: Capsule, outlook: Outlook, now: datetime) -> Iterator[str]:
    """Each thing that the author should know, as one sentence."""
    if not any(condition.required for condition in capsule.validity):
        yield (
            "declares no required condition, so it reads `not_declared`: "
            "nothing will tell when it stops being true"
        )
    yield from _passed("expires_at", capsule.expires_at, now)
    for index, condition in enumerate(capsule.validity):
        where = f"condition {json_excerpt(condition.condition_id)}"
        if isinstance(condition, TimeWindow):
            yield from _passed(f"{where}: not_after", condition.not_after, now)
        elif isinstance(condition, GitPaths):
            yield from _of_paths(where, index, condition, outlook)
        elif condition.kind not in KNOWN_KINDS:
            near = get_close_matches(condition.kind, KNOWN_KINDS, n=1)
            guess = f" (did you mean {near[0]}?)" if near else ""
            yield f"{where}: the kind {json_excerpt(condition.kind)} is not known{guess}: nothing checks it"
    yield from _unknown_conditions(capsule)
    if outlook.from_index and any(isinstance(condition, GitPaths) for condition in capsule.validity):
        yield (
            "has no base commit, since it was taken from the index: a report can tell that a pattern "
            "changed, not which paths, and it cannot be published unattended"
        )


def _of_paths(where: str, index: int, condition: GitPaths, outlook: Outlook) -> Iterator[str]:
    globs = []
    for text in condition.paths:
        try:
            globs.append(compile_glob(text))
        except RefusedGlob as refused:
            yield f"{where}: {json_excerpt(text)} is not evaluated: {refused.reason}"
    for glob in globs:
        found = outlook.digests[index, glob.text]
        if found.then == found.now == found.nothing:
            yield (
                f"{where}: {json_excerpt(glob.text)} matches nothing and is not evaluated; patterns start at "
                "the root of the repository and tell upper from lower case"
            )
        elif found.then != found.now:
            yield f"{where}: {json_excerpt(glob.text)} has changed since its base: it reads changed already"
    if matching([outlook.place.as_posix().encode()], globs):
        yield f"{where}: it covers this capsule's own file, so it reads changed once that is committed"
    yield from _uncommitted(where, globs, outlook)


def _uncommitted(where: str, globs: Sequence[Glob], outlook: Outlook) -> Iterator[str]:
    own = outlook.place.as_posix().encode()
    pending = [
        one.path
        for one in outlook.uncommitted
        if one.path != own and (one.unstaged or not outlook.from_index)
    ]
    if paths := matching(pending, globs):
        named = ", ".join(spell_path(path) for path in paths[:PATHS_NAMED])
        more = f" and {len(paths) - PATHS_NAMED:,} more" if len(paths) > PATHS_NAMED else ""
        state = "changes that are not staged" if outlook.from_index else "uncommitted changes"
        advice = "stage them (git add) and capture again with --index"
        if not outlook.from_index:
            advice += ", or commit them and capture again"
        yield (
            f"{where}: {named}{more}: {state}; once they are committed, it reads stale. "
            f"Delete this capsule, then {advice}"
        )


def matching(paths: Sequence[bytes], globs: Sequence[Glob]) -> list[bytes]:
    """Those of `paths` (from the top) that a glob matches, sorted; a submodule also by a glob into it."""
    known = SortedPaths(sorted({path.rstrip(b"/") for path in paths}))
    places = {place for selection in select(globs, known) for place in selection.all_places()}
    return [
        path
        for place, path in enumerate(known.paths)
        if place in places or any(glob.literal_prefix.startswith(path + b"/") for glob in globs)
    ]


def _passed(name: str, text: str | None, now: datetime) -> Iterator[str]:
    if text is None:
        return
    try:
        if parse_instant(text) <= now:
            yield f"{name} {json_excerpt(text)} has passed already: give a later moment, or leave it out"
    except NotAnInstant as error:
        yield (
            f"{name} {json_excerpt(text)} {error}, so it reads `unverifiable`: write one such as "
            "2026-07-01T12:00:00Z"
        )


def _unknown_conditions(capsule: Capsule) -> Iterator[str]:
    known = {condition.condition_id for condition in capsule.validity}
    for item in capsule.negative_knowledge:
        for named in item.applies_while:
            if named not in known:
                where = f"item {json_excerpt(item.item_id)}"
                yield f"{where}: applies_while names {json_excerpt(named)}, which is no condition"
