"""Reading rows of a strategy table, which stores only the hands that play each row.

A kernel writes a row into an array [hand] and loops over it. Most rows are played by a few hands,
so writing a row costs less than a look-up for each hand of a range. Numbers are multiples of the
table's unit. Whole numbers up to the table's steps, and float32, are exact in either float type.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.tables.arrays import StrategyTable


@hot_kernel
def first_from(ordered: NDArray[np.integer], low: int, high: int, sought: int) -> int:
    """Return the first place in `low` to `high`, exclusive, at which `ordered` has `sought` or
    more; `high` if there is none."""
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < sought:
            low = middle + 1
        else:
            high = middle
    return low


@hot_kernel
def is_rest(table: StrategyTable, row: int) -> bool:
    """Return whether a row is not stored because it is what the other rows of its node leave."""
    rest: bool = table.steps > 1 and table.action[row] == table.recall.code.shape[1] - 1
    return rest


@hot_kernel
def has_rest(table: StrategyTable, node: int) -> bool:
    """Return whether a node has a row that is what the other rows leave."""
    return has_rest_in(table, table.first_row[node], table.end_row[node])


@hot_kernel
def has_rest_in(table: StrategyTable, first: int, end: int) -> bool:
    """Return whether one of the rows `first` to `end`, exclusive, is what the other rows leave."""
    rest = False
    for row in range(first, end):
        rest |= is_rest(table, row)
    return rest


@hot_kernel
def read_row(table: StrategyTable, node: int, row: int, played: NDArray[np.floating]) -> None:
    """Write into `played` [hand] how much each hand plays the `row` of `node`, in multiples of the
    unit."""
    if is_rest(table, row):
        steps = float(table.steps)
        for hand in range(played.size):
            played[hand] = steps
        first = table.first_entry[table.first_row[node]]
        for entry in range(first, table.first_entry[table.end_row[node]]):
            played[table.hand[entry]] -= table.share[entry]
        return
    for hand in range(played.size):
        played[hand] = 0.0
    for entry in range(table.first_entry[row], table.first_entry[row + 1]):
        played[table.hand[entry]] = table.share[entry]


@hot_kernel
def share_at(table: StrategyTable, node: int, row: int, hand: int) -> float:
    """Return how much `hand` plays the `row` of `node`, in multiples of the unit."""
    if not is_rest(table, row):
        return _stored_share(table, row, hand)
    left = float(table.steps)
    for other in range(table.first_row[node], table.end_row[node]):
        left -= _stored_share(table, other, hand)
    return left


@hot_kernel
def _stored_share(table: StrategyTable, row: int, hand: int) -> float:
    end = table.first_entry[row + 1]
    entry = first_from(table.hand, table.first_entry[row], end, hand)
    return float(table.share[entry]) if entry < end and table.hand[entry] == hand else 0.0


@hot_kernel
def sum_rows(table: StrategyTable, node: int, sums: NDArray[np.float64]) -> None:
    """Write into `sums` [hand] the sum of the rows of `node`."""
    if has_rest(table, node):
        steps = float(table.steps)
        for hand in range(sums.size):
            sums[hand] = steps
        return
    for hand in range(sums.size):
        sums[hand] = 0.0
    first = table.first_entry[table.first_row[node]]
    for entry in range(first, table.first_entry[table.end_row[node]]):
        sums[table.hand[entry]] += table.share[entry]


@kernel
def read_rows(
    table: StrategyTable,
    node: NDArray[np.int64],
    row: NDArray[np.int64],
    played: NDArray[np.float64],
) -> None:
    """Write into `played` [place, hand] the rows [place] of the nodes [place], or 0 where the row
    is negative."""
    for place in range(row.size):
        if row[place] < 0:
            played[place] = 0.0
        else:
            read_row(table, node[place], row[place], played[place])


def rows_at(table: StrategyTable, node: int) -> NDArray[np.float64]:
    """Return [row, hand] float64: the rows of `node`, in multiples of `table.unit`."""
    rows = np.arange(table.first_row[node], table.end_row[node])
    played = np.empty((rows.size, table.hands))
    read_rows(table, np.full(rows.size, node), rows, played)
    return played
