"""What a person does next about a delivery that is not simply done: wait, look, mend, settle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ophiuchus.publish.capability import CAPABILITIES
from ophiuchus.publish.delivery import Delivered
from ophiuchus.publish.destinations import PATH
from ophiuchus.publish.origins import API_VARIABLES
from ophiuchus.publish.outcome import Mend, OutcomeStatus
from ophiuchus.publish.stores.store import option_for
from ophiuchus.views.document import Bullets, Code, CodeBlock, Heading, Line, Paragraph, Part, Text
from ophiuchus.views.phrases import listed


def next_steps(delivered: Sequence[Delivered], receipts: str) -> Iterator[Part]:
    """What a person does about each that is not simply done. `receipts` says where they are kept."""
    steps = [step for one in delivered for step in _steps(one, receipts)]
    if steps:
        yield Part("what to do next", 0, (Heading(2, (Text("What to do next"),)), Bullets(tuple(steps))))
    for one in delivered:
        if one.unrecorded is not None and one.receipt is not None:
            said = Paragraph((Text("The receipt that could not be stored, for "), Code(one.plan.alias)))
            row = CodeBlock(one.receipt.line().decode("ascii").strip())
            yield Part("a receipt that could not be stored", 0, (said, row))


def _steps(delivered: Delivered, receipts: str) -> Iterator[Line]:
    alias = Code(delivered.plan.alias)

    def resolve(how: str) -> Code:
        return Code(f"ophiuchus receipts resolve {delivered.plan.claim_key} {how}{option_for(receipts)}")

    match delivered.outcome.status:
        case OutcomeStatus.AMBIGUOUS if delivered.busy_until is not None:
            until = f": wait for it and run again; from {delivered.busy_until} on it can be settled."
            yield (Text("Another run is at "), alias, Text(until))
        case OutcomeStatus.AMBIGUOUS:
            yield (
                *(Text("Look at "), alias, Text(" whether it is there, then settle it: ")),
                *(resolve("--published REFERENCE"), Text(" or "), resolve("--not-published")),
            )
        case OutcomeStatus.FAILED if delivered.remedy:
            yield (Text("Nothing is at "), alias, Text(f". {delivered.remedy.rstrip('.')}. Then run again."))
        case OutcomeStatus.FAILED:
            yield (Text("Nothing is at "), alias, Text(": "), *_to_mend(delivered), Text(", then run again."))
        case OutcomeStatus.PUBLISHED:
            if delivered.unrecorded is not None:
                said = ", but not recorded: keep the row below, and once its claim is over settle it: "
                settle = resolve(f"--published {delivered.outcome.reference}")
                yield (Text("It is published at "), alias, Text(said), settle)


def _to_mend(delivered: Delivered) -> Line:
    provider, write = delivered.plan.provider, delivered.plan.write
    capability = CAPABILITIES[provider]
    groups = [listed([(Code(name),) for name in group], between=" and ") for group in capability.variables]
    credential = listed(groups, between=" or ")
    match delivered.outcome.mend:
        case Mend.PACE:
            how = f"until {delivered.wait_until}" if delivered.wait_until else "a few minutes"
            return (Text(f"wait {how}"),)
        case Mend.CREDENTIAL:
            needed = f", which has to be {capability.credential_requirement.replace('`', '')}"
            return (Text("look at "), *credential, Text(needed))
        case Mend.TARGET | Mend.ADDRESS if write.append_to is not None:
            artifact, target = Code(str(write.append_to)), Code(write.target)
            if_gone = ", and open; where it is not, leave a hand-off that is not added to it"
            return (Text("look whether "), artifact, Text(" is still at "), target, Text(if_gone))
        case Mend.TARGET:
            seen = (Text(" is there and open, and whether "), *credential, Text(" may see it"))
            return (Text("look whether "), Code(write.target), *seen)
        case Mend.ADDRESS:
            return (Text(f"correct the target in {PATH}, or "), Code(API_VARIABLES[provider]))
        case Mend.CONNECTION:
            around = ", the run's proxy and its certificate authorities"
            return (Text("look at "), Code(API_VARIABLES[provider]), Text(around))
        case Mend.CAUSE:
            return (Text("mend the cause"),)
