"""Strategy tables with probabilities that sum to 1 in float64, as measurements need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.tables.rows import has_rest_in, sum_rows
from zhaifei.solver.tables.strategy_table import StrategyTable, StrategyTableError, starts


class NormalisedTable(NamedTuple):
    """A table, and the scale that makes each hand's rows sum to 1.

    Rounding to float32 or to steps turns the stored strategy into another strategy. Measurements
    are of this other strategy, and the scale defines it.
    """

    table: StrategyTable
    scale: NDArray[np.float64]
    """[node, hand], or [1, hand] if all nodes have the same scale."""


def normalise(tables: BidTables, table: StrategyTable) -> NormalisedTable:
    """Return `table` with the scale of its rows.

    Raises StrategyTableError if the table is for other rules, or has a hand whose probabilities are
    negative, NaN, infinite or all zero.
    """
    if table.hands != tables.hands or table.recall.code.shape[1] != tables.claimed.size + 1:
        raise StrategyTableError("the policy is for different rules")
    least, most = extremes(table, starts(table))
    # Written so that NaN fails too.
    if not (table.share.min() >= 0 and table.share.max() < np.inf and least > 0.0):
        raise StrategyTableError("the policy has a hand with negative or zero-sum probabilities")
    # In large tables all sums are equal, and an array of them would take more memory than the
    # table.
    sums = np.full((1, table.hands), least)
    if least != most:
        sums = np.empty((table.context.size, table.hands))
        sum_nodes(table, sums)
    return NormalisedTable(table, scale=1.0 / sums)


@kernel
def extremes(table: StrategyTable, first_row: NDArray[np.int64]) -> tuple[float, float]:
    """Return the least and the largest sum of a hand's stored probabilities at a node. If the
    stored rows leave less than nothing for a row that is not stored, the least is negative.
    `first_row` [node + 1] is as `starts` returns it."""
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
    """Write into `sums` [node, hand] the sum of each node's rows."""
    for node in range(sums.shape[0]):
        sum_rows(table, node, sums[node])
