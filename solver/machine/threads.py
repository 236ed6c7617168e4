"""The workers of a solver: threads that share its arrays, or the calling thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue
from typing import TypeVar

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine.memory import OutOfMemory

Result = TypeVar("Result")
Job = TypeVar("Job")

_MOST_PIECES, _LEAST_PIECE = 128, 200
"""The largest number of pieces into which work on the nodes of a tree is divided, and the least
number of nodes in a piece. A piece takes at least a few tenths of a millisecond."""


class Threads:
    """A pool of `number` threads, all of them started: a step of training cannot fail for lack of a
    thread.

    Raises ZhaifeiError if `number` is less than 1, and OutOfMemory if the system does not grant the
    threads.
    """

    def __init__(self, number: int) -> None:
        if number < 1:
            raise ZhaifeiError("threads is {threads}; there must be at least 1", threads=number)
        self._number, self._pool = number, ThreadPoolExecutor(number)
        together = threading.Barrier(number)
        try:
            jobs = [self._pool.submit(together.wait) for _ in range(number)]
        except (RuntimeError, MemoryError) as error:  # "can't start new thread"
            together.abort()
            raise OutOfMemory("there is no memory for {threads} threads", threads=number) from error
        wait(jobs)

    def run(self, do: Callable[[int], Result]) -> list[Result]:
        """Return the results of `do` for each thread's number, from 0. When an error is raised, no
        thread is still working."""
        jobs = []
        try:
            for place in range(self._number):
                jobs.append(self._pool.submit(do, place))
        finally:
            wait(jobs)
        return [job.result() for job in jobs]


class Caller:
    """Replaces Threads by the calling thread, which does the work without the time for handing it
    over. An exception that a signal raises may leave the work half done, so use this for work that
    is then thrown away."""

    def run(self, do: Callable[[int], Result]) -> list[Result]:
        """Return the result of `do` for the number 0."""
        return [do(0)]


CALLER = Caller()


def piece_size(nodes: int) -> int:
    """Return how many of the `nodes` one piece has, so that threads can share the pieces."""
    return max(_LEAST_PIECE, nodes // _MOST_PIECES)


def pieces(first: int, stop: int) -> list[range]:
    """Return the nodes from `first` to `stop` in pieces of about the same number."""
    size = piece_size(stop - first)
    return [range(node, min(node + size, stop)) for node in range(first, stop, size)]


def share(threads: Threads | Caller, jobs: Sequence[Job], do: Callable[[int, Job], None]) -> None:
    """Do all `jobs`, shared among the `threads`; the jobs start in order. `do` gets the number of
    the thread, from 0."""
    waiting: SimpleQueue[Job] = SimpleQueue()
    for job in jobs:
        waiting.put(job)

    def work(thread: int) -> None:
        while True:
            try:
                job = waiting.get_nowait()
            except Empty:
                return
            do(thread, job)

    threads.run(work)
