"""Runs of solvers: an engine, its goal, and the policy file at the end."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.record import measure_of
from zhaifei.policies.catalogue.replacing import Plan
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.policies.training.engines import (
    MEASURING,
    Engine,
    Setup,
    choose_engine,
    most_nash_conv,
)
from zhaifei.policies.training.plan import plan_of_setup
from zhaifei.policies.training.run import describing_run, goal_of, seconds_of
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.files.atomic_files import StorageError
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import Kind, load, save
from zhaifei.solver.tables.packing import PackedTable
from zhaifei.solver.tables.recall import FULL
from zhaifei.solver.tables.strategy_table import StrategyTable

ITERATIONS, MORE_ITERATIONS = {2: 10_000_000, 3: 22_000_000, 4: 50_000_000}, 100_000_000
"""The default goals in iterations: {players: goal}, and the goal for more players. With more
players the tree is smaller and a pass is quicker."""
SMALL_PASSES = 5_000
"""The most passes of a default goal with three players or more, which keeps small games short."""
EngineChoice = Literal["tree", "mccfr"]
"""The engines that a user may choose. With `tree`, games that are small enough are solved by
`exact`."""
KIND: Kind = "checkpoint"
PARTS = "parts"
"""The field of a checkpoint header that describes the parts of a distributed tree."""


@dataclass(frozen=True)
class ClusterFigures:
    """Figures of the workers of a run in its last pass."""

    seconds: float
    """The duration of the pass in seconds."""
    waited: tuple[float, ...]
    """[worker] the seconds of the pass in which the worker traversed the tree."""
    nodes: tuple[int, ...]
    """[worker] the number of histories that the worker holds."""
    memory: tuple[float, ...]
    """[worker] the bytes of memory that the worker uses."""


@dataclass(frozen=True)
class SolverFigures:
    """Figures of a run besides its progress."""

    information_sets: int
    """The number of information sets reached."""
    value: float
    """A running estimate of the value of a round for the opener, in penalty points."""
    nash_conv: float
    """The NashConv of the strategy in the full game, in penalty points per round, as last measured;
    NaN if it has not been measured."""
    players: int
    target: float | None = None
    """The run ends when `measured` is at most this; None without a target."""
    cluster: ClusterFigures | None = None
    """Figures of the workers; None without workers, or before a pass is done."""

    @property
    def measured(self) -> float:
        """The figure that compares policies: exploitability of two players, NashConv of more."""
        return measured(self.nash_conv, self.players)


def measured(nash_conv: float, players: int) -> float:
    """Return the figure that compares policies for `players` players: the exploitability of two,
    the NashConv of more."""
    return nash_conv / 2 if players == 2 else nash_conv


@dataclass
class SolverRun:
    """An engine with a goal. A Run whose units are iterations: (own hand, opponent hand) pairs
    traversed for each player."""

    setup: Setup
    engine: Engine
    goal: int | None
    seconds: float = 0.0
    """See Run."""
    target: float | None = None
    """The run ends when `SolverFigures.measured` is at most this; None without a target."""
    staging: Staging = field(init=False, repr=False, compare=False)
    """See Run."""

    def __post_init__(self) -> None:
        self.staging = Staging(self.engine.state)

    @property
    def plan(self) -> Plan:
        """See Run."""
        return plan_of_setup(self.setup)

    @property
    def warnings(self) -> list[ZhaifeiError]:
        """See Run."""
        return [] if self.engine.warning is None else [self.engine.warning]

    @property
    def done(self) -> int:
        """See Run."""
        return self.engine.iterations

    @property
    def on_target(self) -> bool:
        """See Run."""
        return self.target is not None and self._measured <= self.target

    @property
    def _measured(self) -> float:
        return measured(self.engine.nash_conv, self.setup.rules.players)

    def advance(self) -> None:
        """See Run."""
        self.engine.advance_towards(self.goal)

    def figures(self) -> SolverFigures:
        """Return the current figures of the run."""
        engine, players = self.engine, self.setup.rules.players
        return SolverFigures(
            engine.information_sets, engine.value, engine.nash_conv, players, self.target
        )

    def result(self) -> TablePolicy:
        """Return the average strategy so far. Its training record holds no times, so that equal
        runs write equal files."""
        strategy = self._strategy()
        figures, setup = self.figures(), self.setup
        training: dict[str, Any] = {
            "engine": setup.engine,
            "seed": setup.seed,
            "threads": setup.threads,
            "iterations": self.done,
            "value": figures.value,
            "information_sets": figures.information_sets,
        }
        if math.isfinite(figures.measured):
            training[measure_of(setup.rules)] = figures.measured
        if self.target is not None:
            training["target"] = self.target
        if self.engine.warning:
            training["warning"] = str(self.engine.warning)
        return TablePolicy(
            setup.rules, self.engine.recall, strategy, training, abstraction=setup.abstraction
        )

    def _strategy(self) -> StrategyTable | PackedTable:
        return self.engine.strategy()

    def training(self, result: TablePolicy) -> Mapping[str, Any]:
        """See Run."""
        return result.training

    def save_result(self, out: Path, result: TablePolicy) -> None:
        """See Run. Writes a policy file."""
        save_policy(out, result)

    @property
    def checkpoint_bytes(self) -> int:
        """See Run."""
        return sum(array.nbytes for array in self.engine.state().values())

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        save(path, KIND, self.header(), self.staging.arrays())

    def header(self) -> dict[str, Any]:
        """Return the header of a checkpoint, which `SavedRun` and `saved_in` read."""
        header: dict[str, Any] = {
            "setup": self.setup.to_dict(),
            "goal": self.goal,
            "done": self.done,
            "seconds": self.seconds,
        }
        if self.target is not None:
            header["target"] = self.target
        return header


def new_solver_run(
    rules: Rules,
    *,
    engine: EngineChoice | None = None,
    recall: str | None = None,
    iterations: int | None = None,
    target: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> SolverRun:
    """Return a new run. None stands for a default: the engine `tree`, or `mccfr` with a recall; no
    target; `default_iterations`, or no goal if there is a target; seed 0; all cores.

    Raises ZhaifeiError if `tree` comes with a recall, if no engine can solve the rules with the
    recall, and for a target as `verify_target` does.
    """
    setup = solver_setup(rules, engine, recall, seed, threads)
    return planned_run(setup, iterations, target).begun()


def planned_run(setup: Setup, iterations: int | None, target: float | None) -> SavedRun:
    """Return a run of this setup that has not begun. Without `iterations` and `target`, it has the
    default goal. Raises ZhaifeiError for a target as `verify_target` does."""
    if target is not None:
        verify_target(setup, target)
    elif iterations is None:
        iterations = default_iterations(setup.rules)
    return SavedRun(setup, iterations, target, 0.0)


def verify_target(setup: Setup, target: float) -> None:
    """Raise ZhaifeiError unless a run of this setup measures its strategy and `target` is in the
    possible range."""
    if setup.engine not in MEASURING:
        raise ZhaifeiError(
            "{engine} does not measure exploitability, so --target cannot be used; use {others} "
            "(--engine tree)",
            engine=setup.engine,
            others=", ".join(MEASURING),
        )
    players = setup.rules.players
    most = measured(most_nash_conv(setup.rules), players)
    if not 0.0 < target <= most:
        raise ZhaifeiError(
            "target is {target:g}; it must be above 0 and at most {most:.4g} points, which no "
            "strategy for these rules exceeds",
            target=target,
            most=most,
        )


def default_iterations(rules: Rules) -> int:
    """Return the default goal of a run for `rules`, in iterations."""
    iterations = ITERATIONS.get(rules.players, MORE_ITERATIONS)
    if rules.players == 2:
        return iterations
    return min(iterations, SMALL_PASSES * len(hands(rules)) ** 2)


def solver_setup(
    rules: Rules,
    engine: EngineChoice | None = None,
    recall: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Setup:
    """Return the setup for these arguments of `new_solver_run`. Raises as `new_solver_run` does."""
    if engine == "tree" and recall is not None:
        raise ZhaifeiError("--engine tree forgets no bid: --recall is for --engine mccfr")
    if engine == "mccfr" and recall is None:
        recall = FULL
    name = choose_engine(rules, recall)
    threads = 1 if name == "exact" else threads or os.cpu_count() or 1
    return Setup(rules, name, FULL if recall is None else recall, seed or 0, threads)


def resume_solver_run(
    path: Path, iterations: int | None = None, target: float | None = None
) -> SolverRun:
    """Return the run that the checkpoint `path` holds. It ends at `iterations` or at `target`,
    whichever comes first; if both are None, it keeps its goal and its target. Raises StorageError,
    ZhaifeiError for a target as `verify_target` does, and OutOfMemory."""
    header, arrays = load(path, KIND)
    if PARTS in header:
        raise StorageError("{path} is of a run on a cluster: --cluster goes on", path=path)
    with describing_run(path):
        saved = SavedRun.from_header(header)
    saved = saved.towards(iterations, target)
    with describing_run(path):
        engine = saved.setup.restored(arrays)
    return SolverRun(saved.setup, engine, saved.goal, saved.seconds, saved.target)


@dataclass(frozen=True)
class SavedRun:
    """A run as the header of its checkpoint describes it."""

    setup: Setup
    goal: int | None
    target: float | None
    seconds: float

    @classmethod
    def from_header(cls, header: Header) -> SavedRun:
        """Return the run that `SolverRun.header` described. Raises HeaderError, or ZhaifeiError."""
        setup, seconds = Setup.from_header(header.record("setup")), seconds_of(header)
        target = _target_of(header, setup)
        goal = None if target is not None and header.get("goal") is None else goal_of(header)
        return cls(setup, goal, target, seconds)

    def begun(self) -> SolverRun:
        """Return the run with an engine that has done nothing yet. Raises ZhaifeiError if it cannot
        solve the rules with the recall."""
        return SolverRun(self.setup, self.setup.build(), self.goal, self.seconds, self.target)

    def towards(self, iterations: int | None, target: float | None) -> SavedRun:
        """Return the run with this goal and this target instead of its own, unless both are None.
        Raises ZhaifeiError for a target as `verify_target` does."""
        if iterations is None and target is None:
            return self
        if target is not None:
            verify_target(self.setup, target)
        return replace(self, goal=iterations, target=target)


def _target_of(header: Header, setup: Setup) -> float | None:
    """Return the target of the run with this header, or None if it has no target. Raise
    HeaderError, or ZhaifeiError if the target is invalid for the setup."""
    if "target" not in header:
        return None
    target = header.number("target")
    verify_target(setup, target)
    return target
