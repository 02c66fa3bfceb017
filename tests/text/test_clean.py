"""Cleaning: what acts or hides is shown or gone, what people write stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ophiuchus.text.clean import clean, hidden_characters, spell_name, spell_path

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ODD = [
    *BIDI,
    *"\x00\x1b\r\n\t\x7f\x85\x9b\u2028\u2029\ud83d\udc00\xad\u200b\u200c\u200d\u034f\u180e\u2060\ufeff\ufff9",
    *"\u115f\u1160\u1112\u3164\uffa0\uffff\ufe0f\ufe00\U000e0100\U000e0041\U000e007f\U0001f469\u2764\u0645\u0628\u0915\u094d漢a1#@",
]
TEXTS = st.lists(st.sampled_from(ODD) | st.characters(exclude_categories=()), max_size=25).map("".join)


@given(TEXTS)
@example("\u0645\u200c\u200d\u0628")
@example("\U0001f469\ufe0f\u200d\u200c\U0001f469")
def test_nothing_that_acts_or_hides_is_left_and_cleaning_is_done_once(text: str) -> None:
    cleaned = clean(text)
    assert not re.search(
        rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\uffff\U000e0000-\U000e007f{BIDI}]", cleaned
    )
    assert not re.search("[\xad\u200b\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]", cleaned)
    assert clean(cleaned) == cleaned
    cleaned.encode()


@given(TEXTS)
def test_every_remaining_joiner_has_a_neighbour_it_joins(text: str) -> None:
    for found in re.finditer("[\u200c\u200d]", cleaned := clean(text)):
        around = cleaned[found.start() - 1], cleaned[found.end()]
        assert not any(c.isascii() or c.isspace() for c in around)


ORDINARY = st.characters(
    categories=("L", "N", "P", "S", "Zs"),
    include_characters="\n\t",
    exclude_characters="\u115f\u1160\u3164\uffa0",  # letters of Unicode's that show nothing
)


@given(st.text(alphabet=ORDINARY))
def test_ordinary_text_of_any_language_stays_as_it_is(text: str) -> None:
    assert clean(text) == text
    assert hidden_characters(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "مرحبا بالعالم",
        "שלום עולם",
        "می\u200cخواهم",  # noqa: RUF001 - Persian, not Latin
        "क्\u200dष क्\u200cष",  # Devanagari
        "ශ්\u200dරී ලංකා",  # Sinhala
        "র\u200d্য",  # Bengali, joiner before a virama
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
        "\U0001f3f3\ufe0f\u200d\U0001f308 \u2764\ufe0f\u200d\U0001f525",
        "\U0001f9d1\U0001f3fd\u200d\U0001f4bb",
        "1\ufe0f\u20e3 #\ufe0f\u20e3 \xa9\ufe0f",
        "葛\U000e0100飾 \U0002000b\U000e0101 \u2205\ufe00",  # ideographic variants, and one of a sign
        "ᠠ\u180eᠠ",
        "\u1112\u1160\u11ab \u115f\u1161",  # Korean syllables of which a part is not written
        "漢字とかな, é, e\u0301, ﬁ",
    ],
    ids=ascii,
)
def test_joiners_and_selectors_that_belong_to_the_writing_stay(text: str) -> None:
    """C107: ordinary Arabic and Hebrew text stays as it is."""
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("ok\x00bad", r"ok\x00bad"),
        ("\x1b[2K\x1b[32mvalid\x1b[0m", r"\x1b[2K\x1b[32mvalid\x1b[0m"),
        ("a\rb\bc\x0c", r"a\rb\x08c\x0c"),
        ("a\r\nb\tc\n", "a\nb\tc\n"),
        ("a\u2028b\u2029c\x85", r"a\u2028b\u2029c\x85"),
        ("ship it \ud83d", "ship it \ufffd"),
        ("\u202edilav\u202c \u2066x\u2069 \u200f \u061c \u0645", "dilav x   \u0645"),
        ("a\U000e0041\U000e007fb", "ab"),
        ("@\u200bocto\u200dcat\u2060\ufeff", "@octocat"),
        ("co\xadoperate", "cooperate"),
        ("a\ufe0f\ufe01\ufe02b", "ab"),
        ("漢\ufe00\ufe01", "漢\ufe00"),
        ("\U0001f469\U000e0158\U0001f469\U000e0169 م\U000e0148", "\U0001f469\U0001f469 م"),
        ("م\u200c\u200c\u200cب", "م\u200cب"),
        ("م\u200c\u200dب", "م\u200cب"),
        ("م\u200d @x", "م @x"),
        ("\U0001f469\u200d", "\U0001f469"),
        ("\u200d", ""),
        ("a\u3164b\uffa0c \u115f\u1160 \u17b4\u17b5", "abc  "),
        ("x\U000e0080\U000e01f0\U000e0fffy", "xy"),
        ("a\ufffe\uffffb", r"a\ufffe\uffffb"),
    ],
    ids=ascii,
)
def test_what_acts_or_hides_is_shown_or_gone(text: str, cleaned: str) -> None:
    """C077, C095, C107."""
    assert clean(text) == cleaned


def test_removed_bidi_controls_and_tags_are_named_for_a_notice() -> None:
    """C107."""
    assert hidden_characters(f"a{BIDI}b\U000e0041") == tuple(
        (f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}") for c in [*BIDI, "\U000e0041"]
    )
    assert hidden_characters("a\u200bb") == ()


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("src/a b.py", "src/a b.py"),
        ("src/café 漢 \U0001f469\u200d\U0001f4bb", "src/café 漢 \U0001f469\u200d\U0001f4bb"),
        ("new\nline\tx\r", r"new\nline\x09x\r"),
        ("a\u202edilav\u202c", r"a\u202edilav\u202c"),
        ("a\u200bb\u3164\xad\ufeff", r"a\u200bb\u3164\xad\ufeff"),
        ("a\u200db\ufe0f", r"a\u200db\ufe0f"),
        ("\x1b[31m\U000e0041", r"\x1b[31m\U000e0041"),
    ],
    ids=ascii,
)
def test_all_of_a_name_is_to_be_seen(name: str, spelled: str) -> None:
    """C107."""
    assert spell_name(name) == spelled


@given(TEXTS)
def test_cleaning_takes_nothing_more_out_of_a_spelled_name(name: str) -> None:
    spelled = spell_name(re.sub("[\ud800-\udfff]", "", name))
    assert clean(spelled) == spelled
    assert "\n" not in spelled


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        ("café.py".encode(), "café.py"),
        (b"bad\xff.py", r"bad\xff.py"),
        (rb"bad\xff.py", r"bad\\xff.py"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
        (b"tab\tx.py", "tab\tx.py"),
    ],
    ids=ascii,
)
def test_paths_are_spelled_as_text(path: bytes, spelled: str) -> None:
    """C028."""
    assert spell_path(path) == spelled


def read_back(spelled: str) -> bytes:
    def one(found: re.Match[str]) -> str:
        return "\\" if found[0] == "\\\\" else chr(0xDC00 + int(found[1], 16))

    return re.sub(r"\\\\|\\x([0-9a-f]{2})", one, spelled).encode("utf-8", "surrogateescape")


@given(st.binary(max_size=12) | st.text(alphabet="\\x4f\xe9", max_size=9).map(lambda text: text.encode()))
def test_no_two_paths_are_spelled_alike(path: bytes) -> None:
    assert read_back(spell_path(path)) == path
