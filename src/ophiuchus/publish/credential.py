"""A credential out of the environment: stripped, and one that can be sent as a header without surprise.

A trailing newline alone makes three SDKs fail before they send and one send a wrong Basic header
(facts/providers.md §0, 6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ophiuchus.publish.provider import CredentialMissing

_USABLE = re.compile(r"[!-~]{1,8192}")
"""Printable ASCII without blanks. A delegated Microsoft token has a few thousand characters."""
_STAND_IN = re.compile(r"""(?P<quote>["'`]).*(?P=quote)|<.*>|\{.*\}|\$\{?\w+\}?|\*+""", re.ASCII)
"""What comes of a pasted line, a variable that no shell spelled out, a masked log, or an example."""


def read_credential(env: Mapping[str, str], name: str) -> str:
    """The stripped value of variable `name`. Raises CredentialMissing, which never shows the value."""
    value = env.get(name, "").strip()
    if not value:
        raise CredentialMissing(f"{name} is not set", f"Set {name} from a secret of the publishing job.")
    if _STAND_IN.fullmatch(value):
        raise CredentialMissing(
            f"{name} is in quotes, or stands for a value", f"Set {name} to the credential itself."
        )
    if _USABLE.fullmatch(value) is None:
        raise CredentialMissing(
            f"{name} holds characters that no credential has",
            f"Set {name} anew: one line of printable ASCII, without blanks.",
        )
    return value
