"""Intervals that contain a value, and types shared by all measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables

History = tuple[int, ...]
"""Bids as actions, oldest first."""
Strategies = Callable[[Sequence[History]], Sequence[NDArray[np.float64]]]
"""A policy as a function: for each history it returns [hand, action] float64, the probabilities of
every hand. Actions are those of `game.bids`: the bids, then the endings. This function is all
that a solver knows of a policy: the method `strategies` of `policies.players.policy.Policy`."""
NEVER = -np.inf
"""Stands for the value of an action that is not available."""
EXACT_GAP = 1e-9
"""An interval narrower than this counts as exact, since rounding may leave this much open."""


@dataclass(frozen=True)
class Bounds:
    """An interval that contains a value."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """The width of the interval."""
        return self.upper - self.lower

    def __add__(self, other: Bounds) -> Bounds:
        return Bounds(self.lower + other.lower, self.upper + other.upper)

    def __truediv__(self, divisor: float) -> Bounds:
        return Bounds(self.lower / divisor, self.upper / divisor)


@dataclass(frozen=True)
class BestResponse:
    """What a best response earns in a round in each seat, and the work of the search."""

    seats: tuple[Bounds, ...]
    """Bounds of the value in each seat, in penalty points per round; seat 0 opens."""
    nodes: int
    """Histories at which the responder moves that have been opened so far."""
    seconds: float

    @property
    def nash_conv(self) -> Bounds:
        """The sum over seats of what a best response gains. The policy's own values add up to 0
        over seats, so this is the sum of what best responses earn."""
        return sum(self.seats, start=Bounds(0.0, 0.0))

    @property
    def exploitability(self) -> Bounds:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.seats)

    @property
    def gap(self) -> float:
        """The gap of the exploitability."""
        return self.exploitability.gap

    @property
    def exact(self) -> bool:
        """Whether only rounding is left open."""
        return self.gap < EXACT_GAP


def rounding(tables: BidTables, length: int) -> float:
    """Return a bound of the error, in penalty points, of values that are added up in float64 over
    rounds of at most `length` bids.

    It holds where a number at a history of mass m results from a chain of fewer than
    `4 * players * (hands + actions)` operations. Each operation errs by at most `eps / 2` times
    D m, with D the most points that a round costs. The masses of the histories of one length that a
    strategy reaches total at most 1, so the result errs by less than the sum over lengths.
    """
    bids, hands = tables.matches.shape
    chain = 4 * tables.players * (hands + bids + tables.endings)
    return float(length * chain * np.finfo(np.float64).eps / 2.0) * tables.most_cost
