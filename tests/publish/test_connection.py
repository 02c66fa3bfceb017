from __future__ import annotations

import ssl
from pathlib import Path

import certifi
import pytest

from ophiuchus.publish.providers.connection import (
    Proxy,
    UnusableProxy,
    proxy_for,
    trusted_certificates,
)
from ophiuchus.text.authorities import UnusableCertificates

ORIGIN = "https://slack.com/api"
PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("value", [PROXY, "proxy.example:3128", f"{PROXY}/"])
def test_a_proxy_is_taken_from_the_given_environment(name: str, value: str) -> None:
    assert proxy_for(ORIGIN, {name: value}) == Proxy("proxy.example", 3128)


def test_the_process_environment_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", PROXY)
    assert proxy_for(ORIGIN, {}) is None


def test_loopback_is_never_asked_for_through_a_proxy() -> None:
    assert proxy_for("http://127.0.0.1:8080", {"https_proxy": PROXY, "http_proxy": PROXY}) is None


@pytest.mark.parametrize(
    ("exceptions", "excepted"),
    [
        ("slack.com", True),
        ("example.org, SLACK.com", True),
        (".slack.com", True),
        ("*.slack.com", True),
        ("com", True),
        ("slack.com:443", True),
        ("*", True),
        ("slack.com:8443", False),
        ("lack.com", False),
        ("slack.com.example", False),
        ("", False),
        (",", False),
    ],
)
def test_no_proxy_is_honoured(exceptions: str, excepted: bool) -> None:
    found = proxy_for(ORIGIN, {"https_proxy": PROXY, "NO_PROXY": exceptions})
    assert (found is None) is excepted


def test_a_proxys_login_becomes_a_header_that_is_not_shown() -> None:
    proxy = proxy_for(ORIGIN, {"https_proxy": "http://user:p%40ss@proxy.example:3128"})
    assert proxy is not None
    assert proxy.headers == {"Proxy-Authorization": "Basic dXNlcjpwQHNz"}
    assert "dXNlcjpwQHNz" not in repr(proxy)


@pytest.mark.parametrize(
    "value", ["socks5://proxy.example", "https://proxy.example", "http://", "http://x:99999"]
)
def test_an_unusable_proxy_is_not_gone_round(value: str) -> None:
    with pytest.raises(UnusableProxy) as told:
        proxy_for(ORIGIN, {"https_proxy": value})
    assert "https_proxy" in told.value.message


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_the_named_authorities_are_the_only_ones(name: str, tmp_path: Path) -> None:
    one = tmp_path / "one.pem"
    first, end = Path(certifi.where()).read_text().partition("-----END CERTIFICATE-----")[:2]
    one.write_text(first + end + "\n")
    found = trusted_certificates({name: str(one)})
    assert len(found.get_ca_certs()) == 1
    assert found.verify_mode is ssl.CERT_REQUIRED
    assert len(trusted_certificates({}).get_ca_certs()) > 50


@pytest.mark.parametrize("written", [None, b"", b"no certificate", b"\0"])
def test_unusable_authorities_are_told_by_their_variable(written: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "authorities.pem"
    if written is not None:
        file.write_bytes(written)
    with pytest.raises(UnusableCertificates, match="SSL_CERT_FILE"):
        trusted_certificates({"SSL_CERT_FILE": str(file), "REQUESTS_CA_BUNDLE": certifi.where()})
    with pytest.raises(UnusableCertificates, match="SSL_CERT_FILE"):
        trusted_certificates({"SSL_CERT_FILE": "a\0b"})
