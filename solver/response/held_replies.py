"""Best responses to a strategy table in which some hands have *held* strategies at some histories.

The table is not copied, which would take seconds for a large one. Below a history after which
nothing more is held, the best responses are those to the table (`solver.response.replies`), for any
range of the other player. So only histories that lead to a held one are walked here, one by one, by
the definition of a best response. Where the other player moves, the walk sums over what their range
plays; where the responder moves, it takes the best action for each hand. The result is exact
whether or not the table has these histories: where it has none, hands that are not held challenge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.bounds import History
from zhaifei.solver.response.replies import Replies
from zhaifei.solver.tables.held import Held
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_after


class HeldReplies(Replies):
    """Like Replies, for a table where the strategies in `held` replace the table's. At histories
    where the responder moves, the responder plays the held strategies. No history may be held
    twice."""

    def __init__(self, tables: BidTables, table: StrategyTable, held: Sequence[Held]) -> None:
        super().__init__(tables, table)
        self._table = table
        self._held = {one.history: one for one in held}
        self._leading = {
            one.history[:length] for one in held for length in range(len(one.history) + 1)
        }

    def played(self, made: Sequence[int]) -> NDArray[np.float64]:
        """Return the strategy [hand, action] after the bids `made`."""
        strategy = strategy_after(self._table, self._tables, made)
        held = self._held.get(tuple(made))
        return strategy if held is None else held.spliced(strategy)

    def value(
        self, made: Sequence[int], other: NDArray[np.floating], *, moves: bool, least: float = 0.0
    ) -> NDArray[np.float64]:
        """See Replies.value."""
        if tuple(made) not in self._leading or not other.any():
            return super().value(made, other, moves=moves, least=least)
        if moves:
            return self._own(tuple(made), other, least)
        return self._others(tuple(made), other, least)

    def _others(
        self, made: History, other: NDArray[np.floating], least: float
    ) -> NDArray[np.float64]:
        """Return [hand] what the responder gets where the other player moves."""
        parts = other[:, np.newaxis] * self.played(made)
        bids = self._tables.claimed.size
        value = np.zeros(other.size)
        for ending in np.flatnonzero(parts[:, bids:].any(axis=0)).tolist():
            value += self.ended(made, parts[:, bids + ending], ending, moves=False)
        for bid in np.flatnonzero(parts[:, :bids].any(axis=0)).tolist():
            value += self.value((*made, bid), parts[:, bid], moves=True, least=least)
        return value

    def _own(self, made: History, other: NDArray[np.floating], least: float) -> NDArray[np.float64]:
        """Return [hand] what the responder gets where they move."""
        earned = self.by_action(made, other, least=least)
        best: NDArray[np.float64] = np.nanmax(earned, axis=0)
        held = self._held.get(made)
        if held is not None:
            fixed = np.einsum("ha,ah->h", held.played, np.nan_to_num(earned))
            best = np.where(held.hands, fixed, best)
        return best
