"""What the commands of both ledgers declare alike."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Protocol

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.ledgers.jsonl import Profile

Act = Callable[[argparse.Namespace, Edge], ExitStatus]
Declare = Callable[[argparse.ArgumentParser], None]

_PROFILES = "compat: rows as the field writes them; strict: by the decision's letter (default: compat)"


class AddAction(Protocol):
    """What declares an action."""

    def __call__(self, name: str, about: str, act: Act, declare: Declare = ...) -> argparse.ArgumentParser:
        """The action's parser: its name, what it is about, what is done, and how its options begin."""


def actions_of(parser: argparse.ArgumentParser, usual: Declare) -> AddAction:
    """What declares an action, which has `--repo` and the `usual` options, or those that it names instead."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do")

    def add(name: str, about: str, act: Act, declare: Declare = usual) -> argparse.ArgumentParser:
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
