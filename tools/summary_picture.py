"""Makes `docs/images/summary.png`: the demo's job summary as GitHub lays it out, photographed by Chromium.

Run `make demo` first, then `.venv/bin/python tools/summary_picture.py CSS`, where CSS is the file
`github-markdown-light.css` of the npm package `github-markdown-css`. Needs Chromium.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

PROJECT = Path(__file__).resolve().parents[1]
PICTURE = PROJECT / "docs" / "images" / "summary.png"
REPOSITORY = PROJECT / "demo" / "repository"
WINDOW = "1000,925"


def main(css: Path) -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        summary = Path(folder) / "summary.md"
        run_action(summary)
        page = Path(folder) / "summary.html"
        page.write_text(page_of(summary.read_text("utf-8"), css.read_text("utf-8")), "utf-8")
        PICTURE.parent.mkdir(exist_ok=True)
        chromium = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        options = [f"--window-size={WINDOW}", f"--screenshot={PICTURE}", f"--user-data-dir={folder}/profile"]
        subprocess.run([*chromium, *options, page.as_uri()], check=True, capture_output=True)


def run_action(summary: Path) -> None:
    """Run the action's program on the demo's repository, as a push would."""
    runner = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "INPUT_ANNOTATIONS": "false"}
    place = {"GITHUB_WORKSPACE": str(REPOSITORY), "GITHUB_STEP_SUMMARY": str(summary)}
    python = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(PROJECT / "src"), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "ophiuchus.cli", "action"]
    subprocess.run(command, env={**runner, **place, **python}, check=True, capture_output=True)


def page_of(markdown: str, css: str) -> str:
    """The summary as a page; the first capsule's details stand open."""
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    body = body.replace("<details>", "<details open>", 1)
    frame = "border: 1px solid #d0d7de; border-radius: 6px; padding: 16px 24px; margin: 16px"
    return (
        f'<!doctype html><meta charset="utf-8"><style>{css}\nbody {{ margin: 0; background: #fff }}</style>'
        f'<article class="markdown-body" style="{frame}">{body}</article>'
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
