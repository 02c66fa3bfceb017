"""Which rules match one text, and how often.

A text is read as it is, as cleaning leaves it, without any character that hides, and with other spellings
written out: what a reader of any surface would see whole is found, however it was split. One pass over the
bytes says whether to look closer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import cache

from ophiuchus.secrets import encoded, spelled
from ophiuchus.secrets.linear import Pattern, Screen, as_bytes
from ophiuchus.secrets.rules import RULES
from ophiuchus.text.characters import BIDI, FILLER, JOINER, SELECTOR, SURROGATE, TAG, ZERO_WIDTH
from ophiuchus.text.clean import clean

# Mongolian selectors are among the hidden ones, carriage returns are not: those end lines.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u180b-\u180f\u2028\u2029"
    f"{ZERO_WIDTH}{FILLER}{JOINER}{SELECTOR}{BIDI}{TAG}{SURROGATE}]+"
)
# The same in UTF-8, a little coarser, so that the one pass finds them too.
_HIDING = (
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c"
    r"|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])"
    r"|\xe2(?:\x80[\x8b-\x8f\xa8-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xed[\xa0-\xbf]"
    r"|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb9-\xbb])|\xf0(?:\x9b\xb2|\x9d\x85)|\xf3\xa0"
)

# What the one pass looks for behind the rules' triggers, each with its index.
_FURTHER = (_HIDING, encoded.TRIGGER, spelled.TRIGGER, spelled.BROKEN_TRIGGER)
_HIDES, _ENCODES, _SPELLS, _BREAKS = range(len(RULES), len(RULES) + len(_FURTHER))
# Rules that know a secret's own form come first: what they found is not told again by one that does not.
_ORDER = sorted(range(len(RULES)), key=lambda index: RULES[index].general)
_FORMS = frozenset(index for index, rule in enumerate(RULES) if not rule.general)
_NAMES = tuple(dict.fromkeys(rule.name for rule in RULES))


def may_hold_secret(data: bytes) -> bool:
    """Whether UTF-8 is worth a scan: False for most, and never False where a scan of it finds something.

    For a line of JSON without a backslash, False says so of the value that is written there.
    """
    return bool(_screen().those_in(data))


def counts(text: str) -> dict[str, int]:
    """How often each rule matches, in the table's order; where readings of the text differ, the most."""
    data = as_bytes(text)
    hits = _screen().those_in(data)
    if not hits:
        return {}
    most: Counter[str] = Counter()
    for reading in _readings(text, data, hits):
        most |= _matches(reading)
    if _BREAKS in hits or _HIDES in hits:
        whole = as_bytes(spelled.joined(_HIDDEN.sub("", text)))
        most |= _plain_matches(whole, _FORMS.intersection(_screen().those_in(whole)))
    return {name: most[name] for name in _NAMES if most[name]}


def _readings(text: str, data: bytes, hits: Collection[int]) -> Collection[bytes]:
    readings = {data}
    if _HIDES in hits:
        readings |= {as_bytes(clean(text)), as_bytes(_HIDDEN.sub("", text))}
    if _SPELLS in hits:
        readings.add(as_bytes(spelled.spelled_out(_HIDDEN.sub("", text))))
    return readings


def _matches(data: bytes) -> Counter[str]:
    hits = _screen().those_in(data)
    found = _plain_matches(data, hits)
    if _ENCODES in hits:
        for hidden in encoded.decoded(data):
            # What is whole at one start of the groups is noise at the three others: nothing counts twice.
            found += _plain_matches(hidden, _screen().those_in(hidden))
    return found


def _plain_matches(data: bytes, hits: Collection[int]) -> Counter[str]:
    found: Counter[str] = Counter()
    told = bytearray(len(data))
    for index in _ORDER:
        if index not in hits:
            continue
        rule = RULES[index]
        for caught in _pattern(index).all_in(data):
            value = slice(caught.start, caught.end)
            if any(told[value]) or not rule.judge(caught.value):
                continue
            found[rule.name] += 1
            told[value] = b"\x01" * (caught.end - caught.start)
    return found


@cache
def _screen() -> Screen:
    return Screen([*(rule.trigger for rule in RULES), *_FURTHER])


@cache
def _pattern(index: int) -> Pattern:
    return Pattern(RULES[index].pattern)
