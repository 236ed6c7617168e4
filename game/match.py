"""Matches: rounds in sequence, penalty points and the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hands, roll_hands
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.rules import Rules


class Standing(NamedTuple):
    """A player's rank in a match."""

    rank: int
    """The rank, counted from 1 for the best; players who did equally well share a rank."""
    seat: int
    score: int
    """Penalty points (罚点) or, where dice are lost, the dice left."""


@dataclass
class Match:
    """A sequence of rounds, which may stop after any round.

    The first starter is drawn; then the loser of each round starts the next. If players have
    different numbers of dice, seat 0 starts every round.

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
    """The round in progress, or None between rounds."""

    def __post_init__(self) -> None:
        self.points = [0] * self.rules.players
        drawn = int(self.random.integers(self.rules.players))
        self.starter = starter_of(self.rules, drawn)

    @property
    def score(self) -> list[int]:
        """[seat] the penalty points, by which players are ranked."""
        return self.points

    @property
    def played(self) -> int:
        """The number of rounds played."""
        return len(self.settled)

    @property
    def is_over(self) -> bool:
        """Whether no more rounds follow; always False, since such a match may always go on."""
        return False

    def deal(self) -> Round:
        """Roll all dice and return the next round. Raises ZhaifeiError during a round."""
        if self.round is not None:
            raise ZhaifeiError("the round has not ended yet")
        return self.take_up(Round(self.rules, roll(self.rules, self.random), self.starter))

    def take_up(self, round_: Round) -> Round:
        """Go on with a round that was dealt elsewhere, and return it. Raises ZhaifeiError during a
        round."""
        if self.round is not None:
            raise ZhaifeiError("the round has not ended yet")
        self.round = round_
        return round_

    def settle(self) -> Settlement:
        """Record the round that has ended and return its settlement. Raises ZhaifeiError if no
        round has ended."""
        settlement = None if self.round is None else self.round.settlement
        if settlement is None:
            raise ZhaifeiError("the round has not ended yet")
        self.points[settlement.loser] += settlement.points
        self.starter = starter_of(self.rules, settlement.loser)
        self.settled.append(settlement)
        self.round = None
        return settlement

    def standings(self) -> list[Standing]:
        """Return the ranking of all players, best first."""
        return standings(self.points)


def starter_of(rules: Rules, drawn_or_loser: int) -> int:
    """Return the seat that starts a round: `drawn_or_loser`, who was drawn or lost the last round,
    or seat 0 if players have different numbers of dice."""
    return 0 if rules.uneven else drawn_or_loser


def standings(points: Sequence[int]) -> list[Standing]:
    """Return the ranking of all players, best first; `points` is [seat]."""
    order = sorted(range(len(points)), key=lambda seat: (points[seat], seat))
    return [Standing(1 + sum(p < points[s] for p in points), s, points[s]) for s in order]


def roll(rules: Rules, random: np.random.Generator) -> tuple[Hand, ...]:
    """Return [seat] a hand for each player, drawn independently."""
    return tuple(hands(rules)[place] for place in roll_hands(rules, 1, random)[0])
