"""Workers in other processes, on this machine or others, by Ray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ray
from ray.exceptions import RayActorError, RayTaskError

from game.errors import ZhaifeiError
from game.rules import Rules
from solver.scattered.transport import WorkerLost
from solver.scattered.worker import Span, Worker


class RayWorkers:
    """As many workers, each with so many processors and threads, of the cluster that this process
    is connected to. See Transport."""

    def __init__(self, rules: Rules, workers: int, threads: int, *, large: bool) -> None:
        remote = ray.remote(num_cpus=threads, max_restarts=0, max_task_retries=0)(Worker)
        self._actors: list[Any] = [
            remote.remote(rules, threads, large=large) for _ in range(workers)
        ]

    def __len__(self) -> int:
        return len(self._actors)

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """See Transport."""
        asked = {
            worker: getattr(self._actors[worker], method).remote(*given)
            for worker, given in arguments.items()
        }
        return {worker: self._answer(worker, answer) for worker, answer in asked.items()}

    def move(self, number: int, span: Span, source: int, target: int) -> None:
        """See Transport. The part goes from one to the other, and not through this process."""
        state = self._actors[source].give.remote(number)
        self._answer(target, self._actors[target].take.remote(number, span, state))

    def close(self) -> None:
        """End the workers."""
        for actor in self._actors:
            ray.kill(actor)

    @staticmethod
    def _answer(worker: int, answer: Any) -> Any:
        try:
            return ray.get(answer)
        except RayActorError as error:
            raise WorkerLost("worker {worker} does not answer any more", worker=worker) from error
        except RayTaskError as error:
            cause = error.cause
            if isinstance(cause, (ZhaifeiError, MemoryError)):
                raise cause from error
            raise
