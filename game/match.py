"""Matches: rounds in sequence, penalty points and the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from game.errors import ZhaifeiError
from game.hands import Hand, hands, probabilities
from game.rounds import Round, Settlement
from game.rules import Rules


class Standing(NamedTuple):
    """One player's rank in a match."""

    rank: int
    """Counted from 1, fewest penalty points first; players with equal points share a rank."""
    seat: int
    points: int
    """Penalty points (罚点)."""


@dataclass
class Match:
    """A sequence of rounds: the first starter is drawn, then the loser of each round starts the
    next. It may stop after any round.

    `random` draws the first starter and the dice: equal generators give equal matches, whatever
    the players do.
    """

    rules: Rules
    random: np.random.Generator
    points: list[int] = field(init=False)
    """[seat] penalty points (罚点) so far."""
    starter: int = field(init=False)
    """The seat that starts the next round."""
    settled: list[Settlement] = field(init=False, default_factory=list)
    """The rounds played, oldest first."""
    round: Round | None = field(init=False, default=None)
    """The round in progress."""

    def __post_init__(self) -> None:
        self.points = [0] * self.rules.players
        self.starter = int(self.random.integers(self.rules.players))

    def deal(self) -> Round:
        """Roll all dice and return the next round. Raises ZhaifeiError during a round."""
        if self.round is not None:
            raise ZhaifeiError("the round has not ended yet")
        self.round = Round(self.rules, roll(self.rules, self.random), self.starter)
        return self.round

    def settle(self) -> Settlement:
        """Record the round that has ended and return its settlement. Raises ZhaifeiError if there
        is none."""
        settlement = None if self.round is None else self.round.settlement
        if settlement is None:
            raise ZhaifeiError("the round has not ended yet")
        self.points[settlement.loser] += settlement.points
        self.starter = settlement.loser
        self.settled.append(settlement)
        self.round = None
        return settlement

    def standings(self) -> list[Standing]:
        """Return the ranking of all players, best first."""
        return standings(self.points)


def standings(points: Sequence[int]) -> list[Standing]:
    """Return the ranking of all players, best first; `points` is [seat]."""
    order = sorted(range(len(points)), key=lambda seat: (points[seat], seat))
    return [Standing(1 + sum(p < points[s] for p in points), s, points[s]) for s in order]


def roll(rules: Rules, random: np.random.Generator) -> tuple[Hand, ...]:
    """Return [seat]: a hand for each player, drawn independently."""
    drawn = random.choice(len(hands(rules)), size=rules.players, p=probabilities(rules))
    return tuple(hands(rules)[place] for place in drawn)
