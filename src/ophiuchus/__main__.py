"""`python -m ophiuchus`: the program by its package's name, where its folder is not on PATH."""

from __future__ import annotations

from ophiuchus.cli import console

if __name__ == "__main__":
    console()
