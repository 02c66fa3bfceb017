"""`ophiuchus capture`: make a capsule from a draft, for HEAD or the index of a person's own checkout."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ophiuchus import __version__
from ophiuchus.capsule.capture import Captured, Site, capture, survey
from ophiuchus.capsule.draft import Draft, read_draft
from ophiuchus.capsule.refresh import draft_to_refresh
from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.given_file import read_given
from ophiuchus.commands.staging import git_add
from ophiuchus.git.checkout import open_checkout
from ophiuchus.git.scratch import open_scratch
from ophiuchus.secrets.scan import scan_value
from ophiuchus.text.new_file import AlreadyThere, create_file
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.strict_json import MAX_BYTES, parse_json

HELP = "make a hand-off from a draft in Markdown, YAML or JSON, or refresh one"
EXAMPLE = """\
  ophiuchus capture --from draft.md
  git add src && ophiuchus capture --from draft.md --index
  ophiuchus capture --refresh 2026-07-01-rotate-the-session-keys-1a2b"""


class ParentIsGiven(ExpectedFailure):
    """--parent stands beside --refresh."""

    def __init__(self) -> None:
        super().__init__("--refresh names the parent already", "Leave --parent out, or use --from.")


class WrittenMeanwhile(ExpectedFailure):
    """The new capsule's name was free when this run began, and is not any more."""

    def __init__(self, place: PurePosixPath) -> None:
        super().__init__(
            f"{place} was written while this ran, and was left as it is",
            "Another capture was faster, perhaps one of the same draft: read its file, and try again where "
            "yours says something else.",
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--from",
        dest="draft",
        metavar="FILE",
        help="the draft, Markdown, YAML or JSON; - reads standard input",
    )
    source.add_argument(
        "--refresh",
        metavar="ID",
        help="instead of a draft: continue this hand-off with the same words, on what is here now",
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
    if arguments.refresh is not None and arguments.parent is not None:
        raise ParentIsGiven
    checkout = open_checkout(Path(arguments.directory), edge.env)
    with open_scratch(checkout, edge.env) as scratch:
        site = survey(checkout, scratch, edge.env, from_index=arguments.index)
        draft = _draft(arguments, site, edge)
        _warn(draft.warnings, edge)  # before anything is refused because of it
        captured = capture(draft, site, edge.now, version=__version__, parent=arguments.parent)
    try:
        create_file(checkout.top, captured.place, captured.data)
    except AlreadyThere as error:
        raise WrittenMeanwhile(captured.place) from error
    warnings = (*captured.warnings, *_secrets(captured))
    _warn(warnings, edge)
    if arguments.format == "json":
        edge.terminal.say_json(_as_json(captured, (*draft.warnings, *warnings)))
    else:
        next_step = git_add(checkout.top, [captured.place], Path.cwd())
        edge.terminal.say("\n".join(_told(captured, next_step, arguments)))
    return ExitStatus.DONE


def _draft(arguments: argparse.Namespace, site: Site, edge: Edge) -> Draft:
    if arguments.refresh is not None:
        return draft_to_refresh(arguments.refresh, site)
    return read_draft(arguments.draft, read_given(arguments.draft, edge, MAX_BYTES))


def _warn(warnings: Sequence[str], edge: Edge) -> None:
    for warning in warnings:
        edge.terminal.warn(f"warning: {warning}")


def _secrets(captured: Captured) -> Iterator[str]:
    """What in the new file looks like a secret, by rule and field: it is committed with the file."""
    if found := scan_value(parse_json(captured.data).document):
        yield f"looks like a secret: {'; '.join(map(str, found))}; take it out before you commit"


def _as_json(captured: Captured, warnings: Sequence[str]) -> str:
    said = {
        "path": str(captured.place),
        "capsule_id": captured.capsule.capsule_id,
        "parent_capsule_id": captured.capsule.parent_capsule_id,
        "warnings": list(warnings),
    }
    return json.dumps(said, ensure_ascii=False, indent=2)


def _told(captured: Captured, next_step: str, arguments: argparse.Namespace) -> Iterator[str]:
    capsule = captured.capsule
    commit = capsule.grounding.commit if capsule.grounding else None
    yield f"wrote  {captured.place}"
    yield "about  what is staged" if arguments.index else f"about  commit {commit}"
    if capsule.parent_capsule_id is not None:
        yield f"after  {capsule.parent_capsule_id}"
    yield f"next   {next_step}"
    if arguments.refresh is not None:
        yield "       read it: nothing but the base is new; correct in it what no longer holds"
    yield "       ophiuchus check --tree index     (says how it will read)"
    yield "       git commit"
