"""The second stage of solving a large two-player round: each player alone, within their support.

The first stage solves both players on one tree (`solver.cfr.tree_cfr`), or each in a tree without
the player's own low bids (`solver.cfr.low_bids`). The second goes on with a smaller tree for each
player, in which this player only has the actions that the first stage found useful
(`solver.cfr.support`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.pace import NUMBERS, Pace
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.cfr.two_trees import TwoTrees
from zhaifei.solver.files.state import array_of, verify_between
from zhaifei.solver.tables.strategy_table import StrategyTable

STORED = 0.2
"""The stored strategy has actions with this share of the probability that the support asks for:
play may shift within the support, and what is left out is lost."""
_LEAST, _PACE = "least_played", "pace"


class EachAlone(TwoTrees):
    """Training of the two players of a large round, each alone in a tree of their own.

    It goes on from a first stage, and counts its passes too.
    """

    def __init__(self, solvers: Sequence[TreeCFR], least_played: float) -> None:
        """Take over the solvers of both players, in turn order. A hand's action belongs to the
        support if the hand reaches it with probability at least `least_played`."""
        super().__init__(solvers)
        self.least_played = least_played
        self._pace = Pace(self.passes, self.nash_conv)

    @property
    def outlook(self) -> float:
        """What training will hardly bring `nash_conv` below, as `Pace` estimates it, or NaN. The
        supports are fixed, so it falls less and less."""
        return self._pace.outlook

    def advance(self) -> None:
        """See TwoTrees."""
        super().advance()
        self._pace.note(self.passes, self.nash_conv)

    def strategy(self) -> StrategyTable:
        """Return the average strategy of both players within their supports."""
        return self.compact_average(STORED * self.least_played)

    def state(self) -> dict[str, NDArray[Any]]:
        """See TreeCFR."""
        return {
            _LEAST: np.array(self.least_played),
            _PACE: self._pace.state(),
            **super().state(),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See TwoTrees."""
        least = array_of(state, _LEAST, np.float64)
        verify_between(_LEAST, least, 0.0, 1.0)
        self.least_played = float(least)
        own = {name: array for name, array in state.items() if name not in {_LEAST, _PACE}}
        super().restore(own)
        self._pace = Pace(self.passes, self.nash_conv)
        if _PACE in state:  # earlier versions saved none
            self._pace.restore(array_of(state, _PACE, np.float64, NUMBERS))


def each_alone(together: TreeCFR | TwoTrees) -> EachAlone:
    """Return the second stage after the first one, `together`, which is not changed. Raise
    OutOfMemory if there is no room for both trees beside those of the first stage.

    A support holds the actions that an average hand takes once in all passes so far, or more often.
    So more passes mean finer play, and fewer actions by chance.
    """
    first = together.solvers if isinstance(together, TwoTrees) else [together, together]
    least = 1.0 / (first[0].bids.hands * together.passes)
    alone = [solver.restricted(player, least) for player, solver in enumerate(first)]
    stage = EachAlone(alone, least)
    stage.measure()
    return stage


def is_of_each_alone(state: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether a saved `state` is that of a second stage."""
    return _LEAST in state
