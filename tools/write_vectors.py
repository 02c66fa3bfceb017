"""Writes the vectors below `conformance/` from their definitions in `tools/vectors/`: `make docs` runs it."""

from __future__ import annotations

import shutil
from pathlib import Path

from vectors import of_change, of_files, of_globs, of_paths, of_tracks, of_verdicts
from vectors.vector import Vector

FOLDER = Path(__file__).parents[1] / "conformance" / "vectors"


def all_vectors() -> tuple[Vector, ...]:
    """Every vector, by name."""
    modules = (of_files, of_paths, of_globs, of_verdicts, of_tracks, of_change)
    found = (one for module in modules for one in module.vectors())
    return tuple(sorted(found, key=lambda vector: vector.name))


def main() -> None:
    """Write them all anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for vector in all_vectors():
        folder = FOLDER / vector.name
        folder.mkdir(parents=True)
        for name, content in vector.files.items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
