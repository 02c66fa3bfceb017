"""The system's Chromium, in which a page is opened and used: a node process, tests/views/page."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

PACKAGES = Path(__file__).parents[1] / "views" / "page"
NO_BROWSER = "Chromium, node or its packages are missing: npm ci --prefix tests/views/page"


def browser_is_installed() -> bool:
    has_packages = (PACKAGES / "node_modules" / "playwright-core").is_dir()
    return has_packages and None not in map(shutil.which, ("node", "chromium"))


@dataclass(frozen=True)
class Troubles:
    """What the open page tried beyond itself: requests, breaches of its policy, errors of its script."""

    requests: list[str]
    violations: list[str]
    errors: list[str]


QUIET = Troubles([], [], [])


class Browser:
    """One browser for many pages, one of which is open at a time."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["node", PACKAGES / "browser.mjs", shutil.which("chromium") or ""],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def open(self, file: Path, **options: Any) -> None:
        """Open the page in `file`; `options` are those of a new context, as Playwright spells them."""
        self._ask("open", file=str(file), options=options)

    def evaluate(self, script: str) -> Any:
        """What a JavaScript expression comes to in the page."""
        return self._ask("evaluate", script=script)

    def click(self, selector: str) -> None:
        self._ask("click", selector=selector)

    def press(self, *keys: str) -> None:
        for key in keys:
            self._ask("press", key=key)

    def type(self, text: str) -> None:
        self._ask("type", text=text)

    def media(self, **options: str) -> None:
        """Let the page be printed, or seen in another colour scheme, from now on."""
        self._ask("media", options=options)

    def picture(self, file: Path) -> None:
        self._ask("picture", file=str(file))

    def accessible(self) -> list[tuple[str, str]]:
        """What assistive technology is told: roles with their names, in reading order."""
        return [(role, name) for role, name in self._ask("accessible")]

    def troubles(self) -> Troubles:
        return Troubles(**self._ask("troubles"))

    def _ask(self, ask: str, **question: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"ask": ask, **question}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "failed" not in answer, answer["failed"]
        return answer["said"]
