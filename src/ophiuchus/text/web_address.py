"""A service's base address: https, or http on literal loopback; no user, query or fragment.

The host `localhost` is not literal: what it means is up to the resolver.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_FORM = re.compile(
    r"(?P<scheme>https?)://"
    r"(?:(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)|\[(?P<v6>[0-9A-Fa-f:.]{2,45})\])"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>(?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)*)/*",
    re.ASCII,
)
_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
"""A host that resolvers take for an IPv4 address, in one of its many spellings."""
_DEFAULT_PORTS = {"https": 443, "http": 80}
_LAST_PORT = 65535


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
    refused = NotAWebAddress("not an https URL (http on a loopback address) without user, query and fragment")
    found = _FORM.fullmatch(text)
    if found is None:
        raise refused
    scheme, port = found["scheme"], int(found["port"] or _DEFAULT_PORTS[found["scheme"]])
    try:
        host, loopback = _ipv6(found["v6"]) if found["v6"] else _named(found["host"].lower())
    except AddressValueError:
        raise refused from None
    if port > _LAST_PORT or ".." in host or (scheme == "http" and not loopback):
        raise refused
    shown_port = "" if port == _DEFAULT_PORTS[scheme] else f":{port}"
    return WebAddress(f"{scheme}://{host}{shown_port}", found["path"])


def _ipv6(text: str) -> tuple[str, bool]:
    """An IPv6 address in its one spelling, and whether it is the loopback. Raises AddressValueError."""
    address = IPv6Address(text)
    return f"[{address}]", address == IPv6Address("::1")


def _named(host: str) -> tuple[str, bool]:
    """A host's name, or its IPv4 address, which has no zeros in front. Raises AddressValueError."""
    return host, _NUMERIC.fullmatch(host) is not None and IPv4Address(host).is_loopback
