"""Check whether the machines of a cluster can solve a game together, before a long run begins."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.training.scattered_run import needing_ray, verify_on_cluster
from zhaifei.policies.training.solver_run import planned_run, solver_setup
from zhaifei.solver.cfr.growing_tree import GrowingTree
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import is_large
from zhaifei.solver.scattered.ray_address import verify_reached


@dataclass(frozen=True)
class Machine:
    """A machine of a cluster, and the workers that a run would have there."""

    host: str
    workers: int
    threads: int
    """The threads of all workers of the machine together."""
    spare: float
    """The bytes of free memory."""
    histories: int
    """Approximately how many histories of the game fit into the free memory."""
    difference: ZhaifeiError | None
    """Why the machine would compute other bits than this one; None if it would not."""


def check_cluster(address: str | None, rules: Rules, threads: int | None) -> list[Machine]:
    """Return the machines of the cluster at `address`, sorted by name, with the workers that
    `scattered_run.on_cluster` would start. Raises ZhaifeiError for rules that are not solved on a
    cluster, and as `on_cluster` does, except for machines that differ from this one."""
    verify_on_cluster(planned_run(solver_setup(rules), None, None))
    if address is not None:
        verify_reached(address)
    with needing_ray():
        from zhaifei.solver.scattered.ray_workers import (  # noqa: PLC0415
            RayWorkers,
            connected,
            difference,
        )

    grown = GrowingTree(root_of(bid_tables(rules)), large=is_large(rules))
    by_host = defaultdict(list)
    with connected(address):
        for facts in RayWorkers(rules, threads, large=is_large(rules)).facts():
            by_host[facts.host].append(facts)
    return [
        Machine(
            host,
            len(workers),
            sum(facts.threads for facts in workers),
            workers[0].spare,
            grown.nodes_in(workers[0].spare),
            difference(workers[0]),
        )
        for host, workers in sorted(by_host.items())
    ]
