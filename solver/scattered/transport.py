"""The connection between a solver and its workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.solver.scattered.worker import Span, Worker


class WorkerLost(ZhaifeiError):
    """Raised if a worker does not answer any more; all parts that it held are lost."""


class Transport(Protocol):
    """Workers, numbered from 0."""

    def __len__(self) -> int:
        """Return the number of workers."""

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """Call a `method` of some workers with these `arguments`, at the same time, and return
        their answers. Raise WorkerLost or whatever a worker raises."""

    def move(self, number: int, span: Span, source: int, target: int) -> None:
        """Move a part from the worker `source` to the worker `target`. Raise as `call` does; after
        an OutOfMemory the part is still at `source`."""

    def close(self) -> None:
        """End all workers."""


class InProcess:
    """Workers in this process, which are called one after the other."""

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
