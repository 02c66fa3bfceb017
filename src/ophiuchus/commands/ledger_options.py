"""What the commands of both ledgers declare alike."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.ledgers.jsonl import Profile

Act = Callable[[argparse.Namespace, Edge], ExitStatus]

_PROFILES = "compat: rows as the field writes them; strict: by the decision's letter (default: compat)"


def actions_of(
    parser: argparse.ArgumentParser, declare: Callable[[argparse.ArgumentParser], None]
) -> Callable[[str, str, Act], argparse.ArgumentParser]:
    """What declares one action by its name, what it is about, and what is done.

    Each has `--repo`, and what `declare` gives it.
    """
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")

    def add(name: str, about: str, act: Act) -> argparse.ArgumentParser:
        action = actions.add_parser(name, help=about, description=about, allow_abbrev=False)
        action.set_defaults(act=act)
        action.add_argument(
            "--repo", metavar="DIR", default=".", help="the checkout (default: the working folder)"
        )
        declare(action)
        return action

    return add


def add_file(parser: argparse.ArgumentParser) -> None:
    """Declare `--file`."""
    parser.add_argument("--file", metavar="FILE", help="this ledger instead of the checkout's")


def add_form(parser: argparse.ArgumentParser) -> None:
    """Declare `--format`."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def add_profile(parser: argparse.ArgumentParser, about: str = _PROFILES) -> None:
    """Declare `--profile`."""
    profiles = [profile.value for profile in Profile]
    parser.add_argument("--profile", choices=profiles, default=Profile.COMPAT.value, help=about)


def add_checking(parser: argparse.ArgumentParser) -> None:
    """Declare what a validation takes: `--profile`, `--enforce` and `--self-test`."""
    add_profile(parser)
    parser.add_argument(
        "--enforce", action="store_true", help="taken for the original's sake: always so here"
    )
    parser.add_argument("--self-test", action="store_true", help="test this installation, not a ledger")
