"""The capsule format: its model, its reading, the shelf of a commit, and capture."""

from __future__ import annotations
