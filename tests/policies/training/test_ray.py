"""Runs on a Ray cluster of several machines, of which all are this one."""

import os
import signal
from collections.abc import Iterator

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.scattered_run import ScatteredRun
from zhaifei.policies.training.solver_run import SavedRun, SolverRun
from zhaifei.solver.scattered.scattered_tree import Cutting
from zhaifei.solver.tables.strategy_table import arrays_of

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

from zhaifei.solver.scattered import ray_workers  # noqa: E402
from zhaifei.solver.scattered.ray_workers import RayWorkers, connected, verified  # noqa: E402
from zhaifei.solver.scattered.worker import versions  # noqa: E402

RULES = Rules.of(dice=2, faces=2)
SETUP = Setup(RULES, "tree", "full", 0, 1)
FINE = Cutting(loose=10, share=0.05, least=8, uneven=1.05)
GOAL = 40 * 9
NODE = {"num_cpus": 1, "object_store_memory": 80_000_000}


@pytest.fixture(scope="module")
def machines() -> Iterator[Cluster]:
    """A machine of one processor, to which tests add others."""
    found = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    yield found
    found.shutdown()


@pytest.fixture
def cluster(machines: Cluster) -> Iterator[Cluster]:
    """Three machines of one processor each, whatever the tests before have removed."""
    while len(machines.worker_nodes) < 2:
        machines.add_node(**NODE)
    machines.wait_for_nodes()
    with connected(machines.address):
        yield machines


def tables(run: SolverRun) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in arrays_of(run.result().table).items()}


@pytest.mark.slow
def test_workers_and_machines_may_be_lost_at_any_moment(cluster, tmp_path):
    whole = SolverRun(SETUP, SETUP.build(), GOAL)
    while whole.done < GOAL:
        whole.advance()
    started: list[RayWorkers] = []

    def start(_: Rules) -> RayWorkers:
        started.append(RayWorkers(RULES, 1, large=False))
        return started[-1]

    run = ScatteredRun(SavedRun(SETUP, GOAL, None), start, FINE)
    assert len(started[0]) == 3
    chance, path, lost = np.random.default_rng(0), tmp_path / "run.checkpoint.safetensors", 0
    machine = next(iter(cluster.worker_nodes))
    while run.done < GOAL:
        run.advance()
        if chance.random() < 0.2:
            run.save_checkpoint(path)
        if chance.random() < 0.15 and lost < 3:
            lost += 1
            victim = int(chance.integers(len(started[-1])))
            facts = started[-1].call("facts", {victim: ()})[victim]
            os.kill(facts.process, signal.SIGKILL)
        if machine is not None and run.done > GOAL // 2:
            cluster.remove_node(machine)
            machine = None
    assert len(started) > lost == 3
    assert len(started[-1]) == 2
    assert tables(run) == tables(whole)
    run.close()


@pytest.mark.slow
def test_machines_that_do_not_fit_are_refused(cluster, monkeypatch):
    with pytest.raises(ZhaifeiError, match="no machine of the cluster has 2 processors"):
        RayWorkers(RULES, 2, large=False)
    other = {**versions(), "numba": "0.1"}
    monkeypatch.setattr(ray_workers, "versions", lambda: other)
    workers = RayWorkers(RULES, 1, large=False)
    with pytest.raises(ZhaifeiError, match=r"has numba [\d.]+, and this machine 0\.1: the result"):
        verified(workers)


@pytest.mark.slow
def test_a_worker_killed_before_the_first_pass_is_replaced(cluster):
    started: list[RayWorkers] = []

    def start(_: Rules) -> RayWorkers:
        started.append(RayWorkers(RULES, 1, large=False))
        if len(started) == 1:
            os.kill(started[0].facts()[1].process, signal.SIGKILL)
        return verified(started[-1])

    run = ScatteredRun(SavedRun(SETUP, GOAL, None), start, FINE)
    run.advance()
    assert (len(started), len(started[1]), run.done > 0) == (2, 3, True)
    run.close()
