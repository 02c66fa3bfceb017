"""A canary in every variable that holds a credential, and every form in which it could be told."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

from ophiuchus.publish.capability import CAPABILITIES

TOKEN_COMMAND = "OPHIUCHUS_TEAMS_TOKEN_COMMAND"


def _canary(name: str) -> str:
    """A value of its own for each variable, with characters that URLs and JSON spell otherwise."""
    return f'{name[::-1].lower()[:14]}/"+%&Kanari-{sum(name.encode()):05d}'


CREDENTIALS = {
    name: _canary(name)
    for capability in CAPABILITIES.values()
    for group in capability.variables
    for name in group
    if name != TOKEN_COMMAND
}
JOB_TOKEN = _canary("GITHUB_TOKEN")
CANARIES = {**CREDENTIALS, "GITHUB_TOKEN": JOB_TOKEN}


def forms(secret: str) -> Iterator[str]:
    """`secret` as it is, as URLs and JSON spell it, and what base64 makes of it wherever it begins."""
    yield secret
    yield quote(secret, safe="")
    yield quote(secret)
    yield quote_plus(secret)
    yield json.dumps(secret)[1:-1]
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):
            # Only what the secret alone decides: the first and the last characters hold bits of others.
            whole = encode(b"\0" * before + secret.encode()).decode("ascii").rstrip("=")
            yield whole[(0, 2, 3)[before] : -1]


def told(text: str) -> list[str]:
    """The variables whose canary is in `text`, in any form."""
    return [name for name, secret in CANARIES.items() if any(form in text for form in forms(secret))]
