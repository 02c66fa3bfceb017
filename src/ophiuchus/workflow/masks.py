"""Which words must never be shown because of one secret: the secret and the forms in which it travels.

The runner masks these in the log and the summary once it was told (`add-mask`). Short words are left out: a
masked "1" or "main" would tear holes into every log line, and the runner drops job outputs that hold a
masked word.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Iterable, Iterator

MASK_FLOOR = 8
"""Fewest characters of a word that is masked. GitHub's tokens have forty and more."""

_UNRESERVED = frozenset((string.ascii_letters + string.digits + "-._~").encode())


def words_to_mask(secrets: Iterable[str]) -> tuple[str, ...]:
    """Each secret, its lines, and their base64 and URL forms, without repeats.

    Each word is one line and no shorter than `MASK_FLOOR`: given several lines, the runner masks each of
    them, short ones too.
    """
    words = (
        form
        for secret in secrets
        for word in (secret, secret.strip(), *secret.splitlines())
        for form in _forms(word)
    )
    return tuple(word for word in dict.fromkeys(words) if len(word.strip()) >= MASK_FLOOR)


def _forms(word: str) -> Iterator[str]:
    raw = word.encode("utf-8", "surrogateescape")
    if len(raw) < MASK_FLOOR:
        return
    if len(word.splitlines()) == 1:
        yield word
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            yield _base64_inside(raw, shift, encode(bytes(shift) + raw))
    in_url = "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in raw)
    yield in_url
    yield in_url.replace("%20", "+")


def _base64_inside(raw: bytes, shift: int, encoded: bytes) -> str:
    """The characters that spell `raw` wherever it stands `shift` bytes after a multiple of three.

    In `user:secret` the secret seldom starts on such a boundary; the characters it shares with its neighbours
    are left out, so that what is left is the same whatever the neighbours are.
    """
    first = -(-shift * 8 // 6)
    last = (shift + len(raw)) * 8 // 6
    return encoded[first:last].decode("ascii")
