"""Reader of compact strategies in files of versions up to 3. Of each row these store only the hands
that play it, deflated. No code writes such files any more.

    context  [node] int64
    rows     [node] how many rows the node has
    action   [row] as in `game.bids`
    hands    [row] how many hands play it; 0 for a challenge of the last bid
    hand     [entry] these hands, row after row
    share    [entry] their probabilities, in steps of 1/255

All arrays but contexts are as narrow as the rules allow. Each is compressed by zlib into an array
of bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.memory import room
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.inflating import inflated, verify_room
from zhaifei.solver.tables.recall import RecallTables
from zhaifei.solver.tables.strategy_table import (
    StrategyTable,
    StrategyTableError,
    sparse_table,
    verify_strategy,
)

_STEPS = 255
_OF_NODE, _OF_ROW, _OF_ENTRY = 16, 12, 6
"""Bytes that a node, a row and an entry take, in the table and while it is read."""


def _dtypes(bids: BidTables) -> dict[str, np.dtype[Any]]:
    actions, hands = bids.claimed.size + bids.challenges, bids.hands
    largest = {"rows": actions, "action": actions - 1, "hands": hands, "hand": hands - 1}
    narrow = {name: np.min_scalar_type(number) for name, number in largest.items()}
    return {"context": np.dtype(np.int64), **narrow, "share": np.dtype(np.uint8)}


def unpack(
    bids: BidTables, recall: RecallTables, packed: Mapping[str, NDArray[Any]]
) -> StrategyTable:
    """Return the table that was packed.

    A few bytes can stand for gigabytes. So nothing is inflated beyond the length that the arrays
    before it imply, or beyond the machine's memory. Raises StrategyTableError if the arrays do not
    describe a strategy for the rules, or if the table does not fit into memory.
    """
    dtypes, number, left = _dtypes(bids), bids.hands, int(room())
    if packed.keys() != dtypes.keys():
        raise StrategyTableError("the file has other arrays than a packed strategy")

    def array(name: str, length: int, *, exactly: bool = True) -> NDArray[Any]:
        return inflated(packed[name], dtypes[name], length, exactly=exactly)

    context = array("context", left // _OF_NODE, exactly=False)
    rows = array("rows", context.size)
    first_row = np.append(0, np.cumsum(rows, dtype=np.int64))
    row_count = int(first_row[-1])
    needed = context.size * _OF_NODE + row_count * _OF_ROW
    verify_room(needed, left)
    action, hands = array("action", row_count), array("hands", row_count)
    entries = int(hands.sum(dtype=np.int64))
    verify_room(needed + entries * _OF_ENTRY, left)
    hand, share = array("hand", entries), array("share", entries)
    packed_rows = Rows(
        first_row,
        action.astype(np.int16),
        np.append(0, np.cumsum(hands, dtype=np.int64)),
        hand.astype(np.uint16),
        share.astype(np.uint16),
    )
    table = sparse_table(recall, context, packed_rows, hands=number, steps=_STEPS)
    verify_strategy(bids, table)
    return table
