r"""Cleaning of untrusted text, once and first, before any surface escapes it (design §6).

Afterwards a text holds no character that acts or hides: control characters other than newline and tab are
visible codes (C095), bidi controls and tag characters are gone (C107), halves of characters are U+FFFD
(C077), and zero-width characters are gone unless they are part of how a word or an emoji is written.
"""

from __future__ import annotations

import re

from ophiuchus.text.characters import (
    BIDI,
    CONTROL,
    FILLER,
    JOINER,
    SELECTOR,
    SURROGATE,
    TAG,
    ZERO_WIDTH,
    visible_code,
    visible_codes,
)

_CONTROLS = re.compile(f"[{CONTROL}]+")
_HIDING = re.compile(f"[{BIDI}{TAG}]")
_NOT_IN_A_NAME = re.compile(rf"[\n\t{CONTROL}{BIDI}{TAG}]+")
_SURROGATES = re.compile(f"[{SURROGATE}]")
_KOREAN_LETTER = "[\u1100-\u115e\u1161-\u11ff\ua960-\ua97f\ud7b0-\ud7fb]"
_ZERO_WIDTH = re.compile(f"[{ZERO_WIDTH}]+|(?<!{_KOREAN_LETTER})[{FILLER}](?!{_KOREAN_LETTER})")

_SELECTOR = re.compile(f"[{SELECTOR}]")
_IDEOGRAPH = re.compile("[\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]")

_JOINERS = re.compile(f"[{JOINER}]+")
# Scripts that are written with joiners inside words: Hebrew to Georgian, Philippine to Vedic, Phags-pa to
# Meetei Mayek, Arabic forms, and the further ones of the supplementary planes.
_JOINING_SCRIPT = re.compile(
    "[\u0591-\u10ff\u1700-\u180d\u180f-\u1cff\ua840-\uabff\ufb1d-\ufdff\ufe70-\ufefe"
    "\U00010800-\U00011fff\U0001e900-\U0001e95f]"
)
_EMOJI = re.compile(
    "[\xa9\xae\u203c\u2049\u20e3\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff]"
)


def clean(text: str) -> str:
    """`text` without characters that act or hide. Cleaning twice changes nothing more.

    A carriage return before a newline goes; any other one is shown as a code like all control characters.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _CONTROLS.sub(visible_codes, text.replace("\r\n", "\n"))
    if text.isascii():
        return text
    text = _SURROGATES.sub("\ufffd", _ZERO_WIDTH.sub("", _HIDING.sub("", text)))
    return _JOINERS.sub(_joiner_in_place, _SELECTOR.sub(_selector_in_place, text))


def _selector_in_place(found: re.Match[str]) -> str:
    """A selector that chooses the look of the one character before it: an emoji, a keycap, an ideograph.

    Any other one is a way to hide bytes in a text; the 240 of the supplementary plane are for ideographs.
    """
    before = found.string[max(found.start() - 1, 0) : found.start()]
    if found[0] >= "\U000e0100":
        return found[0] if _IDEOGRAPH.match(before) else ""
    has_looks = before >= "\u0370" and before.isprintable() and not _SELECTOR.match(before)
    return found[0] if has_looks or (before and before in "#*0123456789\xa9\xae") else ""


def _joiner_in_place(found: re.Match[str]) -> str:
    """A run's first joiner inside a word of a joining script or between two emoji, else nothing."""
    text, start, end = found.string, found.start(), found.end()
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if _JOINING_SCRIPT.match(before) and _JOINING_SCRIPT.match(after):
        return found[0][0]
    return "\u200d" if "\u200d" in found[0] and _EMOJI.match(before) and _EMOJI.match(after) else ""


def clean_line(text: str) -> str:
    """`text` cleaned and on one line: each run of blanks and ends of lines is one blank, at an end none."""
    return " ".join(clean(text).split())


def spell_name(text: str) -> str:
    """A name, such as a path, on one line: what `clean` would take out and ends of lines as visible codes.

    So two names that differ do not read alike.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _ZERO_WIDTH.sub(visible_codes, _NOT_IN_A_NAME.sub(visible_codes, text))
    text = _SELECTOR.sub(lambda found: _selector_in_place(found) or visible_codes(found), text)
    return _JOINERS.sub(lambda found: _joiner_in_place(found) or visible_codes(found), text)


def hidden_characters(text: str) -> tuple[str, ...]:
    """The codes of the bidi controls and tag characters that `clean` takes out: what a notice should name."""
    return tuple(visible_code(character) for character in sorted(set(_HIDING.findall(text))))


def spell_path(path: bytes) -> str:
    r"""A path of git as text: bytes that are not UTF-8 as `\xHH`, a backslash as `\\`.

    So no two paths are spelled alike. Control characters stay, since the surface that shows a path makes
    them visible (C028).
    """
    return path.replace(b"\\", rb"\\").decode("utf-8", "backslashreplace")
