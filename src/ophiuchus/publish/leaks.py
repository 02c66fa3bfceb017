"""Secrets in what would be published: looked for where the sender wrote it, and in what is sent.

In what is sent a secret may stand broken, by what makes it inert; where it was written it is whole. In what
is sent there are also words that no capsule holds, such as the names of changed files.
"""

from __future__ import annotations

from ophiuchus.capsule.model import Capsule
from ophiuchus.publish.payload import Payload
from ophiuchus.secrets.scan import scan_text, scan_value


def leaks_of_capsule(capsule: Capsule) -> tuple[str, ...]:
    """Each kind of secret in any field of the capsule, with the field; never a value."""
    return tuple(map(str, scan_value(capsule.model_dump(mode="json"))))


def leaks_of_payload(payload: Payload) -> tuple[str, ...]:
    """Each kind of secret in what is sent, raw or as people read it; never a value."""
    found = (*scan_value(dict(payload.content)), *scan_text(payload.readable))
    return tuple(dict.fromkeys(map(str, found)))
