"""What of an answer's head goes onto the tape, beneath whichever SDK."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from ophiuchus.publish.tape import Tape
from ophiuchus.text.throttle import seconds_until_retry

_HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,9}", re.ASCII)
"""A host that can be told; the rest of a redirect's address is the server's own words."""


def note_head(tape: Tape, status: int, header: Callable[[str], str | None]) -> None:
    """Note that an answer began to arrive. `header` gives a header's value by its name in any case."""
    host = _host_in(header("Location") or "") if 300 <= status < 400 else None
    tape.answered(status, seconds_until_retry(status, header), host)


def _host_in(address: str) -> str | None:
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return None
    return host if _HOST.fullmatch(host) else None
