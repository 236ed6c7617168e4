"""Writing strategies as tables store them: rounded, and only the hands that play each action."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.tables.arrays import Rows, Shares


def empty_rows(nodes: int, rows: int, entries: int, dtype: np.dtype[np.generic]) -> Rows:
    """Return arrays with room for the given numbers of nodes, rows and entries."""
    return Rows(
        first_row=np.zeros(nodes + 1, dtype=np.int64),
        action=np.zeros(rows, dtype=np.int16),
        first_entry=np.zeros(rows + 1, dtype=np.int64),
        hand=np.zeros(entries, dtype=np.uint16),
        share=np.zeros(entries, dtype=dtype),
    )


@hot_kernel
def store(
    probability: NDArray[np.float32],
    steps: int,
    grain: NDArray[np.int64],
    stored: NDArray[np.float32] | NDArray[np.uint16],
) -> None:
    """Write the strategy of one node in units of 1/`steps`; both arrays are [action, hand].

    With one step probabilities are stored unchanged. With more, running sums are rounded to
    multiples of `grain` [hand], divisors of `steps`. So each hand's steps sum to `steps`, no
    probability moves by more than `grain / steps`, and 0 stays 0.
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
        total, done, grains = 0.0, 0, steps // grain[hand]
        for action in range(actions):
            total += probability[action, hand]
            upto = steps if action >= last else min(grains, int(grains * total + 0.5)) * grain[hand]
            stored[action, hand] = upto - done
            done = upto


@hot_kernel
def write_row(rows: Rows, row: int, stored: Shares, rest: bool) -> None:
    """Write the row with the shares `stored` [hand] after the rows before it. A row that is what
    the others leave (`rest`) gets no entries."""
    used = rows.first_entry[row]
    if not rest:
        for hand in range(stored.size):
            if stored[hand] != 0:
                if used < rows.hand.size:
                    rows.hand[used] = hand
                    rows.share[used] = stored[hand]
                used += 1
    rows.first_entry[row + 1] = used
