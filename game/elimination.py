"""Rounds and matches in which the loser of a round loses a die, until one player has dice left.

What may be bid, who may challenge and who starts is as `Rules` says; `game.rules.PRESETS` has
`knockout` and `increment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import cycle
from typing import NamedTuple

import numpy as np

from game.bids import Bid, IllegalBid, legal_bids, verify_bid
from game.errors import ZhaifeiError
from game.hands import Hand, verify_hand_left
from game.rounds import IllegalChallenge, Settlement, count_dice
from game.rules import Rules, RulesError
from game.views import SeatBid, View


class Outcome(NamedTuple):
    """How a round ended."""

    loser: int
    """The seat that loses a die."""
    winner: int
    """Who won the challenge; where there was none, the player after the loser."""
    settlement: Settlement | None
    """The challenge. None if an invalid first bid ended the round."""
    forfeiter: int | None = None
    """The seat whose invalid bid ended the round, if one did."""


@dataclass
class EliminationRound:
    """The full state of a round. Actions are methods; asking and doing share one verify."""

    rules: Rules
    hands: Sequence[Sequence[int]]
    """Each seat's dice, in any order; empty for who is out."""
    starter: int
    history: tuple[Bid, ...] = ()
    declined: int = 0
    """How many of the other players have been asked whether to challenge the last bid, and did not;
    always 0 where challenges are not made out of turn."""
    outcome: Outcome | None = field(default=None, init=False)
    seats: list[int] = field(init=False)
    """Who is still in, in turn order; the starter comes first."""
    dice: tuple[int, ...] = field(init=False)
    """[seat] how many dice each has."""
    _asked: int = field(init=False, repr=False)
    """How many are asked after each bid."""

    def __post_init__(self) -> None:
        verify_loses_dice(self.rules)
        self.hands = _verify_hands(self.rules, self.hands)
        if not self.hands[self.starter]:
            raise ZhaifeiError("the player in seat {seat} is out", seat=self.starter + 1)
        turned = [(self.starter + place) % len(self.hands) for place in range(len(self.hands))]
        self.seats = [seat for seat in turned if self.hands[seat]]
        self.dice = tuple(map(len, self.hands))
        self._asked = len(self.seats) - 1 if self.rules.out_of_turn else 0

    @property
    def last(self) -> Bid | None:
        return self.history[-1] if self.history else None

    def bidder(self, place: int) -> int:
        """The seat that made the bid at `place` of the history, or is to make it."""
        return self.seats[place % len(self.seats)]

    @property
    def is_asked(self) -> bool:
        """Whether the player in turn is asked to challenge or to decline, and may not bid."""
        return self.declined < self._asked and bool(self.history)

    @property
    def turn(self) -> int:
        """The seat that decides: to bid or to challenge or, if it is asked, to challenge or to
        decline."""
        return self.bidder(len(self.history) + (self.declined if self.is_asked else 0))

    @property
    def is_out_of_turn(self) -> bool:
        """Whether the player in turn is asked, and another one is next to bid."""
        return self.is_asked and self.declined > 0

    def view(self) -> View:
        """Return what the player in turn knows."""
        own = self.turn
        return View(
            self.rules,
            own,
            tuple(self.hands[own]),
            self.dice,
            tuple(map(SeatBid, cycle(self.seats), self.history)),
            self.legal_bids(),
            turns_until_own=(self.seats.index(own) - len(self.history)) % len(self.seats),
            out_of_turn=self.is_out_of_turn,
        )

    def legal_bids(self) -> tuple[Bid, ...]:
        """What the player in turn may bid, by strength; nothing if it is asked."""
        if self.outcome is not None or self.is_asked:
            return ()
        return legal_bids_with(self.rules, self.last, sum(self.dice))

    def verify_bid(self, bid: Bid) -> None:
        """Raises IllegalBid, and the state stays as it was."""
        if self.outcome is not None:
            raise IllegalBid("{bid} comes too late: the round has ended", bid=bid)
        if self.is_asked:
            raise IllegalBid("{bid} comes too early: others are asked first", bid=bid)
        verify_bid_with(self.rules, bid, self.last, sum(self.dice))

    def bid(self, bid: Bid) -> None:
        """The player in turn makes `bid`. Raises IllegalBid; where the rules have it so, an invalid
        bid is a `forfeit` instead."""
        try:
            self.verify_bid(bid)
        except IllegalBid:
            if not self.rules.forfeits or self.outcome is not None or self.is_asked:
                raise
            self.forfeit()
            return
        self.history, self.declined = (*self.history, bid), 0

    def verify_challenge(self) -> None:
        """Raises IllegalChallenge, and the state stays as it was."""
        if self.outcome is not None:
            raise IllegalChallenge("the round has ended")
        if not self.history:
            raise IllegalChallenge("there is no bid to challenge: the first player must bid")
        # Where no raise is left, a challenge is the only action.
        if self.rules.out_of_turn and not self.is_asked and self.legal_bids():
            raise IllegalChallenge("everybody has declined to challenge: the next player must bid")

    def can_challenge(self) -> bool:
        """Whether `verify_challenge` would pass."""
        try:
            self.verify_challenge()
        except IllegalChallenge:
            return False
        return True

    def challenge(self) -> Outcome:
        """The player in turn challenges the last bid. Raises IllegalChallenge."""
        self.verify_challenge()
        return self._settle(self.turn)

    def decline(self) -> None:
        """The player in turn, who is asked, does not challenge. Raises IllegalChallenge."""
        if self.outcome is not None:
            raise IllegalChallenge("the round has ended")
        if not self.is_asked:
            raise IllegalChallenge("nobody is asked whether to challenge")
        self.declined += 1

    def forfeit(self) -> None:
        """What becomes of a decision that is none: who is asked declines; who is to bid challenges
        the last bid, and where there is none loses a die. Raises IllegalBid after the end."""
        if self.outcome is not None:
            raise IllegalBid("the round has ended")
        if self.is_asked:
            self.decline()
        elif self.history:
            self._settle(self.turn, forfeiter=self.turn)
        else:
            self.outcome = Outcome(self.turn, self.bidder(1), None, forfeiter=self.turn)

    def _settle(self, challenger: int, forfeiter: int | None = None) -> Outcome:
        bid, bidder = self.history[-1], self.bidder(len(self.history) - 1)
        counted = count_dice(self.rules, bid, self.hands)
        settled = Settlement(bid, bidder, challenger, counted, points=1)
        winner = bidder if settled.bid_was_true else challenger
        self.outcome = Outcome(settled.loser, winner, settled, forfeiter)
        return self.outcome


@dataclass
class Elimination:
    """A match: drives rounds until one player has dice left. The first starter is drawn.

    `random` draws the first starter and the dice. Equal generators give equal starters, and each
    seat as equal dice in each round as its number of dice allows, whatever the players do.
    """

    rules: Rules
    random: np.random.Generator
    dice: list[int] = field(init=False)
    """[seat] how many each has left."""
    starter: int = field(init=False)
    """The seat that starts the next round."""
    outcomes: list[Outcome] = field(init=False, default_factory=list)
    """The rounds played, oldest first."""
    round: EliminationRound | None = field(init=False, default=None)
    """The round in progress."""

    def __post_init__(self) -> None:
        verify_loses_dice(self.rules)
        self.dice = [self.rules.dice] * self.rules.players
        self.starter = int(self.random.integers(self.rules.players))

    @property
    def winner(self) -> int | None:
        """The last one left; None while there are several."""
        left = [seat for seat, dice in enumerate(self.dice) if dice]
        return left[0] if len(left) == 1 else None

    def deal(self) -> EliminationRound:
        """Rolls everyone's dice and begins the next round. Raises ZhaifeiError during a round and
        after the end of the match."""
        if self.round is not None:
            raise ZhaifeiError("the round has not ended yet")
        if self.winner is not None:
            raise ZhaifeiError("the match has ended: only one player has dice left")
        # Dice that were lost are rolled too: the others' do not depend on how many are left.
        shape = (self.rules.players, self.rules.dice)
        rolled = self.random.integers(1, self.rules.faces, size=shape, endpoint=True).tolist()
        hands = [row[:left] for row, left in zip(rolled, self.dice, strict=True)]
        self.round = EliminationRound(self.rules, hands, self.starter)
        return self.round

    def settle(self) -> Outcome:
        """Enters the round that has ended, and returns how. Raises ZhaifeiError before that."""
        outcome = None if self.round is None else self.round.outcome
        if outcome is None:
            raise ZhaifeiError("the round has not ended yet")
        self.dice[outcome.loser] -= 1
        starter = outcome.winner if self.rules.winner_starts else outcome.loser
        # Who is out cannot start; the next player does.
        while not self.dice[starter]:
            starter = (starter + 1) % self.rules.players
        self.starter = starter
        self.outcomes.append(outcome)
        self.round = None
        return outcome


def verify_bid_with(rules: Rules, bid: Bid, last: Bid | None, table: int) -> None:
    """Raises IllegalBid if `bid` may not follow `last` (None: may not open a round) with so many
    dice on the table."""
    verify_bid(rules, bid, last)
    if bid.count > table:
        raise IllegalBid(
            "{bid} is too much: there are only {dice} dice on the table", bid=bid, dice=table
        )


@lru_cache(maxsize=16_384)
def legal_bids_with(rules: Rules, last: Bid | None, table: int) -> tuple[Bid, ...]:
    """The bids that may follow `last` (None: that may open a round) with so many dice on the
    table, by strength."""
    return tuple(bid for bid in legal_bids(rules, last) if bid.count <= table)


def verify_loses_dice(rules: Rules) -> None:
    """Raises RulesError unless the loser of a round loses a die."""
    if not rules.loses_dice:
        raise RulesError("in an elimination match dice are lost; these rules cost penalty points")


def _verify_hands(rules: Rules, given: Sequence[Sequence[int]]) -> tuple[Hand, ...]:
    """Raises IllegalHand, or ZhaifeiError if they are not as many as players or less than two."""
    if len(given) != rules.players:
        raise ZhaifeiError(
            "{hands} hands for {players} players", hands=len(given), players=rules.players
        )
    hands = tuple(verify_hand_left(rules, hand) for hand in given)
    if sum(map(bool, hands)) < 2:
        raise ZhaifeiError("a round needs two players with dice or more")
    return hands
