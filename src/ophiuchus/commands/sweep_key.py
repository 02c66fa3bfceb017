"""What tells the issues and the digests of several sweeps of one repository apart, where nobody says it."""

from __future__ import annotations


def sweep_key(path: str, capsules: str) -> str:
    """The key of a sweep of the checkout at `path`, of what the glob `capsules` names."""
    return f"{path}\n{capsules}"
