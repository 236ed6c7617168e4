"""How players compare who sat at the same tables: what arenas count, and what follows from it.

**Who sits where.** With as many players as a table has seats, or more, each choice of players for a
table plays; with two seats these are the pairs. With fewer there is a table for each player and
each other: the one alone, the other in all other seats. At a table every deal is played in every
seating, that is in every rotation of the players' order and of its reverse: everybody opens as
often, and sits as often before anybody as after.

**Margins.** Deals are independent; what is played of one deal, in all seatings and at all tables,
is not. So what one deal says is averaged first, and a margin is 1.96 standard deviations of the
mean over deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from game.errors import ZhaifeiError
from policies.play.simulation import DEVIATIONS

Seating = tuple[int, ...]
"""The place among the entrants of who sits in each seat."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def verify_names(names: Sequence[str]) -> None:
    """Raises ZhaifeiError if they are less than two, or if one is named twice, a file by different
    paths even."""
    if len(names) < 2:
        raise ZhaifeiError("an arena needs 2 players or more, not {given}", given=len(names))
    known: set[str | Path] = set()
    for name in names:
        one = Path(name).resolve() if Path(name).exists() else name
        if one in known:
            raise ZhaifeiError("{name} is named twice: each player enters once", name=name)
        known.add(one)


def tables(number: int, seats: int) -> list[Seating]:
    """Who meets whom, in one order each, of so many entrants at tables of so many seats."""
    if number >= seats:
        return list(combinations(range(number), seats))
    return [(one, *[other] * (seats - 1)) for one, other in permutations(range(number), 2)]


def seatings(table: Seating) -> list[Seating]:
    """Every rotation of the order and of its reverse, each once."""
    orders = (table, table[::-1])
    turned = (order[first:] + order[:first] for order in orders for first in range(len(table)))
    return list(dict.fromkeys(turned))


@dataclass(frozen=True)
class Estimate:
    """What was found of a rate or of a difference."""

    mean: float
    margin: float
    """Half the width of the 95% confidence interval."""

    @property
    def lower(self) -> float:
        """The lower end of the confidence interval."""
        return self.mean - self.margin

    @property
    def upper(self) -> float:
        """The upper end of the confidence interval."""
        return self.mean + self.margin


@dataclass
class Conduct:
    """How one player decides, counted over all seats that it holds."""

    rounds: int = 0
    """That it sat in; one for each seat."""
    bids: int = 0
    """Bids made, by itself."""
    length: int = 0
    """Bids made in these rounds, by anybody."""
    challenges: int = 0
    right: int = 0
    """Challenges of bids that were false."""
    challenged: int = 0
    """How often a bid of its own was."""
    true: int = 0
    """Such bids that were true."""


class Comparison:
    """Sums over deals. A score is better the more it is; decided is what ratings go by, rounds lost
    or matches won."""

    def __init__(self, plan: Sequence[Sequence[Seating]], number: int) -> None:
        """`plan` has the seatings of each table, of so many entrants."""
        self.deals = 0
        self.per_deal = sum(map(len, plan))
        """Rounds or matches, at all tables."""
        self.held = np.array([np.bincount(table[0], minlength=number) for table in plan])
        """[table, entrant] the seats."""
        self.seats = sum(held * len(table) for held, table in zip(self.held, plan, strict=True))
        """[entrant] held in one deal, at all tables."""
        self.decided, self._decided_squared = np.zeros((2, *self.held.shape))
        """[table, entrant] summed over deals, and squared before."""
        self._products = np.zeros((number, number))
        """Of what is decided in one deal, at all tables: products, summed over deals."""
        self._better, self._better_squared = np.zeros((2, number, number))
        """[row, column] of what one deal says: summed over deals, and squared before."""
        sits = np.array(self.held > 0, dtype=np.int64)
        self._together = sits.T @ sits
        """[row, column] the tables where both sit."""

    def add(self, deals: int, played: Iterable[tuple[Floats, Floats]]) -> None:
        """So many deals: for each table, in order, [deal, entrant] the score per seat, averaged
        over seatings, and what is decided, summed."""
        number = len(self._together)
        decided, better = np.zeros((deals, number)), np.zeros((deals, number, number))
        for place, (score, decided_here) in enumerate(played):
            self.decided[place] += decided_here.sum(axis=0)
            self._decided_squared[place] += (decided_here**2).sum(axis=0)
            decided += decided_here
            sit = np.flatnonzero(self.held[place])
            rate = score[:, sit]
            better[:, sit[:, np.newaxis], sit] += rate[:, :, np.newaxis] - rate[:, np.newaxis]
        better /= np.maximum(self._together, 1)
        self.deals += deals
        self._products += decided.T @ decided
        self._better += better.sum(axis=0)
        self._better_squared += (better**2).sum(axis=0)

    def better(self) -> tuple[Floats, Floats]:
        """[row, column] by how much the row's score is more than the column's, at the tables where
        both sit, and half the width of the 95% confidence interval."""
        return self._mean(self._better, self._better_squared)

    def decided_here(self) -> tuple[Floats, Floats]:
        """[table, entrant] what is decided in a deal, and half the width of the 95% confidence
        interval."""
        return self._mean(self.decided, self._decided_squared)

    def covariance(self) -> Floats:
        """[entrant, entrant] of what is decided in all deals, at all tables."""
        total = self.decided.sum(axis=0)
        scattered = self._products - np.outer(total, total) / self.deals
        result: Floats = scattered * self.deals / (self.deals - 1)
        return result

    def _mean(self, total: Floats, squared: Floats) -> tuple[Floats, Floats]:
        mean = total / self.deals
        variance = (squared / self.deals - mean**2) / (self.deals - 1)
        return mean, DEVIATIONS * np.sqrt(np.maximum(variance, 0.0))


def estimates(mean: Floats, margin: Floats) -> list[Estimate]:
    """Each of [place] with its margin."""
    return [Estimate(*both) for both in zip(mean.tolist(), margin.tolist(), strict=True)]
