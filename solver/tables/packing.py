"""Compact strategies as files hold them: of each row only the hands that play it, deflated.

A hand plays few of a node's actions, and most nodes are reached with few hands, so nine in ten
probabilities are 0. Nor are challenges stored: a hand challenges with what all else leaves.

    context  [node] int64
    rows     [node] how many rows the node has
    action   [row] as in `game.bids`
    hands    [row] how many hands play it; 0 for a challenge of the last bid
    hand     [entry] these hands, row after row
    share    [entry] and their probabilities, in steps of 1/255

All but contexts are as narrow as the rules allow. Each is compressed by zlib into an array of
bytes, which leaves three fifths.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.jit import kernel
from solver.tables.recall import RecallTables
from solver.tables.strategy_table import COMPACT, StrategyTable, steps_of, strategy_table

_LEVEL = 6
_BLOCK = 1 << 20
"""Probabilities that are packed at a time: indices of a whole table would take many times the
memory of the table."""


def _dtypes(bids: BidTables) -> dict[str, np.dtype[Any]]:
    actions, hands = bids.claimed.size + bids.challenges, bids.prior.size
    largest = {"rows": actions, "action": actions - 1, "hands": hands, "hand": hands - 1}
    narrow = {name: np.min_scalar_type(number) for name, number in largest.items()}
    return {"context": np.dtype(np.int64), **narrow, "share": COMPACT}


def pack(bids: BidTables, table: StrategyTable) -> dict[str, NDArray[np.uint8]]:
    """Return the arrays of a compact `table` as files hold them. Besides them it takes a few
    megabytes."""
    challenge = bids.claimed.size
    parts: dict[str, Iterable[NDArray[Any]]] = {
        "context": [table.context],
        "rows": [np.diff(table.first_row)],
        "action": [table.action],
        "hands": (np.count_nonzero(block, axis=1) for block in _blocks(table, challenge)),
        "hand": (np.nonzero(block)[1] for block in _blocks(table, challenge)),
        "share": (block[block > 0] for block in _blocks(table, challenge)),
    }
    return {name: _deflated(parts[name], dtype) for name, dtype in _dtypes(bids).items()}


def _blocks(table: StrategyTable, challenge: int) -> Iterator[NDArray[Any]]:
    """Yield [row, hand] the probabilities of a few rows at a time, those of challenges set to 0."""
    rows = max(1, _BLOCK // table.probability.shape[1])
    for start in range(0, table.action.size, rows):
        those = slice(start, start + rows)
        raises: NDArray[np.bool_] = table.action[those, np.newaxis] != challenge
        yield table.probability[those] * raises


def _deflated(parts: Iterable[NDArray[Any]], dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    """Return the concatenated `parts` as compressed bytes."""
    deflate = zlib.compressobj(_LEVEL)
    deflated = [deflate.compress(np.ascontiguousarray(part, dtype=dtype).data) for part in parts]
    return np.frombuffer(b"".join([*deflated, deflate.flush()]), np.uint8)


def unpack(
    bids: BidTables, recall: RecallTables, packed: Mapping[str, NDArray[np.uint8]]
) -> StrategyTable:
    """Return the table that was packed. Raises ValueError if the arrays do not describe a
    strategy."""
    try:
        context, rows, action, hands, hand, share = (
            np.frombuffer(zlib.decompress(packed[name].tobytes()), dtype)
            for name, dtype in _dtypes(bids).items()
        )
    except zlib.error as error:
        raise ValueError(f"the arrays cannot be decompressed: {error}") from error
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
    return strategy_table(recall, context, first_row, action.astype(np.int16), probability)


@kernel
def _spread(
    hands: NDArray[np.uint8],
    hand: NDArray[np.uint8],
    share: NDArray[np.uint8],
    probability: NDArray[np.uint8],
) -> None:
    """Write the entries into `probability` [row, hand], which must be 0."""
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
    """Write the rows of challenges: what the other rows leave of `steps`, for each hand."""
    left = np.zeros(probability.shape[1], dtype=np.int64)
    for node in range(first_row.size - 1):
        written = -1
        left[:] = steps
        for row in range(first_row[node], first_row[node + 1]):
            if challenge[row]:
                written = row
                continue
            for hand in range(left.size):
                left[hand] -= probability[row, hand]
        if written < 0:
            continue
        for hand in range(left.size):
            probability[written, hand] = max(left[hand], 0)
