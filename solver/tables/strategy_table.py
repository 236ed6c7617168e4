"""Strategies as arrays that kernels read and files store.

Only actions that some hand plays have a row, so a table is small and can be memory-mapped. A public
history without a node was not reached in training: there every hand challenges, which is always
legal after a bid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.machine.small_calls import small_call
from zhaifei.solver.tables.arrays import ARRAYS, Rows, StrategyTable
from zhaifei.solver.tables.recall import RecallTables, context_of
from zhaifei.solver.tables.rows import first_from, read_rows

__all__ = [
    "ARRAYS",
    "COMPACT",
    "EXACT",
    "NO_NODE",
    "STEPS",
    "Dense",
    "StrategyTable",
    "StrategyTableError",
    "arrays_of",
    "dense",
    "dtype_of",
    "falls_within",
    "node_after",
    "node_of",
    "node_with",
    "rows_of",
    "sparse_table",
    "starts",
    "steps_for",
    "strategy_after",
    "strategy_table",
    "table_of",
    "verify_rows",
    "verify_start",
    "verify_strategy",
    "write_strategy",
    "wrong_probabilities",
]

NO_NODE = -1
"""Stands for the node of a history that was not reached in training."""

EXACT = np.dtype(np.float32)
COMPACT = np.dtype(np.uint16)
"""The dtypes of stored probabilities: EXACT unchanged, COMPACT in steps."""
STEPS = 4096
"""The steps of a probability of 1 in compact tables."""
_STEPS_OF: dict[np.dtype[Any], int] = {EXACT: 1, COMPACT: STEPS, np.dtype(np.uint8): 255}
"""The steps of a probability of 1, by the dtype of dense arrays [row, hand]."""

Dense = NDArray[np.float32] | NDArray[np.uint8] | NDArray[np.uint16]

_STEPS = "hands_and_steps"
_EXACT_ENTRIES = 4_000_000
"""Strategies of up to this many probabilities, all hands counted, are stored unchanged."""
_BLOCK = 1 << 20
"""Probabilities whose entries are listed at a time: their indices take many times as much
memory."""
_FEW_ENTRIES = 10_000
"""Python verifies fewer entries than this in milliseconds."""
_SUM_TOLERANCE = 1e-3
"""How far from 1 the sum of a hand's stored probabilities may be."""


class StrategyTableError(ZhaifeiError):
    """Arrays that do not hold a strategy, or not a strategy for the rules."""


def steps_for(rows: int, hands: int) -> int:
    """Return the steps of a probability of 1 for a strategy of `rows` rows; 1 if it is stored
    unchanged."""
    return 1 if rows * hands <= _EXACT_ENTRIES else STEPS


def dtype_of(steps: int) -> np.dtype[np.generic]:
    """Return the dtype of shares with this number of steps."""
    return EXACT if steps == 1 else COMPACT


@hot_kernel
def node_of(table: StrategyTable, history: NDArray[np.int64], length: int) -> int:
    """Return the node of `history[:length]`, or NO_NODE."""
    return node_with(table, context_of(table.recall, history, length))


@hot_kernel
def node_with(table: StrategyTable, context: int) -> int:
    """Return the node with this `context`, or NO_NODE."""
    node = first_from(table.context, 0, table.context.size, context)
    return node if node < table.context.size and table.context[node] == context else NO_NODE


@hot_kernel
def node_after(table: StrategyTable, history: NDArray[np.int64], length: int, before: int) -> int:
    """Return the node of `history[:length]`, as `node_of` does. This is quicker if it is the node
    after `before`, as is usual when histories differ in their last bid and come in order."""
    if 0 <= before < table.context.size - 1 and table.context[before + 1] == context_of(
        table.recall, history, length
    ):
        return before + 1
    return node_of(table, history, length)


def write_strategy(
    table: StrategyTable,
    bids: BidTables,
    history: NDArray[np.int64],
    length: int,
    strategy: NDArray[np.float64],
) -> None:
    """Write into `strategy` [hand, action] the strategy after `history[:length]`."""
    strategy[:] = 0.0
    node, challenge = small_call(node_of, table, history, length), bids.claimed.size
    if node == NO_NODE:
        strategy[:, challenge] = 1.0
        return
    first, end = table.first_row[node], table.end_row[node]
    actions, ends = table.action[first:end], table.first_entry[first : end + 1]
    hands, shares = table.hand[ends[0] : ends[-1]], table.share[ends[0] : ends[-1]]
    strategy[hands, np.repeat(actions, np.diff(ends))] = shares * table.unit
    if table.steps > 1 and challenge in actions:
        left = table.steps - np.bincount(hands, shares, table.hands)
        strategy[:, challenge] = left * table.unit


def strategy_after(
    table: StrategyTable, bids: BidTables, history: Sequence[int]
) -> NDArray[np.float64]:
    """Return [hand, action] the strategy after `history`, each hand's probabilities divided by
    their sum."""
    written = np.empty((bids.hands, bids.claimed.size + bids.endings))
    write_strategy(table, bids, np.array(history, dtype=np.int64), len(history), written)
    normalised: NDArray[np.float64] = written / written.sum(axis=1, keepdims=True)
    return normalised


def strategy_table(
    recall: RecallTables,
    context: NDArray[np.int64],
    first_row: NDArray[np.int64],
    action: NDArray[np.int16],
    probability: Dense,
) -> StrategyTable:
    """Return the table of all probabilities `probability` [row, hand]: float32, or in 255
    steps (uint8) or STEPS steps (uint16).

    Raises StrategyTableError if the arrays do not describe a strategy under any rules.
    """
    if action.ndim != 1 or probability.ndim != 2 or probability.dtype not in _STEPS_OF:
        raise StrategyTableError("an array has the wrong type or number of axes")
    if action.shape != (len(probability),):
        raise StrategyTableError("rows must cover the nodes in order, at least one each")
    steps = _STEPS_OF[probability.dtype]
    rows = Rows(first_row, action, *_entries(recall, action, probability, steps))
    table = sparse_table(recall, context, rows, hands=probability.shape[1], steps=steps)
    if steps > 1:
        _verify_rest(table, probability)
    return table


def dense(table: StrategyTable, rows: NDArray[np.int64] | None = None) -> Dense:
    """Return [row, hand] the probabilities of the given `rows`, in the form that `strategy_table`
    takes; of all rows by default, which takes gigabytes for a large table."""
    if rows is None:
        rows = np.arange(table.action.size)
    order = np.argsort(table.first_row)
    places = np.searchsorted(table.first_row[order], rows, side="right") - 1
    played = np.empty((rows.size, table.hands))
    read_rows(table, order[places], rows, played)
    dtypes = {steps: dtype for dtype, steps in _STEPS_OF.items()}
    found: Dense = played.astype(dtypes.get(table.steps, COMPACT))
    return found


def _entries(
    recall: RecallTables,
    action: NDArray[np.int16],
    probability: Dense,
    steps: int,
) -> tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[Any]]:
    """Return the first entry of each row, and the hand and the share of each entry."""
    block = max(1, _BLOCK // max(1, probability.shape[1]))
    counts, hands, shares = [np.zeros(1, dtype=np.int64)], [], []
    for start in range(0, max(1, len(action)), block):
        rows = probability[start : start + block]
        stored = rows != 0  # also true for NaN
        if steps > 1:
            stored &= (action[start : start + block] != recall.code.shape[1] - 1)[:, np.newaxis]
        counts.append(stored.sum(axis=1))
        hands.append(np.nonzero(stored)[1].astype(np.uint16))
        shares.append(rows[stored].astype(dtype_of(steps)))
    return np.concatenate(counts).cumsum(), np.concatenate(hands), np.concatenate(shares)


def _verify_rest(table: StrategyTable, probability: Dense) -> None:
    """Raise StrategyTableError unless challenges of the last bid are what the other rows of
    `probability` [row, hand] leave: a table does not store them."""
    challenge = table.action == table.recall.code.shape[1] - 1
    sums = np.add.reduceat(probability, table.first_row, axis=0, dtype=np.int64)
    nodes = np.repeat(np.arange(len(sums)), table.end_row - table.first_row)[challenge]
    if (sums[nodes] != table.steps).any():
        raise wrong_probabilities()


def sparse_table(
    recall: RecallTables,
    context: NDArray[np.int64],
    rows: Rows,
    *,
    hands: int,
    steps: int,
    order: NDArray[np.int64] | None = None,
) -> StrategyTable:
    """Return the arrays as a table, made read-only so that kernels are compiled for one type.

    Contexts and rows may be in another order than nodes: then `order` [node] are their places.
    Raises StrategyTableError if the arrays do not describe a strategy under any rules.
    """
    arrays, (first_row, action, first_entry, hand, share) = (context, *rows), rows
    whole = np.dtype(np.int64)
    wanted = (whole, whole, np.dtype(np.int16), whole, np.dtype(np.uint16), dtype_of(steps))
    if any(a.ndim != 1 or a.dtype != dtype for a, dtype in zip(arrays, wanted, strict=True)):
        raise StrategyTableError("an array has the wrong type or number of axes")
    if order is not None:
        context = context[order]
    if context.size == 0 or np.any(context[1:] <= context[:-1]):
        raise StrategyTableError("contexts must ascend")
    if first_row.shape != (context.size + 1,) or first_row[0] != 0:
        raise StrategyTableError("first_row must hold one more entry than there are contexts")
    if np.any(first_row[1:] <= first_row[:-1]) or first_row[-1] != len(action):
        raise StrategyTableError("rows must cover the nodes in order, at least one each")
    if falls_within(action, first_row):
        raise StrategyTableError("actions must ascend within a node")
    if (
        first_entry.shape != (len(action) + 1,)
        or first_entry[0] != 0
        or np.any(first_entry[1:] < first_entry[:-1])
        or not first_entry[-1] == len(hand) == len(share)
    ):
        raise StrategyTableError("entries must cover the rows in order")
    if falls_within(hand, first_entry):
        raise StrategyTableError("hands must ascend within a row")
    rest = (action == recall.code.shape[1] - 1) & (steps > 1)
    if np.diff(first_entry)[rest].any():
        raise StrategyTableError("hands are stored of a challenge that the other rows imply")
    if hand.size and hand.max() >= hands:
        raise StrategyTableError("hand {hand} is out of range", hand=int(hand.max()))
    first, end = first_row[:-1], first_row[1:]
    if order is not None:
        first, end = first[order], end[order]
    for array in (context, first, end, action, first_entry, hand, share):
        array.setflags(write=False)
    return StrategyTable(
        recall,
        context,
        first,
        end,
        action,
        first_entry,
        hand,
        share,
        hands=hands,
        steps=steps,
        unit=1.0 / steps,
    )


def falls_within(numbers: NDArray[np.integer], first: NDArray[np.int64]) -> bool:
    """Return whether some number does not exceed the number before it in the same group. Groups
    begin at `first`, whose last element is the end of the last group."""
    falls = numbers[1:] <= numbers[:-1]
    begins = first[(first > 0) & (first < numbers.size)]
    falls[begins - 1] = False
    return bool(falls.any())


def starts(table: StrategyTable) -> NDArray[np.int64]:
    """Return [node + 1] the first rows of all nodes in the order of rows, and the end. Memory is
    read several times as fast in the order of rows as in the order of nodes."""
    first_row: NDArray[np.int64] = np.append(np.sort(table.first_row), table.action.size)
    return first_row


def arrays_of(table: StrategyTable) -> dict[str, NDArray[Any]]:
    """Return the arrays from which `table_of` makes the same table, with rows in the order of
    nodes."""
    arrays = {"context": table.context, **rows_of(table)._asdict()}
    return {**arrays, _STEPS: np.array([table.hands, table.steps], dtype=np.int64)}


def rows_of(table: StrategyTable) -> Rows:
    """Return the rows in the order of nodes."""
    if not np.array_equal(table.first_row[1:], table.end_row[:-1]):
        return _in_order(table)
    return Rows(
        np.append(table.first_row, table.end_row[-1:]),
        table.action,
        table.first_entry,
        table.hand,
        table.share,
    )


def _in_order(table: StrategyTable) -> Rows:
    """Return the rows in the order of nodes."""
    first, end = table.first_row, table.end_row
    entry, end_entry = table.first_entry[first], table.first_entry[end]
    return Rows(
        _ends(end - first),
        _gathered(table.action, first, end),
        _ends(_gathered(np.diff(table.first_entry), first, end)),
        _gathered(table.hand, entry, end_entry),
        _gathered(table.share, entry, end_entry),
    )


def _ends(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the starts of consecutive parts of these sizes, and the end of the last part."""
    ends: NDArray[np.int64] = np.append(0, np.cumsum(sizes))
    return ends


def _gathered(
    numbers: NDArray[Any], first: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the numbers from each `first` [part] to each `end` [part], part after part. The parts
    cover all numbers."""
    gathered = np.empty_like(numbers)
    _gather(numbers, first, end, gathered)
    return gathered


@kernel
def _gather(
    numbers: NDArray[Any],
    first: NDArray[np.int64],
    end: NDArray[np.int64],
    gathered: NDArray[Any],
) -> None:
    place = 0
    for part in range(first.size):
        for number in range(first[part], end[part]):
            gathered[place] = numbers[number]
            place += 1


def table_of(recall: RecallTables, arrays: Mapping[str, NDArray[Any]]) -> StrategyTable:
    """Return the table of these arrays. Raises StrategyTableError."""
    if arrays.keys() != {*ARRAYS, _STEPS}:
        raise StrategyTableError("the arrays in the file are not a strategy")
    counts = arrays[_STEPS]
    if counts.shape != (2,) or counts.dtype != np.int64 or not 1 <= counts[1] <= STEPS:
        raise StrategyTableError("an array has the wrong type or number of axes")
    context, *rows = (arrays[name] for name in ARRAYS)
    return sparse_table(recall, context, Rows(*rows), hands=int(counts[0]), steps=int(counts[1]))


def verify_strategy(bids: BidTables, table: StrategyTable) -> None:
    """Raise StrategyTableError unless `table` has a strategy for the start of a round, and rows
    that `verify_rows` accepts."""
    verify_start(table)
    verify_rows(bids, table)


def verify_rows(bids: BidTables, table: StrategyTable) -> None:
    """Raise StrategyTableError unless `table` is for the rules, its probabilities are finite, and
    each hand's probabilities sum to about 1 at every node.

    Reads the whole table. Whether actions are legal after a history is not verified.
    """
    if table.hands != bids.hands:
        raise StrategyTableError(
            "the strategy is for {found} hands, not {right}",
            found=table.hands,
            right=bids.hands,
        )
    if not 0 <= table.action.min() <= table.action.max() < bids.claimed.size + bids.endings:
        raise StrategyTableError("an action is out of range")
    exact = table.steps == 1
    # Kernels are compiled on the assumption that there is no NaN.
    finite = not exact or bool(np.isfinite(table.share).all())
    least, most = (1 - _SUM_TOLERANCE, 1 + _SUM_TOLERANCE) if exact else (1, table.steps)
    first_row = starts(table)
    implied = (table.action == table.recall.code.shape[1] - 1) & (not exact)
    rest = np.logical_or.reduceat(implied, first_row[:-1])
    ends, sums = table.first_entry[first_row], np.zeros(table.hands)
    is_wrong = partial(small_call, _wrong_sums) if table.hand.size < _FEW_ENTRIES else _wrong_sums
    if not finite or is_wrong(ends, rest, table.hand, table.share, sums, least, most):
        raise wrong_probabilities()


def verify_start(table: StrategyTable) -> None:
    """Raise StrategyTableError unless `table` has a strategy for the start of a round."""
    if table.context[0] != 0:
        raise StrategyTableError("there is no strategy for the start of a round")


def wrong_probabilities() -> StrategyTableError:
    """Return the error for a hand whose probabilities do not sum to 1."""
    return StrategyTableError("a hand has probabilities that do not add up to 1")


@hot_kernel
def _least(numbers: NDArray[np.float64]) -> float:
    # numba's `min` would be imported with the kernel, and scipy with it, which takes a third of the
    # time of a query.
    least = numbers[0]
    for number in numbers:
        least = min(least, number)
    return float(least)


@kernel
def _wrong_sums(
    ends: NDArray[np.int64],
    rest: NDArray[np.bool_],
    hands: NDArray[np.uint16],
    shares: Dense,
    sums: NDArray[np.float64],
    least: float,
    most: float,
) -> bool:
    """Return whether a hand's stored probabilities are wrong at some node: negative, with a sum
    above `most`, or, unless the node has a `rest` [node], with a sum below `least`. `ends`
    [node + 1] are the first entries of the nodes, and the end; `sums` [hand] are 0. There must be
    no NaN."""
    for node in range(rest.size):
        lowest, highest = 0.0, 0.0
        for entry in range(ends[node], ends[node + 1]):
            share = float(shares[entry])
            sums[hands[entry]] += share
            lowest, highest = min(lowest, share), max(highest, sums[hands[entry]])
        if lowest < 0.0 or highest > most or not (rest[node] or _least(sums) >= least):
            return True
        for entry in range(ends[node], ends[node + 1]):
            sums[hands[entry]] = 0.0
    return False
