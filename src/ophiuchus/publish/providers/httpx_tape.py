"""The tape beneath httpx, for ClickUp (in turn) and Teams (asynchronous).

Every write gets a connection of its own: on one that had been used, a server's idle timeout could not be
told from a lost write (facts/providers.md §0, 4). The client above is given the status and the body, and no
header: no redirect, cookie, challenge or compression of the answer can make it do anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import httpx

from ophiuchus.publish.answer import MOST_BYTES, AnswerTooLong
from ophiuchus.publish.providers.answer_head import note_head
from ophiuchus.publish.providers.connection import Proxy, Route
from ophiuchus.publish.tape import Tape

_BEFORE_SENDING = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,  # the proxy refused the tunnel
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,  # the body is whole in memory: what is wrong shows before its first byte
    httpx.InvalidURL,
)


def timeout_of(route: Route) -> httpx.Timeout:
    """The route's patience, as httpx wants it."""
    return httpx.Timeout(route.read_seconds, connect=route.connect_seconds)


class OneWriteTransport(httpx.BaseTransport):
    """Lets the one write of `tape` out, along `route`."""

    def __init__(self, tape: Tape, route: Route) -> None:
        self._tape = tape
        self._inner = httpx.HTTPTransport(
            verify=route.certificates, proxy=_httpx_proxy(route.proxy), trust_env=False
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`, read the whole answer. Raises SecondRequest, AnswerTooLong, what httpx raises."""
        self._tape.admit(request.method)
        with _noting(self._tape):
            response = self._inner.handle_request(_uncompressed(request))
        note_head(self._tape, response.status_code, response.headers.get)
        body = bytearray()
        try:
            for chunk in cast("httpx.SyncByteStream", response.stream):
                _append(body, chunk)
        finally:
            response.close()
        return httpx.Response(response.status_code, content=bytes(body))

    def close(self) -> None:
        """Close the connection."""
        self._inner.close()


class OneWriteAsyncTransport(httpx.AsyncBaseTransport):
    """The same for an asynchronous client."""

    def __init__(self, tape: Tape, route: Route) -> None:
        self._tape = tape
        self._inner = httpx.AsyncHTTPTransport(
            verify=route.certificates, proxy=_httpx_proxy(route.proxy), trust_env=False
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`, read the whole answer. Raises SecondRequest, AnswerTooLong, what httpx raises."""
        self._tape.admit(request.method)
        with _noting(self._tape):
            response = await self._inner.handle_async_request(_uncompressed(request))
        note_head(self._tape, response.status_code, response.headers.get)
        body = bytearray()
        try:
            async for chunk in cast("httpx.AsyncByteStream", response.stream):
                _append(body, chunk)
        finally:
            await response.aclose()
        return httpx.Response(response.status_code, content=bytes(body))

    async def aclose(self) -> None:
        """Close the connection."""
        await self._inner.aclose()


@contextmanager
def _noting(tape: Tape) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        tape.failed(error, before_sending=isinstance(error, _BEFORE_SENDING))
        raise


def _append(body: bytearray, chunk: bytes) -> None:
    body += chunk
    if len(body) > MOST_BYTES:
        raise AnswerTooLong


def _uncompressed(request: httpx.Request) -> httpx.Request:
    """`request`, asking for an answer whose size on the wire is its size."""
    request.headers["Accept-Encoding"] = "identity"
    return request


def _httpx_proxy(proxy: Proxy | None) -> httpx.Proxy | None:
    return httpx.Proxy(proxy.url, headers=dict(proxy.headers)) if proxy else None
