"""How a solver reaches its workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from game.errors import ZhaifeiError
from game.rules import Rules
from solver.scattered.worker import Span, Worker


class WorkerLost(ZhaifeiError):
    """A worker that does not answer any more: all that it held is gone."""


class Transport(Protocol):
    """Workers, numbered from 0."""

    def __len__(self) -> int:
        """Return how many there are."""

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """Call a `method` of some workers with these `arguments`, at the same time; return their
        answers. Raises what a worker raises, and WorkerLost."""

    def move(self, number: int, span: Span, source: int, target: int) -> None:
        """Let a worker hold a part that another one held. Raises as `call` does; after an
        OutOfMemory it is still where it was."""

    def close(self) -> None:
        """Let all workers end."""


class InProcess:
    """Workers in this process, one after the other."""

    def __init__(self, rules: Rules, workers: int, threads: int | None, *, large: bool) -> None:
        self._workers = [Worker(rules, threads, large=large) for _ in range(workers)]

    def __len__(self) -> int:
        return len(self._workers)

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """See Transport."""
        return {
            worker: getattr(self._workers[worker], method)(*given)
            for worker, given in arguments.items()
        }

    def move(self, number: int, span: Span, source: int, target: int) -> None:
        """See Transport."""
        self._workers[target].take(number, span, self._workers[source].state(number))
        self._workers[source].drop(number)

    def close(self) -> None:
        """See Transport."""
        self._workers.clear()
