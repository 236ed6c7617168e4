"""Intervals that hold a value, and what measuring needs to know of a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

History = tuple[int, ...]
"""Bids as actions, oldest first."""
Strategies = Callable[[Sequence[History]], Sequence[NDArray[np.float64]]]
"""What every hand does after each of some histories: for each one [hand, action] float64, actions
as in `game.bids`: the bids, then the challenge. It is all that a solver knows of a policy: the
method `strategies` of `policies.players.policy.Policy`."""
EXACT_GAP = 1e-9
"""Exploitability is called exact if its interval is narrower: what rounding may leave open."""


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


@dataclass(frozen=True)
class BestResponse:
    """What a best response earns in a round in each seat, and what finding out took."""

    seats: tuple[Bounds, ...]
    """Seat 0 opens the round."""
    nodes: int
    """Histories where the responder moves, opened so far."""
    seconds: float

    @property
    def nash_conv(self) -> Bounds:
        """What best responses gain over all seats: what the policy itself earns in them adds up to
        nothing."""
        return sum(self.seats, start=Bounds(0.0, 0.0))

    @property
    def exploitability(self) -> Bounds:
        """The mean over seats."""
        return self.nash_conv / len(self.seats)

    @property
    def exact(self) -> bool:
        """Whether nothing but rounding is left open."""
        return self.exploitability.gap < EXACT_GAP


def cuts(coarsest: float, finest: float, ratio: float) -> Iterator[float]:
    """What refining goes through: from coarse to fine, each `ratio` times the last, ending with
    none at all."""
    cut = coarsest
    while cut > finest:
        yield cut
        cut *= ratio
    yield 0.0
