"""The first stage of solving a large two-player round that may open low.

The *low* bids are those below the weakest bid with the count that usually opens a round, or with a
count that is no longer idle (`solver.abstraction`). They are nearly always true and say little, and
one can follow another. A tree of all their runs is many
times as large as one without them. So each player is solved in a tree of their own, where this
player *spares* low bids: they make only the *last* ones, after which no low bid may follow.

**The other player may do everything.** After an opening, low or not, the player makes a last low
bid, or a bid that is not low, or ends the round. No low bid may follow the first two, so the rules
leave the other player nothing that the tree lacks. A best response in the tree is thus a best
response in the whole game, and what sparing costs is part of what it gains.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from zhaifei.game.bids import domain
from zhaifei.game.parts import Raising
from zhaifei.game.rules import Rules, default_first_count
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.solver.abstraction import idle_count
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import LEAST_PLAYED, TreeCFR
from zhaifei.solver.cfr.two_trees import TwoTrees
from zhaifei.solver.tables.strategy_table import StrategyTable

_OPENER = 0


class EachSparing(TwoTrees):
    """Training of both players of a round, each in a tree in which they spare low bids."""

    def __init__(self, rules: Rules, threads: int | None) -> None:
        super().__init__([solver_of(rules, player, threads) for player in range(2)])

    def strategy(self) -> StrategyTable:
        """Return the average strategy of both players."""
        return self.compact_average(LEAST_PLAYED)


def solver_of(rules: Rules, player: int, threads: int | None, *, is_alone: bool = False) -> TreeCFR:
    """Return a new solver of `rules` on a large tree in which `player` spares low bids. The player
    may be solved alone (`solver.cfr.support`)."""
    return TreeCFR(
        rules,
        threads=threads,
        root=root_of(spared_tables(rules, player)),
        large=True,
        alone=player if is_alone else None,
    )


@lru_cache
def low_bids(rules: Rules) -> int:
    """Return the number of low bids, which are the first actions. It is 0 unless there are two
    modes, bids are raised by strength, the last bid alone decides which may follow, and a low bid
    may open. Single modes were not measured."""
    tables, bids, bidding = bid_tables(rules), domain(rules), rules.bidding
    if bidding.raising is not Raising.STRONGER or len(bidding.modes) < 2:
        return 0
    if len(tables.after) != len(bids) + 1:
        return 0
    usual = min(default_first_count(rules.players, rules.dice), idle_count(rules) + 1)
    low = next(place for place, bid in enumerate(bids) if bid.count == usual)
    return low if tables.legal[0, :low].any() else 0


@lru_cache
def spared_tables(rules: Rules, player: int) -> BidTables:
    """Return the tables of `rules` in which `player` spares low bids. Without low bids these are
    the tables of the whole game."""
    tables, low = bid_tables(rules), low_bids(rules)
    if not low:
        return tables
    legal = tables.legal.copy()
    is_last = ~legal[1 : low + 1, :low].any(axis=1)
    legal[1 : low + 1, :low] &= is_last
    if player == _OPENER:
        legal[0, :low] &= is_last
    first_raise = np.where(legal.any(axis=1), legal.argmax(axis=1), legal.shape[1])
    for array in (legal, first_raise):
        array.setflags(write=False)
    return tables._replace(legal=legal, first_raise=first_raise)
