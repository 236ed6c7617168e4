"""Look up many histories at once in a strategy table with full recall, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.tables.rows import read_rows
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable

Ints = NDArray[np.int64]


class Lookup:
    """Finds nodes and rows of a table with full recall, for arrays of histories."""

    def __init__(self, bids: BidTables, table: StrategyTable) -> None:
        self._table = table

    def nodes(self, history: Ints) -> Ints:
        """Return [turn] the node of each history [turn, bid], or NO_NODE."""
        # A context is the sum of the bids' codes: see `solver.tables.recall`.
        context = self._table.recall.code[0][history + 1].sum(axis=1)
        return _found(self._table.context, context)

    def after(self, history: Ints, turn: Ints, bid: Ints) -> Ints:
        """Return [place] the node after each `bid` [place] that follows the history of `turn`
        [place], or NO_NODE; `history` is [turn, bid]."""
        code = self._table.recall.code[0]
        made = code[history + 1].sum(axis=1)
        return _found(self._table.context, made[turn] + code[bid + 1])

    def played(self, node: Ints, action: Ints) -> NDArray[np.float64]:
        """Return [turn, hand] the probability with which each hand takes the action at the node;
        0 where there is no node."""
        row = np.full(node.size, NO_NODE)
        _find_rows(self._table, node, action, row)
        played = np.empty((row.size, self._table.hands))
        read_rows(self._table, node, row, played)
        played *= self._table.unit
        return played


@kernel
def _find_rows(table: StrategyTable, node: Ints, action: Ints, row: Ints) -> None:
    """Write into `row` [turn] the row of the action at the node, if the node and the row exist."""
    for turn in range(node.size):
        if node[turn] == NO_NODE:
            continue
        for place in range(table.first_row[node[turn]], table.end_row[node[turn]]):
            if table.action[place] == action[turn]:
                row[turn] = place


def _found(ascending: Ints, wanted: Ints) -> Ints:
    """Return the index of each of the `wanted` numbers in `ascending`, or NO_NODE if it is
    missing."""
    place = np.searchsorted(ascending, wanted).clip(max=ascending.size - 1)
    return np.where(ascending[place] == wanted, place, NO_NODE)
