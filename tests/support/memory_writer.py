"""A process that appends entries to the memory and says of each, on stdout, that it is on the disk."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from ophiuchus.ledgers.jsonl import Profile
from ophiuchus.ledgers.memory.family import Family
from ophiuchus.ledgers.memory.store import Memory, new_entry

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
"""Every process writes in this second, so that all archives want one name."""


def main(root: str, writer: str, entries: int, most_lines: int) -> None:
    memory = Memory(Path(root), Profile.COMPAT, most_lines, f"writer {writer}")
    for number in range(entries):
        fields = {
            "impact_score": 1,
            "text": f"writer {writer} entry {number}",
            "pattern_id": "p",
            "applies_to": [],
        }
        entry = new_entry(Family.PATTERNS, fields, NOW, str(uuid4()))
        memory.append(Family.PATTERNS, entry, NOW)
        sys.stdout.write(f"{entry['entry_id']}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
