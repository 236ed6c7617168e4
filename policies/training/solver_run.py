"""Runs of solvers: an engine, its goal, and the policy file at the end."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from game.errors import ZhaifeiError
from game.hands import hands
from game.rules import Rules
from policies.catalogue.record import measure_of
from policies.catalogue.replacing import Plan
from policies.players.table_policy import TablePolicy, save_policy
from policies.training.engines import MEASURING, Engine, Setup, choose_engine, most_nash_conv
from policies.training.plan import plan_of_setup
from policies.training.run import describing_run, goal_of, seconds_of
from policies.training.staging import Staging
from solver.atomic_files import StorageError
from solver.cfr.single_bid import RECALL
from solver.header import Header
from solver.storage import Kind, load, save
from solver.tables.packing import PackedTable
from solver.tables.recall import FULL
from solver.tables.strategy_table import StrategyTable

ITERATIONS, MORE_ITERATIONS = {2: 10_000_000, 3: 22_000_000, 4: 50_000_000}, 100_000_000
"""The goal of a run if none is named: with so many players, and with more. The more play, the
smaller the tree and the quicker a pass."""
SMALL_PASSES = 5_000
"""With three players or more at most so many passes, which keep small games short."""
KIND: Kind = "checkpoint"
PARTS = "parts"
"""In the header of a checkpoint whose tree is in parts: what there is to know of these."""


@dataclass(frozen=True)
class ClusterFigures:
    """How the workers of a run do, in its last pass."""

    seconds: float
    """What the pass took."""
    waited: tuple[float, ...]
    """[worker] seconds of these in which the worker walked,"""
    nodes: tuple[int, ...]
    """how many histories it holds,"""
    memory: tuple[float, ...]
    """and the bytes of memory that it has."""


@dataclass(frozen=True)
class SolverFigures:
    """Figures of a run besides its progress."""

    information_sets: int
    """The number of information sets reached."""
    value: float
    """The value of a round for the opener, in penalty points: a running estimate."""
    nash_conv: float
    """The NashConv of the strategy in the full game, in penalty points per round, as last measured;
    NaN if it was not."""
    players: int
    target: float | None = None
    """What `measured` is to come down to, if the run is to end there."""
    cluster: ClusterFigures | None = None
    """Of a run whose tree is with workers, once a pass is done."""

    @property
    def measured(self) -> float:
        """The exploitability of two players, the NashConv of more, as policies are compared by."""
        return measured(self.nash_conv, self.players)


def measured(nash_conv: float, players: int) -> float:
    """Return a NashConv as policies for so many players are compared by: the exploitability of two,
    the NashConv of more."""
    return nash_conv / 2 if players == 2 else nash_conv


@dataclass
class SolverRun:
    """An engine on its way to a goal. A Run whose units are iterations: (own hand, opponent hand)
    pairs traversed for each player."""

    setup: Setup
    engine: Engine
    goal: int | None
    seconds: float = 0.0
    """See Run."""
    target: float | None = None
    """The run ends when what `SolverFigures.measured` is comes down to this, if it is not None."""
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
        """Return what is known of the run at this moment."""
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
            "engine": setup.engine, "seed": setup.seed, "threads": setup.threads,
            "iterations": self.done, "value": figures.value,
            "information_sets": figures.information_sets,
        }  # fmt: skip
        if math.isfinite(figures.measured):
            training[measure_of(setup.rules)] = figures.measured
        if self.target is not None:
            training["target"] = self.target
        if self.engine.warning:
            training["warning"] = str(self.engine.warning)
        return TablePolicy(setup.rules, self.engine.recall, strategy, training)

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
        """Return what `SavedRun` and `saved_in` read from a checkpoint."""
        header: dict[str, Any] = {
            "setup": self.setup.to_dict(), "goal": self.goal, "done": self.done,
            "seconds": self.seconds,
        }  # fmt: skip
        if self.target is not None:
            header["target"] = self.target
        return header


def new_solver_run(
    rules: Rules,
    *,
    recall: str | None = None,
    single_bid: bool = False,
    iterations: int | None = None,
    target: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> SolverRun:
    """Return a new run; None stands for a default: no sampling, no target, `default_iterations` or
    with a target no goal, seed 0, all cores.

    `single_bid` solves the game whose players remember only the last bid and raise 飞 only to 飞
    and 斋 only to 斋. Raises ZhaifeiError for a recall besides it, if no engine can solve the rules
    with the recall, and for a target as `verify_target` does.
    """
    setup = solver_setup(rules, recall, single_bid, seed, threads)
    return planned_run(setup, iterations, target).begun()


def planned_run(setup: Setup, iterations: int | None, target: float | None) -> SavedRun:
    """Return a run of this setup that has not begun; without a goal or a target it has the default
    goal. Raises ZhaifeiError for a target as `verify_target` does."""
    if target is not None:
        verify_target(setup, target)
    elif iterations is None:
        iterations = default_iterations(setup.rules)
    return SavedRun(setup, iterations, target, 0.0)


def verify_target(setup: Setup, target: float) -> None:
    """Raise ZhaifeiError unless a run of this setup measures itself and can come down to
    `target`."""
    if setup.engine not in MEASURING:
        raise ZhaifeiError(
            "the engine {engine} does not measure how exploitable its strategy is, so it takes no "
            "--target; {others} do, without --recall and --single-bid",
            engine=setup.engine, others=", ".join(MEASURING),
        )  # fmt: skip
    players = setup.rules.players
    most = measured(most_nash_conv(setup.rules), players)
    if not 0.0 < target <= most:
        raise ZhaifeiError(
            "target is {target:g}; it must be above 0 and at most {most:.4g} points, which no "
            "strategy for these rules exceeds",
            target=target, most=most,
        )  # fmt: skip


def default_iterations(rules: Rules) -> int:
    """Return the goal of a run for `rules` if none is named."""
    iterations = ITERATIONS.get(rules.players, MORE_ITERATIONS)
    if rules.players == 2:
        return iterations
    return min(iterations, SMALL_PASSES * len(hands(rules)) ** 2)


def solver_setup(
    rules: Rules, recall: str | None, single_bid: bool, seed: int | None, threads: int | None
) -> Setup:
    """Return the setup of `new_solver_run`, whose arguments and errors it has."""
    if single_bid:
        if recall is not None:
            raise ZhaifeiError("--single-bid remembers the last bid: leave out --recall")
        return Setup(rules, "single-bid", RECALL, seed or 0, 1)
    engine = choose_engine(rules, recall)
    threads = 1 if engine == "exact" else threads or os.cpu_count() or 1
    return Setup(rules, engine, FULL if recall is None else recall, seed or 0, threads)


def resume_solver_run(
    path: Path, iterations: int | None = None, target: float | None = None
) -> SolverRun:
    """Return the run that the checkpoint `path` holds, on its way to `iterations`, to `target` or
    to the first of the two; if both are None, to the goal and the target it had. Raises
    StorageError, ZhaifeiError for a target as `verify_target` does, and OutOfMemory."""
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
    """What the header of a checkpoint says of its run."""

    setup: Setup
    goal: int | None
    target: float | None
    seconds: float

    @classmethod
    def from_header(cls, header: Header) -> SavedRun:
        """Return what `SolverRun.header` described. Raises HeaderError, or ZhaifeiError."""
        setup, seconds = Setup.from_header(header.record("setup")), seconds_of(header)
        target = _target_of(header, setup)
        goal = None if target is not None and header.get("goal") is None else goal_of(header)
        return cls(setup, goal, target, seconds)

    def begun(self) -> SolverRun:
        """Return the run with an engine that has done nothing yet. Raises ZhaifeiError if it cannot
        solve the rules with the recall."""
        return SolverRun(self.setup, self.setup.build(), self.goal, self.seconds, self.target)

    def towards(self, iterations: int | None, target: float | None) -> SavedRun:
        """Return the run on its way to these instead, if any is named. Raises ZhaifeiError for a
        target as `verify_target` does."""
        if iterations is None and target is None:
            return self
        if target is not None:
            verify_target(self.setup, target)
        return replace(self, goal=iterations, target=target)


def _target_of(header: Header, setup: Setup) -> float | None:
    """Return the target of the run with this header, if it has one. Raise HeaderError, or
    ZhaifeiError if it is none for the setup."""
    if "target" not in header:
        return None
    target = header.number("target")
    verify_target(setup, target)
    return target
