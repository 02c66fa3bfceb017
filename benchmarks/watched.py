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
                    "own_peak_mb": own.ru_maxrss / 1000,
                }
            )
        )


if __name__ == "__main__":
    main()
