"""The verbs of the command line, one module each; they join what the rooms do not know of each other."""

from __future__ import annotations
