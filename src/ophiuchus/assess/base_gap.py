"""Why a base commit was not compared, and what a person can do about it (design §4, order of means)."""

from __future__ import annotations

from dataclasses import dataclass

from ophiuchus.assess.verdicts import COMMIT_CHARACTERS
from ophiuchus.git.findings import NOT_IN_CLONE, TOO_MANY_FILES, BaseState
from ophiuchus.text.wording import quoted

ABSENT_FROM_SHALLOW_CLONE = "commit not in this clone; check out with fetch-depth: 0"
"""What a depth-1 checkout is told (case C001)."""

_CAPTURE_AGAIN = "capture the hand-off again: `ophiuchus capture` writes base_commit and path anchors"
_USUAL_CAUSES = (
    "in a shallow clone, give actions/checkout `fetch-depth: 0`; after a squash or rebase merge that left "
    f"the commit behind, and for a wrong id, {_CAPTURE_AGAIN}"
)
_CHECK_OUT_WHOLE = "check out again, whole: without a filter and with `fetch-depth: 0`"


@dataclass(frozen=True, slots=True)
class Gap:
    """What to say about a glob that neither the base tree nor an anchor answered for."""

    reason: str
    remedy: str


def base_label(base: str | None) -> str:
    """The base commit as a sentence names it; a text that is no id is quoted."""
    text = base or ""
    return f"base_commit {text[:COMMIT_CHARACTERS] if text.isalnum() and text.isascii() else quoted(text)}"


def gap_of(state: BaseState, detail: str, base: str | None, *, anchored: bool, shallow: bool) -> Gap:
    """The cause and remedy for `state`.

    `detail` is git's room's own sentence about it; `anchored` says whether the condition declares any path
    anchor; `shallow` whether the judged clone lacks history.
    """
    commit = base_label(base)
    more = f" ({detail})" if detail else ""
    match state:
        case BaseState.NOT_DECLARED if anchored:
            return Gap(
                "declares no base_commit, and no well-formed path anchor for this glob", _CAPTURE_AGAIN
            )
        case BaseState.NOT_DECLARED:
            return Gap("declares neither a base_commit nor path anchors", _CAPTURE_AGAIN)
        case BaseState.MALFORMED:
            return Gap(
                f"base_commit {quoted(base or '')} is not a commit id{more}",
                "write the full, lower-case id that `git rev-parse HEAD` prints; names and short ids move",
            )
        case BaseState.NOT_A_COMMIT:
            return Gap(f"{commit} is not a commit{more}", "write the full id of the commit itself")
        case BaseState.ABSENT if detail in ("", NOT_IN_CLONE):
            absent = ABSENT_FROM_SHALLOW_CLONE if shallow else "commit not in this clone"
            return Gap(f"{commit}: {absent}", _USUAL_CAUSES)
        case BaseState.ABSENT:
            return Gap(f"{commit}: {detail}", _CHECK_OUT_WHOLE)
        case BaseState.NOT_ON_SERVER:
            return Gap(
                f"{commit}: commit neither in this clone nor on the server{more}",
                f"a squash, rebase or force push left it behind, or its id is wrong: {_CAPTURE_AGAIN}",
            )
        case BaseState.FETCH_FAILED:
            return Gap(
                f"{commit}: commit not in this clone, and it could not be fetched{more}",
                "check out with `fetch-depth: 0`, or give the step a token that may read the contents",
            )
        case BaseState.OVER_BUDGET if detail == TOO_MANY_FILES:
            return Gap(
                f"the judged tree could not be compared with {commit}: {detail}",
                "judge a commit with fewer files; trees that hold one another many times are the usual cause",
            )
        case BaseState.OVER_BUDGET:
            return Gap(
                f"comparing with {commit} takes more work than one capsule may cost{more}",
                "declare fewer or simpler globs",
            )
        case BaseState.UNREADABLE | BaseState.COMPARED:
            return Gap(
                f"{commit} could not be compared: {detail or 'objects of this clone cannot be read'}",
                _CHECK_OUT_WHOLE,
            )
