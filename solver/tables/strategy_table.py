"""Strategies as arrays that kernels read and files store.

Only actions that some hand plays have a row, so a table is small and can be memory-mapped.
A public history without a node was not reached in training: there every hand challenges, which is
always legal after a bid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.errors import ZhaifeiError
from game.tables import BidTables
from solver.jit import hot_kernel, kernel
from solver.tables.recall import RecallTables, context_of

NO_NODE = -1
"""In place of a node: the history was not reached in training."""

EXACT = np.dtype(np.float32)
COMPACT = np.dtype(np.uint8)
"""How probabilities are stored: as they are, or in steps of 1/255."""

ARRAYS = ("context", "first_row", "action", "probability")
"""The arrays of a StrategyTable, as files name them."""
_EXACT_ENTRIES = 4_000_000
"""Strategies of up to this many probabilities are stored as they are."""
_SUM_TOLERANCE = 1e-3
"""How far from 1 the stored probabilities of a hand may add up."""


class StrategyTableError(ZhaifeiError):
    """Arrays that do not hold a strategy, or not one for the rules."""


class StrategyTable(NamedTuple):
    """Arrays are C-contiguous and read-only. Rows of a node are ordered by action, no two of them
    with the same one, and for each hand they sum to `1 / unit`.

    What `strategy_table`, and `verify_strategy` or `unpack`, have accepted cannot make a kernel
    read or write outside of its arrays. They cannot tell whether an action is legal: with full
    recall a context is a sum of codes, and histories cannot be read out of it. So kernels that
    follow a line compare each action with the last bid, and stop, skip it or report it: lines get
    no longer than there are bids.
    """

    recall: RecallTables
    context: NDArray[np.int64]
    """[node] ascending."""
    first_row: NDArray[np.int64]
    """[node + 1] the rows of node n are `first_row[n]` to `first_row[n + 1]`, exclusive."""
    action: NDArray[np.int16]
    """[row] as in `game.bids`: a bid, or beyond them a challenge."""
    probability: NDArray[np.float32] | NDArray[np.uint8]
    """[row, hand] in multiples of `unit`."""
    unit: float
    """1, or 1/255 where probabilities are stored compactly."""


def dtype_for(rows: int, hands: int) -> np.dtype[np.generic]:
    """Return the dtype in which a strategy of `rows` rows is stored."""
    return EXACT if rows * hands <= _EXACT_ENTRIES else COMPACT


def steps_of(dtype: np.dtype[np.generic]) -> int:
    """Return the stored value that stands for a probability of 1."""
    return 255 if dtype == COMPACT else 1


@hot_kernel
def node_of(table: StrategyTable, history: NDArray[np.int64], length: int) -> int:
    """Return the node of `history[:length]`, or NO_NODE."""
    return node_with(table, context_of(table.recall, history, length))


@hot_kernel
def node_with(table: StrategyTable, context: int) -> int:
    """Return the node with this `context`, or NO_NODE."""
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


@hot_kernel
def node_after(table: StrategyTable, history: NDArray[np.int64], length: int, before: int) -> int:
    """Return the node of `history[:length]`, as `node_of` does. This is quicker if it is the node
    after `before`, which it mostly is where histories differ in their last bid and come in
    order."""
    if 0 <= before < table.context.size - 1 and table.context[before + 1] == context_of(
        table.recall, history, length
    ):
        return before + 1
    return node_of(table, history, length)


@hot_kernel
def write_strategy(
    table: StrategyTable,
    bids: BidTables,
    history: NDArray[np.int64],
    length: int,
    strategy: NDArray[np.float64],
) -> None:
    """Write into `strategy` [hand, action] what every hand does after `history[:length]`."""
    strategy[:] = 0.0
    node = node_of(table, history, length)
    if node == NO_NODE:
        strategy[:, bids.claimed.size] = 1.0
        return
    for row in range(table.first_row[node], table.first_row[node + 1]):
        action = table.action[row]
        for hand in range(strategy.shape[0]):
            strategy[hand, action] = table.probability[row, hand] * table.unit


def strategy_after(
    table: StrategyTable, bids: BidTables, history: Sequence[int]
) -> NDArray[np.float64]:
    """Return [hand, action] the strategy after `history`, each hand's probabilities divided by
    their sum."""
    written = np.empty((bids.prior.size, bids.claimed.size + bids.challenges))
    write_strategy(table, bids, np.array(history, dtype=np.int64), len(history), written)
    normalised: NDArray[np.float64] = written / written.sum(axis=1, keepdims=True)
    return normalised


def strategy_table(
    recall: RecallTables,
    context: NDArray[np.int64],
    first_row: NDArray[np.int64],
    action: NDArray[np.int16],
    probability: NDArray[np.float32] | NDArray[np.uint8],
) -> StrategyTable:
    """Return the arrays as a table, made read-only so that kernels are compiled for one type.

    Raises StrategyTableError if they do not describe a strategy, whatever the rules.
    """
    arrays = (context, first_row, action, probability)
    _verify_types(*arrays)
    if context.size == 0 or np.any(context[1:] <= context[:-1]):
        raise StrategyTableError("contexts must ascend")
    if first_row.shape != (context.size + 1,) or first_row[0] != 0:
        raise StrategyTableError("first_row must hold one more entry than there are contexts")
    if (
        np.any(first_row[1:] <= first_row[:-1])
        or not first_row[-1] == len(action) == len(probability)
    ):  # fmt: skip
        raise StrategyTableError("rows must cover the nodes in order, at least one each")
    falls = np.flatnonzero(action[1:] <= action[:-1]) + 1  # which only the first row of a node may
    if not np.isin(falls, first_row).all():
        raise StrategyTableError("actions must ascend within a node")
    for array in arrays:
        array.setflags(write=False)
    return StrategyTable(recall, *arrays, unit=1.0 / steps_of(probability.dtype))


def _verify_types(*arrays: NDArray[np.generic]) -> None:
    """Raise StrategyTableError unless contexts, first rows, actions and probabilities have the
    dtypes and axes of a StrategyTable."""
    whole, action = np.dtype(np.int64), np.dtype(np.int16)
    wanted = ((whole,), (whole,), (action,), (EXACT, COMPACT))
    for array, axes, dtypes in zip(arrays, (1, 1, 1, 2), wanted, strict=True):
        if array.ndim != axes or array.dtype not in dtypes:
            raise StrategyTableError("an array has the wrong type or number of axes")


def verify_strategy(bids: BidTables, table: StrategyTable) -> None:
    """Raise StrategyTableError unless `table` is one for the start of a round, with sound rows as
    `verify_rows` has it."""
    verify_start(table)
    verify_rows(bids, table)


def verify_rows(bids: BidTables, table: StrategyTable) -> None:
    """Raise StrategyTableError unless `table` is one for the rules, its probabilities are finite,
    and those of each hand add up to about 1 at every node.

    Reads the whole table. Whether actions are legal after a history is not looked at.
    """
    shape = (len(table.action), bids.prior.size)
    if table.probability.shape != shape:
        raise StrategyTableError(
            "probabilities have shape {found}, not {right}",
            found=table.probability.shape, right=shape,
        )  # fmt: skip
    if not 0 <= table.action.min() <= table.action.max() < bids.claimed.size + bids.challenges:
        raise StrategyTableError("an action is out of range")
    steps, exact = steps_of(table.probability.dtype), table.probability.dtype == EXACT
    # Kernels are compiled on the assumption that there is no NaN.
    finite = not exact or bool(np.isfinite(table.probability).all())
    least, most = (1 - _SUM_TOLERANCE, 1 + _SUM_TOLERANCE) if exact else (1, steps)
    if not finite or wrong_node(table.first_row, table.probability, least, most) != NO_NODE:
        raise wrong_probabilities()


def verify_start(table: StrategyTable) -> None:
    """Raise StrategyTableError unless `table` has a strategy for the start of a round."""
    if table.context[0] != 0:
        raise StrategyTableError("there is no strategy for the start of a round")


def wrong_probabilities() -> StrategyTableError:
    """Return the error for a hand without a strategy."""
    return StrategyTableError("a hand has probabilities that do not add up to 1")


@kernel
def wrong_node(
    first_row: NDArray[np.int64],
    probability: NDArray[np.float32] | NDArray[np.uint8],
    least: float,
    most: float,
) -> int:
    """Return the first node at which a hand's probabilities are negative or sum to less than
    `least` or more than `most`, or NO_NODE. `probability` [row, hand] must be free of NaN."""
    sums = np.empty(probability.shape[1], dtype=np.float64)
    for node in range(first_row.size - 1):
        sums[:] = 0.0
        lowest = 0.0
        for row in range(first_row[node], first_row[node + 1]):
            for hand in range(sums.size):
                share = float(probability[row, hand])
                sums[hand] += share
                lowest = min(lowest, share)
        if lowest < 0.0 or sums.min() < least or sums.max() > most:
            return node
    return NO_NODE


@hot_kernel
def store(
    probability: NDArray[np.float32], steps: int, stored: NDArray[np.float32] | NDArray[np.uint8]
) -> None:
    """Write the strategy of one node in units of 1/`steps`; both arrays are [action, hand].

    One step stores it as it is. With more, running sums are rounded, so each hand's steps sum to
    `steps`, no probability moves by more than 1/`steps`, and 0 stays 0.
    """
    actions, hands = probability.shape
    if steps == 1:
        for action in range(actions):
            for hand in range(hands):
                stored[action, hand] = probability[action, hand]
        return
    for hand in range(hands):
        last = 0
        for action in range(actions):
            if probability[action, hand] > 0.0:
                last = action
        total, done = 0.0, 0
        for action in range(actions):
            total += probability[action, hand]
            upto = steps if action >= last else min(steps, int(steps * total + 0.5))
            stored[action, hand] = upto - done
            done = upto
