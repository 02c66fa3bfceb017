"""The certificate authorities of the input `ca_bundle`, trusted beside the usual ones for one step.

Every way out (GitHub's API, git, the providers) reads one variable for that; here it gets a file that holds
both, and that is gone afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ophiuchus.text.authorities import VARIABLES, UnusableCertificates, authorities_variable

MOST_BYTES = 4 << 20
"""Most bytes of a file of authorities; all the usual ones together are a quarter of a megabyte."""


@contextmanager
def trusting(ca_bundle: Path, env: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """`env` as it is for a run that also trusts the authorities of `ca_bundle`, while the block lasts.

    Raises UnusableCertificates.
    """
    added = _authorities(ca_bundle, "ca_bundle")
    with TemporaryDirectory(prefix="ophiuchus-trust-") as folder:
        joined = Path(folder, "authorities.pem")
        joined.write_text(f"{_usual(env)}\n{added}", "utf-8")
        yield {**env, **dict.fromkeys(VARIABLES, str(joined))}


def _usual(env: Mapping[str, str]) -> str:
    name = authorities_variable(env)
    if name is not None:
        return _authorities(Path(env[name]), name)
    import certifi

    return certifi.contents()


def _authorities(file: Path, name: str) -> str:
    """The file's text, which the TLS library has read. `name` is what named it.

    Beside the certificates, which are ASCII, a bundle has the names of authorities in whatever encoding: what
    of them is not ASCII goes.
    """
    import ssl

    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        text = content.decode("ascii", "ignore")
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text)
    except (OSError, ValueError):  # not there, no file, no certificate
        raise UnusableCertificates(name) from None
    if len(content) > MOST_BYTES:
        raise UnusableCertificates(name)
    return text
