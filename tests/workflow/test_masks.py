from __future__ import annotations

import base64
import secrets
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.workflow.masks import MASK_FLOOR, words_to_mask


def masked(text: str, words: tuple[str, ...]) -> str:
    for word in words:
        text = text.replace(word, "***")
    return text


@pytest.mark.parametrize("word", ["", "1", "true", "main", "o/r", "1234567", " \n "])
def test_short_words_are_never_masked(word: str) -> None:
    assert words_to_mask([word]) == ()


def test_a_secret_and_its_forms_are_masked_once_each() -> None:
    secret = "p+/ss wörd" + secrets.token_hex(8)
    words = words_to_mask([secret, secret])
    assert len(words) == len(set(words))
    for form in (secret, quote(secret, safe=""), quote_plus(secret)):
        assert form in words


def test_each_line_of_a_secret_is_masked() -> None:
    lines = [secrets.token_hex(8), "{", secrets.token_hex(8)]
    words = words_to_mask(["\r\n".join(lines) + "\n"])
    assert {lines[0], lines[2]} <= set(words)
    # The runner masks each line of what it is given: one word is one line.
    assert "{" not in [line for word in words for line in word.splitlines()]


@given(
    st.binary(min_size=MASK_FLOOR, max_size=40).map(lambda raw: raw.hex()),
    st.binary(max_size=9),
    st.binary(max_size=9),
)
def test_base64_hides_the_secret_whatever_stands_around_it(secret: str, before: bytes, after: bytes) -> None:
    words = words_to_mask([secret])
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        plain = encode(before + secret.encode() + after).decode()
        # At most the two characters at each end that the secret shares with its neighbours are left.
        left = masked(plain, words).replace("***", "")
        assert len(left) <= len(encode(before)) + len(encode(after)) + 4
        assert "***" in masked(plain, words)


@given(st.text(max_size=60))
def test_no_word_is_under_the_floor(secret: str) -> None:
    assert all(len(word.strip()) >= MASK_FLOOR for word in words_to_mask([secret]))
