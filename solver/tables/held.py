"""Strategies that are held fixed at some histories, for some hands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.bounds import History


class Held(NamedTuple):
    """What some hands play at one history, whatever they could get otherwise."""

    history: History
    """The bids before it, from the start of the round."""
    hands: NDArray[np.bool_]
    """[hand] which hands."""
    played: NDArray[np.float64]
    """[hand, action] what they play; each of their rows sums to 1. Other rows are not read."""

    def spliced(self, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `strategy` [hand, action] with what these hands play in place of theirs."""
        rows: NDArray[np.float64] = np.where(self.hands[:, np.newaxis], self.played, strategy)
        return rows
