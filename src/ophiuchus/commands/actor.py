"""Who a command acts for: the name that is kept beside what it changes."""

from __future__ import annotations

from collections.abc import Mapping

from ophiuchus.secrets.scan import scan_text
from ophiuchus.text.problem import ExpectedFailure

SOMEBODY = "somebody"
"""Who it was, where nobody says so."""


class NameLooksSecret(ExpectedFailure):
    """What is given as a name is more likely a secret; it is not repeated."""


def actor_of(env: Mapping[str, str], given: str | None = None) -> str:
    """The name that was given, else GITHUB_ACTOR, else SOMEBODY. Raises NameLooksSecret."""
    name = given or env.get("GITHUB_ACTOR") or SOMEBODY
    if scan_text(name):
        raise NameLooksSecret(
            "the name of who does it looks like it holds a secret, and would be kept",
            f"Give a login as {'--by' if given else 'GITHUB_ACTOR'}.",
        )
    return name
