"""How much of what is wrong with a ledger is looked at: what is good costs little, what is wrong costs a lot.

A line with a fault is read again with care, to say what is wrong and where, which takes up to a thousand
times as long. Whoever commits a file chooses what stands in it: the time that it takes has to end.
"""

from __future__ import annotations

from dataclasses import dataclass

from ophiuchus.text.wording import counted

MOST_FAULTS = 20_000
"""Most faults that are looked at in one judging, of all its files."""
MOST_FAULTY_BYTES = 4 << 20
"""Most bytes of lines with faults that are looked at in one judging."""


@dataclass(slots=True)
class Patience:
    """What is left of both in one judging. `passed_over` counts the lines that nobody looked at."""

    faults: int = MOST_FAULTS
    faulty_bytes: int = MOST_FAULTY_BYTES
    passed_over: int = 0

    def is_left(self) -> bool:
        """Whether one more line that may be wrong is to be looked at; where it is not, it is counted."""
        left = self.faults > 0 and self.faulty_bytes > 0
        self.passed_over += not left
        return left

    def spend(self, line: bytes, faults: int = 1) -> None:
        """Count a line with faults that was looked at."""
        self.faults -= faults
        self.faulty_bytes -= len(line)

    def reckon(self) -> int:
        """How many lines were passed over since this was asked last."""
        number, self.passed_over = self.passed_over, 0
        return number


def not_looked_at(lines: int) -> str:
    """What is said of lines that were passed over."""
    be = "was" if lines == 1 else "were"
    return (
        f"{counted(lines, 'more line')} that may be wrong {be} not looked at: at most {MOST_FAULTS:,} faults "
        f"and {MOST_FAULTY_BYTES >> 20} MiB of faulty lines are; put the first ones right, and judge it again"
    )
