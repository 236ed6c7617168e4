"""How fast a figure of training falls, from one doubling of the passes to the next."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.files.state import verify_between

AHEAD = 3
"""The doublings of the passes that are looked ahead."""
NUMBERS = 3
"""The numbers of a saved pace."""
_MOST = 1e9


class Pace:
    """Compares a figure with what it was after half of the passes."""

    def __init__(self, passes: int, figure: float) -> None:
        """Begin with the `figure` after this number of passes, NaN if it is not known yet."""
        self._passes, self._figure, self._fall = passes, figure, math.nan

    def note(self, passes: int, figure: float) -> None:
        """Note the `figure` after this number of passes."""
        if math.isnan(self._figure):
            self._passes, self._figure = passes, figure
        elif passes >= 2 * self._passes:
            self._fall = figure / self._figure
            self._passes, self._figure = passes, figure

    @property
    def outlook(self) -> float:
        """The figure after AHEAD more doublings of the passes if each lowers it by the same factor
        as the last did; NaN before the first. Training slows down, so this is a low estimate."""
        return self._figure * self._fall**AHEAD

    def state(self) -> NDArray[np.float64]:
        """Return everything that is needed to continue."""
        return np.array([self._passes, self._figure, self._fall])

    def restore(self, state: NDArray[np.float64]) -> None:
        """Continue from a saved `state`. Raise StateError if it is invalid."""
        verify_between("pace", state[:1], 1.0, _MOST)
        verify_between("pace", state[~np.isnan(state)], 0.0, _MOST)
        passes, self._figure, self._fall = state.tolist()
        self._passes = int(passes)
