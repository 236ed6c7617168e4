"""Draw actions from a strategy table, for many rounds at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.tables.rows import share_at
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable, node_of

NO_ACTION = -1
"""Stands for the action of a hand with no positive probability."""


@hot_kernel
def drawn(table: StrategyTable, node: int, hand: int, uniform: float) -> int:
    """Return the action that `hand` plays at `node`, or NO_ACTION if it has no positive probability
    there.

    `uniform`, from [0, 1), selects a point on the hand's probabilities laid end to end, in the
    order of actions. They are divided by their sum, since stored probabilities are rounded.
    """
    first, end = table.first_row[node], table.end_row[node]
    total = 0.0
    for row in range(first, end):
        total += share_at(table, node, row, hand)
    left, action = uniform * total, NO_ACTION
    for row in range(first, end):
        share = share_at(table, node, row, hand)
        if share > 0.0:
            action = table.action[row]
            if left < share:
                break
            left -= share
    return action


@kernel
def sample(
    table: StrategyTable,
    challenge: int,
    hand: NDArray[np.int64],
    history: NDArray[np.int64],
    uniform: NDArray[np.float64],
    action: NDArray[np.int64],
) -> None:
    """Write into `action` [round] what `table` plays in each round.

    `hand` [round] is the own hand, `history` [round, bid] the bids made, and `uniform` [round],
    from [0, 1), the random numbers; see `drawn`. Where the table has no node, the action is
    `challenge`.
    """
    for place in range(action.size):
        node = node_of(table, history[place], history.shape[1])
        if node == NO_NODE:
            action[place] = challenge
        else:
            action[place] = drawn(table, node, hand[place], uniform[place])
