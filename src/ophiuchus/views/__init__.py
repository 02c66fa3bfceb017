"""Views: a neutral document, its composers, and one renderer per surface."""

from __future__ import annotations
