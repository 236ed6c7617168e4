"""Training runs of learned players: an agent that plays against itself, checkpoints on the way, and
the weights file at the end.

Torch is imported here, when a run begins; who only plays needs none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_data_path

from game.errors import ZhaifeiError
from game.rules import Rules, preset
from policies.players.network import LearnedPolicy, save_weights
from policies.training.run import checkpoint_path, stop_on_signals
from solver.storage import StorageError, load_arrays, load_header, save, verify_writable

RULES = preset("zhaifei")
"""What is learnt: the full game of two players."""
_REPORT_SECONDS = 0.25
_STORED = ("algorithm", "seed", "threads", "goal", "earlier", "advances", "seconds")
"""What a checkpoint says of a run beside the state of its learner."""


class Learner(Protocol):
    """An agent that learns from rounds against itself."""

    rules: Rules
    plays: str
    """How its network plays: one of `policies.players.network.PLAYS`."""
    steps: int
    """Decisions that it learnt from so far, in both seats."""

    def advance(self, random: np.random.Generator, done: float) -> None:
        """Plays some rounds and learns from them: a second of work. `done`, from [0, 1), is the
        part of the run that lies behind. Random numbers come from `random` and from the generators
        of torch and numpy, which OpenSpiel draws by."""

    def layers(self) -> tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]:
        """The layers of the network that plays, as `policies.players.network` has them."""

    def state(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint holds."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `state`."""


def new_learner(algorithm: str, seed: int) -> Learner:
    """One of LEARNED at its beginning. Raises ZhaifeiError if torch is not installed."""
    try:
        if algorithm == "ppo":
            from policies.training.ppo import PPOLearner, PPOSettings  # noqa: PLC0415

            return PPOLearner(RULES, seed, PPOSettings())
        if algorithm == "nfsp":
            from policies.training.nfsp import NFSPLearner, NFSPSettings  # noqa: PLC0415

            return NFSPLearner(RULES, seed, NFSPSettings())
        from policies.training.dqn import DQNLearner, DQNSettings  # noqa: PLC0415

        return DQNLearner(RULES, seed, DQNSettings())
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "tree"):
            raise
        raise ZhaifeiError("training needs PyTorch: pip install 'zhaifei[rl]'") from error


@dataclass
class LearningRun:
    """A learner on its way to a goal."""

    algorithm: str
    seed: int
    threads: int
    goal: int
    """In steps; learning rates and the like fall towards it."""
    learner: Learner
    advances: int = 0
    seconds: float = 0.0
    """Spent so far."""
    earlier: list[tuple[int, int]] = field(default_factory=list)
    """Goals that it had before, each with the steps at which it got another."""

    def aim_at(self, goal: int) -> None:
        """Goes on towards another goal."""
        if goal != self.goal:
            self.earlier.append((self.goal, self.learner.steps))
            self.goal = goal

    @property
    def command(self) -> str:
        """What makes the same run."""
        goals = [*(goal for goal, _ in self.earlier), self.goal]
        text = (
            f"zhaifei train {self.algorithm} --steps {goals[0]} --seed {self.seed} "
            f"--threads {self.threads}"
        )
        for (_, steps), goal in zip(self.earlier, goals[1:], strict=True):
            text += f"; after {steps} steps: --resume --steps {goal}"
        return text

    def advance(self) -> None:
        """Draws by generators that depend on the seed and on how often it was called, so that a run
        that is resumed goes on like one that never stopped."""
        import torch  # noqa: PLC0415

        began = time.monotonic()
        torch.set_num_threads(self.threads)
        sequence = np.random.SeedSequence([self.seed, self.advances])
        numbers, number = sequence.generate_state(5)[:4], int(sequence.generate_state(5)[4])
        np.random.seed(numbers)  # noqa: NPY002  # OpenSpiel draws by it
        torch.manual_seed(number)
        self.learner.advance(np.random.default_rng(sequence), self.learner.steps / self.goal)
        self.advances += 1
        self.seconds += time.monotonic() - began

    def policy(self) -> LearnedPolicy:
        """What has been learnt."""
        learner = self.learner
        training = {
            "algorithm": self.algorithm, "steps": learner.steps, "seed": self.seed,
            "command": self.command, "seconds": round(self.seconds),
            "steps_per_second": round(learner.steps / self.seconds),
        }  # fmt: skip
        return LearnedPolicy(learner.rules, learner.plays, learner.layers(), training)


def new_run(algorithm: str, seed: int, threads: int, goal: int) -> LearningRun:
    """One at its beginning. Raises ZhaifeiError if torch is not installed."""
    return LearningRun(algorithm, seed, threads, goal, new_learner(algorithm, seed))


def default_out(algorithm: str) -> Path:
    """Where the weights go if no file is named."""
    directory = user_data_path("zhaifei", appauthor=False, ensure_exists=True)
    return Path(directory) / f"{algorithm}.safetensors"


def save_run(path: Path, run: LearningRun) -> None:
    """Writes a checkpoint. Raises StorageError."""
    header = {name: getattr(run, name) for name in _STORED}
    save(path, "training", header, run.learner.state())


def load_run(path: Path, algorithm: str) -> LearningRun:
    """The run as it was. Raises StorageError, also if it is of another algorithm, and ZhaifeiError
    if torch is not installed."""
    header = load_header(path, "training")
    try:
        if header["algorithm"] != algorithm:
            raise StorageError(
                "{path} is a run of {found}, not of {wanted}",
                path=path, found=header["algorithm"], wanted=algorithm,
            )  # fmt: skip
        learner = new_learner(header["algorithm"], header["seed"])
        learner.restore(load_arrays(path))
        return LearningRun(learner=learner, **{name: header[name] for name in _STORED})
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError) as error:
        if isinstance(error, ZhaifeiError):
            raise
        raise StorageError(
            "{path} does not describe a run: {error}", path=path, error=error
        ) from error


@dataclass(frozen=True)
class LearningProgress:
    """Where a run stands."""

    steps: int
    goal: int
    rate: float
    """Steps per second in this session."""
    elapsed: float
    """Seconds in this session."""

    @property
    def left(self) -> float:
        """Seconds until the goal at this rate."""
        return max(0, self.goal - self.steps) / self.rate if self.rate else float("inf")


@dataclass(frozen=True)
class LearningReport:
    """How a run ended."""

    out: Path
    checkpoint: Path
    progress: LearningProgress
    finished: bool
    """Whether the goal was reached; otherwise a signal ended the run."""


def learn(
    run: LearningRun,
    out: Path,
    *,
    checkpoint_every: float = 120.0,
    on_progress: Callable[[LearningProgress], None] = lambda progress: None,
    on_warning: Callable[[ZhaifeiError], None] = lambda error: None,
) -> LearningReport:
    """Goes on until the goal is reached or a signal comes; at least one step, so that there is
    something to write.

    Writes a checkpoint every `checkpoint_every` seconds, and at the end both the weights and a
    checkpoint. A checkpoint that cannot be written on the way is warned of, and learning goes on.
    Raises StorageError if `out` cannot be written, before the start where that shows.
    """
    verify_writable(out)
    checkpoint, learner = checkpoint_path(out), run.learner
    began, before = time.monotonic(), learner.steps
    reported = saved = began

    def progress() -> LearningProgress:
        elapsed = time.monotonic() - began
        return LearningProgress(
            learner.steps, run.goal, (learner.steps - before) / elapsed, elapsed
        )

    with stop_on_signals() as stopped:
        while learner.steps < run.goal:
            run.advance()
            now = time.monotonic()
            if now - saved >= checkpoint_every:
                try:
                    save_run(checkpoint, run)
                except StorageError as error:
                    on_warning(
                        ZhaifeiError("training goes on without a checkpoint: {error}", error=error)
                    )
                saved = time.monotonic()
            if now - reported >= _REPORT_SECONDS:
                reported = now
                on_progress(progress())
            if stopped():
                break
        on_progress(progress())
        save_weights(out, run.policy())
        save_run(checkpoint, run)
    return LearningReport(out, checkpoint, progress(), learner.steps >= run.goal)
