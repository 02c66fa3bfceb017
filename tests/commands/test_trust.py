from __future__ import annotations

from pathlib import Path

import certifi
import pytest
from self_signed import self_signed

from ophiuchus.commands.trust import MOST_BYTES, trusting
from ophiuchus.publish.providers.connection import trusted_certificates
from ophiuchus.text.authorities import UnusableCertificates


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return self_signed(tmp_path).file


def authorities(env: dict[str, str]) -> int:
    """How many authorities a provider trusts in this environment."""
    return trusted_certificates(env).cert_store_stats()["x509_ca"]


def test_providers_trust_it_beside_the_usual_ones_while_the_block_lasts(private: Path) -> None:
    with trusting(private, {"PATH": "p"}) as env:
        assert env["PATH"] == "p"
        assert authorities(dict(env)) == authorities({}) + 1
        file = Path(env["SSL_CERT_FILE"])
        assert file.read_text().startswith(Path(certifi.where()).read_text())
    assert not file.parent.exists()


def test_it_is_added_to_the_file_that_the_environment_names_already(private: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = self_signed(tmp_path / "other").file
    with trusting(private, {"REQUESTS_CA_BUNDLE": str(other)}) as env:
        assert authorities(dict(env)) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_a_bundle_may_name_its_authorities_in_any_encoding(private: Path, encoding: str) -> None:
    private.write_bytes("# F\xe1brica Nacional\r\n".encode(encoding) + private.read_bytes())
    with trusting(private, {}) as env:
        assert authorities(dict(env)) == authorities({}) + 1


@pytest.mark.parametrize(
    "content", [b"", b"words", b"\xff\xfe", "W\xf6rter".encode(), b"-----BEGIN CERTIFICATE-----\nAAAA\n"]
)
def test_what_holds_no_certificate_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "ca.pem"
    file.write_bytes(content)
    with pytest.raises(UnusableCertificates, match="ca_bundle"), trusting(file, {}):
        pass


def test_a_file_that_is_far_too_long_is_refused(private: Path) -> None:
    with private.open("ab") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UnusableCertificates), trusting(private, {}):
        pass


def test_the_environments_own_file_is_named_where_that_is_the_one_that_cannot_be_used(private: Path) -> None:
    with (
        pytest.raises(UnusableCertificates, match="SSL_CERT_FILE"),
        trusting(private, {"SSL_CERT_FILE": "/absent/ca.pem"}),
    ):
        pass
