"""A process that appends rows to a ledger and says of each, on stdout, that it is on the disk."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ophiuchus.ledgers.append import hold


def append_row(root: Path, place: PurePosixPath, row: Mapping[str, Any]) -> None:
    with hold(root, place) as ledger:
        ledger.append(row, compact=True)


def main(root: str, place: str, writer: str, rows: int) -> None:
    for number in range(rows):
        append_row(
            Path(root),
            PurePosixPath(place),
            {"writer": writer, "number": number, "text": "x" * (number % 50 * 100)},
        )
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
