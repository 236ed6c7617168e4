"""Training of two players in two trees: each player's strategy comes from a tree of their own.

A best response to the resulting policy is the best response to one player in each tree. So its
exact exploitability is known during training, as on a single tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.cfr.tree_strategy import joined_by_player
from zhaifei.solver.files.state import StateError, verify_names
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable

PLAYERS = ("opener", "other")
"""The names of the players in a saved state, in turn order."""


class TwoTrees:
    """The solvers of both players, each of whom has a tree of their own."""

    def __init__(self, solvers: Sequence[TreeCFR]) -> None:
        """Take over the solvers whose averages the opener and the other player follow."""
        self.solvers = list(solvers)

    @property
    def passes(self) -> int:
        """The number of passes so far, in all stages."""
        return self.solvers[0].passes

    @property
    def earned(self) -> tuple[float, float]:
        """What a best response earned in each seat at the last measurement, in points a round;
        NaN before the first."""
        of_opener, of_other = self.solvers
        return float(of_other.earned[0]), float(of_opener.earned[1])

    @property
    def nash_conv(self) -> float:
        """See TreeCFR."""
        return sum(self.earned)

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

    def measure(self) -> None:
        """Measure what best responses to both players earn."""
        for solver in self.solvers:
            solver.measure()

    def compact_average(self, least_played: float) -> StrategyTable:
        """Return the average strategy of both players, as TreeCFR does."""
        tables = [
            solver.compact_average(least_played, player)
            for player, solver in enumerate(self.solvers)
        ]
        return joined_by_player(recall_tables(self.solvers[0].rules, FULL), tables)

    def state(self) -> dict[str, NDArray[Any]]:
        """See TreeCFR."""
        states = zip(PLAYERS, self.solvers, strict=True)
        return {
            f"{player}/{name}": array
            for player, solver in states
            for name, array in solver.state().items()
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` saved under the same rules. Raise StateError if it is invalid;
        the training must then not be used."""
        own: dict[str, dict[str, NDArray[Any]]] = {player: {} for player in PLAYERS}
        for name, array in state.items():
            player, _, rest = name.partition("/")
            own.setdefault(player, {})[rest] = array
        verify_names(own, PLAYERS)
        for solver, player in zip(self.solvers, PLAYERS, strict=True):
            solver.restore(own[player])
        if len({solver.passes for solver in self.solvers}) > 1:
            raise StateError("the saved trees of the players have different numbers of passes")
