"""The one form of a service's address."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.text.web_address import NotAWebAddress, parse_web_address


@pytest.mark.parametrize(
    ("text", "origin", "path"),
    [
        ("https://api.example", "https://api.example", ""),
        ("https://API.Example:443//", "https://api.example", ""),
        ("https://api.example:8443/Api/v3/", "https://api.example:8443", "/Api/v3"),
        ("http://127.0.0.1:80/x", "http://127.0.0.1", "/x"),
        ("http://127.0.0.1:443", "http://127.0.0.1:443", ""),
        ("http://[::1]:4010", "http://[::1]:4010", ""),
        ("https://[2001:DB8::1]/ex/jira/0a-b", "https://[2001:db8::1]", "/ex/jira/0a-b"),
        ("https://[2001:0db8:0:0::0001]:443", "https://[2001:db8::1]", ""),
    ],
)
def test_an_address_has_one_spelling(text: str, origin: str, path: str) -> None:
    address = parse_web_address(text)
    assert (address.origin, address.path) == (origin, path)
    assert str(address) == origin + path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.example",
        "http://api.example",
        "http://localhost:80",
        "http://127.0.0.1.evil.example",
        "https://user@api.example",
        "https://api.example?x",
        "https://api.example#x",
        "https://api.example/a/../b",
        "https://api.example/.",
        "https://api.example/a//b",
        "https://api.example/%2e",
        "https://api.example\n",
        "https://.example",
        # Ways to spell an address that has another spelling: two of them would be two claims on one place.
        "https://api.example:0443",
        "http://127.0.0.1:08931",
        "http://127.0.0.01:8931",
        "https://api..example",
        # Nothing can be there.
        "https://api.example:0",
        "https://api.example:65536",
        "https://[1::2::3]",
        "https://[....]",
        "http://127.0.0.256",
    ],
)
def test_everything_else_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(NotAWebAddress) as refusal:
        parse_web_address(text)
    assert not text or text not in str(refusal.value)


@given(st.text(max_size=60) | st.from_regex(r"\Ahttps://[A-Za-z0-9.:/~\[\]-]{0,40}", fullmatch=True))
def test_what_is_accepted_reads_the_same_again(text: str) -> None:
    with suppress(NotAWebAddress):
        address = parse_web_address(text)
        assert parse_web_address(str(address)) == address
