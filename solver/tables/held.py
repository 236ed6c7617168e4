"""Strategies that some hands are held to at some histories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.bounds import History


class Held(NamedTuple):
    """The fixed strategy of some hands at one history."""

    history: History
    """The bids so far, from the start of the round."""
    hands: NDArray[np.bool_]
    """[hand] whether the hand is held to the strategy."""
    played: NDArray[np.float64]
    """[hand, action] probabilities; the row of each held hand sums to 1. Other rows are not
    read."""

    def spliced(self, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `strategy` [hand, action] with the rows of the held hands replaced by `played`."""
        rows: NDArray[np.float64] = np.where(self.hands[:, np.newaxis], self.played, strategy)
        return rows
