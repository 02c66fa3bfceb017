"""The surface of a workflow run: inputs, event, summary, annotations, command files."""

from __future__ import annotations
