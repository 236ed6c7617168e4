"""The arrays of strategy tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.tables.recall import RecallTables

ARRAYS = ("context", "first_row", "action", "first_entry", "hand", "share")
"""The arrays from which a StrategyTable is made, as files name them."""

Shares = NDArray[np.float32] | NDArray[np.uint16]


class Rows(NamedTuple):
    """The rows of a StrategyTable, node after node. While they are being written those of entries
    may be empty: then entries are only counted."""

    first_row: NDArray[np.int64]
    """[node + 1] the rows of node n are `first_row[n]` to `first_row[n + 1]`, exclusive."""
    action: NDArray[np.int16]
    first_entry: NDArray[np.int64]
    hand: NDArray[np.uint16]
    share: Shares


class StrategyTable(NamedTuple):
    """Arrays are C-contiguous and read-only. Rows of a node are ordered by action, no two of them
    with the same one, and for each hand they sum to `1 / unit`. Of a row only the hands that play
    it are stored. In compact tables nothing is stored of the challenge of the last bid, if there is
    a row for it: that is what the other rows leave. `solver.tables.rows` reads both.

    What `strategy_table` or `sparse_table`, and `verify_strategy` or `unpack`, have accepted cannot
    make a kernel read or write outside of its arrays. They cannot tell whether an action is legal:
    with full recall a context is a sum of codes, and histories cannot be read out of it. So kernels
    that follow a line compare each action with the last bid, and stop, skip it or report it: lines
    get no longer than there are bids.
    """

    recall: RecallTables
    context: NDArray[np.int64]
    """[node] ascending."""
    first_row: NDArray[np.int64]
    """[node] the rows of node n are `first_row[n]` to `end_row[n]`, exclusive. Nodes need not be in
    the order of their rows: moving the rows of a large table would take as long as reading it."""
    end_row: NDArray[np.int64]
    """[node]"""
    action: NDArray[np.int16]
    """[row] as in `game.bids`: a bid, or beyond them a challenge."""
    first_entry: NDArray[np.int64]
    """[row + 1] the entries of row r are `first_entry[r]` to `first_entry[r + 1]`, exclusive."""
    hand: NDArray[np.uint16]
    """[entry] the hands that play the row, ascending,"""
    share: NDArray[np.float32] | NDArray[np.uint16]
    """[entry] and how much, in multiples of `unit`."""
    hands: int
    """How many hands the rules have."""
    steps: int
    """1, or how many steps a probability of 1 has in a compact table."""
    unit: float
    """1 / steps."""

    @property
    def nodes(self) -> int:
        """How many there are."""
        return self.context.size

    @property
    def nbytes(self) -> int:
        """How many bytes the arrays take, without those of the recall."""
        return sum(int(getattr(self, name).nbytes) for name in (*ARRAYS, "end_row"))
