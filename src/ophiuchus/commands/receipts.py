"""`ophiuchus receipts`: what is known of each publication, and settling what no run could."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path

from ophiuchus.commands.actor import actor_of
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.receipt_store import add_receipts, open_receipts
from ophiuchus.git.checkout import Checkout, NotARepository, open_checkout
from ophiuchus.publish.receipt_list import as_json, compose_list, compose_receipt, export_lines, list_json
from ophiuchus.publish.receipts import Malformed, Receipt, Row
from ophiuchus.publish.resolution import Subject, resolve, resolve_malformed
from ophiuchus.publish.stores.store import Store
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.views.render.plain import render_plain

HELP = "show what was published where, and settle what is not known"
EXAMPLE = """\
  ophiuchus receipts init
  ophiuchus receipts list
  ophiuchus receipts resolve checkout-rewrite@tracker --published 128
  ophiuchus receipts export --receipts file:/srv/receipts.jsonl > receipts.jsonl"""

ACTIONS = ("init", "list", "show", "resolve", "export")

_ABOUT_ONE = ("show", "resolve")
_KEY = re.compile(r"[0-9a-f]{8,64}", re.ASCII)


class NoReceiptNamed(ExpectedFailure):
    """An action about one receipt was not told which, or one about all was."""


class NoSuchReceipt(ExpectedFailure):
    """No receipt, or more than one, is what was named."""


class NotSaid(ExpectedFailure):
    """`resolve` was not told what became of it."""


class SaidInVain(ExpectedFailure):
    """What became of a receipt was told to an action that changes none."""


class ChangedMeanwhile(ExpectedFailure):
    """Somebody changed the receipt after it was read."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "action",
        choices=ACTIONS,
        metavar="|".join(ACTIONS),
        help="init makes the empty store; export prints JSON lines",
    )
    parser.add_argument(
        "receipt",
        nargs="?",
        metavar="KEY|CAPSULE@ALIAS",
        help="for show and resolve: the start of a claim key (8 digits or more), or a hand-off's id and a "
        "destination's alias",
    )
    outcome = parser.add_mutually_exclusive_group()
    outcome.add_argument(
        "--published", metavar="REFERENCE", help="for resolve: it is there, and this is its id there"
    )
    outcome.add_argument(
        "--not-published", action="store_true", help="for resolve: it is not there, and may be written again"
    )
    parser.add_argument(
        "--by", metavar="NAME", help="for resolve: a login that the receipt names (default: GITHUB_ACTOR)"
    )
    add_receipts(parser)
    parser.add_argument("-C", dest="directory", default=".", metavar="DIR", help="a folder of the checkout")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Do it. Raises ExpectedFailure."""
    _refuse_what_is_not_for(arguments.action, arguments)
    checkout = _checkout(Path(arguments.directory), edge)
    with open_receipts(
        arguments.receipts,
        edge,
        top=checkout.top if checkout else None,
        token=edge.env.get("GITHUB_TOKEN", ""),
        object_format=checkout.object_format if checkout else "sha1",
    ) as store:
        match arguments.action:
            case "init":
                _init(store, arguments, edge)
            case "list":
                _list(store, arguments, edge)
            case "export":
                edge.terminal.say_json(export_lines(store.read(), edge.now))
            case "show":
                _show(_named(arguments.receipt, store.read(), arguments, edge), arguments, edge)
            case _:
                _resolve(store, arguments, edge)
    return ExitStatus.DONE


def _refuse_what_is_not_for(action: str, arguments: argparse.Namespace) -> None:
    """Raises NoReceiptNamed and SaidInVain."""
    if (arguments.receipt is not None) != (action in _ABOUT_ONE):
        raise NoReceiptNamed(
            f"`receipts {action}` is about "
            + ("one receipt" if action in _ABOUT_ONE else "all receipts, and takes no name"),
            "`ophiuchus receipts list` shows their keys.",
        )
    settles = arguments.published is not None or arguments.not_published or arguments.by is not None
    if settles and action != "resolve":
        raise SaidInVain(
            f"`receipts {action}` settles nothing: --published, --not-published and --by are for resolve",
            "Use `ophiuchus receipts resolve`, or leave them out.",
        )


def _init(store: Store, arguments: argparse.Namespace, edge: Edge) -> None:
    is_made = store.create(edge.now)
    if arguments.format == "json":
        edge.terminal.say_json(json.dumps({"made": is_made}))
    elif is_made:
        edge.terminal.say(f"made an empty place for receipts: {arguments.receipts}")
    else:
        edge.terminal.say(f"it is there already, and was left as it is: {arguments.receipts}")


def _list(store: Store, arguments: argparse.Namespace, edge: Edge) -> None:
    rows = store.read()
    if arguments.format == "json":
        edge.terminal.say_json(list_json(rows, edge.now))
    else:
        edge.terminal.say(render_plain(compose_list(rows, edge.now, arguments.receipts), edge.columns))


def _show(row: Row, arguments: argparse.Namespace, edge: Edge) -> None:
    if arguments.format == "json":
        edge.terminal.say_json(json.dumps(as_json(row, edge.now), indent=2))
    else:
        edge.terminal.say(render_plain(compose_receipt(row, edge.now, arguments.receipts), edge.columns))


def _resolve(store: Store, arguments: argparse.Namespace, edge: Edge) -> None:
    if arguments.published is None and not arguments.not_published:
        raise NotSaid(
            "what became of it was not said",
            "Look at the destination, then give --published REFERENCE or --not-published.",
        )
    row = _named(arguments.receipt, store.read(), arguments, edge)
    by = actor_of(edge.env, arguments.by)
    if isinstance(row, Malformed):
        subject = _owner(row, arguments, edge)
        settled = resolve_malformed(row, subject, arguments.published, by, edge.now)
    else:
        settled = resolve(row, arguments.published, by, edge.now)
    if not store.swap(row, settled, edge.now):
        raise ChangedMeanwhile(
            "somebody changed the receipt just now",
            "Look at it with `ophiuchus receipts show`, then try again.",
        )
    _show(settled, arguments, edge)


def _named(name: str, rows: Mapping[str, Row], arguments: argparse.Namespace, edge: Edge) -> Row:
    """The one receipt that `name` means."""
    if "@" in name:
        capsule_id, _, alias = name.partition("@")
        found = [row for row in rows.values() if _is_named(row, capsule_id, alias)]
        if not found and any(isinstance(row, Malformed) for row in rows.values()):
            from ophiuchus.commands.receipt_owner import subject_named

            subject = subject_named(capsule_id, alias, Path(arguments.directory), edge)
            found = [rows[subject.claim_key]] if subject.claim_key in rows else []
    elif _KEY.fullmatch(name):
        found = [row for key, row in rows.items() if key.startswith(name)]
    else:
        raise NoSuchReceipt(
            f"{name!r} names no receipt", "Give the start of a key, 8 digits or more, or CAPSULE@ALIAS."
        )
    if len(found) != 1:
        keys = ", ".join(row.claim_key[:16] for row in found)
        raise NoSuchReceipt(
            f"{name} names {len(found)} receipts: {keys}" if found else f"there is no receipt {name}",
            "`ophiuchus receipts list` shows their keys.",
        )
    return found[0]


def _is_named(row: Row, capsule_id: str, alias: str) -> bool:
    return (
        isinstance(row, Receipt)
        and row.capsule_id.casefold() == capsule_id.casefold()
        and row.destination_alias == alias
    )


def _owner(row: Malformed, arguments: argparse.Namespace, edge: Edge) -> Subject:
    """Whose `row` is: of those that were named, or of all that are committed, the one with its key."""
    from ophiuchus.commands.receipt_owner import owner_of, subject_named

    capsule_id, at, alias = arguments.receipt.partition("@")
    directory = Path(arguments.directory)
    return subject_named(capsule_id, alias, directory, edge) if at else owner_of(row, directory, edge)


def _checkout(directory: Path, edge: Edge) -> Checkout | None:
    """The checkout that this is run in, if it is one."""
    try:
        return open_checkout(directory, edge.env)
    except NotARepository:
        return None
