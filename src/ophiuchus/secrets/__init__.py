"""The one secret scan: rules of our own, told by name and place, never by value."""

from __future__ import annotations
