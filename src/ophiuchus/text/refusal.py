"""What the system refuses, with what to do about it: a person can mend it, so it is no bug."""

from __future__ import annotations

import errno

from ophiuchus.text.problem import ExpectedFailure

MORE_ROOM = (
    "Let it have more memory, processes and threads (a job's or container's limits, `ulimit -a`), or run it "
    "where less runs at once."
)
MORE_FILES = "Let it have more files open (`ulimit -n`)."

_NO_THREAD = "can't start new thread"
"""What `threading` says with a bare RuntimeError; on Python 3.11 to 3.13 nothing else tells it apart."""
_REMEDIES = {
    errno.EAGAIN: MORE_ROOM,
    errno.ENOMEM: MORE_ROOM,
    errno.EMFILE: MORE_FILES,
    errno.ENFILE: MORE_FILES,
}


class SystemRefused(ExpectedFailure):
    """The system did not give what this program asked of it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"the system refused: {what}", remedy)


def refusal_in(error: Exception) -> SystemRefused | None:
    """The refusal that `error` is; None where it is something else. It holds no words but the system's."""
    match error:
        case OSError():
            return SystemRefused(str(error), _remedy(error))
        case MemoryError():
            return SystemRefused("there is no memory left", MORE_ROOM)
        case RuntimeError(args=(said,)) if said == _NO_THREAD:
            return SystemRefused("no more threads can be started", MORE_ROOM)
    return None


def _remedy(error: OSError) -> str:
    # A stream that is not ready has the number of a process that cannot be started.
    is_about_a_stream = isinstance(error, BlockingIOError) and hasattr(error, "characters_written")
    return "" if is_about_a_stream else _REMEDIES.get(error.errno or 0, "")
