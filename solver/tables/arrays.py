"""The arrays of strategy tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.tables.recall import RecallTables

ARRAYS = ("context", "first_row", "action", "first_entry", "hand", "share")
"""The arrays that make up a StrategyTable, by their names in files."""

Shares = NDArray[np.float32] | NDArray[np.uint16]


class Rows(NamedTuple):
    """The rows of a StrategyTable, node after node. While they are being written `hand` and `share`
    may be empty: then entries are only counted."""

    first_row: NDArray[np.int64]
    """[node + 1] the rows of node n are `first_row[n]` to `first_row[n + 1]`, exclusive."""
    action: NDArray[np.int16]
    first_entry: NDArray[np.int64]
    hand: NDArray[np.uint16]
    share: Shares


class StrategyTable(NamedTuple):
    """A strategy as arrays, C-contiguous and read-only. The rows of a node are ordered by action,
    each action at most once, and sum to `1 / unit` for each hand. A row stores only the hands that
    play it. Compact tables do not store the row of a challenge of the last bid, if there is one: it
    is what the other rows leave. `solver.tables.rows` reads both forms.

    Arrays accepted by `strategy_table` or `sparse_table`, and by `verify_strategy` or `unpack`,
    cannot make a kernel read or write outside of its arrays. Whether actions are legal is not
    verified: with full recall a context is a sum of codes, and histories cannot be read out of it.
    So kernels that follow a line compare each action with the last bid, and stop, skip it or report
    it: lines get no longer than there are bids.
    """

    recall: RecallTables
    context: NDArray[np.int64]
    """[node] contexts, ascending."""
    first_row: NDArray[np.int64]
    """[node] the rows of node n are `first_row[n]` to `end_row[n]`, exclusive. Nodes need not be in
    the order of their rows: moving the rows of a large table would take as long as reading it."""
    end_row: NDArray[np.int64]
    """[node] see `first_row`."""
    action: NDArray[np.int16]
    """[row] actions as in `game.bids`: bids, then challenges."""
    first_entry: NDArray[np.int64]
    """[row + 1] the entries of row r are `first_entry[r]` to `first_entry[r + 1]`, exclusive."""
    hand: NDArray[np.uint16]
    """[entry] the hands that play the row, ascending."""
    share: NDArray[np.float32] | NDArray[np.uint16]
    """[entry] the probability that the hand plays the row, in multiples of `unit`."""
    hands: int
    """The number of hands under the rules."""
    steps: int
    """The steps of a probability of 1 in a compact table, otherwise 1."""
    unit: float
    """1 / steps."""

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return self.context.size

    @property
    def nbytes(self) -> int:
        """Return the size of the arrays in bytes, without the recall's."""
        return sum(int(getattr(self, name).nbytes) for name in (*ARRAYS, "end_row"))
