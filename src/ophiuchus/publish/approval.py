"""Who said that it may be published: a person, by the digest, or the list for what nobody approves."""

from __future__ import annotations

import re

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.target import NotATarget, parse_target
from ophiuchus.text.problem import ExpectedFailure

ALLOWED_TARGETS = "OPHIUCHUS_ALLOWED_TARGETS"
"""The variable, kept beside the credential, that lists where may be published without approval."""
UNATTENDED = "none"
"""What `approve` says where no person approved."""

_DIGEST = re.compile(r"[0-9a-f]{64}")


class UnusableApproval(ExpectedFailure):
    """`approve` is neither a digest nor `none`. Blank is refused: it is what a forgotten output gives."""

    def __init__(self) -> None:
        super().__init__(
            "approve is neither a view digest (64 hex digits) nor none",
            f"Give the digest that the preview printed, or {UNATTENDED} where no person approves.",
        )


class UnusableAllowance(ExpectedFailure):
    """An entry of the list of allowed targets is none. It is told by its number: the list may be a secret."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(
            f"entry {number} of {ALLOWED_TARGETS} {reason}",
            "Write a comma list of PROVIDER:TARGET, such as github:owner/name.",
        )


def parse_approval(text: str) -> str | None:
    """The approved digest; None for `none`: unattended. Raises UnusableApproval."""
    if text == UNATTENDED:
        return None
    if not _DIGEST.fullmatch(text.lower()):
        raise UnusableApproval
    return text.lower()


def parse_allowed_targets(text: str) -> frozenset[tuple[ProviderName, str]]:
    """The targets in a comma list of `provider:target`, in their one spelling. Raises UnusableAllowance."""
    entries = (entry.strip() for entry in text.split(","))
    return frozenset(_allowed(number, entry) for number, entry in enumerate(entries, 1) if entry)


def _allowed(number: int, entry: str) -> tuple[ProviderName, str]:
    name, _, target = entry.partition(":")
    try:
        provider = ProviderName(name)
    except ValueError:
        raise UnusableAllowance(number, f"names no provider ({', '.join(ProviderName)})") from None
    try:
        return provider, parse_target(provider, target)
    except NotATarget as refused:
        raise UnusableAllowance(number, refused.message) from None
