"""A strategy for every information set, as arrays that kernels read and files store.

Only actions that some hand plays have a row, so a table is small and can be memory-mapped.
A public history that has no node is one that play did not reach in training: there every hand
challenges, which is always legal after a bid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.jit import kernel
from solver.recall import RecallTables, context_of

NO_NODE = -1
"""In place of a node: the history was not reached in training."""

EXACT = np.dtype(np.float32)
COMPACT = np.dtype(np.uint8)
"""Probabilities in steps of 1/255: see `compact`."""


class StrategyTable(NamedTuple):
    """Arrays are C-contiguous and read-only. Rows of a node are ordered by action, and for each
    hand they sum to `1 / unit`."""

    recall: RecallTables
    context: NDArray[np.int64]
    """[node] ascending."""
    first_row: NDArray[np.int64]
    """[node + 1] the rows of node n are `first_row[n]` to `first_row[n + 1]`, exclusive."""
    action: NDArray[np.int16]
    """[row] a bid, or the number of bids for a challenge."""
    probability: NDArray[np.float32] | NDArray[np.uint8]
    """[row, hand] in multiples of `unit`."""
    unit: float
    """1, or 1/255 where probabilities are stored compactly."""


@kernel
def node_of(table: StrategyTable, history: NDArray[np.int64], length: int) -> int:
    """The node of `history[:length]`, or NO_NODE."""
    context = context_of(table.recall, history, length)
    low, high = 0, table.context.size
    while low < high:
        middle = (low + high) // 2
        if table.context[middle] < context:
            low = middle + 1
        else:
            high = middle
    if low < table.context.size and table.context[low] == context:
        return low
    return NO_NODE


@kernel
def write_strategy(
    table: StrategyTable,
    bids: BidTables,
    history: NDArray[np.int64],
    length: int,
    strategy: NDArray[np.float64],
) -> None:
    """Writes into `strategy` [hand, action] what every hand does after `history[:length]`."""
    strategy[:] = 0.0
    node = node_of(table, history, length)
    if node == NO_NODE:
        strategy[:, bids.claimed.size] = 1.0
        return
    for row in range(table.first_row[node], table.first_row[node + 1]):
        action = table.action[row]
        for hand in range(strategy.shape[0]):
            strategy[hand, action] = table.probability[row, hand] * table.unit


def strategy_table(
    recall: RecallTables,
    context: NDArray[np.int64],
    first_row: NDArray[np.int64],
    action: NDArray[np.int16],
    probability: NDArray[np.float32] | NDArray[np.uint8],
) -> StrategyTable:
    """The arrays as a table, made read-only so that kernels see one type.

    Raises ValueError if they do not describe a strategy.
    """
    if context.size == 0 or context[0] != 0 or np.any(np.diff(context) <= 0):
        raise ValueError("contexts must ascend from 0, the start of a round")
    if first_row.shape != (context.size + 1,) or first_row[0] != 0:
        raise ValueError("first_row must hold one more entry than there are contexts")
    if np.any(np.diff(first_row) <= 0) or not first_row[-1] == len(action) == len(probability):
        raise ValueError("rows must cover the nodes in order, at least one each")
    unit = 1.0 / 255.0 if probability.dtype == COMPACT else 1.0
    arrays = (context, first_row, action, probability)
    for array in arrays:
        array.setflags(write=False)
    return StrategyTable(recall, *arrays, unit=unit)


def compact(probability: NDArray[np.float64]) -> NDArray[np.uint8]:
    """[row, hand] of one node to steps of 1/255 that still sum to 1 for every hand.

    By largest remainder, so no probability moves by more than 1/255, and one below 1/510 becomes 0
    unless others leave room: pruning that small does not hurt (see `benchmarks/`).
    """
    scaled = probability * 255.0
    steps = np.floor(scaled)
    missing = np.rint(255.0 - steps.sum(axis=0)).astype(np.int64)
    order = np.argsort(steps - scaled, axis=0, kind="stable")
    rank = np.argsort(order, axis=0, kind="stable")
    return np.asarray(steps + (rank < missing), dtype=np.uint8)
