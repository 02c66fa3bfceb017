"""The one door to git: checkout facts, a scratch repository, globs and tree comparison."""

from __future__ import annotations
