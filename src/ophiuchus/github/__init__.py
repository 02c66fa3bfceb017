"""GitHub's API: one client, and what this program keeps there (the marked comment)."""

from __future__ import annotations
