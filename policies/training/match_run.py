"""Runs that solve whole two-player matches in which dice are lost, round by round, beginning with
the rounds of the fewest dice.

`solver.value.matches` shows that the rounds can be solved separately, one after another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.record import measure_of
from zhaifei.policies.catalogue.replacing import Plan
from zhaifei.policies.players.match_policy import (
    MatchPolicy,
    SolvedRound,
    named_arrays,
    position_name,
    rounds_in,
    save_match,
    solved_round,
)
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.training.engines import Setup, TreeEngine
from zhaifei.policies.training.plan import MATCH, plan_of_setup
from zhaifei.policies.training.run import describing_run, goal_of, seconds_of
from zhaifei.policies.training.solver_run import KIND, SolverRun
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.abstraction import solved_alone
from zhaifei.solver.cfr.tree_strategy import joined_by_player
from zhaifei.solver.files.state import StateError
from zhaifei.solver.files.storage import load, load_header, save
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.value.matches import Position, positions_of

LEAST_PLAYED = 1e-5
"""Actions that a hand takes with a smaller probability are left out. This raises exploitability by
a few hundred-thousandths of a point, and makes files ten times smaller."""
LEAST_PLAYED_BY_ONE = 2e-5
"""LEAST_PLAYED for matches whose players are solved separately, which have the largest files."""
PASSES = 600
"""The default number of passes over each leg."""
_SOLVED, _CURRENT = "solved/", "current/"
"""The prefixes of the names of arrays in a checkpoint: for arrays of solved rounds, and for arrays
of the engine of the round that is being solved."""


@dataclass(frozen=True)
class MatchFigures:
    """Figures of a run besides its progress."""

    position: Position
    """The position of the round that is being solved, or of the last round."""
    number: int
    """The place of this round among the `rounds`, from 1."""
    rounds: int
    """The number of rounds that can arise in the match."""
    exploitability: float
    """The exploitability of this round, in penalty points, as last measured; NaN if it has not been
    measured."""
    information_sets: int
    """The number of information sets of all rounds so far."""


class Leg(NamedTuple):
    """A unit of solving: a round, or the strategy of one of its players."""

    position: Position
    round: SolvedRound

    @property
    def player(self) -> int | None:
        """The player who is solved, in turn order; None for both."""
        return self.round.abstraction.spares

    @property
    def name(self) -> str:
        """The name of the leg in a checkpoint."""
        player = "" if self.player is None else (" opener", " other")[self.player]
        return position_name(self.position) + player


def legs_of(rules: Rules) -> list[Leg]:
    """Return the legs of matches by `rules`, in the order in which they are solved. Raise
    RulesError if such matches are not solved."""
    return [
        Leg(position, SolvedRound(its, one))
        for position in positions_of(rules)
        for its, whole in [solved_round(rules, position)]
        for one in solved_alone(whole)
    ]


@dataclass
class MatchRun:
    """A Run whose units are iterations, as in a SolverRun: (own hand, opponent hand) pairs
    traversed for each player, over all legs. Each leg gets as many passes."""

    setup: Setup
    """The setup of all rounds, with the rules of the match."""
    goal: int
    seconds: float = 0.0
    """See Run."""
    solved: dict[Leg, TablePolicy] = field(default_factory=dict)
    """The results of the legs that are done."""
    staging: Staging = field(init=False, repr=False, compare=False)
    """See Run."""

    on_target = False
    """See Run."""

    def __post_init__(self) -> None:
        self.staging = Staging(self._arrays)
        self._legs = legs_of(self.setup.rules)
        self._warnings: list[ZhaifeiError] = []
        pairs = {leg: len(hands(leg.round.rules)) ** 2 for leg in self._legs}
        passes = max(1, round(self.goal / sum(pairs.values())))
        self._goals = {leg: passes * number for leg, number in pairs.items()}
        self.goal = sum(self._goals.values())
        self._current = self._begun()

    @property
    def _leg(self) -> Leg:
        """The leg that is being solved, or the last leg."""
        return self._legs[min(len(self.solved), len(self._legs) - 1)]

    def _begun(self) -> SolverRun:
        """Return a new run of the next leg."""
        return self._run_of(self._leg, self._goals[self._leg])

    def _run_of(self, leg: Leg, goal: int) -> SolverRun:
        setup = self._setup_of(leg)
        return SolverRun(setup, setup.build(), goal)

    def _setup_of(self, leg: Leg) -> Setup:
        rules, abstraction = leg.round
        return replace(self.setup, rules=rules, abstraction=abstraction)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the engine of the current leg from this state. Raise StateError."""
        setup = self._setup_of(self._leg)
        self._current = SolverRun(setup, setup.restored(state), self._goals[self._leg])

    @property
    def plan(self) -> Plan:
        """See Run."""
        return plan_of_setup(self.setup, whole_match=True)

    @property
    def warnings(self) -> list[ZhaifeiError]:
        """See Run."""
        return [*self._warnings, *self._current.warnings]

    @property
    def done(self) -> int:
        """See Run."""
        current = 0 if self._all_solved else self._current.done
        return sum(self._goals[leg] for leg in self.solved) + current

    @property
    def _all_solved(self) -> bool:
        return len(self.solved) == len(self._legs)

    def advance(self) -> None:
        """See Run."""
        self._current.advance()
        if self._current.done < self._goals[self._leg]:
            return
        self._warnings += self._current.warnings
        self.solved[self._leg] = _compact(self._current)
        if not self._all_solved:
            self._current = self._begun()

    def figures(self) -> MatchFigures:
        """Return the current figures of the run."""
        positions = positions_of(self.setup.rules)
        position = self._leg.position
        known = sum(int(one.training["information_sets"]) for one in self.solved.values())
        current = self._current.figures()
        return MatchFigures(
            position,
            positions.index(position) + 1,
            len(positions),
            current.measured,
            known + (0 if self._all_solved else current.information_sets),
        )

    def result(self) -> MatchPolicy:
        """Return the average strategies so far. Each leg that has not begun gets one pass, so that
        every round has a policy."""
        legs = dict(self.solved)
        if not self._all_solved and self._current.done > 0:
            legs[self._leg] = _compact(self._current)
        for leg in self._legs[len(legs) :]:
            one = self._run_of(leg, 1)
            one.advance()
            legs[leg] = _compact(one)
        rounds = {
            position: _round([one for leg, one in legs.items() if leg.position == position])
            for position in positions_of(self.setup.rules)
        }
        training: dict[str, Any] = {
            "engine": self.setup.engine,
            "iterations": self.done,
            "rounds_solved": self._rounds_solved,
        }
        policy = MatchPolicy(self.setup.rules, rounds, training)
        training[measure_of(self.setup.rules)] = policy.trained_gain
        return policy

    @property
    def _rounds_solved(self) -> int:
        left = {leg.position for leg in self._legs[len(self.solved) :]}
        return len(positions_of(self.setup.rules)) - len(left)

    def training(self, result: MatchPolicy) -> Mapping[str, Any]:
        """See Run."""
        return result.training

    def save_result(self, out: Path, result: MatchPolicy) -> None:
        """See Run. Writes a policy file of whole matches."""
        save_match(out, result)

    @property
    def checkpoint_bytes(self) -> int:
        """See Run."""
        return self._current.checkpoint_bytes

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a checkpoint."""
        solved = {leg.name: one for leg, one in self.solved.items()}
        arrays = {_SOLVED + name: one for name, one in named_arrays(solved).items()}
        if not self._all_solved:
            state = self._current.engine.state()
            arrays |= {_CURRENT + name: one for name, one in state.items()}
        return arrays

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        save(path, KIND, self.header(), self.staging.arrays())

    def header(self) -> dict[str, Any]:
        """Return the header of a checkpoint, which `resume_match_run` and `saved_in` read."""
        return {
            "setup": self.setup.to_dict(),
            "goal": self.goal,
            "done": self.done,
            "seconds": self.seconds,
            MATCH: [dict(one.training) for one in self.solved.values()],
        }


def _compact(run: SolverRun) -> TablePolicy:
    """Return the result of a leg's run in the compact form of match files."""
    assert isinstance(run.engine, TreeEngine)
    player = run.setup.abstraction.spares
    least = LEAST_PLAYED if player is None else LEAST_PLAYED_BY_ONE
    table = run.engine.compact_average(least, player)
    return replace(run.result(), source=table)


def _round(legs: Sequence[TablePolicy]) -> TablePolicy:
    """Return the policy of the round that was solved in these legs: each player follows the table
    of their own leg."""
    if len(legs) == 1:
        return legs[0]
    opener, other = legs
    rules, abstraction = opener.rules, replace(opener.abstraction, spares=None)
    table = joined_by_player(recall_tables(rules, FULL), [one.table for one in legs])
    # The value of a best response to a player comes from the leg in which that player is solved.
    against_other = other.training["exploitability"] + other.training["value"]
    against_opener = opener.training["exploitability"] - opener.training["value"]
    training = {
        **opener.training,
        "value": (against_other - against_opener) / 2,
        "exploitability": (against_other + against_opener) / 2,
    } | {
        name: sum(one.training[name] for one in legs) for name in ("iterations", "information_sets")
    }
    return TablePolicy(rules, FULL, table, training, abstraction=abstraction)


def new_match_run(
    rules: Rules, *, iterations: int | None = None, threads: int | None = None
) -> MatchRun:
    """Return a new run. None stands for a default: PASSES over each leg, all cores. Raise
    RulesError if matches by these rules are not solved."""
    sizes = [len(hands(leg.round.rules)) for leg in legs_of(rules)]
    setup = Setup(rules, "tree", FULL, 0, threads or os.cpu_count() or 1)
    return MatchRun(setup, iterations or PASSES * sum(size**2 for size in sizes))


def is_of_match(path: Path) -> bool:
    """Return whether the run of the checkpoint `path` solves a match. Raise StorageError."""
    return MATCH in load_header(path, KIND)


def resume_match_run(path: Path, iterations: int | None) -> MatchRun:
    """Return the run that the checkpoint `path` holds. Raise StorageError, and ZhaifeiError if
    `iterations` differs from its goal, for which the solved rounds were solved."""
    header, arrays = load(path, KIND)
    with describing_run(path):
        setup, goal = Setup.from_header(header.record("setup")), goal_of(header)
        trainings = header.get(MATCH)
        legs = legs_of(setup.rules)
        if not isinstance(trainings, list) or len(trainings) > len(legs):
            raise StateError("{path} has no record of solved rounds", path=path)
        done = legs[: len(trainings)]
        named = {leg.name: leg.round for leg in done}
        tables = rounds_in(path, named, _beginning(arrays, _SOLVED), trainings)
        solved = {leg: tables[leg.name] for leg in done}
        run = MatchRun(setup, goal, seconds_of(header), solved)
        if run.goal != goal:
            raise StateError("every round of a match needs the same number of passes")
        if len(solved) < len(legs):
            run.restore(_beginning(arrays, _CURRENT))
    if iterations is not None and iterations != goal:
        raise ZhaifeiError(
            "a match is solved round by round, for {goal:,} iterations here: without --resume, "
            "--iterations {iterations} solves it anew",
            goal=goal,
            iterations=iterations,
        )
    return run


def _beginning(arrays: Mapping[str, NDArray[Any]], before: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with `before`, with this prefix removed."""
    return {
        name.removeprefix(before): one for name, one in arrays.items() if name.startswith(before)
    }
