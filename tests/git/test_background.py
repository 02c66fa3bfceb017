from __future__ import annotations

import threading

import pytest

from ophiuchus.git.background import in_background


def test_work_is_done_beside_other_work() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work() -> int:
        begun.set()
        assert go_on.wait(10)
        return 7

    with in_background(work) as result:
        assert begun.wait(10)
        go_on.set()
        assert result() == 7
        assert result() == 7


def test_what_the_work_raised_is_raised_where_its_result_is_asked_for() -> None:
    def work() -> int:
        raise ZeroDivisionError

    with in_background(work) as result, pytest.raises(ZeroDivisionError):
        result()


def test_a_result_that_nobody_asks_for_is_waited_for() -> None:
    done = []
    with in_background(lambda: done.append(1)):
        pass
    assert done == [1]
