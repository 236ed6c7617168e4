"""Which players meet in which seats in the arena, and how their scores compare.

`policies.measure.arena` plays and counts. This module lists the tables and turns scores per deal
into differences with confidence intervals. A *unit* is a round for penalty points, or a match in
which dice are lost (`game.stakes.Unit`).

**Seating.** If there are at least as many entrants as seats, every choice of entrants for a table
plays; with two seats these are the pairs. If there are fewer, every ordered pair has a table: one
copy of the first entrant, and the second entrant in all other seats. Each table plays each deal in
every seating, that is in every rotation of its order and of the reversed order. So every entrant
opens equally often, and sits equally often before and after each other entrant.

**Confidence intervals.** Deals are independent of each other. The units of one deal, in all
seatings and at all tables, are not. So the results of a deal are averaged first, and a margin
is 1.96 standard errors of the mean over deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.players.intervals import DEVIATIONS

Seating = tuple[int, ...]
"""[seat] the index of the entrant who sits there."""


def verify_names(names: Sequence[str]) -> None:
    """Raise ZhaifeiError if there are fewer than two names, or if two names are equal or name the
    same file."""
    if len(names) < 2:
        raise ZhaifeiError(
            "an arena needs at least 2 players, but you named {given}", given=len(names)
        )
    known: set[str | Path] = set()
    for name in names:
        one = Path(name).resolve() if Path(name).exists() else name
        if one in known:
            raise ZhaifeiError("{name} is named twice: each player enters once", name=name)
        known.add(one)


def matchups(entrants: int, seats: int) -> list[Seating]:
    """Return one seating for each table of `seats` seats at which some of the `entrants` players
    meet."""
    if entrants >= seats:
        return list(combinations(range(entrants), seats))
    return [(one, *[other] * (seats - 1)) for one, other in permutations(range(entrants), 2)]


def seatings(table: Seating) -> list[Seating]:
    """Return every rotation of `table` and of its reverse, without duplicates."""
    orders = (table, table[::-1])
    turned = (order[first:] + order[:first] for order in orders for first in range(len(table)))
    return list(dict.fromkeys(turned))


@dataclass(frozen=True)
class Estimate:
    """A sampled rate or difference with its 95% confidence interval."""

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


class Comparison:
    """Sums over deals of the entrants' results, and statistics of them.

    Each deal yields two figures for each entrant at each table. The *score* per seat, where more is
    better, is penalty points saved, or matches won. The number of *decisive results*, from which
    ratings are computed, is rounds lost, or matches won.
    """

    def __init__(self, plan: Sequence[Sequence[Seating]], entrants: int) -> None:
        """Start without deals. `plan` lists the seatings of each table; the places of a seating are
        indices of `entrants` players."""
        self.deals = 0
        self.per_deal = sum(map(len, plan))
        """Units that each deal plays, over all tables."""
        self.held = np.array([np.bincount(table[0], minlength=entrants) for table in plan])
        """[table, entrant] int64, the number of seats that the entrant holds."""
        self.seats = sum(held * len(table) for held, table in zip(self.held, plan, strict=True))
        """[entrant] int64, seats held in each deal, over all tables and seatings."""
        self.decided, self._decided_squared = np.zeros((2, *self.held.shape))
        """[table, entrant] the sum over deals of decisive results, and of their squares."""
        self._products = np.zeros((entrants, entrants))
        """[entrant, entrant] the sum over deals of products of a deal's decisive results."""
        self._better, self._better_squared = np.zeros((2, entrants, entrants))
        """[row, column] the sum over deals of the difference in score, and of its square."""
        sits = np.array(self.held > 0, dtype=np.int64)
        self._together = sits.T @ sits
        """[row, column] the number of tables where both sit."""

    def add(
        self, deals: int, played: Iterable[tuple[NDArray[np.float64], NDArray[np.float64]]]
    ) -> None:
        """Add the results of `deals` deals.

        `played` yields for each table, in the order of the plan, two arrays [deal, entrant]: the
        score per seat, averaged over seatings, and the decisive results, summed over seatings.
        """
        entrants = len(self._together)
        decided, better = np.zeros((deals, entrants)), np.zeros((deals, entrants, entrants))
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

    def better(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return [row, column] the excess of the row's score over the column's at the tables where
        both sit, and half the width of its 95% confidence interval."""
        return self._mean(self._better, self._better_squared)

    def decided_by_table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return [table, entrant] the mean of decisive results per deal, and half the width of the
        95% confidence interval."""
        return self._mean(self.decided, self._decided_squared)

    def covariance(self) -> NDArray[np.float64]:
        """Return [entrant, entrant] the covariance of the decisive results summed over all deals
        and tables. There must be at least two deals."""
        total = self.decided.sum(axis=0)
        scattered = self._products - np.outer(total, total) / self.deals
        result: NDArray[np.float64] = scattered * self.deals / (self.deals - 1)
        return result

    def _mean(
        self, total: NDArray[np.float64], squared: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean over deals and half the width of its 95% confidence interval, given sums
        over deals of values and of their squares."""
        mean = total / self.deals
        variance = (squared / self.deals - mean**2) / (self.deals - 1)
        return mean, DEVIATIONS * np.sqrt(np.maximum(variance, 0.0))


def estimates(mean: NDArray[np.float64], margin: NDArray[np.float64]) -> list[Estimate]:
    """Return [place] the estimates with the given means and margins [place]."""
    return [Estimate(*both) for both in zip(mean.tolist(), margin.tolist(), strict=True)]
