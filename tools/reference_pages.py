"""Writes from the code what pages say about it: all of `docs/reference/`, and marked pieces of other pages.

Run `.venv/bin/python tools/reference_pages.py` after a change of options, inputs, exit statuses or the shape
of capsules and reports; a test says when it was forgotten.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import conformance
import providers_page
import yaml

from ophiuchus.capsule.markdown_sections import HEADINGS, PATHS
from ophiuchus.capsule.schema import capsule_schema
from ophiuchus.cli import INTERRUPTED, READER_GONE, SIGNALLED, VERBS
from ophiuchus.commands.agent_files import skill
from ophiuchus.commands.edge import ExitStatus
from ophiuchus.publish.destination import DESTINATIONS, destinations_schema
from ophiuchus.publish.destinations import PATH
from ophiuchus.publish.target import TARGET_FORMS
from ophiuchus.report.serial import report_schema

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT / "docs" / "reference"
MADE = "<!-- made by tools/reference_pages.py; do not edit -->\n"
WITH_PIECES = ("README.md", "docs/check-a-pull-request.md", "docs/leave-a-hand-off.md")
_PIECE = re.compile(r"(<!-- piece: (?P<name>[a-z-]+) -->\n).*?(<!-- end of piece -->)", re.DOTALL)

EXIT_STATUSES: Mapping[int, str] = {
    ExitStatus.DONE: "Done; nothing was found that `fail_on` names.",
    ExitStatus.GATE: "A verdict that `fail_on` names.",
    ExitStatus.BAD_INPUT: (
        "Bad input: options, configuration, or a capsule or ledger that cannot be read. Also what the system "
        "refuses: memory, a thread, a place to write."
    ),
    ExitStatus.DELIVERY: "A delivery failed, or nobody knows whether it happened.",
    ExitStatus.REFUSED: "The gate refused a publication: nothing was sent, and each rule is named.",
    ExitStatus.BUG: "A bug in Ophiuchus: a short report to paste, which holds no text of a capsule.",
    INTERRUPTED: "Interrupted from the keyboard.",
    READER_GONE: "Whoever read the output has gone.",
    **{status: f"Stopped by {name}." for name, status in SIGNALLED.items()},
}


def pages() -> dict[Path, str]:
    """Every page that is made from the code, in whole or in part, and what it must hold."""
    return {
        **_reference_pages(),
        **{PROJECT / name: _with_pieces(PROJECT / name) for name in WITH_PIECES},
        # For who installs it by hand: what `init --agent claude-code` writes.
        PROJECT / "skills" / "capture-handoff" / "SKILL.md": skill(),
    }


def _reference_pages() -> dict[Path, str]:
    made = {
        "command-line.md": _command_line(),
        "action.md": _action(),
        "exit-statuses.md": _exit_statuses(),
        "report.md": _shape(
            "The report's keys",
            "`ophiuchus check --format json` and the action's `report_path` write this. All keys are always "
            "present. Version 1 may gain keys. Capsules stand worst first, then by path. The same as a JSON "
            "Schema: "
            "[report-v1.schema.json](../schema/report-v1.schema.json), or `ophiuchus schema report`.",
            report_schema(),
        ),
        "capsule.md": _shape(
            "The capsule's fields",
            "One JSON object in one UTF-8 file below `.ophiuchus/`, of at most 256 KiB. The same as a JSON "
            "Schema: "
            "[capsule-v1.schema.json](../schema/capsule-v1.schema.json), or `ophiuchus schema capsule`.",
            capsule_schema(),
        ),
        "conformance.md": conformance.page(),
        "destinations.md": _destinations(),
        "providers.md": providers_page.page(),
    }
    return {FOLDER / name: f"{MADE}{text}" for name, text in made.items()}


def _with_pieces(page: Path) -> str:
    """The page with its marked pieces made anew."""
    return _PIECE.sub(lambda piece: f"{piece[1]}{_piece(piece['name'])}{piece[3]}", page.read_text("utf-8"))


def _piece(name: str) -> str:
    match name:
        case "inputs-and-outputs":
            return _action_tables()
        case "exit-statuses":
            return _exit_table()
        case "workflow":
            return _yaml(PROJECT / "src/ophiuchus/commands/starter/workflow.yml")
        case "notes":
            notes = (PROJECT / "examples/drafts/session-keys.md").read_text("utf-8")
            return f"```markdown\n{notes}```\n"
        case "headings":
            return _headings()
        case "draft":
            return _yaml(PROJECT / "examples/drafts/session-keys.yaml")
    raise ValueError(f"no piece is called {name}")


def _headings() -> str:
    """The headings that a draft in Markdown may have."""
    rows = "".join(
        f"| {'; '.join(headings)} | {'one `git_paths` condition' if name == PATHS else f'`{name}`'} |\n"
        for name, headings in HEADINGS.items()
    )
    return f"| heading | becomes |\n|---|---|\n| the first one with a single `#` | `title` |\n{rows}"


def _yaml(file: Path) -> str:
    return f"```yaml\n{file.read_text('utf-8')}```\n"


def _action_tables() -> str:
    """The inputs and outputs of action.yml as Markdown."""
    action = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
    inputs = "\n".join(
        f"| `{name}` | {_default(about.get('default', ''))} | {_cell(about['description'])} |"
        for name, about in action["inputs"].items()
    )
    outputs = "\n".join(
        f"| `{name}` | {_cell(about['description'])} |" for name, about in action["outputs"].items()
    )
    return f"""| input | default | meaning |
|---|---|---|
{inputs}

| output | meaning |
|---|---|
{outputs}
"""


def _exit_table() -> str:
    rows = "\n".join(f"| {int(status)} | {meaning} |" for status, meaning in EXIT_STATUSES.items())
    return f"| status | meaning |\n|---|---|\n{rows}\n"


Action = TypeVar("Action", bound=argparse.Action)


class _Recorder(argparse.ArgumentParser):
    """A parser that remembers its options in the order of their declaration."""

    def __init__(self, **_: Any) -> None:
        self.options: list[argparse.Action] = []
        super().__init__(add_help=False)

    def _add_action(self, action: Action) -> Action:
        self.options.append(action)
        return super()._add_action(action)


def _command_line() -> str:
    sections = []
    for word in VERBS:
        verb = import_module(f"ophiuchus.commands.{word}")
        parser = _Recorder()
        verb.add_arguments(parser)
        table = _options(parser)
        for option in parser._actions:  # noqa: SLF001 - actions of a verb pass by what records its options
            if isinstance(option, argparse._SubParsersAction):  # noqa: SLF001 - it has no other name
                for about in option._choices_actions:  # noqa: SLF001 - nothing else knows their help
                    title = f"### ophiuchus {word} {about.dest}\n\n{_sentence(about.help or '')}"
                    table += f"\n{title}\n{_options(option.choices[about.dest])}"
        example = "\n".join(line.removeprefix("  ") for line in verb.EXAMPLE.splitlines())
        sections.append(f"## ophiuchus {word}\n\n{_sentence(verb.HELP)}\n{table}\n```bash\n{example}\n```\n")
    lead = (
        "# The command line\n\n`ophiuchus COMMAND --help` says the same. `ophiuchus --version` names the "
        "version. Every command ends with one of the [exit statuses](exit-statuses.md).\n\n"
    )
    return lead + "\n".join(sections)


def _options(parser: _Recorder) -> str:
    rows = "".join(f"| `{_spelling(option)}` | {_help(option)} |\n" for option in parser.options)
    return f"\n| option | meaning |\n|---|---|\n{rows}" if rows else ""


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _spelling(option: argparse.Action) -> str:
    names = ", ".join(option.option_strings)
    value = ""
    if option.nargs != 0:
        value = str(option.metavar or "|".join(option.choices or ()) or option.dest.upper())
    # In a table a bar would end the cell.
    return f"{names} {value}".strip().replace("|", "\\|")


def _help(option: argparse.Action) -> str:
    return _cell((option.help or "").replace("%%", "%"))


def _action() -> str:
    lead = (
        "# The action's inputs and outputs\n\nNames are in lower case with underscores. Booleans take "
        "`true`, `false`, `1` or `0`. Everything that is wrong with the inputs is told at once, with exit "
        "status 2.\n\n"
    )
    return lead + _action_tables()


def _exit_statuses() -> str:
    return (
        "# Exit statuses\n\n"
        + _exit_table()
        + "\nWhere several apply, 70 beats 2, and 2 beats 1. The action's step fails with every status but "
        "0. "
        "`inspect` counts the problems of its one capsule only.\n"
    )


def _destinations() -> str:
    """What `destinations.toml` may hold, one section a provider."""
    example = (PROJECT / "examples/destinations.toml").read_text("utf-8")
    lead = (
        f"# The file of destinations\n\n`{PATH}`, committed, says where hand-offs may be published: one "
        "table `[destinations.ALIAS]` a place, in TOML. It never holds a credential or the address of a "
        "service: those come from the environment ([providers](providers.md)). A file with one fault gives "
        "no destination at all, and no two tables may name the same place. The same as a JSON Schema: "
        "[destinations-v1.schema.json](../schema/destinations-v1.schema.json), or "
        f"`ophiuchus schema destinations`.\n\n```toml\n{example}```\n\n"
    )
    definitions = destinations_schema()["$defs"]
    sections = (
        f"## {model.name.value}\n\n{_prose(definitions[model.__name__]['description'])} `target` is "
        f"{TARGET_FORMS[model.name]}.\n\n{_table(definitions[model.__name__], definitions)}"
        for model in DESTINATIONS
    )
    return lead + "\n".join(sections)


def _default(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text}`" if text else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# Shapes: one section for each object of a JSON Schema, in the order in which they are met.


def _shape(title: str, lead: str, schema: dict[str, Any]) -> str:
    definitions = schema.get("$defs", {})
    queue, done, sections = [("", schema)], set[str](), []
    while queue:
        name, shape = queue.pop(0)
        if name in done:
            continue
        done.add(name)
        heading = f"## {name}\n\n{_prose(shape.get('description', ''))}\n\n" if name else ""
        sections.append(heading + _table(shape, definitions))
        queue += [
            (inner, definitions[inner])
            for value in shape.get("properties", {}).values()
            for inner in _references(value)
            if "properties" in definitions[inner]
        ]
    return f"# {title}\n\n{lead}\n\n" + "\n".join(sections)


def _table(shape: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """One row for each key; in the report no key has a meaning of its own, and all are always there."""
    required, keys = set(shape.get("required", ())), shape.get("properties", {})
    explained = any("description" in value for value in keys.values())
    rows = [
        f"| `{key}` | {_type(value, definitions)} |"
        + (
            f" {'Required. ' * (key in required)}{_prose(value.get('description', ''))} |"
            if explained
            else ""
        )
        for key, value in keys.items()
    ]
    head = "| key | type | meaning |\n|---|---|---|" if explained else "| key | type |\n|---|---|"
    return "\n".join([head, *rows]) + "\n"


def _type(value: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        shape = definitions[name]
        return f"[{name}](#{name.lower()})" if "properties" in shape else _type(shape, definitions)
    if "enum" in value:
        return ", ".join(f"`{word}`" for word in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    for union in ("anyOf", "oneOf"):
        if union in value:
            return " or ".join(dict.fromkeys(_type(part, definitions) for part in value[union]))
    if value.get("type") == "array":
        items = value.get("items")
        return f"list of {_type(items, definitions)}" if items else "empty list"
    if value.get("type") == "object" and isinstance(value.get("additionalProperties"), dict):
        return f"map to {_type(value['additionalProperties'], definitions)}"
    return {"string": "text", "null": "null"}.get(
        str(value.get("type", "any")), str(value.get("type", "any"))
    )


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for key in ("anyOf", "oneOf", "items", "additionalProperties"):
            yield from _references(value.get(key))
    elif isinstance(value, list):
        for part in value:
            yield from _references(part)


def _prose(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("None", "null").replace("|", "\\|").strip()


def main() -> None:
    """Write every page that is out of step."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
