"""Rounds and matches in which the loser of a round loses a die, until one player has dice left.

`Rules` determines which bids are legal, who may challenge and who starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import cycle
from typing import NamedTuple

import numpy as np

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    State,
    challenge_action,
    domain,
    legal_bids,
    verify_bid,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, verify_hand_left
from zhaifei.game.match import Standing
from zhaifei.game.rounds import IllegalChallenge, Settlement, count_dice, verify_challenge
from zhaifei.game.rules import Rules, RulesError, preset_name, with_dice
from zhaifei.game.views import SeatBid, View


class Outcome(NamedTuple):
    """How a round ended."""

    loser: int
    """The seat that loses a die."""
    winner: int
    """The seat that won the challenge; without a challenge, the player after the loser."""
    settlement: Settlement | None
    """The result of the challenge; None if an invalid first bid ended the round."""
    forfeiter: int | None = None
    """The seat whose invalid bid ended the round; None if no invalid bid did."""


@dataclass
class EliminationRound:
    """The full state of a round. For each action, `verify_...` raises if it is illegal, `can_...`
    returns whether it is legal, and the method of its name takes it; all three apply the same
    check."""

    rules: Rules
    hands: Sequence[Sequence[int]]
    """[seat] the dice, in any order; empty for players who are out."""
    starter: int
    history: tuple[Bid, ...] = ()
    """The bids so far, oldest first. If the rules let the dice make the first bid, it is made at
    once."""
    declined: int = 0
    """The number of players who were asked whether to challenge the last bid and declined; always 0
    if the rules do not allow challenges out of turn."""
    outcome: Outcome | None = field(default=None, init=False)
    seats: list[int] = field(init=False)
    """The seats of the players who still have dice, in turn order; the starter comes first."""
    dice: tuple[int, ...] = field(init=False)
    """[seat] the number of dice."""
    _asked: int = field(init=False, repr=False)
    """The number of players who are asked after each bid."""

    def __post_init__(self) -> None:
        verify_loses_dice(self.rules)
        self.hands = _verify_hands(self.rules, self.hands)
        if not self.hands[self.starter]:
            raise ZhaifeiError("the player in seat {seat} is out", seat=self.starter + 1)
        turned = [(self.starter + place) % len(self.hands) for place in range(len(self.hands))]
        self.seats = [seat for seat in turned if self.hands[seat]]
        self.dice = tuple(map(len, self.hands))
        self._asked = len(self.seats) - 1 if self.rules.out_of_turn else 0
        if self.rules.forced_opening:
            forced = forced_opening(self.rules, self.hands[self.starter])
            self.history = self.history or (forced,)
            if self.history[0] != forced:
                raise IllegalBid(
                    "{bid} may not open this round: the dice of the starter make the first bid, "
                    "{forced}",
                    bid=self.history[0],
                    forced=forced,
                )

    @property
    def settlement(self) -> Settlement | None:
        """The result of the challenge; None before it, and if an invalid first bid ended it."""
        return None if self.outcome is None else self.outcome.settlement

    @property
    def last(self) -> Bid | None:
        """The last bid; None at the start of the round."""
        return self.history[-1] if self.history else None

    def bidder(self, place: int) -> int:
        """Return the seat that made, or will make, the bid at this place of the history."""
        return self.seats[place % len(self.seats)]

    @property
    def is_asked(self) -> bool:
        """Whether the player in turn is asked to challenge or decline, and may not bid."""
        return self.declined < self._asked and bool(self.history)

    @property
    def turn(self) -> int:
        """The seat that decides: whether to bid or to challenge or, if it is asked, whether to
        challenge or to decline."""
        return self.bidder(len(self.history) + (self.declined if self.is_asked else 0))

    @property
    def is_out_of_turn(self) -> bool:
        """Whether the player in turn is asked and another player is next to bid."""
        return self.is_asked and self.declined > 0

    def view(self) -> View:
        """Return the view of the player in turn."""
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
        """Return the bids that the player in turn may make, weakest first; no bids if the player is
        asked."""
        if self.outcome is not None or self.is_asked:
            return ()
        return legal_bids_with(self.rules, State(self.last), sum(self.dice))

    def verify_bid(self, bid: Bid) -> None:
        """Raise IllegalBid unless the player in turn may make `bid`."""
        if self.outcome is not None:
            raise IllegalBid("{bid} comes too late: the round has ended", bid=bid)
        if self.is_asked:
            raise _too_early(bid)
        verify_bid_with(self.rules, bid, State(self.last), sum(self.dice))

    def bid(self, bid: Bid) -> None:
        """Make `bid` for the player in turn. If `bid` is illegal, raise IllegalBid without changing
        the state; under rules by which invalid bids forfeit, call `forfeit` instead."""
        try:
            self.verify_bid(bid)
        except IllegalBid:
            if not self.rules.forfeits or self.outcome is not None or self.is_asked:
                raise
            self.forfeit()
            return
        self.history, self.declined = (*self.history, bid), 0

    def verify_challenge(self) -> None:
        """Raise IllegalChallenge unless the player in turn may challenge the last bid."""
        if self.outcome is not None:
            raise IllegalChallenge("the round has ended")
        if not self.history:
            raise IllegalChallenge("there is no bid to challenge: the first player must bid")
        # If no raise is left, a challenge is the only action.
        if self.rules.out_of_turn and not self.is_asked and self.legal_bids():
            raise _all_declined()

    def can_challenge(self) -> bool:
        """Return whether the player in turn may challenge the last bid."""
        try:
            self.verify_challenge()
        except IllegalChallenge:
            return False
        return True

    def challenge(self) -> Outcome:
        """Challenge the last bid, for the player in turn. Raise IllegalChallenge without changing
        the state."""
        self.verify_challenge()
        return self._settle(self.turn)

    def decline(self) -> None:
        """Decline to challenge, for the player who is asked. Raise IllegalChallenge if nobody is
        asked."""
        if self.outcome is not None:
            raise IllegalChallenge("the round has ended")
        if not self.is_asked:
            raise IllegalChallenge("nobody is asked whether to challenge")
        self.declined += 1

    def forfeit(self) -> None:
        """Handle an invalid decision of the player in turn. A player who is asked declines. A
        player who must bid challenges the last bid or, without a bid to challenge, loses a die.
        Raise IllegalBid after the end of the round."""
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
        self.outcome = Outcome(settled.loser, settled.winner, settled, forfeiter)
        return self.outcome


@dataclass
class Elimination:
    """A match: rounds until one player has dice left. The first starter is drawn.

    `random` draws the first starter and the dice. With equal generators the starter is the same. So
    are the dice of each seat in each round, up to the number of dice that it has left, whatever the
    players do.
    """

    rules: Rules
    random: np.random.Generator
    dice: list[int] = field(init=False)
    """[seat] the number of dice left."""
    starter: int = field(init=False)
    """The seat that starts the next round."""
    outcomes: list[Outcome] = field(init=False, default_factory=list)
    """The rounds played, oldest first."""
    round: EliminationRound | None = field(init=False, default=None)
    """The round in progress."""

    def __post_init__(self) -> None:
        verify_loses_dice(self.rules)
        self.dice = list(self.rules.dice_by_player)
        self.starter = int(self.random.integers(self.rules.players))

    @property
    def winner(self) -> int | None:
        """The seat of the only player with dice left; None while several players have dice."""
        return winner_of(self.dice)

    @property
    def score(self) -> list[int]:
        """[seat] the dice left, which decide the match."""
        return self.dice

    @property
    def played(self) -> int:
        """The number of rounds played."""
        return len(self.outcomes)

    @property
    def is_over(self) -> bool:
        """Whether no more rounds follow."""
        return self.winner is not None

    def standings(self) -> list[Standing]:
        """Return the ranking of all players, best first: by dice left, and players who are out by
        how long they were in."""
        out = {outcome.loser: number for number, outcome in enumerate(self.outcomes)}
        worth = [(left, 0 if left else out[seat]) for seat, left in enumerate(self.dice)]
        order = sorted(range(len(worth)), key=worth.__getitem__, reverse=True)
        return [
            Standing(1 + sum(other > worth[seat] for other in worth), seat, self.dice[seat])
            for seat in order
        ]

    def deal(self) -> EliminationRound:
        """Roll all dice and begin the next round. Raise ZhaifeiError during a round and after the
        end of the match."""
        if self.round is not None:
            raise ZhaifeiError("the round has not ended yet")
        if self.winner is not None:
            raise ZhaifeiError("the match has ended: only one player has dice left")
        # Lost dice are rolled too, so that the other dice do not depend on the number of dice left.
        shape = (self.rules.players, self.rules.dice)
        rolled = self.random.integers(1, self.rules.faces, size=shape, endpoint=True).tolist()
        hands = [row[:left] for row, left in zip(rolled, self.dice, strict=True)]
        self.round = EliminationRound(self.rules, hands, self.starter)
        return self.round

    def settle(self) -> Outcome:
        """Record the round that has ended and return its outcome. Raise ZhaifeiError before its
        end."""
        outcome = None if self.round is None else self.round.outcome
        if outcome is None:
            raise ZhaifeiError("the round has not ended yet")
        self.dice[outcome.loser] -= 1
        self.starter = next_starter(self.rules, self.dice, outcome.loser, outcome.winner)
        self.outcomes.append(outcome)
        self.round = None
        return outcome


def winner_of(dice: Sequence[int]) -> int | None:
    """Return the seat of the only player with `dice` [seat] left; None if there are several."""
    left = [seat for seat, number in enumerate(dice) if number]
    return left[0] if len(left) == 1 else None


def next_starter(rules: Rules, dice: Sequence[int], loser: int, winner: int) -> int:
    """Return the seat that starts the round after a round with this loser and winner, which left
    `dice` [seat]."""
    starter = winner if rules.winner_starts else loser
    # A player who is out cannot start; the next player in turn order does.
    while not dice[starter]:
        starter = (starter + 1) % rules.players
    return starter


def forced_opening(rules: Rules, hand: Hand) -> Bid:
    """Return the bid with which the non-empty `hand` opens a round if the dice make the first bid.
    It names the face that most dice of the hand show, the lowest if several tie, and counts one die
    more."""
    face = max(range(1, rules.faces + 1), key=hand.count)
    return Bid(rules.modes[0], hand.count(face) + 1, face)


def verify_bid_with(rules: Rules, bid: Bid, state: State, table: int) -> None:
    """Raise IllegalBid unless `bid` may follow in `state` with `table` dice on the table."""
    verify_bid(rules, bid, *state)
    if bid.count > highest_count_with(rules, table):
        raise IllegalBid(
            "{bid} is too much: there are only {dice} dice on the table", bid=bid, dice=table
        )


def raises_of(view: View) -> tuple[Bid, ...]:
    """Return the bids that the player who decides may make, weakest first, including bids that
    follow if the player `declines_to_bid`."""
    if not declines_to_bid(view):
        return view.legal_bids
    return legal_bids_with(view.rules, view.state, sum(view.dice_counts))


def declines_to_bid(view: View) -> bool:
    """Return whether the player, who is asked whether to challenge, bids next and nobody is asked
    in between. If only two players have dice, declining and then bidding is one decision."""
    return not view.legal_bids and sum(map(bool, view.dice_counts)) == 2


def verify_decision(view: View, action: int) -> None:
    """Raise IllegalBid or IllegalChallenge unless the player whose view this is may take `action`,
    numbered as in `game.bids`. The legal bids are those of `raises_of`."""
    distance = action - challenge_action(view.rules) + 1
    if distance >= 1:
        verify_challenge(view.rules, len(view.history), distance)
        if not view.can_challenge:
            raise _all_declined()
        return
    bid = domain(view.rules)[action]
    if not raises_of(view):
        raise _too_early(bid)
    verify_bid_with(view.rules, bid, view.state, sum(view.dice_counts))


def _all_declined() -> IllegalChallenge:
    return IllegalChallenge("everybody has declined to challenge: the next player must bid")


def _too_early(bid: Bid) -> IllegalBid:
    return IllegalBid("{bid} comes too early: others are asked first", bid=bid)


@lru_cache(maxsize=16_384)
def legal_bids_with(rules: Rules, state: State, table: int) -> tuple[Bid, ...]:
    """Return the bids that may follow in `state` with `table` dice on the table, weakest first."""
    most = highest_count_with(rules, table)
    return tuple(bid for bid in legal_bids(rules, *state) if bid.count <= most)


def highest_count_with(rules: Rules, table: int) -> int:
    """Return the largest count that may be bid with `table` dice on the table."""
    return rules.highest_count if rules.unbounded else table


def verify_loses_dice(rules: Rules) -> None:
    """Raise RulesError unless the loser of a round loses a die."""
    if not rules.loses_dice:
        raise RulesError(
            "an elimination match needs rules under which dice are lost; these cost penalty points"
        )


def _verify_hands(rules: Rules, given: Sequence[Sequence[int]]) -> tuple[Hand, ...]:
    """Return the hands, sorted. Raise IllegalHand for an invalid hand, and ZhaifeiError unless
    there is one hand per player and at least two players have dice."""
    if len(given) != rules.players:
        raise ZhaifeiError(
            "{hands} hands for {players} players", hands=len(given), players=rules.players
        )
    hands = tuple(verify_hand_left(rules, hand) for hand in given)
    if sum(map(bool, hands)) < 2:
        raise ZhaifeiError("a round needs at least two players with dice")
    return hands


def round_rules(rules: Rules, dice: Sequence[int]) -> Rules:
    """Return one round of a match of two as a game for one penalty point, which its loser takes.
    The players have `dice` [player], from the opener on. Raise RulesError if the round is not such
    a game.

    **The same game.** A round has one loser, whatever the rules. Two rules add nothing to the
    outcomes that a player can reach in it:

    - `out_of_turn`: after each bid only the other player is asked, and then bids next. Challenging,
      or declining and raising, are the two choices of a round for points.
    - `forfeits`: after a bid, an invalid bid challenges it, which is a choice that the player has
      anyway. As the first bid, an invalid bid loses the round whatever the dice are, and no other
      choice is worse.
    """
    verify_loses_dice(rules)
    if rules.players != 2:
        raise RulesError(
            "matches for {players} players are not solved, only those for two",
            players=rules.players,
        )
    if rules.forced_opening or rules.unbounded:
        raise RulesError(
            "{rules} is not solved: the dice make the first bid, or counts have no bound",
            rules=preset_name(rules) or rules,
        )
    plain = replace(rules, loses_dice=False, winner_starts=False, out_of_turn=False, forfeits=False)
    return with_dice(plain, dice)
