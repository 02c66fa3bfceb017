"""How a write gets out: time limits, certificate authorities and the proxy, from the given environment.

SDKs read these from the process's environment each in its own way, and slack_sdk without NO_PROXY
(facts/providers.md §7); here the three that are reached without `requests` read them alike.
"""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import certifi

from ophiuchus.text.authorities import UnusableCertificates, authorities_variable
from ophiuchus.text.problem import ExpectedFailure

CONNECT_SECONDS = 5.0
READ_SECONDS = 20.0
"""Most seconds without a byte of the answer; `attempt` bounds the whole."""

_PROXY_VARIABLES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
_EXCEPTION_VARIABLES = ("no_proxy", "NO_PROXY")


class UnusableProxy(ExpectedFailure):
    """A proxy is configured that cannot be used. Going round it would be going where nobody meant to go."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} names no proxy that can be used", f"Set {name} to http://HOST:PORT, or except the host."
        )


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that is asked for a tunnel (CONNECT). `headers` may hold its password."""

    host: str
    port: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        """Its address, without a login."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Route:
    """The way to one origin. The seconds are the most to connect, and without a byte of the answer."""

    certificates: ssl.SSLContext
    proxy: Proxy | None
    connect_seconds: float = CONNECT_SECONDS
    read_seconds: float = READ_SECONDS


def read_route(origin: str, env: Mapping[str, str]) -> Route:
    """The way to `origin` that `env` describes. Raises UnusableProxy, UnusableCertificates."""
    return Route(trusted_certificates(env), proxy_for(origin, env))


def trusted_certificates(env: Mapping[str, str]) -> ssl.SSLContext:
    """The authorities of the file that `env` names, else those of certifi. Raises UnusableCertificates."""
    name = authorities_variable(env)
    if name is None:
        return ssl.create_default_context(cafile=certifi.where())
    try:
        return ssl.create_default_context(cafile=env[name])
    except (OSError, ValueError):  # not there, not PEM, no path
        raise UnusableCertificates(name) from None


def proxy_for(origin: str, env: Mapping[str, str]) -> Proxy | None:
    """The proxy for an https `origin`. None for http, which is loopback. Raises UnusableProxy."""
    address = urlsplit(origin)
    if address.scheme != "https" or _is_excepted(address.hostname or "", address.port or 443, env):
        return None
    for name in _PROXY_VARIABLES:
        if value := env.get(name, "").strip():
            return _proxy(name, value)
    return None


def _is_excepted(host: str, port: int, env: Mapping[str, str]) -> bool:
    listed = next((env[name] for name in _EXCEPTION_VARIABLES if env.get(name)), "")
    for entry in listed.lower().replace(",", " ").split():
        domain = entry.removesuffix(f":{port}").removeprefix("*").removeprefix(".")
        if entry == "*" or host == domain or (domain and host.endswith(f".{domain}")):
            return True
    return False


def _proxy(name: str, value: str) -> Proxy:
    try:
        address = urlsplit(value if "://" in value else f"http://{value}")
        host, port = address.hostname, address.port or 80
    except ValueError:
        raise UnusableProxy(name) from None
    if address.scheme != "http" or not host:
        raise UnusableProxy(name)
    if address.username is None:
        return Proxy(host, port)
    login = f"{unquote(address.username)}:{unquote(address.password or '')}"
    return Proxy(
        host, port, {"Proxy-Authorization": f"Basic {base64.b64encode(login.encode()).decode('ascii')}"}
    )
