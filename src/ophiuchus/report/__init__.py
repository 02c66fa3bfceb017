"""The report: its model, how a commit is judged into one, and the gate."""

from __future__ import annotations
