from __future__ import annotations

import pytest
from github.Requester import RequestsResponse
from urllib3.exceptions import MaxRetryError, NameResolutionError, ReadTimeoutError

from ophiuchus.github.wire import Stopped, Wire

UNRESOLVED = MaxRetryError(None, "/", NameResolutionError("host", None, OSError()))  # type: ignore[arg-type]
LATE = MaxRetryError(None, "/", ReadTimeoutError(None, "/", "late"))  # type: ignore[arg-type]
LATE.__context__ = LATE


def test_a_wire_that_was_closed_lets_nothing_out() -> None:
    wire = Wire()
    assert wire.close() is False
    with pytest.raises(Stopped):
        wire.send_once(lambda: pytest.fail("sent"))
    assert wire.close() is False


@pytest.mark.parametrize(
    ("raised", "may_have_left", "error"),
    [
        pytest.param(UNRESOLVED, False, "NameResolutionError", id="a name that does not resolve"),
        pytest.param(LATE, True, "ReadTimeoutError", id="an answer that was late"),
    ],
)
def test_what_the_network_raised_says_whether_the_request_may_have_left(
    raised: MaxRetryError, may_have_left: bool, error: str
) -> None:
    def send() -> RequestsResponse:
        raise raised

    wire = Wire()
    with pytest.raises(MaxRetryError):
        wire.send_once(send)
    with pytest.raises(Stopped):
        wire.send_once(send)
    assert (wire.close(), wire.error) == (may_have_left, error)
