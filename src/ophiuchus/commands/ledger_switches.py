"""The ledgers beside the capsules: judged where their switches are on; else nothing of theirs is imported.

On a pull request the files that may switch them on are read at the base, so that no pull request decides
what it is judged by (design §5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ophiuchus.capsule.model import Capsule
from ophiuchus.git.named_files import read_files
from ophiuchus.git.scratch import Scratch
from ophiuchus.report.ledgers import JudgedLedgers, Ledgers
from ophiuchus.report.model import GateRule
from ophiuchus.text.problem import ExpectedFailure, Notice, NoticeCode
from ophiuchus.text.setting_places import CONFIG, SCRATCHPAD, SettingPlaces, read_places

CRITIC, MEMORY = "cross_model_review", "sovereign_memory"
"""The switches' names."""
MOST_BYTES = 1 << 20
"""Most bytes of a file of settings."""


class LedgerNotRead(ExpectedFailure):
    """`fail_on` names what stands in a ledger that is not read: a gate that cannot close."""

    def __init__(self) -> None:
        super().__init__(
            "fail_on names blocking_findings, but the critics' ledger is switched off",
            "set the input critic_review to 1, or CROSS_MODEL_REVIEW in the environment or at the base in "
            f"{CONFIG} or {SCRATCHPAD}; or leave blocking_findings out",
        )


def judge_ledgers(
    scratch: Scratch,
    tree: str,
    *,
    base: str | None,
    policy: str | None,
    asked: Mapping[str, str],
    env: Mapping[str, str],
    capsules: Iterable[tuple[str, Capsule]],
    fail_on: Sequence[GateRule] = (),
) -> JudgedLedgers:
    """What the ledgers of `tree` come to, compared with the tree `base` where one is known.

    `asked` are the inputs by the settings' names. `policy` is the tree whose files may switch the ledgers on,
    None for no files. Raises LedgerNotRead.
    """
    config, scratchpad = (None, None) if policy is None else _files(scratch, policy)
    places = read_places(asked, env, config, scratchpad)
    critic, memory = places.switch(CRITIC), places.switch(MEMORY)
    if not critic.on and GateRule.BLOCKING_FINDINGS in fail_on:
        raise LedgerNotRead
    if not critic.on and not memory.on:
        return JudgedLedgers(Ledgers(), (), tuple(_unused(_notices(places))))
    from ophiuchus.ledgers.settings import read_settings
    from ophiuchus.report.with_ledgers import joined

    settings = read_settings(asked, env, config, scratchpad)
    judged = JudgedLedgers(Ledgers(), (), tuple(_unused(settings.notices)))
    if critic.on:
        from ophiuchus.report.critic_ledger import judge_critic

        judged = joined(judged, judge_critic(scratch, tree, base, settings))
    if memory.on:
        from ophiuchus.report.memory_ledger import judge_memory, references

        judged = joined(judged, judge_memory(scratch, tree, base, settings, references(capsules)))
    return judged


def only_provenance(judged: JudgedLedgers) -> JudgedLedgers:
    """What of the memory concerns the capsules alone: which entries they name."""
    memory = judged.ledgers.memory
    if memory is None:
        return JudgedLedgers(Ledgers())
    kept = replace(memory, digest="", digest_entry_ids=(), lost_count=0, lost=())
    notices = [one for one in judged.notices if one.code is NoticeCode.NO_SUCH_ENTRY]
    return JudgedLedgers(Ledgers(memory=kept), (), tuple(notices))


def _files(scratch: Scratch, tree: str) -> tuple[bytes | None, bytes | None]:
    """The two files of settings as they stand in `tree`; what is no small plain file is not there."""
    found = read_files(scratch, tree, [str(CONFIG), str(SCRATCHPAD)], MOST_BYTES)
    read = {place: content for place, content in found.items() if isinstance(content, bytes)}
    return read.get(str(CONFIG)), read.get(str(SCRATCHPAD))


def _notices(places: SettingPlaces) -> Iterator[str]:
    """What keeps a switch off that was meant to be on, perhaps."""
    yield from filter(None, (places.notice, places.switch(CRITIC).notice, places.switch(MEMORY).notice))


def _unused(notices: Iterable[str]) -> Iterator[Notice]:
    return (Notice("", NoticeCode.SETTING_UNUSED, notice) for notice in notices)
