"""What a strategy table with full recall earns in each seat if all play it.

The result is exact for any number of players, up to rounding: the walk visits every stored history
that comes up, with the ranges of all players (`solver.value.table_walk`). After a bid that leads to
a history without a node, the next player challenges with every hand, so nothing beyond needs a
visit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.bidding import Settled, settled_at, settled_if
from zhaifei.solver.bounds import Bounds, rounding
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import mass_of_at_least
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable
from zhaifei.solver.value.table_walk import (
    LEGAL,
    NO_LEVEL,
    Line,
    Stored,
    add_up_dice,
    arrive,
    bid_now,
    mover_after,
    new_line,
    open_rows,
    stored,
    take_row,
    verify_legal,
)

_NODES_PER_CALL = 10_000
"""Nodes opened by one call of the kernel; between calls Python looks at Ctrl-C."""


def self_play(tables: BidTables, table: StrategyTable) -> tuple[Bounds, ...]:
    """Return bounds of what each seat earns if all players play the policy of `table`, in penalty
    points per round. Seat 0 opens; the values add up to 0.

    Raises StrategyTableError if the table does not hold a strategy for the rules, or not with full
    recall, or takes an illegal action.
    """
    return self_play_of(tables, stored(tables, table))


def self_play_of(tables: BidTables, policy: Stored) -> tuple[Bounds, ...]:
    """Return the bounds of `self_play` for a table verified by `solver.value.table_walk.stored`.

    Raises StrategyTableError if the table takes an illegal action.
    """
    line, lost = new_line(tables), np.zeros(tables.players)
    _open(policy, line, 0)
    while not _advance(policy, line, lost, _NODES_PER_CALL):
        pass
    verify_legal(line)
    margin = rounding(tables, int(line.deepest[0]) + 1)
    earned = (lost.sum() - lost) / (tables.players - 1) - lost
    return tuple(Bounds(float(one) - margin, float(one) + margin) for one in earned)


@hot_kernel
def _open(policy: Stored, line: Line, depth: int) -> None:
    """Open the frame at `depth`, which has a node."""
    node = line.node[depth]
    line.depth[0] = depth
    line.deepest[0] = max(line.deepest[0], depth)
    arrive(policy, line, depth)
    table = policy.table
    open_rows(policy, line, depth, table.first_row[node], table.end_row[node])


@hot_kernel
def _settle(
    policy: Stored, line: Line, depth: int, made: Settled, lost: NDArray[np.float64]
) -> None:
    """Add the points lost by an ending. The last move was made in the frame at `depth`."""
    players = policy.players
    add_up_dice(policy, line, policy.game.kind[made.bid], depth, 1, 1 + players, NO_LEVEL)
    true = mass_of_at_least(made.claimed, line.tails)
    lost[made.challenger % players] += made.cost * true
    lost[made.bidder % players] += made.cost * (line.tails[0] - true)


@kernel
def _advance(policy: Stored, line: Line, lost: NDArray[np.float64], nodes: int) -> bool:
    """Open at most `nodes` nodes; return whether the walk is over. Add the penalty points that each
    player loses to `lost` [seat]."""
    bids, opened = policy.game.claimed.size, 0
    while line.depth[0] >= 0:
        depth = line.depth[0]
        action = take_row(policy, line, depth)
        if line.illegal[0] != LEGAL:
            return True
        if action < 0:
            line.depth[0] -= 1
        elif action >= bids:
            _settle(
                policy, line, depth, settled_at(policy.game, line.bid, depth, action - bids), lost
            )
        elif bid_now(policy, line, depth, action) == NO_NODE:
            mover = mover_after(policy, line, depth, action)
            _settle(policy, line, depth, settled_if(policy.game, action, 0, mover), lost)
        else:
            _open(policy, line, depth + 1)
            opened += 1
            if opened >= nodes:
                return False
    return True
