"""Renderers: one module per surface, inert by construction."""

from __future__ import annotations
