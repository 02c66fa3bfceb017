"""The tape beneath `requests`, for GitHub (PyGithub) and Jira: one POST, on a connection of its own.

Whether a failure came before sending is not read out of exceptions: a request's first byte can leave only
after `connect` has returned, TLS and a proxy's tunnel included, so that is what is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from ophiuchus.publish.answer import MOST_BYTES, json_object
from ophiuchus.publish.providers.answer_head import note_head
from ophiuchus.publish.providers.connection import Route
from ophiuchus.publish.tape import Tape


class OneWriteAdapter(HTTPAdapter):
    """The transport of one write. It follows no redirect, repeats nothing, and keeps the answer.

    What a session says of timeouts, proxies and certificates counts for nothing: the route has them.
    """

    def __init__(self, tape: Tape, route: Route) -> None:
        self._tape = tape
        self._route = route
        self._is_connected = False
        self._headers: Mapping[str, str] = {}
        self._body = b""
        self._pools = _noting_pools(self._note_connection)
        super().__init__()
        self.poolmanager.pool_classes_by_scheme = self._pools

    def mount_on(self, session: requests.Session) -> None:
        """Make this the only way out of `session`."""
        session.trust_env = False
        session.max_redirects = 0
        for scheme in ("https://", "http://"):
            session.mount(scheme, self)

    def answer(self) -> dict[str, Any]:
        """The JSON object that came back, whatever the SDK makes of it; empty where there was none."""
        return json_object(self._body)

    def header(self, name: str) -> str:
        """A header of the answer, by its name in any case; empty where there is none."""
        return self._headers.get(name, "")

    def send(
        self, request: requests.PreparedRequest, *_not_ours: object, **_not_ours_either: object
    ) -> requests.Response:
        """Send the one write, and read its answer as far as it may be long. Raises SecondRequest."""
        self._tape.admit(request.method or "")
        proxy = self._route.proxy
        proxies = {"https": proxy.url} if proxy else {}
        timeout = (self._route.connect_seconds, self._route.read_seconds)
        try:
            response = super().send(request, stream=True, timeout=timeout, proxies=proxies)
            self._headers = response.headers
            note_head(self._tape, response.status_code, response.headers.get)
            with response.raw as arriving:
                self._body = arriving.read(MOST_BYTES + 1, decode_content=True)
        except Exception as error:
            self._tape.failed(_first_cause(error), before_sending=not self._is_connected)
            raise
        response.raw = BytesIO(self._body)
        response.encoding = "utf-8"
        return response

    def _note_connection(self) -> None:
        self._is_connected = True

    # How HTTPAdapter is told of certificates and proxies.

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The host, and the route's own certificates."""
        host, _ = super().build_connection_pool_key_attributes(request, verify, cert)
        return host, {"ssl_context": self._route.certificates} if host["scheme"] == "https" else {}

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Nothing to add: the route's context demands a certificate and checks it."""

    def proxy_manager_for(self, proxy: str, **proxy_kwargs: Any) -> Any:
        """The proxy's connections, noted as well."""
        manager = super().proxy_manager_for(proxy, **proxy_kwargs)
        manager.pool_classes_by_scheme = self._pools
        return manager

    def proxy_headers(self, proxy: str) -> dict[str, str]:  # noqa: ARG002 - there is one proxy only
        """What the proxy wants to be told."""
        return dict(self._route.proxy.headers) if self._route.proxy else {}


def _noting_pools(connected: Callable[[], None]) -> dict[str, type[HTTPConnectionPool]]:
    """Connections that say when they are ready to be sent on."""

    class Plain(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            connected()

    class Secure(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            connected()

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


def _first_cause(error: BaseException) -> BaseException:
    """What began it: requests and urllib3 each wrap what they catch."""
    seen = {id(error)}
    while (inner := error.__cause__ or error.__context__) and id(inner) not in seen:
        seen.add(id(inner))
        error = inner
    return error
