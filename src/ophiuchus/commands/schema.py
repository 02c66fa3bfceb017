"""`ophiuchus schema`: print the JSON Schema of what this program reads or writes."""

from __future__ import annotations

import argparse
import json

from ophiuchus.commands.edge import Edge, ExitStatus

HELP = "print the JSON Schema of a capsule, of the report or of the file of destinations"
EXAMPLE = "  ophiuchus schema capsule > capsule.schema.json"
OF = ("capsule", "report", "destinations")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("of", choices=OF, metavar="|".join(OF), help="what the schema describes")


def run(arguments: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Print it."""
    if arguments.of == "capsule":
        from ophiuchus.capsule.schema import capsule_schema

        schema = capsule_schema()
    elif arguments.of == "destinations":
        from ophiuchus.publish.destination import destinations_schema

        schema = destinations_schema()
    else:
        from ophiuchus.report.serial import report_schema

        schema = report_schema()
    edge.terminal.say_json(json.dumps(schema, ensure_ascii=False, indent=2))
    return ExitStatus.DONE
