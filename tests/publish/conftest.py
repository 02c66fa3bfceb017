from __future__ import annotations

from pathlib import Path

import certifi
import pytest


@pytest.fixture(scope="session")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Few authorities to trust: to read all of them takes longer than a whole attempt."""
    few = tmp_path_factory.mktemp("certificates") / "few.pem"
    begin = "-----BEGIN CERTIFICATE-----"
    few.write_text(begin + Path(certifi.where()).read_text().split(begin)[1])
    return {"SSL_CERT_FILE": str(few)}
