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
from solver.memory import room
from solver.tables.recall import RecallTables
from solver.tables.strategy_table import (
    COMPACT,
    NO_NODE,
    StrategyTable,
    StrategyTableError,
    steps_of,
    strategy_table,
    verify_start,
    wrong_probabilities,
)

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
    bids: BidTables, recall: RecallTables, packed: Mapping[str, NDArray[Any]]
) -> StrategyTable:
    """Return the table that was packed.

    A few bytes can stand for gigabytes. So nothing is inflated beyond the length that the arrays
    before it imply, and nothing for which the machine has no memory. Raises StrategyTableError if
    the arrays do not describe a strategy for the rules, or one that does not fit into memory.
    """
    dtypes, number, left = _dtypes(bids), bids.prior.size, int(room())
    if packed.keys() != dtypes.keys():
        raise StrategyTableError("the file has other arrays than a packed strategy")

    def inflated(name: str, length: int) -> NDArray[Any]:
        return _inflated(packed[name], dtypes[name], length)

    # A node takes a context and a first row, and has a row: a byte for each hand.
    of_node = 2 * dtypes["context"].itemsize
    most_nodes = left // (of_node + number)
    context = _inflated(packed["context"], dtypes["context"], most_nodes, exactly=False)
    rows = inflated("rows", context.size)
    first_row = np.concatenate([[0], np.cumsum(rows, dtype=np.int64)])
    row_count = int(first_row[-1])
    needed = context.size * of_node + row_count * number
    _verify_room(needed, left)
    action, hands = inflated("action", row_count), inflated("hands", row_count)
    entries = int(hands.sum(dtype=np.int64))
    _verify_room(needed + entries * (dtypes["hand"].itemsize + 1), left)
    hand, share = inflated("hand", entries), inflated("share", entries)
    if hand.size and hand.max() >= number:
        raise StrategyTableError("hand {hand} is out of range", hand=int(hand.max()))
    if action.size and action.max() >= bids.claimed.size + bids.challenges:
        raise StrategyTableError("an action is out of range")
    probability = np.zeros((row_count, number), dtype=COMPACT)
    _spread(hands, hand, share, probability)
    challenge = action == bids.claimed.size
    if _add_challenges(first_row, challenge, probability, steps_of(COMPACT)) != NO_NODE:
        raise wrong_probabilities()
    table = strategy_table(recall, context, first_row, action.astype(np.int16), probability)
    verify_start(table)
    return table


def _inflated(
    packed: NDArray[Any], dtype: np.dtype[Any], length: int, *, exactly: bool = True
) -> NDArray[Any]:
    """Return the array of `length` elements, or at most so many, that was deflated. Never take more
    memory than that; raise StrategyTableError if there are more or fewer."""
    most, stream = length * dtype.itemsize, zlib.decompressobj()
    try:
        data = stream.decompress(packed.tobytes(), most + 1)
    except zlib.error as error:
        raise StrategyTableError("the arrays cannot be decompressed") from error
    whole = stream.eof and not stream.unused_data and len(data) % dtype.itemsize == 0
    if not whole or len(data) > most or (exactly and len(data) < most):
        raise StrategyTableError("the arrays do not fit each other")
    return np.frombuffer(data, dtype)


def _verify_room(needed: int, left: int) -> None:
    if needed > left:
        raise StrategyTableError(
            "the strategy takes {needed:.1f} GB of memory; there is room for {left:.1f} GB",
            needed=needed / 1e9, left=left / 1e9,
        )  # fmt: skip


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
) -> int:
    """Write the rows of challenges: what the other rows leave of `steps`, for each hand. Return the
    first node at which they leave less than nothing, or all where there is no such row; otherwise
    NO_NODE."""
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
        if left.min() < 0 or (written < 0 and left.max() == steps):
            return node
        if written < 0:
            continue
        for hand in range(left.size):
            probability[written, hand] = left[hand]
    return NO_NODE
