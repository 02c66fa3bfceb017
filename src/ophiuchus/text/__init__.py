"""Untrusted text: reading it strictly, cleaning it, printing it harmlessly."""

from __future__ import annotations
