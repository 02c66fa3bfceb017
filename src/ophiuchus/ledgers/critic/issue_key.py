"""One key for findings that say the same (DEC-0104 §4), so that lenses can be seen to agree."""

from __future__ import annotations

import hashlib
import string

LONGEST = 80
"""Most characters of the normal form."""

_ENOUGH = LONGEST * 5 // 4
_PUNCTUATION = string.punctuation.encode()


def normal_form(finding_text: str) -> str:
    """Lower case, without ASCII punctuation, single blanks, cut at 80 characters between words.

    A word that ends exactly at 80 stays (C119), a single word longer than that is cut. Dashes and quotation
    marks beyond ASCII stay, as in the decision's letter.
    """
    # The start decides, as a rule; of all letters only this one's lower case depends on what follows.
    words = "" if "\u03a3" in finding_text else _words(finding_text[:_ENOUGH])
    if len(words) <= LONGEST:
        words = _words(finding_text)
    if len(words) <= LONGEST:
        return words
    cut = words[:LONGEST]
    return cut if words[LONGEST] == " " else cut.rpartition(" ")[0] or cut


def compute_issue_key(finding_text: str) -> str:
    """`ik_` and 16 hexadecimal digits. Texts that normalise to nothing share one key: never group by that."""
    return f"ik_{hashlib.sha256(normal_form(finding_text).encode()).hexdigest()[:16]}"


def _words(text: str) -> str:
    # In UTF-8 no other character has a byte of these, and bytes are much the quickest to go through.
    plain = text.lower().encode().translate(None, _PUNCTUATION)
    return " ".join(plain.decode().split())


EMPTY_KEY = compute_issue_key("")
"""The key of every text of punctuation alone. It says nothing of what two findings have in common."""
