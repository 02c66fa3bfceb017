"""A Python that was told to refuse what a preview must not do: this folder of a file makes one.

`sitecustomize` runs before anything else in every Python that has the folder on its path.
"""

from __future__ import annotations

from pathlib import Path

FORBIDDEN = (
    "ophiuchus.publish.providers",
    "ophiuchus.github",
    "github",
    "jira",
    "slack_sdk",
    "msgraph",
    "kiota_http",
    "azure",
    "httpx",
    "httpcore",
    "requests",
    "urllib3",
    "urllib.request",
    "http.client",
)
REFUSED = "is not imported in a preview"

_HOOK = f"""\
import socket
import sys

class Refusing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in {FORBIDDEN!r}):
            raise AssertionError(name + " {REFUSED}")

def closed(*_, **__):
    raise AssertionError("the network is closed")

sys.meta_path.insert(0, Refusing)
for name in ("connect", "connect_ex", "sendto", "bind", "listen"):
    setattr(socket.socket, name, closed)
for name in ("getaddrinfo", "gethostbyname", "create_connection"):
    setattr(socket, name, closed)
"""


def closed_world(folder: Path) -> Path:
    """`folder`, with the hook in it."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_HOOK)
    return folder
