"""Run worker processes that query policies, so that the server stays responsive.

Each process answers one question at a time. At most MOST_WAITING questions may run or wait; further
ones are refused. A question that takes too long ends with its process. A new process takes the
place of one that has ended; if no process can be started, the next question tries again. Where the
system allows, processes are forked from one that has loaded the policy and has no threads: they
share its pages.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from zhaifei.app.server.asked import Refusal, TooMany
from zhaifei.app.server.compiled import Compiled, count_kernels
from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine.system import KILL, release_free_memory

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

LONGEST = 300.0
"""Seconds that a question may take, including compiling."""
MOST_WAITING = 64
PRELOADED = "ZHAIFEI_WEB_POLICY"
"""The environment variable that names the policy that is loaded before processes are forked. An
empty one means the known policy of two players."""
_GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": "262144", "MALLOC_TRIM_THRESHOLD_": "1048576"}
"""Sizes in bytes, for the C library of Linux, from which processes return unused memory. The
default sizes grow, and each worker would hold a hundred megabytes more."""


class Busy(TooMany):
    """Raised for a question beyond the most that may wait."""


class Failed(Refusal):
    """Raised for a question whose process ended, or on which a policy broke."""

    status = 503


_LOST = EOFError, OSError
"""Exceptions raised when the other end of a pipe is gone."""
_NOT_STARTED = (*_LOST, MemoryError, RuntimeError, ValueError)
"""Exceptions raised when no process, thread or pipe can be made."""


@dataclass
class _Worker:
    process: Any
    connection: Connection

    @property
    def waits(self) -> bool:
        """Whether the process waits for a question. A process sends nothing unasked, so a readable
        pipe is at its end."""
        try:
            return not self.connection.poll()
        except _LOST:
            return False

    def kill(self) -> None:
        """End the process, even if the process that started it has ended and cannot report on
        it."""
        if self.process.is_alive() or self.waits:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, KILL)


class Workers:
    """The worker processes; `run` belongs to one event loop."""

    def __init__(self, number: int, policy: Path | None = None, seconds: float = LONGEST) -> None:
        self.number, self.seconds = number, seconds
        methods = multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in methods else "spawn"
        )
        self._compiled = Compiled()
        os.environ[PRELOADED] = "" if policy is None else str(policy)
        for name, least in _GIVEN_BACK.items():
            os.environ.setdefault(name, least)
        if "forkserver" in methods:
            self._context.set_forkserver_preload(["zhaifei.app.server.preloaded"])
        self._threads = ThreadPoolExecutor(number)  # each waits for one process
        self._idle: asyncio.LifoQueue[_Worker | None] = asyncio.LifoQueue()
        """The workers that wait for a question; None stands for a missing process."""
        self._behind = asyncio.Semaphore(max(1, number - 1))
        self._jobs: set[asyncio.Task[Any]] = set()
        self._workers: list[_Worker] = []
        self._stopped = False

    @property
    def compiled(self) -> int:
        """How many kernels the processes have compiled so far."""
        return self._compiled.number

    async def start(self) -> None:
        """Start the processes; questions that are asked meanwhile wait."""
        for _ in range(self.number):
            worker = None
            try:
                worker = await self._started()
            except Failed:  # out of memory, or Ctrl-C has ended the loading process
                continue
            finally:
                self._idle.put_nowait(worker)

    def stop(self) -> None:
        """End the processes."""
        self._stopped = True
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._compiled.close()

    async def run(
        self,
        function: Callable[Arguments, Answer],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Answer:
        """Return the result of a module's function in a worker. Raise its errors, Busy if too many
        questions wait, or Failed if it takes too long or the workers are stopped."""
        if self._stopped:
            raise Failed("that took too long, or failed; try again")
        if len(self._jobs) >= MOST_WAITING:
            raise Busy("too many questions are waiting; try again in a moment")
        job = asyncio.ensure_future(self._job(function, arguments, named))
        self._jobs.add(job)
        job.add_done_callback(self._done)
        answer: Answer = await asyncio.shield(job)  # the asker may leave; the worker goes on
        return answer

    async def run_behind(
        self,
        function: Callable[Arguments, Answer],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Answer:
        """Return the result as `run` does, for questions that nobody waits for: one worker stays
        free for others."""
        async with self._behind:
            return await self.run(function, *arguments, **named)

    def _done(self, job: asyncio.Task[Any]) -> None:
        self._jobs.discard(job)
        if not job.cancelled():
            job.exception()  # the asker may have left

    async def _job(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        worker = await self._idle.get()
        try:
            if worker is None or not worker.waits:
                gone, worker = worker, None
                self._forget(gone)
                worker = await self._started()
            kind, answer = await self._answer_of(worker, (function, arguments, named))
        except _LOST as error:
            gone, worker = worker, None
            self._forget(gone)
            raise Failed("that took too long, or failed; try again") from error
        finally:
            self._idle.put_nowait(worker)
        if kind == "raised":
            raise answer
        return answer

    async def _answer_of(self, worker: _Worker, question: object) -> tuple[str, Any]:
        """Return the answer of a process. Raise one of _LOST if the process ends first, or is
        killed after `seconds`."""
        loop = asyncio.get_running_loop()
        asked = loop.run_in_executor(self._threads, _ask, worker.connection, question)
        done, _ = await asyncio.wait([asked], timeout=self.seconds)
        if not done:
            worker.kill()  # then the thread reads the end of the pipe
        answer: tuple[str, Any] = await asked
        return answer

    async def _started(self) -> _Worker:
        """Return a new process without blocking the server. Raise Failed if none can be started."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._new)
        except _NOT_STARTED as error:
            raise Failed(
                "cannot start a process for the policy: {why}; try again in a moment",
                why=getattr(error, "strerror", None) or type(error).__name__,
            ) from error

    def _new(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_work, args=(theirs, self._compiled.path), daemon=True
        )
        try:
            process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        if self._stopped:
            worker.kill()
        return worker

    def _forget(self, worker: _Worker | None) -> None:
        """Let go of a process that has ended."""
        if worker is not None:
            self._workers.remove(worker)
            worker.connection.close()


def _ask(connection: Connection, question: object) -> Any:
    connection.send(question)
    return connection.recv()


def _work(connection: Connection, counted: Path) -> None:
    """Answer questions until the server is gone."""
    count_kernels(counted)
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError):
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    with suppress(EOFError, OSError):
        while True:
            function, arguments, named = connection.recv()
            connection.send(_answer(function, arguments, named))
            release_free_memory()


def _answer(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[str, Any]:
    try:
        return "returned", function(*arguments, **named)
    except ZhaifeiError as error:
        return "raised", error
    except Exception as error:  # the worker must live on
        return "raised", Failed("internal error: {error}", error=repr(error))
