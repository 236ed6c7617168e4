"""Threads of solvers: they have all started, and are done when `run` is."""

import threading
import time

import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.machine.threads import Caller, Threads, share


def test_each_number_is_worked_on_and_results_come_in_order() -> None:
    threads = Threads(3)
    for _ in range(20):
        assert threads.run(lambda place: place * 10) == [0, 10, 20]


@pytest.mark.parametrize("number", [0, -1])
def test_fewer_than_one_thread_is_refused(number: int) -> None:
    with pytest.raises(ZhaifeiError, match=f"threads is {number}; there must be at least 1"):
        Threads(number)


def test_when_one_fails_the_others_have_ended() -> None:
    """Otherwise they would still change what is saved next."""
    ended = []

    def work(place: int) -> None:
        if place == 0:
            raise MemoryError
        time.sleep(0.05)
        ended.append(place)

    threads = Threads(3)
    with pytest.raises(MemoryError):
        threads.run(work)
    assert sorted(ended) == [1, 2]


def test_threads_that_the_system_does_not_grant_are_out_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, started = threading.Thread.start, []

    def refuse(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(OutOfMemory, match="there is no memory for 4 threads"):
        Threads(4)
    started[0].join()


def test_the_caller_does_the_work_itself() -> None:
    assert Caller().run(lambda place: (place, threading.get_ident())) == [
        (0, threading.get_ident())
    ]


@pytest.mark.parametrize(("threads", "number"), [(Caller(), 1), (Threads(3), 3)], ids=["1", "3"])
def test_each_job_is_done_once(threads: Threads | Caller, number: int) -> None:
    done: list[tuple[int, str]] = []
    share(threads, [*"abcdefg"], lambda thread, job: done.append((thread, job)))
    assert sorted(job for _, job in done) == [*"abcdefg"]
    assert {thread for thread, _ in done} <= {*range(number)}
