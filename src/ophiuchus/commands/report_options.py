"""Options that `check`, `sweep` and partly `merge` share: what is a capsule, what gates, how all is told."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ophiuchus.capsule.shelf import DEFAULT_PATTERN
from ophiuchus.report.model import GateRule, Scope

FORMS = ("text", "json", "github", "sarif", "html")


def add_policy(parser: argparse.ArgumentParser) -> None:
    """Declare which files are capsules, which of them gate, and what fails."""
    parser.add_argument(
        "--capsules",
        default=DEFAULT_PATTERN,
        metavar="GLOB",
        help=f"which files are capsules (default: {DEFAULT_PATTERN})",
    )
    parser.add_argument(
        "--scope",
        choices=[scope.value for scope in Scope],
        default=Scope.LIVE.value,
        help="live: what a newer capsule continues gates nothing; all: it counts too (default: live)",
    )
    parser.add_argument(
        "--fail-on",
        default="",
        metavar="LIST",
        help=f"comma list of what ends with status 1: {', '.join(GateRule)} (default: nothing)",
    )


def add_form(parser: argparse.ArgumentParser, forms: Sequence[str] = FORMS) -> None:
    """Declare the form of the report, and where it goes."""
    sarif = "; sarif: SARIF 2.1.0, for code scanning" if "sarif" in forms else ""
    parser.add_argument(
        "--format",
        choices=forms,
        default="text",
        help=f"github: annotations for a workflow{sarif} (default: text)",
    )
    parser.add_argument("--output", metavar="FILE", help="write there instead of to the standard output")
