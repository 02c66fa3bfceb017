"""Where the scan looks, and what it tells."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from ophiuchus.secrets.scan import MOST_FINDINGS, Finding, may_hold_any, scan_text, scan_value
from ophiuchus.text.clean import clean

GITHUB = "gh" + "p_" + "C3d4" * 9
OTHER = "gh" + "p_" + "E5f6" * 9
OPENAI = "sk" + "-" + "G7h8" * 8
LONG = "aB3xK9" * 6


def pem(kind: str = "") -> str:
    return f"-----BEGIN {kind}PRIVATE" + " KEY-----\nAAAA"


def test_c014_a_prefix_inside_a_word_is_no_token() -> None:
    assert scan_text("task-runner-2026 reads risk-based plans; see disk-watch.timer, desk-side-001") == ()
    assert scan_text("mask-rcnn-v2, graphp_node") == ()
    assert scan_text("ask-me-42 and a graph tool named graphp_x") == ()
    assert scan_text(f"use {OPENAI[:27]}, please") == ("api key",)
    assert scan_text("a" + GITHUB) == ()
    assert scan_text("_" + GITHUB) == ()
    assert scan_text("-" + GITHUB) == ("github token",)


def test_c083_every_string_is_scanned_known_field_or_not() -> None:
    row: dict[str, Any] = {
        "text": "clean",
        "tags": [GITHUB],
        "provenance_ref": f"see {GITHUB}",
        "meta": {"client_secret": "q9" * 12, "deeper": [[{"db_password": "Xk9mQ2vL!"}]]},
    }
    assert [str(finding) for finding in scan_value(row)] == [
        "github token at tags[0]",
        "github token at provenance_ref",
        "named secret at meta.client_secret",
        "password at meta.deeper[0][0].db_password",
    ]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
@pytest.mark.parametrize("before", ["", "x", "xy", '{"type":"service_account","private_key":"'])
def test_c085_a_key_in_base64_is_found_whatever_stands_around_it(kind: str, before: str) -> None:
    blob = base64.b64encode((before + pem(kind)).encode()).decode()
    assert scan_text(f"key={blob}") == ("private key",)
    assert scan_text(f"word {blob} word") == ("private key",)
    header = base64.b64encode((before + pem(kind)).partition("\n")[0].encode()).decode()
    assert scan_text(header) == ("private key",)


@pytest.mark.parametrize("fold", ["\n", "\r\n", "\n    ", "\\n"])
@pytest.mark.parametrize("width", [64, 76])
def test_c085_folded_base64_is_found(fold: str, width: int) -> None:
    for length in range(60):
        blob = base64.b64encode(("#" * length + pem("OPENSSH ") + "A" * 200).encode()).decode()
        lines = fold.join(blob[start : start + width] for start in range(0, len(blob), width))
        assert scan_text(lines) == ("private key",), length


@pytest.mark.parametrize("before", ["a", "ab", "abc"])
def test_c085_base64_is_found_behind_other_letters(before: str) -> None:
    blob = base64.b64encode(f"see {GITHUB}".encode()).decode()
    assert scan_text(f"data: {before}{blob}") == ("github token",)


def test_c085_a_token_in_base64_is_found() -> None:
    for before in ("", "x", "xy"):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            blob = encode(f"{before} {GITHUB}".encode()).decode()
            assert scan_text(f"data: {blob}") == ("github token",)


def test_c086_all_secrets_of_a_text_are_told_and_counted() -> None:
    assert scan_text(f"{GITHUB} {OPENAI}") == ("github token", "api key")
    assert scan_value({"text": f"{GITHUB} {OTHER}"}) == (Finding("github token", ("text",), 2),)
    assert scan_text("x" * 65530 + " " + GITHUB) == ("github token",)


def test_c116_a_placeholder_is_a_whole_value_or_a_word() -> None:
    assert scan_text("api_" + "key=latest9f3aK2manifest7Qz0Lm4") == ("named secret",)
    assert scan_text("api_" + "key=fake9f3aK2example7Qz0Lm4test") == ("named secret",)
    assert scan_text("api_" + "key=test-9f3aK2x7Qz0Lm4pB8") == ("named secret",)
    assert scan_text("api_" + "key=test-manifest-of-2026") == ()
    for placeholder in ("<YOUR_KEY>", "<TOKEN>", "your_token_here", "xxxxxxxxxxxxxxxx", "changeme", "${KEY}"):
        assert scan_text("api_" + f"key={placeholder}") == ()


@pytest.mark.parametrize(
    "hiding",
    [
        "\u200b",
        "\u200d",
        "\u2060",
        "\ufeff",
        "\xad",
        "\u202e",
        "\u2066",
        "\U000e0041",
        "\ufe0f",
        "\x00",
        "\x08",
        "\x1b",
    ],
    ids=lambda text: f"U+{ord(text):04X}",
)
@pytest.mark.parametrize("at", [2, 4, 20])
def test_a_character_that_hides_does_not_hide_a_secret(hiding: str, at: int) -> None:
    split = GITHUB[:at] + hiding + GITHUB[at:]
    assert scan_text(f"see {split}") == ("github token",)
    assert scan_value({"evidence": ["fine", split]}) == (Finding("github token", ("evidence", 1)),)


def test_no_character_that_cleaning_takes_out_hides_a_secret() -> None:
    """What a reader of any view sees whole is told, whichever character parts it in the file."""
    taken_out = [one for block in range(0, 0x110000, 256) for one in _taken_out(block, block + 256)]
    assert len(taken_out) > 4_000
    missed = [f"U+{ord(one):04X}" for one in taken_out if not scan_text(GITHUB[:9] + one + GITHUB[9:])]
    assert not missed


def _taken_out(first: int, end: int) -> list[str]:
    """The characters of these codes that cleaning leaves nothing of between letters."""
    characters = [chr(number) for number in range(first, end)]
    together = "a".join(characters)
    if clean(together) == together:
        return []
    return [one for one in characters if clean(f"a{one}a") == "aa"]


def test_a_split_secret_is_found_in_every_reading_that_shows_it_whole() -> None:
    assert scan_text(f"x\x1b{GITHUB[:2]}\u200b{GITHUB[2:]}") == ("github token",)
    assert scan_text(f"{GITHUB[:2]}\u200bp%5F{GITHUB[4:]}") == ("github token",)


def test_a_secret_split_in_many_places_is_found() -> None:
    assert scan_text("\u200b".join(GITHUB)) == ("github token",)
    assert scan_text("\U000e0020".join("pass" + "word=Xk9mQ2vL7!")) == ("password",)


@pytest.mark.parametrize(
    "before", [r"\n", r"\t", "%20", "%3D", r"\u003d", "\x1b[31m", "[0;32m", '"', "=", "/", "é"]
)
def test_what_an_escape_ends_with_is_no_letter_of_a_word(before: str) -> None:
    assert scan_text(f"x{before}{GITHUB}") == ("github token",)


@pytest.mark.parametrize(
    "spelling",
    [
        lambda token: token.replace("_", "%5F"),
        lambda token: "".join(f"%{ord(one):02x}" for one in token),
        lambda token: f"https://example.org/?next=%2Fx%3Ftoken%3D{token}",
        lambda token: token.replace("_", r"\_"),
        lambda token: token.replace("_", "&#95;"),
        lambda token: token.replace("_", "&lowbar;"),
        lambda token: token.replace("g", r"\u0067", 1),
        lambda token: "".join(chr(ord(one) + 0xFEE0) for one in token),
        lambda token: f"{token[:20]}\n{token[20:]}",
        lambda token: f"{token[:20]}\\\r\n  {token[20:]}",
        lambda token: f"> {token[:25]}\n> {token[25:]}",
        lambda token: f"{token[:18]}\u200b\n{token[18:]}",
    ],
)
def test_a_token_in_another_spelling_is_found(spelling: Callable[[str], str]) -> None:
    assert scan_text(f"see {spelling(GITHUB)} there") == ("github token",)
    assert scan_value({"text": spelling(GITHUB)}) == (Finding("github token", ("text",)),)


@pytest.mark.parametrize(
    "text",
    ["pass" + "word%3DXk9mQ2vL7z%26x", "pass" + "word=&quot;Xk9mQ2vL7!&quot;",
     r"DB\_PASS" + "WORD: Xk9mQ2vL7z", "pass" + "word\uff1aXk9mQ2vL7z"],
)  # fmt: skip
def test_a_password_in_another_spelling_is_found(text: str) -> None:
    assert scan_text(text) == ("password",)


@pytest.mark.parametrize(
    "text",
    ["https://example.org/%E2%9C%93?x=%3Ftoken%3Dabc", "%FF%3D", "R&amp;D token&#58; rotated nightly",
     r"C:\_work\token_2",
     "token" + "=verylongidentifiername\n5x9K2m7Qz4b8R1",
     "50%20off password%3A%20see%20wiki", "sk-\nlearn2\nimage3", "a" * 40 + "\n" + "b" * 40,
     "\u5bc6\u7801\uff1a\u89c1 wiki"],
)  # fmt: skip
def test_another_spelling_of_what_is_no_secret_is_none(text: str) -> None:
    assert scan_text(text) == ()


def test_long_words_in_many_texts_are_not_worth_a_scan() -> None:
    assert not may_hold_any(["auto-20260708-01-long", "claude-sonnet-4-6-2026", "5a1c7e02-9b3d-4f60-8a27"])


def test_a_text_with_half_a_character_is_scanned() -> None:
    assert scan_text(f"\ud800 {GITHUB} \udfff") == ("github token",)
    assert scan_text(GITHUB[:9] + "\udc00" + GITHUB[9:]) == ("github token",)


def test_a_name_that_is_a_secret_is_told_by_its_number() -> None:
    found = scan_value({"fine": 1, GITHUB: {"inner": OTHER}})
    assert [finding.where for finding in found] == [("(member 2)",), ("(member 2)", "inner")]


@pytest.mark.parametrize(
    "name",
    ["password", "db_password", "DB_PASSWORD", "smtp-passwd", "PGPASSWORD", "mysql_pwd", "DB_PASS", "pass"],
)
def test_a_member_is_judged_by_its_name(name: str) -> None:
    assert scan_text("Winter2025") == ()
    assert scan_value({name: "Winter2025"}) == (Finding("password", (name,)),)
    assert scan_value({name: ["Winter2025"]}) == (Finding("password", (name, 0)),)
    assert scan_value({name: {"value": "Winter2025"}}) == (Finding("password", (name, "value")),)


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apiKey",
        "client_secret",
        "clientSecret",
        "access_token",
        "X-Api-Key",
        "secret_key_base",
        "JWT_SECRET",
    ],
)
def test_a_member_with_a_programs_secret_is_judged_by_its_name(name: str) -> None:
    assert scan_value({name: LONG}) == (Finding("named secret", (name,)),)


@pytest.mark.parametrize(
    "name",
    [
        "token_count",
        "issue_key",
        "decision_key",
        "secret_name",
        "password_hash",
        "nextPageToken",
        "csrf_token",
        "key",
    ],
)
def test_a_member_whose_name_only_looks_like_it_is_not(name: str) -> None:
    assert scan_value({name: LONG}) == ()


@pytest.mark.parametrize(
    "value",
    ["rotated nightly", "see item 42", "none", "", "required", "${DB_PASSWORD}", "$DB_PASSWORD", "********",
     "<secret>", "process.env.DB_PASSWORD", 'os.environ["X1"]', "secrets.DB_PASSWORD", "{{ password2 }}",
     "vault:db/prod#password2", "2026-07-01T12:00:00Z", "xxxxxxxxxxxx", "changeme", "changeme123",
     "your-password-here", "/run/secrets/db1"],
)  # fmt: skip
def test_a_member_with_a_reference_or_placeholder_is_not(value: str) -> None:
    assert (
        scan_value({"password": value, "api_key": value, "items": [{"name": "TOKEN", "value": value}]}) == ()
    )


def test_a_setting_is_judged_by_the_name_beside_it() -> None:
    documents: list[dict[str, Any]] = [
        {"name": "DB_PASSWORD", "value": "Winter2025"},
        {"value": "Winter2025", "key": "DB_PASSWORD"},
    ]
    for document in documents:
        assert scan_value({"env": [document]}) == (Finding("password", ("env", 0, "value")),)


@pytest.mark.parametrize("value", ['"Winter2025"', "'Winter2025'", "`Winter2025`", 'Win"ter2025'])
def test_quotation_marks_in_a_value_hide_nothing(value: str) -> None:
    assert scan_value({"password": value}) == (Finding("password", ("password",)),)


def test_a_value_with_a_rule_of_its_own_is_told_once() -> None:
    assert scan_text(f"api_key={GITHUB}") == ("github token",)
    assert scan_text(f"Authorization: Bearer {GITHUB}") == ("github token",)
    assert scan_value({"token": GITHUB}) == (Finding("github token", ("token",)),)


def test_other_values_of_json_hold_nothing() -> None:
    values: list[Any] = [
        None,
        True,
        0,
        1.5,
        [],
        {},
        "",
        {"password": 12345678, "token": None, "secret": True},
    ]
    for value in values:
        assert scan_value(value) == ()


def test_findings_are_in_the_documents_order_and_bounded() -> None:
    rows: list[Any] = [{"a": f"fine {number}", "b": GITHUB} for number in range(3 * MOST_FINDINGS)]
    found = scan_value(rows)
    assert [finding.where for finding in found] == [(number, "b") for number in range(MOST_FINDINGS)]


def test_a_place_is_bounded() -> None:
    value: Any = GITHUB
    for number in range(500):
        value = {f"{number}{'n' * 100}": value}
    (finding,) = scan_value(value)
    assert len(finding.where) == 500
    assert len(finding.place) <= 240


def test_any_depth_is_scanned_without_recursion() -> None:
    value: Any = GITHUB
    for _ in range(100_000):
        value = [value]
    (finding,) = scan_value(value)
    assert len(finding.where) == 100_000
    while value:  # let go of one by one, so that nothing recurses here either
        value = value[0] if isinstance(value, list) else None


def test_a_finding_prints_only_its_rule_and_place() -> None:
    (finding,) = scan_value({"validity": [{"note": f"use {GITHUB}"}]})
    assert str(finding) == "github token at validity[0].note"
    assert finding.place == "validity[0].note"
    assert GITHUB not in repr(finding)
    assert str(Finding("password", ())) == "password"
    assert str(Finding("password", ("goal",), 2)) == "password at goal (2 times)"


def test_a_line_of_json_with_an_escape_may_hide_a_secret_from_the_first_look_only() -> None:
    line = json.dumps({"text": GITHUB}).replace("gh", "\\u0067h")
    assert scan_value(json.loads(line)) == (Finding("github token", ("text",)),)
