"""Runs of learners that play against themselves or against fixed players, and the weights file
that they write.

Torch is imported when a run begins; playing by weights does not need it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zhaifei.game.errors import ZhaifeiError, needing
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.replacing import Plan, names_against
from zhaifei.policies.players.network import LearnedPolicy, save_weights
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.plug_in.memory import has_memory
from zhaifei.policies.training.limits import MOST_SEED, MOST_THREADS
from zhaifei.policies.training.plan import (
    LEARNED,
    MOST_LEARNING,
    plan_of_learner,
    rules_learnt,
)
from zhaifei.policies.training.run import describing_run, goal_of, seconds_of
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import Kind, Loaded, StorageError, load, save
from zhaifei.solver.machine.user_directories import make_data_directory

if TYPE_CHECKING:
    from zhaifei.policies.research.learner import Learner

STEPS = 10_000_000
"""The default goal of a run."""
KIND: Kind = "training"
"""The kind of the checkpoints of `zhaifei train`."""
_LIBRARIES = frozenset({"torch", "tree", "open_spiel", "pyspiel"})
_STORED = ("algorithm", "seed", "threads", "goal", "done", "earlier", "advances", "seconds")
"""The fields of a run that a checkpoint stores, besides the state of its learner."""


def new_learner(
    algorithm: str, seed: int, rules: Rules = LEARNED, against: Sequence[str] = ()
) -> Learner:
    """Return a new learner; `algorithm` is `dqn`, `nfsp` or `ppo`, and `against` has the names of
    the players among whom it sits, or none for self-play.

    Raise ZhaifeiError if torch or OpenSpiel is not installed, and for rules or players that the
    algorithm does not learn.
    """
    _verify_learnt(algorithm, rules, against)
    others = [_opponent(name, rules) for name in against]
    with needing(_LIBRARIES, ZhaifeiError("training needs PyTorch: pip install 'zhaifei[rl]'")):
        if algorithm == "ppo":
            from zhaifei.policies.research import ppo  # noqa: PLC0415

            return ppo.PPOLearner(rules, seed, ppo.default_settings(rules), others)
        if algorithm == "nfsp":
            from zhaifei.policies.research import nfsp  # noqa: PLC0415

            return nfsp.NFSPLearner(rules, seed, nfsp.default_settings(rules))
        from zhaifei.policies.research import dqn  # noqa: PLC0415

        return dqn.DQNLearner(rules, seed, dqn.DQNSettings())


def _verify_learnt(algorithm: str, rules: Rules, against: Sequence[str]) -> None:
    """Raise ZhaifeiError unless the algorithm learns these rules against these players."""
    if algorithm != "ppo" and against:
        raise ZhaifeiError(
            "{algorithm} learns by self-play; only ppo learns against others", algorithm=algorithm
        )
    if rules.players > MOST_LEARNING or rules != preset("zhaifei", players=rules.players):
        raise ZhaifeiError(
            "learners play the full game of 2 to {most} players, not {rules}",
            most=MOST_LEARNING,
            rules=rules,
        )


def _opponent(name: str, rules: Rules) -> BatchPlayer:
    """Return the player of this name. Raise ZhaifeiError if nobody has this name, or if the player
    remembers earlier rounds."""
    player = load_player(name, rules)
    if has_memory([player]):
        raise ZhaifeiError(
            "{name} is a strategy file, which may remember: learners need players that do not",
            name=name,
        )
    return player


@dataclass
class LearningRun:
    """A learner with a goal. A Run whose units are steps: decisions to learn from."""

    algorithm: str
    seed: int
    threads: int
    goal: int
    """The goal in steps. Learning rates and exploration fall as the run approaches it."""
    learner: Learner
    advances: int = 0
    """How often `advance` was called, in all sessions."""
    seconds: float = 0.0
    """See Run."""
    warnings = ()
    """See Run."""
    on_target = is_stalled = False
    """See Run. The run measures nothing, so it has no target."""
    staging = Staging(dict)
    """See Run. PyTorch has its own threads, so no child is forked."""
    against: tuple[str, ...] = ()
    """The names of the players among whom the learner sits; none in self-play."""
    earlier: list[tuple[int, int]] = field(default_factory=list)
    """The earlier goals, each with the number of steps done when it was replaced."""

    @property
    def plan(self) -> Plan:
        """See Run."""
        return plan_of_learner(self.algorithm, self.seed, self.learner.rules, self.against)

    @property
    def done(self) -> int:
        """See Run."""
        return self.learner.steps

    def aim_at(self, goal: int) -> None:
        """Replace the goal."""
        if goal != self.goal:
            self.earlier.append((self.goal, self.done))
            self.goal = goal

    @property
    def command(self) -> str:
        """The command, or the sequence of commands, that reproduces the run."""
        goals = [*(goal for goal, _ in self.earlier), self.goal]
        players = self.learner.rules.players
        text = f"zhaifei train {self.algorithm}"
        text += f" --players {players}" if players != LEARNED.players else ""
        text += "".join(f" --against {name}" for name in self.against)
        text += f" --steps {goals[0]} --seed {self.seed} --threads {self.threads}"
        for (_, steps), goal in zip(self.earlier, goals[1:], strict=True):
            text += f"; after {steps} steps: --resume --steps {goal}"
        return text

    def advance(self) -> None:
        """See Run. Every random generator is seeded with the run's seed and the number of calls so
        far, so a resumed run continues like an uninterrupted one."""
        import torch  # noqa: PLC0415

        torch.set_num_threads(self.threads)
        sequence = np.random.SeedSequence([self.seed, self.advances])
        numbers, number = sequence.generate_state(5)[:4], int(sequence.generate_state(5)[4])
        np.random.seed(numbers)  # noqa: NPY002  # OpenSpiel draws from it
        torch.manual_seed(number)
        try:
            self.learner.advance(np.random.default_rng(sequence), self.done / self.goal)
        except RuntimeError as error:
            if "allocate memory" in str(error):  # as torch says it
                raise MemoryError(str(error)) from error
            raise
        self.learner.verify_finite()
        self.advances += 1

    def result(self) -> LearnedPolicy:
        """Return the current network as a policy."""
        learner = self.learner
        training = {
            "algorithm": self.algorithm,
            "steps": learner.steps,
            "seed": self.seed,
            **({"against": [*self.against]} if self.against else {}),
            "command": self.command,
            "seconds": round(self.seconds),
            "steps_per_second": round(learner.steps / max(self.seconds, 1e-9)),
        }
        return LearnedPolicy(learner.rules, learner.plays, learner.layers(), training)

    def training(self, result: LearnedPolicy) -> Mapping[str, Any]:
        """See Run."""
        return result.training

    def save_result(self, out: Path, result: LearnedPolicy) -> None:
        """See Run. Writes a weights file."""
        save_weights(out, result)

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        header = {name: getattr(self, name) for name in _STORED}
        header |= {"rules": self.learner.rules.to_dict(), "against": [*self.against]}
        save(path, KIND, header, self.learner.state())


def new_learning_run(
    algorithm: str,
    *,
    players: int = LEARNED.players,
    against: Sequence[str] = (),
    steps: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> LearningRun:
    """Return a new run; the arguments are those of `new_learner`, for the full game of `players`.
    None stands for a default: STEPS, seed 0, all cores. Raise as `new_learner` does."""
    seed, threads = seed or 0, threads or os.cpu_count() or 1
    rules = LEARNED if players == LEARNED.players else preset("zhaifei", players=players)
    learner = new_learner(algorithm, seed, rules, against)
    return LearningRun(algorithm, seed, threads, steps or STEPS, learner, against=tuple(against))


def resume_learning_run(path: Path, algorithm: str, steps: int | None = None) -> LearningRun:
    """Return the run that the checkpoint `path` holds, with the goal `steps` or, if that is None,
    with its old goal.

    Raise StorageError, also if it is a run of another algorithm, and ZhaifeiError as `new_learner`
    does.
    """
    header, arrays = load_checkpoint(path, algorithm)
    with describing_run(path):
        seed = header.whole("seed", most=MOST_SEED)
        rules, against = rules_learnt(header), names_against(header)
    learner = new_learner(algorithm, seed, rules, against)
    with describing_run(path):
        learner.restore(arrays)
        run = LearningRun(
            algorithm,
            seed,
            header.whole("threads", least=1, most=MOST_THREADS),
            goal_of(header),
            learner,
            advances=header.whole("advances"),
            seconds=seconds_of(header),
            against=against,
            earlier=_earlier_goals(header),
        )
    run.aim_at(steps or run.goal)
    return run


def _earlier_goals(header: Header) -> list[tuple[int, int]]:
    """Return the field `earlier` of the header. Raise HeaderError."""
    found = []
    for one in header.elements("earlier"):
        fields = dict(zip(("goal", "steps"), one, strict=False)) if isinstance(one, list) else {}
        pair = Header(fields)
        found.append((goal_of(pair), pair.whole("steps")))
    return found


def load_checkpoint(path: Path, algorithm: str) -> Loaded:
    """Return the contents of a checkpoint of `zhaifei train`. Raises StorageError, also if it is a
    checkpoint of another algorithm."""
    loaded = load(path, KIND)
    with describing_run(path):
        found = loaded.header.text("algorithm")
    if found != algorithm:
        raise StorageError(
            "{path} is a run of {found}, not of {wanted}",
            path=path,
            found=found,
            wanted=algorithm,
        )
    return loaded


def default_out(algorithm: str, players: int = LEARNED.players, *, attacks: bool = False) -> Path:
    """Return the default file of the result, and create its directory. A learner that `attacks`
    others has a file of its own. Raise NoUserDirectory if the directory cannot be created."""
    name = algorithm if players == LEARNED.players else f"{algorithm}-{players}p"
    return make_data_directory() / f"{name}{'-attacker' * attacks}.safetensors"
