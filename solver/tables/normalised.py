"""Strategy tables whose probabilities sum to 1 in float64, as measuring needs them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.jit import hot_kernel
from solver.tables.strategy_table import StrategyTable, StrategyTableError


class NormalisedTable(NamedTuple):
    """A table, and what its rows are multiplied by so that each hand's sum to 1.

    Rounding to float32 or to steps of 1/255 makes another strategy of the one that was stored. It
    is that other strategy which is measured, and this scale which defines it.
    """

    table: StrategyTable
    scale: NDArray[np.float64]
    """[node, hand], or [1, hand] where all nodes share it."""


def normalise(tables: BidTables, table: StrategyTable) -> NormalisedTable:
    """Return `table` with the scale of its rows.

    Raises StrategyTableError if it is for other rules, or has a hand whose probabilities are
    negative, NaN, infinite or all zero.
    """
    hands = tables.prior.size
    if table.probability.shape[1] != hands or table.recall.code.shape[1] != tables.claimed.size + 1:
        raise StrategyTableError("the policy is for different rules")
    sums = np.empty((table.context.size, hands), dtype=np.float64)
    sum_rows(table, sums)
    # Written so that NaN fails too.
    if not (table.probability.min() >= 0 and sums.min() > 0.0 and sums.max() < np.inf):
        raise StrategyTableError("the policy has a hand with negative or zero-sum probabilities")
    shared = bool((sums == sums[0, 0]).all())
    return NormalisedTable(table, scale=1.0 / (sums[:1] if shared else sums))


@hot_kernel
def sum_rows(table: StrategyTable, sums: NDArray[np.float64]) -> None:
    """Write into `sums` [node, hand] what the rows of each node add up to."""
    for node in range(sums.shape[0]):
        for hand in range(sums.shape[1]):
            sums[node, hand] = 0.0
        for row in range(table.first_row[node], table.first_row[node + 1]):
            for hand in range(sums.shape[1]):
                sums[node, hand] += table.probability[row, hand]
