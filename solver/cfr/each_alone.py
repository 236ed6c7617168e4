"""The second stage of solving a large two-player round: each player alone, within their support.

The first stage solves both players on one tree (`solver.cfr.tree_cfr`). The second goes on with a
smaller tree for each player, in which this player only has the actions that the first stage found
useful (`solver.cfr.support`). The resulting policy holds each player's average from the player's
own tree. A best response to it is the best response to one player in each tree, so its exact
exploitability is known during training, as in the first stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.cfr.pace import NUMBERS, Pace
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.cfr.tree_strategy import joined_by_player
from zhaifei.solver.files.state import StateError, array_of, verify_between, verify_names
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable

PLAYERS = ("opener", "other")
"""The names of the players in a saved state, in turn order."""
STORED = 0.2
"""The stored strategy has actions with this share of the probability that the support asks for:
play may shift within the support, and what is left out is lost."""
_LEAST, _PACE = "least_played", "pace"


class EachAlone:
    """Training of the two players of a large round, each alone in a tree of their own.

    It goes on from a solver of both players, and counts its passes too.
    """

    def __init__(self, solvers: Sequence[TreeCFR], least_played: float) -> None:
        """Take over the solvers of both players, in turn order. A hand's action belongs to the
        support if the hand reaches it with probability at least `least_played`."""
        self.solvers = list(solvers)
        self.least_played = least_played
        self._pace = Pace(self.passes, self.nash_conv)

    @property
    def passes(self) -> int:
        """The number of passes so far, in both stages."""
        return self.solvers[0].passes

    @property
    def earned(self) -> tuple[float, float]:
        """What a best response earned in each seat at the last measurement, in points a round;
        NaN before the first."""
        opener_alone, other_alone = self.solvers
        return float(other_alone.earned[0]), float(opener_alone.earned[1])

    @property
    def nash_conv(self) -> float:
        """See TreeCFR."""
        return sum(self.earned)

    @property
    def outlook(self) -> float:
        """What training will hardly bring `nash_conv` below, as `Pace` estimates it, or NaN. The
        supports are fixed, so it falls less and less."""
        return self._pace.outlook

    @property
    def value(self) -> float:
        """See TreeCFR."""
        opener, other = self.earned
        return (opener - other) / 2.0

    @property
    def decisions(self) -> int:
        """The number of nodes with children, in both trees."""
        return sum(solver.decisions for solver in self.solvers)

    @property
    def warning(self) -> ZhaifeiError | None:
        """See TreeCFR."""
        return next((one.warning for one in self.solvers if one.warning is not None), None)

    def advance(self) -> None:
        """Run one pass in each tree, and grow both when the schedule says so."""
        for solver in self.solvers:
            solver.advance()
        self._pace.note(self.passes, self.nash_conv)

    def measure(self) -> None:
        """Measure what best responses to both players earn."""
        for solver in self.solvers:
            solver.measure()

    def compact_average(self, least_played: float) -> StrategyTable:
        """Return the average strategy of both players, as TreeCFR does."""
        tables = [one.compact_average(least_played, one.alone) for one in self.solvers]
        return joined_by_player(recall_tables(self.solvers[0].rules, FULL), tables)

    def strategy(self) -> StrategyTable:
        """Return the average strategy of both players within their supports."""
        return self.compact_average(STORED * self.least_played)

    def state(self) -> dict[str, NDArray[Any]]:
        """See TreeCFR."""
        states = zip(PLAYERS, self.solvers, strict=True)
        named = {
            f"{player}/{name}": array
            for player, solver in states
            for name, array in solver.state().items()
        }
        return {_LEAST: np.array(self.least_played), _PACE: self._pace.state(), **named}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` saved under the same rules. Raise StateError if it is invalid;
        the training must then not be used."""
        least = array_of(state, _LEAST, np.float64)
        verify_between(_LEAST, least, 0.0, 1.0)
        self.least_played = float(least)
        own: dict[str, dict[str, NDArray[Any]]] = {player: {} for player in PLAYERS}
        for name, array in state.items():
            player, _, rest = name.partition("/")
            if name not in {_LEAST, _PACE}:
                own.setdefault(player, {})[rest] = array
        verify_names(own, PLAYERS)
        for solver, player in zip(self.solvers, PLAYERS, strict=True):
            solver.restore(own[player])
        if len({solver.passes for solver in self.solvers}) > 1:
            raise StateError("the saved trees of the players have different numbers of passes")
        self._pace = Pace(self.passes, self.nash_conv)
        if _PACE in state:  # earlier versions saved none
            self._pace.restore(array_of(state, _PACE, np.float64, NUMBERS))


def each_alone(joint: TreeCFR) -> EachAlone:
    """Return the second stage after the solver `joint` of both players, which is not changed. Raise
    OutOfMemory if there is no room for both trees beside that of `joint`.

    A support holds the actions that an average hand takes once in all passes so far, or more often.
    So more passes mean finer play, and fewer actions by chance.
    """
    least = 1.0 / (joint.bids.hands * joint.passes)
    stage = EachAlone([joint.restricted(player, least) for player in range(2)], least)
    stage.measure()
    return stage


def is_of_each_alone(state: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether a saved `state` is that of a second stage."""
    return _LEAST in state
