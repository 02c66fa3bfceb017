from __future__ import annotations

import threading

import pytest

from ophiuchus.publish.tape import SecondRequest, Tape


def test_one_post_goes_out_and_nothing_after_it() -> None:
    tape = Tape()
    tape.admit("post")
    assert tape.handed_over
    for method in ("POST", "GET", "POST"):
        with pytest.raises(SecondRequest):
            tape.admit(method)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", ""])
def test_only_a_post_is_a_write(method: str) -> None:
    tape = Tape()
    with pytest.raises(SecondRequest):
        tape.admit(method)
    assert not tape.handed_over
    tape.admit("POST")


def test_a_closed_tape_lets_nothing_out() -> None:
    tape = Tape()
    tape.close()
    with pytest.raises(SecondRequest):
        tape.admit("POST")
    assert not tape.handed_over


def test_of_many_threads_one_gets_through() -> None:
    tape = Tape()
    start = threading.Barrier(16)
    admitted: list[int] = []

    def rush(number: int) -> None:
        start.wait()
        try:
            tape.admit("POST")
        except SecondRequest:
            return
        admitted.append(number)

    threads = [threading.Thread(target=rush, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(admitted) == 1


def test_a_failure_is_kept_by_the_name_of_its_class() -> None:
    tape = Tape()
    tape.failed(ConnectionResetError("secret words"), before_sending=False)
    assert tape.failure == "ConnectionResetError"
    assert "secret" not in repr(vars(tape))
