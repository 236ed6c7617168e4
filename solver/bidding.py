"""The state of the bidding along a history, for kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ShowdownTables


@hot_kernel
def state_at(game: BidTables | ShowdownTables, history: NDArray[np.int64], length: int) -> int:
    """Return the state of the bidding after the first `length` bids of `history`. Where the last
    bid alone tells what may follow, no other bid is read."""
    if length == 0:
        return 0
    if game.after.shape[0] == game.claimed.size + 1:
        return int(history[length - 1]) + 1
    state = 0
    for place in range(length):
        state = game.after[state, history[place]]
    return state


def state_of_bids(game: BidTables | ShowdownTables, history: Sequence[int]) -> int:
    """Return the state of the bidding after the bids of `history`."""
    return state_at(game, np.array(history, dtype=np.int64), len(history))
