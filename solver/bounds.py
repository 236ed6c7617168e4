"""Intervals that hold a value, and what measuring needs to know of a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

History = tuple[int, ...]
"""Bids as actions, oldest first."""
Strategies = Callable[[Sequence[History]], Sequence[NDArray[np.float64]]]
"""What every hand does after each of some histories: for each one [hand, action] float64, actions
as in `game.bids`: the bids, then the challenge."""


@dataclass(frozen=True)
class Bounds:
    """An interval that holds a value."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """How much is left open."""
        return self.upper - self.lower

    def __add__(self, other: Bounds) -> Bounds:
        return Bounds(self.lower + other.lower, self.upper + other.upper)

    def __truediv__(self, divisor: float) -> Bounds:
        return Bounds(self.lower / divisor, self.upper / divisor)
