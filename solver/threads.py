"""Who does the work of a solver: threads that share its arrays, or the one that calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from game.errors import ZhaifeiError
from solver.memory import OutOfMemory

Result = TypeVar("Result")


class Threads:
    """So many threads, all of which have started: a step of training cannot fail for want of one.

    Raises ZhaifeiError for fewer than one, and OutOfMemory if the system grants no more.
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
        """Return what `do` returns for each number of a thread from 0. When an error is raised, no
        thread is at work any more."""
        jobs = []
        try:
            for place in range(self._number):
                jobs.append(self._pool.submit(do, place))
        finally:
            wait(jobs)
        return [job.result() for job in jobs]


class Caller:
    """In place of Threads: the thread that calls does the work itself, with no time lost on handing
    it over. An exception that a signal raises may leave it half done, so this is for work that is
    thrown away then."""

    def run(self, do: Callable[[int], Result]) -> list[Result]:
        """Return what `do` returns for the number 0."""
        return [do(0)]
