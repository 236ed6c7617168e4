"""Compact strategies as files hold them: of each row only the hands that play it.

A hand plays few of a node's actions, and most nodes are reached with few hands, so nine in ten
probabilities are 0. Nor are challenges stored: a hand challenges with what its raises leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.jit import kernel
from solver.recall import RecallTables
from solver.strategy import COMPACT, StrategyTable, steps_of, strategy_table


def pack(bids: BidTables, table: StrategyTable) -> dict[str, NDArray[Any]]:
    """The arrays of a compact `table` for files:

    context  int64 [node]
    rows     uint8 or uint16 [node] how many rows the node has
    action   int16 [row] a bid, or the number of bids for a challenge
    hands    uint8 or uint16 [row] how many hands play it; 0 for a challenge
    hand     uint8 or uint16 [entry] these hands, row after row
    share    uint8 [entry] and their probabilities, in steps of 1/255
    """
    raises = table.action < bids.claimed.size
    row, hand = np.nonzero(table.probability[raises])
    hands = np.zeros(raises.size, dtype=np.min_scalar_type(bids.prior.size))
    hands[raises] = np.bincount(row, minlength=np.count_nonzero(raises))
    return {
        "context": table.context,
        "rows": np.diff(table.first_row).astype(np.min_scalar_type(bids.claimed.size + 1)),
        "action": table.action,
        "hands": hands,
        "hand": hand.astype(np.min_scalar_type(bids.prior.size - 1)),
        "share": table.probability[raises][row, hand],
    }


def unpack(
    bids: BidTables, recall: RecallTables, packed: Mapping[str, NDArray[Any]]
) -> StrategyTable:
    """The inverse of `pack`. Raises ValueError if the arrays do not describe a strategy."""
    context, rows, action, hands, hand, share = (
        packed[name] for name in ("context", "rows", "action", "hands", "hand", "share")
    )
    if action.shape != hands.shape or hand.shape != share.shape or hand.size != hands.sum():
        raise ValueError("the rows do not cover the hands that play them")
    if hand.size and hand.max() >= bids.prior.size:
        raise ValueError(f"hand {hand.max()} is out of range")
    first_row = np.concatenate([[0], np.cumsum(rows, dtype=np.int64)])
    if rows.shape != context.shape or first_row[-1] != action.size:
        raise ValueError("the nodes do not cover the rows")
    probability = np.zeros((action.size, bids.prior.size), dtype=COMPACT)
    _spread(hands, hand, share, probability)
    _add_challenges(first_row, action == bids.claimed.size, probability, steps_of(COMPACT))
    return strategy_table(recall, context, first_row, action, probability)


@kernel
def _spread(
    hands: NDArray[np.uint8],
    hand: NDArray[np.uint8],
    share: NDArray[np.uint8],
    probability: NDArray[np.uint8],
) -> None:
    """Writes entries into `probability` [row, hand], which is 0."""
    entry = 0
    for row in range(hands.size):
        for _ in range(hands[row]):
            probability[row, hand[entry]] = share[entry]
            entry += 1


@kernel
def _add_challenges(
    first_row: NDArray[np.int64],
    challenge: NDArray[np.bool_],
    probability: NDArray[np.uint8],
    steps: int,
) -> None:
    """Writes the rows of challenges: what the raises of each hand leave of `steps`."""
    left = np.zeros(probability.shape[1], dtype=np.int64)
    for node in range(first_row.size - 1):
        last = first_row[node + 1] - 1
        if last < first_row[node] or not challenge[last]:
            continue
        left[:] = steps
        for row in range(first_row[node], last):
            for hand in range(left.size):
                left[hand] -= probability[row, hand]
        for hand in range(left.size):
            probability[last, hand] = max(left[hand], 0)
