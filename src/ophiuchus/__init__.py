"""Ophiuchus: which of a repository's committed agent hand-offs are still true."""

from __future__ import annotations

__version__ = "0.1.0"
