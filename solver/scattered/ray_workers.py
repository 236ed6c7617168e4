"""Workers in other processes, on this machine or on others, started by Ray."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.solver.scattered.ray_address import no_cluster
from zhaifei.solver.scattered.transport import WorkerLost
from zhaifei.solver.scattered.worker import Facts, Span, Worker, versions


@contextmanager
def connected(address: str | None = None) -> Iterator[None]:
    """Connect to the cluster at `address`, where Ray answers (`ray_address`). With None, start a
    cluster of this machine alone, which ends with the block. Raises ZhaifeiError if that fails."""
    _connect(address)
    try:
        yield
    finally:
        ray.shutdown()


class RayWorkers:
    """Workers on all machines of the connected cluster. See Transport.

    Each machine runs as many workers as fit, with `threads` threads per worker. If `threads` is
    None, each machine runs one worker with a thread per processor. Raises ZhaifeiError if no
    machine has `threads` processors."""

    def __init__(self, rules: Rules, threads: int | None, *, large: bool) -> None:
        self._actors: list[Any] = []
        for node, processors in _machines():
            each = threads or processors
            remote = ray.remote(
                num_cpus=each,
                max_restarts=0,
                max_task_retries=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
            )(Worker)
            self._actors += [
                remote.remote(rules, each, large=large) for _ in range(processors // each)
            ]
        if not self._actors:
            raise ZhaifeiError(
                "no machine of the cluster has {threads} processors", threads=threads or 1
            )

    def facts(self) -> list[Facts]:
        """Return [worker] the facts that each worker reports about itself. Raises WorkerLost."""
        answers = self.call("facts", dict.fromkeys(range(len(self)), ()))
        return [answers[worker] for worker in range(len(self))]

    def __len__(self) -> int:
        return len(self._actors)

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """See Transport."""
        asked = {
            worker: getattr(self._actors[worker], method).remote(*given)
            for worker, given in arguments.items()
        }
        return _answers(asked)

    def move(self, number: int, span: Span, source: int, target: int) -> None:
        """See Transport. The part goes directly from one worker to the other."""
        state = self._actors[source].state.remote(number)
        _answer(target, self._actors[target].take.remote(number, span, state))
        _answer(source, self._actors[source].drop.remote(number))

    def close(self) -> None:
        """See Transport."""
        for actor in self._actors:
            ray.kill(actor)


def verified(workers: RayWorkers) -> RayWorkers:
    """Return the `workers`. Raises ZhaifeiError if a machine would compute other bits than this
    one, and WorkerLost; in both cases it ends the workers first."""
    try:
        for facts in workers.facts():
            error = difference(facts)
            if error is not None:
                raise error
    except ZhaifeiError:
        workers.close()
        raise
    return workers


def difference(facts: Facts) -> ZhaifeiError | None:
    """Return why a worker would compute other bits than this machine; None if it would not."""
    own = versions()
    for name, found in facts.versions.items():
        if found != own[name]:
            return ZhaifeiError(
                "{host} has {name} {found}, and this machine {own}: the result would depend on who "
                "computes what",
                host=facts.host,
                name=name,
                found=found,
                own=own[name],
            )
    return None


def _connect(address: str | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports nothing
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is None:
            ray.init(address="local", include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (OSError, ValueError, RuntimeError) as error:
        raise no_cluster(address or "this machine", error) from error


def _machines() -> list[tuple[str, int]]:
    """Return the id and the number of processors of each live machine of the cluster, sorted by
    id."""
    machines = [
        (node["NodeID"], int(node["Resources"].get("CPU", 0)))
        for node in ray.nodes()
        if node["Alive"]
    ]
    return sorted((node, processors) for node, processors in machines if processors > 0)


def _answers(asked: Mapping[int, Any]) -> dict[int, Any]:
    """Return the answers of all workers, once all are done. Raises the error of the first worker
    that failed; by then no worker is busy."""
    answers: dict[int, Any] = {}
    failed: Exception | None = None
    for worker, answer in asked.items():
        try:
            answers[worker] = _answer(worker, answer)
        except Exception as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return answers


def _answer(worker: int, answer: Any) -> Any:
    try:
        return ray.get(answer)
    except RayTaskError as error:
        cause = error.cause
        if isinstance(cause, (ZhaifeiError, MemoryError)):
            raise cause from error
        if isinstance(cause, RayError):  # the argument of the call is lost
            raise _lost(worker) from error
        raise
    except RayError as error:
        raise _lost(worker) from error


def _lost(worker: int) -> WorkerLost:
    return WorkerLost("worker {worker} does not answer any more", worker=worker)
