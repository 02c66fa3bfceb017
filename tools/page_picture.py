"""Makes `docs/images/page.png`: the demo's report as a page, one capsule unfolded, photographed by Chromium.

Run `make demo` first, then `.venv/bin/python tools/page_picture.py`. Needs Chromium.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PICTURE = PROJECT / "docs" / "images" / "page.png"
REPORT = PROJECT / "demo" / "report.html"
WINDOW = "1100,960"


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(REPORT.read_text("utf-8").replace("<details>", "<details open>", 1), "utf-8")
        chromium = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        options = [f"--window-size={WINDOW}", f"--screenshot={PICTURE}", f"--user-data-dir={folder}/profile"]
        subprocess.run([*chromium, *options, page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
