"""Exact values of best responses to a strategy table from any position on, for two players.

The walk is the walk of `solver.response.full_recall`, begun at a later history with given ranges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.bidding import legal_endings, settled_at, state_of_bids
from zhaifei.solver.bounds import NEVER
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.response.full_recall import Walk, advance, new_walk, settle, start
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable
from zhaifei.solver.value.table_walk import Stored, arrive, bid_now, unverified, verify_legal

_EVER = np.iinfo(np.int64).max


class Replies:
    """Best responses to one table with full recall, which need not have the start of a round.
    Scratch memory is kept between calls, and is taken from `shared` if given.

    Values are [hand] float64, in penalty points. They are sums over the other player's range as
    given, which need not sum to 1.
    """

    def __init__(
        self, tables: BidTables, table: StrategyTable, shared: Replies | None = None
    ) -> None:
        self._tables, self._policy = tables, unverified(tables, table)
        self._most = tables.most_cost / (tables.players - 1)
        """The most that a round can pay."""
        self._walk: Walk = new_walk(tables) if shared is None else shared._walk

    def value(
        self, made: Sequence[int], other: NDArray[np.floating], *, moves: bool, least: float = 0.0
    ) -> NDArray[np.float64]:
        """Return what a best response earns after the bids `made`, against the table and the other
        player's range `other` [hand]. `moves` says whether the responder is the player to move.

        Where the other player's mass is below `least`, the responder only challenges, or makes a
        raise that leads to no node. Values are then never too high.

        Raises StrategyTableError if the table takes an illegal action.
        """
        if moves and not made:
            best: NDArray[np.float64] = np.nanmax(self.by_action(made, other, least=least), axis=0)
            return best
        walk, depth = self._walk, len(made)
        start(walk, depth % 2 if moves else (depth + 1) % 2, 0)
        walk.base[0], walk.least[0] = depth, least
        _enter(self._policy, walk, np.array(made, dtype=np.int64))
        self._hold(depth + 1 if moves else depth, other)
        if not moves and walk.line.node[depth] == NO_NODE:
            _end(self._policy, walk, depth, 0)
        else:
            advance(self._policy, walk, _EVER)
            verify_legal(walk.line)
        return self._result(depth)

    def at_most(
        self, made: Sequence[int], other: NDArray[np.floating], *, least: float
    ) -> NDArray[np.float64]:
        """Return what `value` does after bids `made` of which the responder made the last one, or
        more. Raises that `least` leaves out pay the most that a round can."""
        self._walk.beyond[0] = self._most
        try:
            return self.value(made, other, moves=False, least=least)
        finally:
            self._walk.beyond[0] = NEVER

    def by_action(
        self, made: Sequence[int], other: NDArray[np.floating], *, least: float = 0.0
    ) -> NDArray[np.float64]:
        """Return [action, hand] what each action earns the player to move after the bids `made`, if
        they then play a best response. Illegal actions have NaN. See `value`."""
        game = self._policy.game
        bids = game.claimed.size
        endings = np.flatnonzero(legal_endings(game, made)).tolist()
        earned = np.full((bids + game.back.size, other.size), np.nan)
        for bid in np.flatnonzero(game.legal[state_of_bids(game, made)]).tolist():
            earned[bid] = self.value((*made, bid), other, moves=False, least=least)
        for ending in endings:
            earned[bids + ending] = self.ended(made, other, ending, moves=True)
        return earned

    def ended(
        self, made: Sequence[int], other: NDArray[np.floating], ending: int, *, moves: bool
    ) -> NDArray[np.float64]:
        """Return [hand] what the responder gets by the `ending` after the bids `made`. `moves` says
        whether the responder takes it, or the other player does."""
        walk, depth = self._walk, len(made)
        start(walk, depth % 2 if moves else (depth + 1) % 2, 0)
        _enter(self._policy, walk, np.array(made, dtype=np.int64))
        self._hold(depth + 1 if moves else depth, other)
        _end(self._policy, walk, depth, ending)
        return self._result(depth)

    def _result(self, depth: int) -> NDArray[np.float64]:
        value: NDArray[np.float64] = self._walk.value[depth].copy()
        return value

    def _hold(self, level: int, range_: NDArray[np.floating]) -> None:
        """Store `range_` [hand] at this level."""
        line, hands = self._walk.line, np.flatnonzero(range_)
        line.support[level] = hands.size
        line.hand[level, : hands.size] = hands
        line.reach[level, : hands.size] = range_[hands]
        line.mass[level] = range_.sum()
        line.counted[level] = 0


@kernel
def _enter(policy: Stored, walk: Walk, made: NDArray[np.int64]) -> None:
    """Begin the line with the bids `made`."""
    for depth in range(made.size):
        bid_now(policy, walk.line, depth, made[depth])
        arrive(policy, walk.line, depth + 1)


@kernel
def _end(policy: Stored, walk: Walk, depth: int, ending: int) -> None:
    """Write into `walk.value` what the responder gets if the player who moves after `depth` bids
    takes the `ending`."""
    own = depth + (walk.seat[0] - depth) % policy.players
    made = settled_at(policy.game, walk.line.bid, depth, ending)
    settle(policy, walk, made, depth, 0, policy.players, own)
    matches = policy.game.matches[policy.game.kind[made.bid]]
    value = walk.value[depth]
    for hand in range(value.size):
        value[hand] = walk.earned[matches[hand]]
