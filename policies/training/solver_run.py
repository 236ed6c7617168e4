"""Runs of solvers: their legs, an engine for one leg after another, and the policy file at the end.

A checkpoint has the same form for all runs: the header describes the run, arrays without a prefix
are the state of the current engine, and prefixed ones the policies of the legs before.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.positions import is_match
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.record import measure_of
from zhaifei.policies.players.match_policy import (
    MatchPolicy,
    named_arrays,
    rounds_in,
    save_match,
)
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.policies.training.engines import (
    MEASURING,
    Engine,
    Setup,
    StagedEngine,
    TreeEngine,
    choose_engine,
    most_nash_conv,
)
from zhaifei.policies.training.legs import (
    Leg,
    SolvedPolicy,
    joined,
    legs_of,
    positions_in,
    whole_passes,
)
from zhaifei.policies.training.run import describing_run, end_of, goal_of, seconds_of
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.files.atomic_files import StorageError
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.state import StateError
from zhaifei.solver.files.storage import Kind, load, load_header, save
from zhaifei.solver.tables.packing import PackedTable
from zhaifei.solver.tables.recall import FULL
from zhaifei.solver.tables.strategy_table import StrategyTable

ITERATIONS, MORE_ITERATIONS = {2: 10_000_000, 3: 22_000_000}, 100_000_000
"""The default goals in iterations: {players: goal}, and the goal for more players. With more
players the tree is smaller and a pass is quicker."""
JUMP_ITERATIONS = 30_000_000
"""The default goal with 跳开, where a pass takes longer and the descent needs fewer passes."""
SMALL_PASSES = 5_000
"""The most passes of a default goal with three players or more, which keeps small games short."""
MATCH_PASSES = 600
"""The passes over each leg of a match in the default goal."""
_LEAST_TOGETHER = 30
"""The passes after which players may be solved alone to reach a target. Their play before is too
rough to restrict them to it."""
EngineChoice = Literal["tree", "mccfr"]
"""The engines that a user may choose. With `tree`, games that are small enough are solved by
`exact`."""
KIND: Kind = "checkpoint"
PARTS = "parts"
"""The field of a checkpoint header that describes the parts of a distributed tree."""
_SOLVED = "solved/"
"""The prefix of the names of arrays that hold the policies of solved legs in a checkpoint."""


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


class Place(NamedTuple):
    """The place of a round among the rounds that can arise in a match."""

    number: int
    """Its number in the order of solving, from 1."""
    rounds: int
    """The number of rounds."""
    own: int
    """The dice of the opener."""
    other: int
    """The dice of the other player."""


def measured(nash_conv: float, players: int) -> float:
    """Return the figure that compares policies for `players` players: the exploitability of two,
    the NashConv of more; NaN if it has not been measured. Rounding can take the sum of what best
    responses gain below 0 in an equilibrium, of which the figure is 0."""
    figure = nash_conv / 2 if players == 2 else nash_conv
    return figure if math.isnan(figure) else max(0.0, figure)


@dataclass
class SolverRun:
    """A Run that solves one leg after another. Its units are iterations: (own hand, opponent hand)
    pairs traversed for each player, over all legs. Each leg gets as many passes."""

    setup: Setup
    """The setup, with the rules of the round or of the whole match."""
    engine: Engine
    """The engine of the current leg: the first leg that is not among the `solved`."""
    goal: int | None
    seconds: float = 0.0
    """See Run."""
    target: float | None = None
    """The run ends when `measured` is at most this; None without a target."""
    solved: list[TablePolicy] = field(default_factory=list)
    """The policies of the legs before the current one."""
    staging: Staging = field(init=False, repr=False, compare=False)
    """See Run."""

    def __post_init__(self) -> None:
        self.staging = Staging(self._arrays)
        self.legs = legs_of(self.setup.rules)
        self._warnings: list[ZhaifeiError] = []

    @property
    def leg(self) -> Leg:
        """The current leg."""
        return self.legs[len(self.solved)]

    @property
    def _leg_goal(self) -> int | None:
        """The share of the goal that the current leg has, as many passes as any other leg."""
        if self.goal is None:
            return None
        return self.goal * self.leg.pairs // self.leg.all_pairs

    @property
    def warnings(self) -> list[ZhaifeiError]:
        """See Run."""
        current = [] if self.engine.warning is None else [self.engine.warning]
        return self._warnings + current

    @property
    def done(self) -> int:
        """See Run."""
        return sum(int(one.training["iterations"]) for one in self.solved) + self.engine.iterations

    @property
    def on_target(self) -> bool:
        """See Run."""
        return self.target is not None and self.measured <= self.target

    @property
    def is_stalled(self) -> bool:
        """See Run. The supports of players who are solved alone may keep them above the target."""
        if (
            self.target is None
            or self.goal is not None
            or not isinstance(self.engine, StagedEngine)
        ):
            return False
        return measured(self.engine.outlook, self.setup.rules.players) > self.target

    @property
    def measured(self) -> float:
        """The figure that compares policies, as last measured in the current leg: exploitability of
        two players, NashConv of more; NaN if it has not been measured."""
        return measured(self.engine.nash_conv, self.setup.rules.players)

    def advance(self) -> None:
        """See Run."""
        following = next(iter(self._unfinished), self.leg)
        if following is not self.leg:
            policy, engine = self._policy(self.leg, self.engine), self._begun(following)
            self._warnings = self.warnings
            self.solved.append(policy)
            self.engine = engine
        if isinstance(self.engine, StagedEngine) and self.engine.may_go_on_alone:
            self._begin_second_stage(self.engine)
        self.engine.advance_towards(self._leg_goal)

    def _begin_second_stage(self, engine: StagedEngine) -> None:
        """Let `engine` go on with each player alone if half of the passes are done, or if it will
        probably reach the target like this."""
        goal, target = self._leg_goal, self.target
        half = goal is not None and engine.iterations * 2 >= goal
        near = target is not None and self.measured <= engine.lowered_alone * target
        near = near and engine.passes >= _LEAST_TOGETHER
        if half or near:
            engine.go_on_alone()

    def _begun(self, leg: Leg) -> Engine:
        """Return a new engine for `leg`."""
        return setup_of_leg(self.setup, leg).build()

    @property
    def information_sets(self) -> int:
        """The number of information sets reached, in all legs so far."""
        solved = sum(int(one.training["information_sets"]) for one in self.solved)
        return solved + self.engine.information_sets

    @property
    def place(self) -> Place | None:
        """The place of the current round in a match; None if only one round is solved."""
        if not is_match(self.setup.rules):
            return None
        positions = positions_in(self.legs)
        own, other = self.leg.position
        return Place(positions.index(self.leg.position) + 1, len(positions), own, other)

    @property
    def cluster(self) -> ClusterFigures | None:
        """Figures of the workers; None without workers, or before a pass is done."""
        return None

    def result(self) -> SolvedPolicy:
        """Return the average strategies so far. Each leg that has not begun gets one pass, so that
        every round has a policy."""
        solved = dict(zip(self.legs, self.solved, strict=False))
        rounds_solved = len(positions_in(self.legs)) - len(positions_in(self._unfinished))
        for leg in self.legs[len(solved) :]:
            engine = self.engine
            if leg is not self.leg:
                engine = self._begun(leg)
                engine.advance_towards(1)
            solved[leg] = self._policy(leg, engine)
        training = {
            "engine": self.setup.engine,
            "iterations": self.done,
            "rounds_solved": rounds_solved,
        }
        return joined(self.setup.rules, solved, training)

    @property
    def _unfinished(self) -> Sequence[Leg]:
        """The legs that have not had their share of the goal."""
        goal, begun = self._leg_goal, len(self.solved)
        return self.legs[begun + (goal is not None and self.engine.iterations >= goal) :]

    def _policy(self, leg: Leg, engine: Engine) -> TablePolicy:
        """Return the policy of `leg` as its `engine` has it. The training record holds no times, so
        that equal runs write equal files."""
        table = self._table(leg, engine)
        training: dict[str, Any] = {
            "engine": self.setup.engine,
            "seed": self.setup.seed,
            "threads": self.setup.threads,
            "iterations": engine.iterations,
            "value": engine.value,
            "information_sets": engine.information_sets,
        }
        rules, abstraction = leg.round
        figure = measured(engine.nash_conv, rules.players)
        if math.isfinite(figure):
            training[measure_of(rules)] = figure
        if self.target is not None:
            training["target"] = self.target
        if engine.warning:
            training["warning"] = str(engine.warning)
        return TablePolicy(rules, engine.recall, table, training, abstraction=abstraction)

    def _table(self, leg: Leg, engine: Engine) -> StrategyTable | PackedTable:
        """Return the average strategy of `engine`, and let it measure that."""
        if not leg.least_played:
            return engine.strategy()
        assert isinstance(engine, (TreeEngine, StagedEngine))
        engine.measure()
        return engine.compact_average(leg.least_played, leg.player)

    def training(self, result: SolvedPolicy) -> Mapping[str, Any]:
        """See Run."""
        return result.training

    def save_result(self, out: Path, result: SolvedPolicy) -> None:
        """See Run. Writes a policy file."""
        if isinstance(result, MatchPolicy):
            save_match(out, result)
        else:
            save_policy(out, result)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a checkpoint."""
        solved = {_SOLVED + leg.name: one for leg, one in zip(self.legs, self.solved, strict=False)}
        return self.engine.state() | named_arrays(solved)

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        save(path, KIND, self.header(), self.staging.arrays())

    def header(self) -> dict[str, Any]:
        """Return the header of a checkpoint, which `saved_run` and `saved_in` read."""
        header: dict[str, Any] = {
            "setup": self.setup.to_dict(),
            "goal": self.goal,
            "done": self.done,
            "seconds": self.seconds,
        }
        if self.target is not None:
            header["target"] = self.target
        if self.solved:
            header["solved"] = [dict(one.training) for one in self.solved]
        return header


def setup_of_leg(setup: Setup, leg: Leg) -> Setup:
    """Return the setup of the engine of `leg`, in a run with this `setup`."""
    rules, abstraction = leg.round
    return replace(setup, rules=rules, abstraction=abstraction)


def planned_run(setup: Setup, iterations: int | None, target: float | None) -> SavedRun:
    """Return a run of this setup that has not begun. Without `iterations` and `target`, it has the
    default goal. Raises ZhaifeiError for a target as `verify_target` does."""
    if target is not None:
        verify_target(setup, target)
    elif iterations is None:
        iterations = default_iterations(setup.rules)
    goal = None if iterations is None else whole_passes(setup.rules, iterations)
    return SavedRun(setup, goal, target)


def verify_target(setup: Setup, target: float) -> None:
    """Raise ZhaifeiError unless a run of this setup measures its strategy and `target` is in the
    possible range."""
    verify_for_round(setup.rules, target=target)
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


def verify_for_round(rules: Rules, **options: object) -> None:
    """Raise ZhaifeiError for the first option with a value if `rules` are of a match: these options
    apply to rounds for penalty points alone."""
    given = [name for name, value in options.items() if value is not None]
    if given and is_match(rules):
        raise ZhaifeiError(
            "{option} is for rounds for penalty points; by these rules dice are lost, and "
            "all rounds of a match are solved",
            option="--" + given[0].replace("_", "-"),
        )


def solved_round(
    setup: Setup, *, iterations: int | None = None, target: float | None = None
) -> TablePolicy:
    """Return the policy of a run of this setup, for rules for penalty points, that writes no file.
    Raise as `planned_run` and `SavedRun.begun` do, and ZhaifeiError if the run stalls."""
    run = planned_run(setup, iterations, target).begun()
    while end_of(run) is None:
        run.advance()
    if end_of(run) == "stall":
        raise ZhaifeiError(
            "after {done:,} iterations the exploitability is {measured:.4f}, and falls so slowly "
            "that eight times as many would not reach the target {target:g}; as many iterations "
            "without a target go lower",
            done=run.done,
            measured=run.measured,
            target=target,
        )
    policy = run.result()
    assert isinstance(policy, TablePolicy), "rules for penalty points make one round"
    return policy


def default_iterations(rules: Rules) -> int:
    """Return the default goal of a run for `rules`, in iterations."""
    a_pass = legs_of(rules)[0].all_pairs
    if is_match(rules):
        return MATCH_PASSES * a_pass
    if rules.players == 2:
        return ITERATIONS[2]
    iterations = ITERATIONS.get(rules.players, MORE_ITERATIONS)
    if rules.stakes.jump_challenge:
        iterations = JUMP_ITERATIONS
    return min(iterations, SMALL_PASSES * a_pass)


def solver_setup(
    rules: Rules,
    engine: EngineChoice | None = None,
    recall: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Setup:
    """Return the setup of a new run. None stands for a default: the engine `tree`, or `mccfr` with
    a recall; seed 0; all cores. Raises ZhaifeiError if `tree` comes with a recall, and for options
    that do not apply to a match."""
    sampling = None if engine == "tree" else engine
    verify_for_round(rules, engine=sampling, recall=recall, seed=seed)
    if engine == "tree" and recall is not None:
        raise ZhaifeiError("--engine tree forgets no bid: --recall is for --engine mccfr")
    if engine == "mccfr" and recall is None:
        recall = FULL
    name = "tree" if is_match(rules) else choose_engine(rules, recall)
    threads = 1 if name == "exact" else threads or os.cpu_count() or 1
    return Setup(rules, name, FULL if recall is None else recall, seed or 0, threads)


def resume_solver_run(
    path: Path, iterations: int | None = None, target: float | None = None
) -> SolverRun:
    """Return the run that the checkpoint `path` holds. It ends at `iterations` or at `target`,
    whichever comes first; if both are None, it keeps its goal and its target. Raises StorageError,
    ZhaifeiError as `SavedRun.towards` does, and OutOfMemory."""
    return saved_run(path, iterations, target).begun()


def saved_run(path: Path, iterations: int | None = None, target: float | None = None) -> SavedRun:
    """Return the run that the checkpoint `path` holds, as `SavedRun.towards` these ends. Raises
    StorageError, and ZhaifeiError as `SavedRun.towards` does."""
    header = load_header(path, KIND)
    with describing_run(path):
        setup, seconds = Setup.from_header(header.record("setup")), seconds_of(header)
        own_target = None if "target" not in header else header.number("target")
        if own_target is not None:
            verify_target(setup, own_target)
        endless = own_target is not None and header.get("goal") is None
        goal = None if endless else goal_of(header)
        if goal is not None and goal != whole_passes(setup.rules, goal):
            raise StateError("every round of a match needs the same number of passes")
    return SavedRun(setup, goal, own_target, seconds, path).towards(iterations, target)


@dataclass(frozen=True)
class SavedRun:
    """A run that has not begun, or that goes on from a checkpoint."""

    setup: Setup
    goal: int | None
    target: float | None
    seconds: float = 0.0
    checkpoint: Path | None = None
    """None if the run has not begun."""

    def begun(self) -> SolverRun:
        """Return the run with its engine. Raises StorageError, OutOfMemory, and ZhaifeiError if the
        engine cannot solve the rules with the recall."""
        legs, solved = legs_of(self.setup.rules), list[TablePolicy]()
        if self.checkpoint is None:
            engine = setup_of_leg(self.setup, legs[0]).build()
        else:
            header, arrays = load(self.checkpoint, KIND)
            if PARTS in header:
                raise StorageError(
                    "{path} is of a run on a cluster: --cluster goes on", path=self.checkpoint
                )
            with describing_run(self.checkpoint):
                solved = _solved_in(self.checkpoint, header, arrays, legs)
                state = {name: one for name, one in arrays.items() if not _is_solved(name)}
                engine = setup_of_leg(self.setup, legs[len(solved)]).restored(state)
        return SolverRun(self.setup, engine, self.goal, self.seconds, self.target, solved)

    def towards(self, iterations: int | None, target: float | None) -> SavedRun:
        """Return the run with this goal and this target instead of its own, unless both are None.
        Raises ZhaifeiError for a target as `verify_target` does, and for another goal of a match,
        whose solved rounds had their share of the goal."""
        if iterations is None and target is None:
            return self
        if target is not None:
            verify_target(self.setup, target)
        goal = None if iterations is None else whole_passes(self.setup.rules, iterations)
        if is_match(self.setup.rules) and goal != self.goal:
            raise ZhaifeiError(
                "a match is solved round by round, for {goal:,} iterations here: without --resume, "
                "--iterations {iterations} solves it anew",
                goal=self.goal,
                iterations=iterations,
            )
        return replace(self, goal=goal, target=target)


def _is_solved(name: str) -> bool:
    """Return whether an array of a checkpoint belongs to a leg that is solved."""
    return name.startswith(_SOLVED)


def _solved_in(
    path: Path, header: Header, arrays: Mapping[str, NDArray[Any]], legs: Sequence[Leg]
) -> list[TablePolicy]:
    """Return the policies of the solved legs in the checkpoint `path`. Raises ZhaifeiError."""
    trainings = header.get("solved", [])
    if not isinstance(trainings, list) or len(trainings) >= len(legs):
        raise StateError("{path} has no record of solved rounds", path=path)
    named = {_SOLVED + leg.name: leg.round for leg in legs[: len(trainings)]}
    own = {name: one for name, one in arrays.items() if _is_solved(name)}
    solved = [*rounds_in(path, named, own, trainings).values()]
    for one in solved:
        record = Header(one.training)
        record.whole("iterations"), record.whole("information_sets")
    return solved
