"""The tape: what the transport beneath an SDK saw of the one write that it may make.

An SDK's exception says little about what became of a write (facts/providers.md §0 and §2), and its own
retries and redirects make a second one. So a tape is put beneath each SDK: it lets one POST out, refuses
everything else, and keeps what came of it.
"""

from __future__ import annotations

from threading import Lock


class SecondRequest(Exception):
    """The SDK wanted to send more than its one write, or something else than a write."""


class Tape:
    """The record of one attempt. Transports write it, `outcome` reads it; they may be in different threads.

    `handed_over`: a write was given to the transport. `before_sending`: it failed where nothing can have
    been sent. `status`: of the answer, None without one. `failure`: the class of the transport's error.
    `retry_after`: seconds until the provider wants to be asked again, where it says so. `redirected_to`: the
    host of another place that the answer names.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._closed = False
        self.handed_over = False
        self.before_sending = False
        self.status: int | None = None
        self.failure: str | None = None
        self.retry_after: int | None = None
        self.redirected_to: str | None = None

    def admit(self, method: str) -> None:
        """Let one POST through. Raises SecondRequest for all else, and for all after `close`."""
        with self._lock:
            if self._closed or self.handed_over or method.upper() != "POST":
                raise SecondRequest
            self.handed_over = True

    def close(self) -> None:
        """Let nothing more through: what was not handed over by now never will be."""
        with self._lock:
            self._closed = True

    def answered(self, status: int, retry_after: int | None = None, redirected_to: str | None = None) -> None:
        """An answer began to arrive."""
        self.retry_after = retry_after
        self.redirected_to = redirected_to
        self.status = status

    def failed(self, error: BaseException, *, before_sending: bool) -> None:
        """The transport gave up. `before_sending` only where not a byte of the request can have left."""
        self.failure = type(error).__name__
        self.before_sending = before_sending
