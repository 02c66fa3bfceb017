"""GitHub's API: one client, and what this program keeps there (a comment, an issue)."""

from __future__ import annotations
