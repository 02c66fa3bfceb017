"""Text that base64 hides: a key file or a token pasted as one blob, perhaps folded into lines (C085).

Only what can hold one of a few tell-tale words is decoded, once, at each of the four places where a group of
four characters can start.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from ophiuchus.secrets.linear import Pattern

_WORDS = (
    "-----BEGIN",
    "PRIVATE KEY",
    "AGE-SECRET-KEY",
    "github_pat_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "glpat-",
    "AKIA",
    "ASIA",
    "AIza",
    "sk-ant-",
    "sk-proj-",
    "xoxb-",
    "xoxp-",
    "npm_",
    "sk_live_",
    "eyJhbGciOi",
)


def _inside(word: str, shift: int) -> str:
    """The characters that spell `word` wherever it stands `shift` bytes after a multiple of three."""
    encoded = base64.b64encode(bytes(shift) + word.encode("ascii")).decode("ascii")
    return encoded[-(-shift * 8 // 6) : (shift + len(word)) * 8 // 6]


_TELLING = "|".join(re.escape(_inside(word, shift)) for word in _WORDS for shift in range(3))
_BLOB = re.compile(rb"[A-Za-z0-9+/_-]{20,}")
_FOLD = re.compile(rb"(?:\\[nr]|\s)+")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")

TRIGGER = rf"{_TELLING}|[A-Za-z0-9+/]{{60}}(?:\s|\\[nr])"
"""What occurs wherever `decoded` could find something: a tell-tale word encoded, or a long line's fold."""

_WORTH_DECODING = Pattern(_TELLING)


def decoded(data: bytes) -> Iterator[bytes]:
    """What the base64 in `data` that holds a tell-tale word decodes to: bytes that may be no text."""
    unfolded = _FOLD.sub(b"", data)
    for blob in _BLOB.findall(unfolded):
        if next(_WORTH_DECODING.all_in(blob), None) is None:
            continue
        standard = blob.translate(_URL_SAFE)
        for start in range(4):
            groups = standard[start:]
            # A last group of one character spells nothing; the others are filled up.
            groups = groups[:-1] if len(groups) % 4 == 1 else groups + b"=" * (-len(groups) % 4)
            yield base64.b64decode(groups)
