"""Cuts Microsoft's SDK down to what the Teams adapter loads: 17 of 16,741 modules, 2 of 242 MB.

The Dockerfile runs it with the environment's own Python, in the layer that installs the packages; nothing
else of the SDK is ever imported (publish/providers/teams.py). The list belongs to the version of msgraph-sdk
that pyproject.toml pins; tests say when it is not what the adapter loads.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

_CHANNEL = "generated/teams/item/channels/item"
KEPT = frozenset(
    {
        "__init__.py",
        "_version.py",
        "graph_request_adapter.py",
        "graph_service_client.py",
        "generated/base_graph_service_client.py",
        "generated/models/body_type.py",
        "generated/models/chat_message.py",
        "generated/models/entity.py",
        "generated/models/item_body.py",
        "generated/models/o_data_errors/o_data_error.py",
        "generated/teams/teams_request_builder.py",
        "generated/teams/item/team_item_request_builder.py",
        "generated/teams/item/channels/channels_request_builder.py",
        f"{_CHANNEL}/channel_item_request_builder.py",
        f"{_CHANNEL}/messages/messages_request_builder.py",
        f"{_CHANNEL}/messages/item/chat_message_item_request_builder.py",
        f"{_CHANNEL}/messages/item/replies/replies_request_builder.py",
    }
)
"""The files that stay, from the package's folder on."""


class AnotherVersion(Exception):
    """The package lacks a file that the adapter needs: the list is of another version."""


def prune(package: Path) -> None:
    """Delete every file below `package` but those kept, and the folders that are empty then."""
    lacking = [name for name in KEPT if not (package / name).is_file()]
    if lacking:
        raise AnotherVersion(", ".join(sorted(lacking)))
    for parent, folders, files in os.walk(package, topdown=False):
        for file in files:
            path = Path(parent, file)
            if path.relative_to(package).as_posix() not in KEPT:
                path.unlink()
        for folder in folders:
            path = Path(parent, folder)
            if not any(path.iterdir()):
                path.rmdir()


def main() -> None:
    """Prune the package of the Python that runs this."""
    found = find_spec("msgraph")
    if found is None or not found.submodule_search_locations:
        sys.exit("msgraph-sdk is not installed")
    prune(Path(found.submodule_search_locations[0]))


if __name__ == "__main__":
    main()
