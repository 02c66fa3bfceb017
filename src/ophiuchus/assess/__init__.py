"""Verdicts: pure functions from a capsule, what git found and a moment to what holds."""

from __future__ import annotations
