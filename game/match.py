"""Matches: rounds in sequence, their score and the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hands, roll_hands
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import dice_at, first_score, score_after


class Standing(NamedTuple):
    """A player's rank in a match."""

    rank: int
    """The rank, counted from 1 for the best; players who did equally well share a rank."""
    seat: int
    score: int
    """Penalty points (罚点) or, where dice are lost, the dice left."""


@dataclass
class Match:
    """A sequence of rounds. A match for penalty points may stop after any round; where dice are
    lost, it ends as soon as only one player has dice.

    The first starter is drawn; `next_starter` tells who starts the other rounds.

    `random` draws the first starter and the dice: equal generators give equal matches, whatever
    the players do. Where dice are lost, the dice of each seat are equal up to the number of dice
    that it has left.
    """

    rules: Rules
    random: np.random.Generator
    score: list[int] = field(init=False)
    """[seat] the penalty points (罚点) so far or, where dice are lost, the dice left."""
    starter: int = field(init=False)
    """The seat that starts the next round."""
    settled: list[Settlement] = field(init=False, default_factory=list)
    """The rounds played, oldest first."""
    round: Round | None = field(init=False, default=None)
    """The round in progress, or None between rounds."""

    def __post_init__(self) -> None:
        self.score = first_score(self.rules)
        drawn = int(self.random.integers(self.rules.players))
        self.starter = first_starter(self.rules, drawn)

    @property
    def dice(self) -> tuple[int, ...]:
        """[seat] the numbers of dice of the next round."""
        return dice_at(self.rules, self.score, self.starter)

    @property
    def played(self) -> int:
        """The number of rounds played."""
        return len(self.settled)

    @property
    def winner(self) -> int | None:
        """The seat of the only player with dice left; None where several players have dice."""
        return winner_of(self.dice)

    @property
    def is_over(self) -> bool:
        """Whether no more rounds follow."""
        return self.winner is not None

    def deal(self) -> Round:
        """Roll all dice and return the next round. Raise ZhaifeiError during a round and after the
        end of the match."""
        self._verify_between_rounds()
        hands = roll(self.rules, self.random, self.dice)
        return self.take_up(Round(self.rules, hands, self.starter))

    def take_up(self, round_: Round) -> Round:
        """Go on with a round that was dealt elsewhere, and return it. Raise as `deal` does."""
        self._verify_between_rounds()
        self.round = round_
        return round_

    def settle(self) -> Settlement:
        """Record the round that has ended and return its settlement. Raise ZhaifeiError if no
        round has ended."""
        settlement = None if self.round is None else self.round.settlement
        if settlement is None:
            raise ZhaifeiError("the round has not ended yet")
        self.score = score_after(self.rules, self.score, settlement.loser, settlement.cost)
        loser, winner = settlement.loser, settlement.winner
        self.starter = next_starter(self.rules, self.dice, loser, winner)
        self.settled.append(settlement)
        self.round = None
        return settlement

    def standings(self) -> list[Standing]:
        """Return the ranking of all players, best first."""
        return standings(self.rules, self.score, [one.loser for one in self.settled])

    def _verify_between_rounds(self) -> None:
        if self.round is not None:
            raise ZhaifeiError("the round has not ended yet")
        if self.is_over:
            raise ZhaifeiError("the match has ended: only one player has dice left")


def winner_of(dice: Sequence[int]) -> int | None:
    """Return the seat of the only player with `dice` [seat] left; None if there are several."""
    left = [seat for seat, number in enumerate(dice) if number]
    return left[0] if len(left) == 1 else None


def first_starter(rules: Rules, drawn: int) -> int:
    """Return the seat that starts a match: the one that was `drawn` or, in rounds for penalty
    points between players with different numbers of dice, seat 0, who has the opener's dice."""
    return 0 if rules.table.uneven and not rules.loses_dice else drawn


def next_starter(rules: Rules, dice: Sequence[int], loser: int, winner: int) -> int:
    """Return the seat that starts the round after a round with this loser and winner, which left
    `dice` [seat]."""
    starter = first_starter(rules, winner if rules.stakes.winner_starts else loser)
    # A player who is out cannot start; the next player in turn order does.
    while not dice[starter]:
        starter = (starter + 1) % rules.players
    return starter


def standings(rules: Rules, score: Sequence[int], losers: Sequence[int]) -> list[Standing]:
    """Return the ranking of all players with this `score` [seat], best first: by fewest penalty
    points or most dice left. Players who are out rank by how long they were in; `losers` has the
    loser of each round, oldest first."""
    if rules.loses_dice:
        out = {loser: number for number, loser in enumerate(losers)}
        worth = [(left, 0 if left else out[seat]) for seat, left in enumerate(score)]
    else:
        worth = [(-points, 0) for points in score]
    order = sorted(range(len(score)), key=worth.__getitem__, reverse=True)
    return [
        Standing(1 + sum(other > worth[seat] for other in worth), seat, score[seat])
        for seat in order
    ]


def roll(rules: Rules, random: np.random.Generator, dice: Sequence[int] = ()) -> tuple[Hand, ...]:
    """Return [seat] a hand for each player, drawn independently. Where dice are lost, `dice` [seat]
    are the numbers of dice left; otherwise seat 0 opens the round."""
    if not rules.loses_dice:
        return tuple(hands(rules)[place] for place in roll_hands(rules, 1, random)[0])
    # Lost dice are rolled too, so that the other dice do not depend on the number of dice left.
    shape = (rules.players, rules.dice)
    rolled = random.integers(1, rules.faces, size=shape, endpoint=True).tolist()
    return tuple(tuple(sorted(row[:left])) for row, left in zip(rolled, dice, strict=True))
