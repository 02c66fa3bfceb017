"""One key for decisions that say the same, so that none is written down twice (DEC-0105 §6)."""

from __future__ import annotations

import hashlib


def compute_decision_key(decision_text: str) -> str:
    """16 hexadecimal digits of the text in lower case with single blanks. Punctuation counts.

    No prefix: an `issue_key` is another thing. The text must be encodable.
    """
    normal = " ".join(decision_text.lower().split())
    return hashlib.sha256(normal.encode()).hexdigest()[:16]
