"""Run one `ophiuchus` command in this process and write what it cost: watched.py USAGE_FILE ARGUMENT..."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from ophiuchus.cli import console


def main() -> None:
    """Run the command; the usage file is written whatever it ends with."""
    usage_file = Path(sys.argv.pop(1))
    try:
        sys.exit(console())
    finally:
        own = resource.getrusage(resource.RUSAGE_SELF)
        git = resource.getrusage(resource.RUSAGE_CHILDREN)
        usage_file.write_text(
            json.dumps(
                {
                    "own_cpu": own.ru_utime + own.ru_stime,
                    "git_cpu": git.ru_utime + git.ru_stime,
                    "own_peak_mb": _peak_kilobytes() / 1000,
                }
            )
        )


def _peak_kilobytes() -> int:
    """The most memory this process had since it was started; `ru_maxrss` would count who started it, too."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main()
