"""A round for penalty points, from the roll to the challenge: its full state and its rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    can_bid,
    challenge_action,
    challengeable,
    counted,
    domain,
    legal_bids,
    state_after,
    verify_bid,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, verify_hand
from zhaifei.game.rules import Rules
from zhaifei.game.views import SeatBid, View


class IllegalChallenge(ZhaifeiError):
    """Raised for a challenge of a bid that does not exist or is too far back, or after the end of
    the round."""


@dataclass(frozen=True)
class Settlement:
    """The result of a challenge (检验)."""

    bid: Bid
    bidder: int
    challenger: int
    counted: int
    """The number of dice on the table that count towards the bid."""
    points: int
    """The loser's penalty points (罚点): how many bids ago the challenged bid was made."""

    @property
    def bid_was_true(self) -> bool:
        """Whether at least as many dice count as were bid."""
        return self.counted >= self.bid.count

    @property
    def loser(self) -> int:
        """The seat that takes the points."""
        return self.challenger if self.bid_was_true else self.bidder

    @property
    def winner(self) -> int:
        """The seat that won the challenge."""
        return self.bidder if self.bid_was_true else self.challenger


@dataclass
class Round:
    """The full state of a round. For each action, the method `verify_...` raises, `can_...` tells,
    and the method named after the action acts; all three apply the same check."""

    rules: Rules
    hands: Sequence[Sequence[int]]
    """[seat] the dice, in any order."""
    starter: int = 0
    history: tuple[Bid, ...] = ()
    settlement: Settlement | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.rules.verify_costs_points()
        if len(self.hands) != self.rules.players:
            raise ZhaifeiError(
                "{hands} hands for {players} players",
                hands=len(self.hands),
                players=self.rules.players,
            )
        self.hands = tuple(
            verify_hand(self.rules, hand, (seat - self.starter) % self.rules.players)
            for seat, hand in enumerate(self.hands)
        )

    @property
    def turn(self) -> int:
        """The seat whose turn it is."""
        return (self.starter + len(self.history)) % self.rules.players

    @property
    def last(self) -> Bid | None:
        """The last bid; None at the start of the round."""
        return self.history[-1] if self.history else None

    def view(self, seat: int) -> View:
        """Return what the player in `seat` knows of a round in progress."""
        return view_of(self.rules, seat, tuple(self.hands[seat]), self.starter, self.history)

    def verify_bid(self, bid: Bid) -> None:
        """Raise IllegalBid unless the player in turn may make `bid`."""
        if self.settlement is not None:
            raise IllegalBid("{bid} comes too late: the round has ended", bid=bid)
        verify_bid(self.rules, bid, *state_after(self.rules, self.history))

    def can_bid(self, bid: Bid) -> bool:
        """Return whether the player in turn may make `bid`."""
        state = state_after(self.rules, self.history)
        return self.settlement is None and can_bid(self.rules, bid, *state)

    def bid(self, bid: Bid) -> None:
        """Make `bid` for the player in turn. Raise IllegalBid without changing the state."""
        self.verify_bid(bid)
        self.history = (*self.history, bid)

    def verify_challenge(self, distance: int = 1) -> None:
        """Raise IllegalChallenge unless the player in turn may challenge the bid made `distance`
        bids ago."""
        if self.settlement is not None:
            raise IllegalChallenge("the round has ended")
        verify_challenge(self.rules, len(self.history), distance)

    def can_challenge(self, distance: int = 1) -> bool:
        """Return whether the player in turn may challenge the bid made `distance` bids ago."""
        return self.settlement is None and distance in challengeable(self.rules, len(self.history))

    def challenge(self, distance: int = 1) -> Settlement:
        """Challenge the bid made `distance` bids ago, for the player in turn: 1 is the last bid,
        more is 跳开. Raise IllegalChallenge without changing the state."""
        self.verify_challenge(distance)
        bid = self.history[-distance]
        bidder = (self.turn - distance) % self.rules.players
        number = count_dice(self.rules, bid, self.hands)
        self.settlement = Settlement(bid, bidder, self.turn, number, points=distance)
        return self.settlement

    def take(self, action: int) -> None:
        """Take the action of this number in `game.bids`, a bid or a challenge. Raise IllegalBid or
        IllegalChallenge without changing the state."""
        distance = _distance(self.rules, action)
        if distance >= 1:
            self.challenge(distance)
        else:
            self.bid(domain(self.rules)[action])


def view_of(rules: Rules, seat: int, dice: Hand, starter: int, history: tuple[Bid, ...]) -> View:
    """Return what the player in `seat` with these dice knows after the bids in `history`, in a
    round for penalty points that `starter` began."""
    players = rules.players
    turn = (starter + len(history)) % players
    return View(
        rules,
        seat,
        dice,
        dice_counts=tuple(rules.dice_by_player[(at - starter) % players] for at in range(players)),
        history=tuple(
            SeatBid((starter + place) % players, bid) for place, bid in enumerate(history)
        ),
        legal_bids=legal_bids(rules, *state_after(rules, history)) if seat == turn else (),
        turns_until_own=(seat - turn) % players,
        out_of_turn=False,
    )


def verify_action(view: View, action: int) -> None:
    """Raise IllegalBid or IllegalChallenge unless the player in turn, who has this view, may take
    the action of this number in `game.bids`, in a round for penalty points."""
    distance = _distance(view.rules, action)
    if distance >= 1:
        verify_challenge(view.rules, len(view.history), distance)
    else:
        verify_bid(view.rules, domain(view.rules)[action], *view.state)


def _distance(rules: Rules, action: int) -> int:
    """Return how many bids ago the bid was made that `action` challenges, or a number below 1 if
    the action is a bid. Raise IllegalBid for a negative action."""
    if action < 0:
        raise IllegalBid("no bid has the action {action}", action=action)
    return action - challenge_action(rules) + 1


def verify_challenge(rules: Rules, bids_made: int, distance: int = 1) -> None:
    """Raise IllegalChallenge unless, after `bids_made` bids, the bid made `distance` bids ago may
    be challenged."""
    if bids_made == 0:
        raise IllegalChallenge("there is no bid to challenge: the first player must bid")
    reachable = challengeable(rules, bids_made)
    if distance in reachable:
        return
    if rules.furthest_challenge == 1:
        raise IllegalChallenge("only the last bid may be challenged: these rules are without 跳开")
    raise IllegalChallenge(
        "the bid made {distance} bids ago may not be challenged now, only 1 to {furthest} bids ago",
        distance=distance,
        furthest=reachable[-1],
    )


def count_dice(rules: Rules, bid: Bid, hands: Sequence[Sequence[int]]) -> int:
    """Return how many dice on the table count towards `bid`; `hands` is [seat, die]."""
    return sum(counted(rules, bid, hand) for hand in hands)


def utilities(rules: Rules, settlement: Settlement) -> list[float]:
    """Return [seat] the utility in penalty points: -points for the loser, and an equal share of
    the points for every other player. Utilities sum to 0."""
    share = settlement.points / (rules.players - 1)
    return [
        -float(settlement.points) if seat == settlement.loser else share
        for seat in range(rules.players)
    ]
