"""A round, from the roll to its settlement: its full state and its rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from zhaifei.game.bids import Bid, IllegalBid, challenge_action, counted, gives_up_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, verify_hand, verify_hand_left
from zhaifei.game.public_state import Challenge, PublicState
from zhaifei.game.rules import Rules
from zhaifei.game.views import View, view_at_table


class Settlement(NamedTuple):
    """How a round ended."""

    loser: int
    """The seat that takes the penalty points or loses the die."""
    winner: int
    """The seat that won the challenge; without a challenge, the player after the loser."""
    challenge: Challenge | None
    """The challenge; None if an invalid first bid ended the round."""
    counted: int
    """The number of dice on the table that count towards the challenged bid; 0 without one."""
    forfeiter: int | None = None
    """The seat whose invalid bid ended the round; None if no invalid bid did."""

    @property
    def cost(self) -> int:
        """The penalty points or the dice that the loser loses."""
        return 1 if self.challenge is None else self.challenge.cost

    @property
    def bid_was_true(self) -> bool:
        """Whether at least as many dice count as were bid."""
        return self.challenge is not None and self.counted >= self.challenge.bid.count


class Round(PublicState):
    """The full state of a round: the public state and the dice."""

    hands: tuple[Hand, ...]
    """[seat] the dice, ascending; empty for players who are out."""

    def __init__(
        self,
        rules: Rules,
        hands: Sequence[Sequence[int]],
        starter: int = 0,
        history: tuple[Bid, ...] = (),
        declined: int = 0,
    ) -> None:
        """`hands` is [seat] the dice, in any order. If the rules let the dice make the first bid,
        it is made at once. Raise ZhaifeiError for hands or a history that cannot be."""
        self.hands = _verify_hands(rules, hands, starter)
        super().__init__(rules, tuple(map(len, self.hands)), starter, history, declined)
        if rules.bidding.forced_opening:
            hand = self.hands[starter]
            self.history = history or (forced_opening(rules, hand),)
            verify_opening(rules, hand, self.history[0])

    @property
    def settlement(self) -> Settlement | None:
        """How the round ended; None before its end."""
        challenge = self.challenged
        if challenge is not None:
            number = count_dice(self.rules, challenge.bid, self.hands)
            seats = challenge.bidder, challenge.challenger
            bidder_loses = number < challenge.bid.count
            if challenge.given_up_by is not None:
                bidder_loses = challenge.given_up_by == challenge.bidder
            loser, winner = seats if bidder_loses else seats[::-1]
            return Settlement(loser, winner, challenge, number, self.forfeiter)
        if self.forfeiter is not None:
            return Settlement(self.forfeiter, self.bidder(1), None, 0, self.forfeiter)
        return None

    def bid(self, bid: Bid) -> None:
        """Make `bid` for the player in turn. Raise IllegalBid without changing the state."""
        self._make(bid)

    def challenge(self, distance: int = 1) -> Settlement:
        """Challenge the bid made `distance` bids ago, for the player in turn: 1 is the last bid,
        more is 跳开. Raise IllegalChallenge without changing the state."""
        self.verify_challenge(distance)
        return self._settle(challenge_action(self.rules, distance))

    def give_up(self) -> Settlement:
        """Give up (认输) for the player in turn, after a double. Raise IllegalChallenge without
        changing the state."""
        self.verify_giving_up()
        return self._settle(gives_up_action(self.rules))

    def _settle(self, action: int) -> Settlement:
        self._end(action)
        settlement = self.settlement
        assert settlement is not None, "the bidding has ended"
        return settlement

    def view(self, seat: int | None = None) -> View:
        """Return the view of the player in `seat`, by default of the player in turn."""
        own = self.turn if seat is None else seat
        return self.view_with(self.hands[own], own)

    def opening_view(self) -> View | None:
        """Return the view of the starter before the bid that the dice make; None if the rules let
        the starter choose."""
        if not self.rules.bidding.forced_opening:
            return None
        table = (self.rules, self.dice, self.seats, ())
        return view_at_table(table, self.starter, self.hands[self.starter], self.history[:1])


def forced_opening(rules: Rules, hand: Hand) -> Bid:
    """Return the bid with which the non-empty `hand` opens a round if the dice make the first bid.
    It names the face that most dice of the hand show, the lowest if several tie, and counts one die
    more."""
    face = max(range(1, rules.faces + 1), key=hand.count)
    return Bid(rules.bidding.modes[0], hand.count(face) + 1, face)


def verify_opening(rules: Rules, hand: Hand, bid: Bid) -> None:
    """Raise IllegalBid unless the dice of the starter's `hand` make the first `bid`."""
    forced = forced_opening(rules, hand)
    if bid != forced:
        raise IllegalBid(
            "{bid} may not open this round: the dice of the starter make the first bid, {forced}",
            bid=bid,
            forced=forced,
        )


def count_dice(rules: Rules, bid: Bid, hands: Sequence[Sequence[int]]) -> int:
    """Return how many dice on the table count towards `bid`; `hands` is [seat, die]."""
    return sum(counted(rules, bid, hand) for hand in hands)


def utilities(rules: Rules, settlement: Settlement) -> list[float]:
    """Return [seat] the utility of a round: minus the cost for the loser, and an equal share of the
    cost for every other player. Utilities sum to 0."""
    share = settlement.cost / (rules.players - 1)
    return [
        -float(settlement.cost) if seat == settlement.loser else share
        for seat in range(rules.players)
    ]


def _verify_hands(rules: Rules, given: Sequence[Sequence[int]], starter: int) -> tuple[Hand, ...]:
    """Return the hands, sorted. Raise IllegalHand for an invalid hand, and ZhaifeiError unless
    there is one hand per player."""
    if len(given) != rules.players:
        raise ZhaifeiError(
            "{hands} hands for {players} players", hands=len(given), players=rules.players
        )
    if rules.loses_dice:
        return tuple(verify_hand_left(rules, hand) for hand in given)
    return tuple(
        verify_hand(rules, hand, (seat - starter) % rules.players)
        for seat, hand in enumerate(given)
    )
