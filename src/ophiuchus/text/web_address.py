"""A service's base address: https, or http on literal loopback; no user, query or fragment.

The host `localhost` is not literal: what it means is up to the resolver.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORM = re.compile(
    r"(?P<origin>(?P<scheme>https)://(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])"
    r"(?::[0-9]{1,5})?"
    r"|(?P<loopback>http)://(?:127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?"
    r")(?P<path>(?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)*)/*",
    re.ASCII,
)


class NotAWebAddress(ValueError):
    """A text is no such address. The text is not in the message: somebody may have put a password into it."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An address in its one spelling: `origin` in lower case without its default port, `path` as given.

    `path` begins with a slash or is empty, and ends in none; no segment of it is `.` or `..`.
    """

    origin: str
    path: str

    def __str__(self) -> str:
        return self.origin + self.path


def parse_web_address(text: str) -> WebAddress:
    """The address in `text`, slashes at its end apart. Raises NotAWebAddress."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise NotAWebAddress("not an https URL (http on a loopback address) without user, query and fragment")
    default_port = ":443" if found["scheme"] else ":80"
    return WebAddress(found["origin"].lower().removesuffix(default_port), found["path"])
