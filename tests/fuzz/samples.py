"""Small real files of every kind that zhaifei writes: what `tests.fuzz.mutations` damages.

They are for games so small that a file has a few kilobytes, and that a hundred can be read and used
in a second.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from tests.policies.small_policies import random_policy
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.network import save_weights
from zhaifei.policies.players.q_player import save_values
from zhaifei.policies.players.table_policy import save_policy
from zhaifei.policies.research import learning
from zhaifei.policies.research.q_learning import new_q_run
from zhaifei.policies.research.single_bid_engine import single_bid_setup
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.solver_run import SolverRun, planned_run, solver_setup
from zhaifei.solver.files.compressed import decompressing, length_if_compressed

RULES = Rules.of(dice=1, faces=3)
TINY = Rules.of(dice=1, faces=2)
THREE = Rules.of(players=3, dice=1, faces=2, jump_challenge=True)
MATCH = preset("classic", dice=(1, 1), faces=2)
COUNTED = preset("increment", players=2, dice=2, faces=3)
"""Of the file of action values, and of the run that learns them."""

LEARNED = ("dqn", "nfsp", "ppo") if find_spec("torch") else ()
SETUPS = {
    "exact": (Setup(TINY, "exact", "full", 0, 1), 8),
    "tree": (Setup(RULES, "tree", "full", 0, 2), 13),
    "mccfr": (Setup(RULES, "mccfr", "bid,bid", 3, 1), 12),
    "mccfr-jump": (Setup(THREE, "mccfr", "bid,bid,bid", 3, 1), 10),
    "mccfr-full": (Setup(THREE, "mccfr", "full", 3, 1), 10),
    "single-bid": (single_bid_setup(RULES), 8),
}
"""Of checkpoints of solvers: the setup, and how often the run advances before it is saved."""

Write = Callable[[Path], None]


def small_learner(algorithm: str, seed: int, *rules: object) -> Any:
    """As `policies.research.learning.new_learner`, with a few units and a few rounds at a time."""
    if algorithm == "ppo":
        from zhaifei.policies.research.ppo import PPOLearner, PPOSettings  # noqa: PLC0415

        return PPOLearner(TINY, seed, PPOSettings(actor=4, critic=4, rounds=32, minibatches=2))
    if algorithm == "nfsp":
        from zhaifei.policies.research.nfsp import NFSPLearner, NFSPSettings  # noqa: PLC0415

        sizes = {"capacity": 60, "reservoir": 50, "batch": 8, "learn_every": 16, "rounds": 16}
        return NFSPLearner(TINY, seed, NFSPSettings(hidden=(4, 4), **sizes))
    from zhaifei.policies.research.dqn import DQNLearner, DQNSettings  # noqa: PLC0415

    sizes = {"capacity": 60, "batch": 8, "learn_every": 16, "rounds": 16}
    return DQNLearner(TINY, seed, DQNSettings(hidden=(4, 4), **sizes))


@contextmanager
def small_learners() -> Iterator[None]:
    """While this is open, runs of learners that are made or resumed have a small learner."""
    with mock.patch.multiple(learning, LEARNED=TINY, new_learner=small_learner):
        yield


def _solving(setup: Setup, times: int) -> SolverRun:
    run = SolverRun(setup, setup.build(), 10**6)
    for _ in range(times):
        run.advance()
    return run


def _checkpoint(setup: Setup, times: int, path: Path) -> None:
    _solving(setup, times).save_checkpoint(path)


def _match(path: Path) -> None:
    """Write the checkpoint of a run that is in the middle of its second leg."""
    run = planned_run(solver_setup(MATCH, threads=1), 80, None).begun()
    for _ in range(13):
        run.advance()
    assert len(run.solved) == 1
    run.save_checkpoint(path)


def _solved(name: str, path: Path) -> None:
    run = _solving(*SETUPS[name])
    run.save_result(path, run.result())


def _random(dtype: type[np.generic], path: Path) -> None:
    save_policy(path, random_policy(TINY, dtype=dtype))


def _learning_q(path: Path) -> None:
    run = new_q_run(matches=50, rules=COUNTED)
    run.advance()
    run.save_checkpoint(path)


def _values(path: Path) -> None:
    run = new_q_run(matches=20, rules=COUNTED)
    run.advance()
    save_values(path, COUNTED, run.values, {"command": "zhaifei train q", "seconds": 1})


def _learning(algorithm: str) -> learning.LearningRun:
    with small_learners():
        run = learning.new_learning_run(algorithm, steps=10_000, seed=3, threads=1)
        for _ in range(3):
            run.advance()
    return run


def _training(algorithm: str, path: Path) -> None:
    _learning(algorithm).save_checkpoint(path)


def _weights(path: Path) -> None:
    save_weights(path, _learning("ppo").result())


WRITERS: dict[str, Write] = {
    "policy-exact": partial(_solved, "exact"),
    "policy-three": partial(_solved, "mccfr-jump"),
    "policy-full": partial(_solved, "mccfr-full"),
    "policy-packed": partial(_random, np.uint16),
    "values": _values,
    **{f"solve-{name}": partial(_checkpoint, *setup) for name, setup in SETUPS.items()},
    "solve-match": _match,
    "train-q": _learning_q,
    **{f"train-{name}": partial(_training, name) for name in LEARNED},
    **({"weights": _weights} if LEARNED else {}),
}
"""What writes a file of each kind. A name begins with the use of the file: see
`tests.fuzz.using`."""


def write_samples(directory: Path, names: Collection[str] = WRITERS) -> dict[str, bytes]:
    """Write a file of each kind into `directory`; return their contents by the name of the kind,
    not compressed: damage to a compressed file does not get past its frame."""
    contents = {}
    for name in names:
        path = directory / f"{name}.safetensors"
        WRITERS[name](path)
        with path.open("rb") as file:
            if length_if_compressed(file) is not None:
                with decompressing(file) as plain:
                    path.write_bytes(plain.read())
        contents[name] = path.read_bytes()
    return contents
