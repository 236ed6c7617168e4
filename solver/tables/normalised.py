"""Strategy tables whose probabilities sum to 1 in float64, as measuring needs them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.jit import kernel
from solver.tables.rows import has_rest_in, sum_rows
from solver.tables.strategy_table import StrategyTable, StrategyTableError, starts


class NormalisedTable(NamedTuple):
    """A table, and what its rows are multiplied by so that each hand's sum to 1.

    Rounding to float32 or to steps makes another strategy of the one that was stored. It
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
    if table.hands != tables.hands or table.recall.code.shape[1] != tables.claimed.size + 1:
        raise StrategyTableError("the policy is for different rules")
    least, most = extremes(table, starts(table))
    # Written so that NaN fails too.
    if not (table.share.min() >= 0 and table.share.max() < np.inf and least > 0.0):
        raise StrategyTableError("the policy has a hand with negative or zero-sum probabilities")
    # Large tables have one sum, and an array of all would take more memory than they do.
    sums = np.full((1, table.hands), least)
    if least != most:
        sums = np.empty((table.context.size, table.hands))
        sum_nodes(table, sums)
    return NormalisedTable(table, scale=1.0 / sums)


@kernel
def extremes(table: StrategyTable, first_row: NDArray[np.int64]) -> tuple[float, float]:
    """Return the least and most that the stored probabilities of a hand sum to at a node; less than
    nothing if the rows that are stored leave less than that for one that is not. `first_row`
    [node + 1] are as `starts` returns them."""
    least, most = np.inf, -np.inf
    sums = np.empty(table.hands)
    for node in range(table.context.size):
        first, end = first_row[node], first_row[node + 1]
        for hand in range(sums.size):
            sums[hand] = 0.0
        for entry in range(table.first_entry[first], table.first_entry[end]):
            sums[table.hand[entry]] += table.share[entry]
        if has_rest_in(table, first, end):
            if sums.max() > table.steps:
                return -1.0, most
            sums[:] = table.steps
        least, most = min(least, sums.min()), max(most, sums.max())
    return least, most


@kernel
def sum_nodes(table: StrategyTable, sums: NDArray[np.float64]) -> None:
    """Write into `sums` [node, hand] what the rows of each node add up to."""
    for node in range(sums.shape[0]):
        sum_rows(table, node, sums[node])
