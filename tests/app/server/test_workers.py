"""Processes that answer questions."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from errno import ENOMEM
from typing import Any

import numba
import pytest

from tests.app.server.processes import wait_for_end
from tests.command_line import LONG
from zhaifei.app.server import workers as module
from zhaifei.app.server.workers import Busy, Failed, Workers
from zhaifei.game.bids import IllegalBid


def with_workers(
    scenario: Callable[[Workers], Awaitable[Any]], number: int = 1, seconds: float = LONG
) -> Any:
    async def run() -> Any:
        workers = Workers(number, None, seconds)
        try:
            await workers.start()
            return await scenario(workers)
        finally:
            workers.stop()

    return asyncio.run(run())


def raise_illegal(what: str) -> None:
    raise IllegalBid("{what} is illegal", what=what)


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What these tests ask needs no policy."""
    monkeypatch.setattr(module, "PRELOADED", "ZHAIFEI_NOTHING_IS_LOADED")


def test_answers_come_from_another_process() -> None:
    assert with_workers(lambda workers: workers.run(os.getpid)) != os.getpid()


def test_errors_come_back_as_they_were() -> None:
    with pytest.raises(IllegalBid, match="that is illegal"):
        with_workers(lambda workers: workers.run(raise_illegal, "that"))


def test_an_error_of_the_program_is_told() -> None:
    with pytest.raises(Failed, match="internal error: ZeroDivisionError"):
        with_workers(lambda workers: workers.run(divmod, 1, 0))


def test_a_process_that_ends_is_replaced() -> None:
    async def scenario(workers: Workers) -> int:
        with pytest.raises(Failed):
            await workers.run(os._exit, 3)
        return await workers.run(abs, -1)

    assert with_workers(scenario) == 1


def test_when_a_process_and_what_starts_them_are_killed_the_next_question_is_answered() -> None:
    async def scenario(workers: Workers) -> int:
        worker, starter = await workers.run(os.getpid), await workers.run(os.getppid)
        assert len({os.getpid(), worker, starter}) == 3
        for process in (starter, worker):
            os.kill(process, signal.SIGKILL)
        await asyncio.to_thread(wait_for_end, {worker, starter})
        return await workers.run(abs, -1)

    assert with_workers(scenario) == 1


def test_when_what_starts_them_is_killed_a_process_that_takes_too_long_still_ends() -> None:
    async def scenario(workers: Workers) -> int:
        worker, starter = await workers.run(os.getpid), await workers.run(os.getppid)
        os.kill(starter, signal.SIGKILL)
        await asyncio.to_thread(wait_for_end, {starter})
        workers.seconds = 0.1
        with pytest.raises(Failed):
            await workers.run(time.sleep, LONG)
        await asyncio.to_thread(wait_for_end, {worker})
        workers.seconds = LONG
        return await workers.run(abs, -1)

    assert with_workers(scenario) == 1


@pytest.mark.parametrize(
    "error", [OSError(ENOMEM, "no memory"), EOFError(), RuntimeError("thread")]
)
def test_while_no_process_can_be_started_it_is_said_and_then_questions_are_answered(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(workers: Workers) -> int:
        with pytest.raises(Failed):
            await workers.run(os._exit, 3)
        with monkeypatch.context() as full:
            full.setattr(workers, "_new", raises(error))
            for _ in range(3):
                with pytest.raises(Failed, match="cannot start a process"):
                    await workers.run(abs, -1)
        return await workers.run(abs, -1)

    assert with_workers(scenario) == 1


def test_workers_that_cannot_be_started_at_first_are_started_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> int:
        workers = Workers(2)
        try:
            with monkeypatch.context() as full:
                full.setattr(workers, "_new", raises(OSError(ENOMEM, "no memory")))
                await workers.start()
            return await workers.run(abs, -1)
        finally:
            workers.stop()

    assert asyncio.run(scenario()) == 1


def raises(error: Exception) -> Callable[[], None]:
    def raising() -> None:
        raise error

    return raising


def test_what_takes_too_long_is_ended() -> None:
    async def scenario(workers: Workers) -> int:
        workers.seconds = 0.1
        with pytest.raises(Failed):
            await workers.run(time.sleep, LONG)
        workers.seconds = LONG
        return await workers.run(abs, -1)

    assert with_workers(scenario) == 1


def test_no_more_than_so_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)

    async def scenario(workers: Workers) -> int:
        asked = [asyncio.ensure_future(workers.run(abs, -1)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await workers.run(abs, -1)
        return sum(await asyncio.gather(*asked))

    assert with_workers(scenario) == 3


def test_at_most_one_is_asked_for_what_nobody_waits_for() -> None:
    async def scenario(workers: Workers) -> set[int]:
        asked = [workers.run_behind(os.getpid) for _ in range(6)]
        return {*await asyncio.gather(*asked)}

    assert len(with_workers(scenario, number=2)) == 1


def test_who_leaves_does_not_hold_a_worker() -> None:
    async def scenario(workers: Workers) -> int:
        gone = asyncio.ensure_future(workers.run(abs, -2))
        await asyncio.sleep(0)
        gone.cancel()
        return await workers.run(abs, -1)

    assert with_workers(scenario) == 1


def compile_something(number: int) -> int:
    numba.njit(lambda x: x + number)(1)
    return number


def test_kernels_that_processes_compile_are_counted() -> None:
    async def scenario(workers: Workers) -> list[int]:
        before = workers.compiled
        await workers.run(compile_something, 1)
        await workers.run(compile_something, 2)
        await workers.run(os.getpid)
        return [before, workers.compiled]

    before, after = with_workers(scenario)
    assert after == before + 2
