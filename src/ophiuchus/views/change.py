"""What a report says first where a base is known: what this change did; older drift can wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ophiuchus.assess.verdicts import STALE_AGGREGATES
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.report.share import Share
from ophiuchus.report.totals import unread_before
from ophiuchus.text.wording import counted
from ophiuchus.views.document import Block, Bullets, Code, Line, Strong, Text
from ophiuchus.views.phrases import cut_name, listed, words

NAMED = 5
"""Most capsules that one line under the headline names."""


def lead(report: Report, share: Share, trouble: Sequence[str]) -> str:
    """The sentence that comes first. `trouble` is what else needs action, in words."""
    done = ", ".join(_deeds(report, share))
    if share.introduced or share.added or trouble or not report.gate.passed:
        said = [*([f"this change {done}"] if done else []), *trouble]
        return f"Action required: {'; '.join(said)}"
    if done:
        return f"To review: this change {done}"
    capsules = counted(len(report.capsules), "capsule")
    before = []
    if share.older:
        before.append(f"{len(share.older):,} of {capsules} needed action")
    if unread := unread_before(report):
        before.append(f"{counted(unread, 'file')} could not be read")
    if before:
        return f"Nothing new: {' and '.join(before)} before this change"
    return nothing_to_do(report)


def nothing_to_do(report: Report) -> str:
    """The sentence that comes first where nobody has to do anything."""
    if not report.capsules:
        return "Nothing to do: there are no capsules yet"
    return f"Nothing to do: none of {counted(len(report.capsules), 'capsule')} needs action"


def summary(share: Share, folded: int) -> Iterator[Block]:
    """What stands below the headline: who was declared anew or added, and how many are `folded`."""
    items: list[Line] = []
    if share.redeclared or share.removed:
        names = [_redeclared(capsule) for capsule in share.redeclared]
        names += [
            (Code(cut_name(gone.capsule_id)), Text(f" (removed; it was {words(gone.before)})"))
            for gone in share.removed
        ]
        items.append(_named("Declared anew:", names))
    if share.added:
        label = "Added, already stale:" if _all_stale(share.added) else "Added, already in need of action:"
        items.append(_named(label, [(Code(cut_name(capsule.capsule_id)),) for capsule in share.added]))
    if folded:
        needed = f"{counted(folded, 'capsule')} needed action before this change, folded below."
        items.append((Text(needed),))
    if items:
        yield Bullets(tuple(items))


def deed(capsule: CapsuleReport) -> str:
    """What this change did to one capsule, in the words of a table's cell."""
    deeds = []
    if capsule.introduced:
        deeds.append("made it stale" if _became_stale(capsule) else "made it worse")
    if capsule.new:
        deeds.append("added it")
    if capsule.redeclared:
        deeds.append("declared it anew")
    return ", ".join(deeds) or "did nothing to it"


def _deeds(report: Report, share: Share) -> Iterator[str]:
    if share.introduced:
        stale = sum(map(_became_stale, share.introduced))
        worse = len(share.introduced) - stale
        capsules = counted(len(report.capsules), "capsule")
        more = f" and {worse:,} worse" if worse else ""
        yield f"made {stale:,} of {capsules} stale{more}" if stale else f"made {worse:,} of {capsules} worse"
    if anew := len(share.redeclared) + len(share.removed):
        yield f"declared {anew:,} anew" if share.introduced else f"declared {counted(anew, 'capsule')} anew"
    if share.added:
        number = len(share.added)
        if _all_stale(share.added):
            yield f"added {counted(number, 'capsule')} that {'is' if number == 1 else 'are'} already stale"
        else:
            yield f"added {counted(number, 'capsule')} that {'needs' if number == 1 else 'need'} action"


def _redeclared(capsule: CapsuleReport) -> Line:
    name, parent = Code(cut_name(capsule.capsule_id)), capsule.continuity.parent_capsule_id
    if capsule.new and parent is not None:
        return name, Text(" (new; it continues "), Code(cut_name(parent)), Text(", which needed action)")
    return name, Text(" (edited)")


def _named(label: str, names: Sequence[Line]) -> Line:
    return Strong(label), Text(" "), *listed(names[:NAMED], more=len(names) - NAMED)


def _all_stale(capsules: Sequence[CapsuleReport]) -> bool:
    return all(capsule.validity.aggregate in STALE_AGGREGATES for capsule in capsules)


def _became_stale(capsule: CapsuleReport) -> bool:
    return capsule.validity.aggregate in STALE_AGGREGATES and capsule.before not in STALE_AGGREGATES
