"""`ophiuchus capture`: make a capsule from a draft, for HEAD or the index of a person's own checkout."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ophiuchus import __version__
from ophiuchus.capsule.capture import Captured, capture
from ophiuchus.capsule.draft import read_draft
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.scratch import open_scratch
from ophiuchus.text.new_file import create_file
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.strict_json import MAX_BYTES

HELP = "make a hand-off from a draft in YAML or JSON"
EXAMPLE = """\
  ophiuchus capture --from draft.yaml
  git add src && ophiuchus capture --from draft.yaml --index"""


class DraftUnreadable(ExpectedFailure):
    """The file that --from names cannot be read."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(
            f"the draft {name} cannot be read: {error.strerror}", "Name a file, or - for standard input."
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--from",
        dest="draft",
        required=True,
        metavar="FILE",
        help="the draft, YAML or JSON; - reads standard input",
    )
    parser.add_argument("-C", dest="directory", default=".", metavar="DIR", help="a folder of the checkout")
    parser.add_argument(
        "--parent", metavar="ID", help="the capsule_id of the hand-off that this one continues"
    )
    parser.add_argument(
        "--index",
        action="store_true",
        help="for work that is staged: anchors of what the next commit will hold, and no base commit",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Write the capsule and say how it will read. Raises ExpectedFailure; then nothing was written."""
    draft = read_draft(arguments.draft, _read(arguments.draft, edge))
    checkout = open_checkout(Path(arguments.directory), edge.env)
    with open_scratch(checkout, edge.env) as scratch:
        captured = capture(
            draft,
            checkout,
            scratch,
            edge.env,
            edge.now,
            version=__version__,
            parent=arguments.parent,
            from_index=arguments.index,
        )
    create_file(checkout.top, captured.place, captured.data)
    for warning in captured.warnings:
        edge.terminal.warn(f"warning: {warning}")
    if arguments.format == "json":
        edge.terminal.say_json(_as_json(captured))
    else:
        edge.terminal.say(_told(captured, from_index=arguments.index))
    return ExitStatus.DONE


def _read(name: str, edge: Edge) -> bytes:
    # One byte more than is allowed is enough to be refused.
    if name == "-":
        return edge.stdin.read(MAX_BYTES + 1)
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DraftUnreadable(name, error) from error


def _as_json(captured: Captured) -> str:
    said = {
        "path": str(captured.place),
        "capsule_id": captured.capsule.capsule_id,
        "warnings": list(captured.warnings),
    }
    return json.dumps(said, ensure_ascii=False, indent=2)


def _told(captured: Captured, *, from_index: bool) -> str:
    grounding = captured.capsule.grounding
    commit = grounding.commit if grounding else None
    about = "what is staged" if from_index else f"commit {commit}"
    return "\n".join(
        [
            f"wrote  {captured.place}",
            f"about  {about}",
            f"next   git add {captured.place}",
            "       ophiuchus check --tree index     (says how it will read)",
            "       git commit",
        ]
    )
