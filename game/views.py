"""A player's view of a round: what the player knows, and never another player's dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    State,
    distance_of,
    domain,
    gives_up,
    state_after,
    turn_at,
)
from zhaifei.game.chances import chance
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.legal import (
    IllegalChallenge,
    can_give_up,
    legal_bids_with,
    verify_bid_with,
    verify_challenge,
    verify_giving_up,
)
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import full_dice


class SeatBid(NamedTuple):
    """A bid and the player who made it."""

    seat: int
    bid: Bid


@dataclass(frozen=True)
class View:
    """What a player knows of a round: their own dice and everything public.

    Users' strategy files receive it as `seen`; the attributes that README.md lists for them keep
    their names.
    """

    rules: Rules
    seat: int
    """The seat of the player, from 0."""
    dice: Hand
    """The faces of the player's own dice, ascending."""
    dice_counts: tuple[int, ...]
    """[seat] the number of dice of each player; 0 for players who are out."""
    history: tuple[SeatBid, ...]
    """The bids of the round, oldest first."""
    legal_bids: tuple[Bid, ...]
    """The bids that the player may make now, weakest first, and last the double (劈, 反劈) if the
    rules have one. Empty if another player bids next, or if the player is only asked whether to
    challenge."""
    turns_until_own: int
    """The number of other players who bid before this player; 0 in the player's own turn."""
    out_of_turn: bool
    """Whether a challenge now would be out of turn."""

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids of the round without the players who made them, oldest first."""
        return tuple(made.bid for made in self.history)

    @property
    def current_bid(self) -> Bid | None:
        """The last bid; None at the start of a round."""
        return self.history[-1].bid if self.history else None

    @property
    def state(self) -> State:
        """The state of the bidding, which tells what may follow."""
        return state_after(self.rules, self.bids)

    @property
    def can_challenge(self) -> bool:
        """Whether the player, who decides now, may challenge the current bid. Where players are
        asked out of turn, a player who is to bid has already declined."""
        return bool(self.history) and not (self.rules.stakes.out_of_turn and self.legal_bids)

    @property
    def can_give_up(self) -> bool:
        """Whether the player, who decides now, may give up (认输), as the stakes were doubled."""
        return can_give_up(self.rules, self.bids)

    @property
    def double(self) -> Bid | None:
        """The double that the player may make now (劈, 反劈); None if the player may not."""
        last = self.legal_bids[-1] if self.legal_bids else None
        return last if last is not None and last.doubled else None

    @property
    def probability(self) -> float | None:
        """The probability that the current bid is true, given only the player's own dice; None at
        the start of a round."""
        return None if self.current_bid is None else self.chance(self.current_bid)

    def chance(self, bid: Bid) -> float:
        """Return the probability that `bid` is true, given only the player's own dice."""
        return chance(self.rules, bid, self.dice, sum(self.dice_counts) - len(self.dice))


def seats_from(starter: int, dice: Sequence[int]) -> list[int]:
    """Return the seats of the players who have `dice` [seat], in turn order from `starter` on.
    Raise ZhaifeiError if the starter has no dice or nobody else has."""
    if not dice[starter]:
        raise ZhaifeiError("the player in seat {seat} is out", seat=starter + 1)
    turned = [(starter + place) % len(dice) for place in range(len(dice))]
    seats = [seat for seat in turned if dice[seat]]
    if len(seats) < 2:
        raise ZhaifeiError("a round needs at least two players with dice")
    return seats


def view_of(
    rules: Rules,
    seat: int,
    hand: Hand,
    starter: int,
    history: tuple[Bid, ...],
    dice: tuple[int, ...] = (),
) -> View:
    """Return what the player in `seat` with this hand knows after the bids in `history`, in a round
    that `starter` began. `dice` is [seat] the number of dice, by default before any die is lost.
    Nobody is being asked out of turn."""
    dice = dice or full_dice(rules, starter)
    seats = seats_from(starter, dice)
    in_turn = seat == seats[turn_at(history, len(history)) % len(seats)]
    state = state_after(rules, history)
    bids = legal_bids_with(rules, state, sum(dice)) if in_turn else ()
    return view_at_table((rules, dice, seats, history), seat, hand, bids)


Table = tuple[Rules, tuple[int, ...], Sequence[int], tuple[Bid, ...]]
"""The rules, [seat] the numbers of dice, the seats in turn order and the bids of a round."""


def view_at_table(
    table: Table, seat: int, hand: Hand, bids: tuple[Bid, ...], *, out_of_turn: bool = False
) -> View:
    """Return the view of the player in `seat` with this hand, who may make these `bids` now."""
    rules, dice, seats, history = table
    turns = [turn_at(history, place) for place in range(len(history) + 1)]
    *bidders, mover = (seats[turn % len(seats)] for turn in turns)
    made = tuple(map(SeatBid, bidders, history))
    until_own = (seats.index(seat) - seats.index(mover)) % len(seats)
    return View(rules, seat, hand, dice, made, bids, until_own, out_of_turn)


def verify_action(view: View, action: int) -> None:
    """Raise IllegalBid or IllegalChallenge unless the player whose view this is, who decides now,
    may take the action of this number in `game.bids`. The legal bids are those of `raises_of`."""
    if gives_up(view.rules, action):
        verify_giving_up(view.rules, view.bids)
        return
    distance = distance_of(view.rules, action)
    if distance >= 1:
        verify_challenge(view.rules, len(view.history), distance)
        if not view.can_challenge:
            raise all_declined()
        return
    bid = domain(view.rules)[action]
    if view.rules.stakes.out_of_turn and not raises_of(view):
        raise too_early(bid)
    verify_bid_with(view.rules, bid, view.state, sum(view.dice_counts))


def raises_of(view: View) -> tuple[Bid, ...]:
    """Return the bids that the player who decides may make, weakest first, including bids that
    follow if the player `declines_to_bid`."""
    if not declines_to_bid(view):
        return view.legal_bids
    return legal_bids_with(view.rules, view.state, sum(view.dice_counts))


def declines_to_bid(view: View) -> bool:
    """Return whether the player, who is asked whether to challenge, bids next and nobody is asked
    in between. If only two players have dice, declining and then bidding is one decision."""
    is_asked = view.rules.stakes.out_of_turn and not view.legal_bids
    return is_asked and sum(map(bool, view.dice_counts)) == 2


def all_declined() -> IllegalChallenge:
    return IllegalChallenge("everybody has declined to challenge: the next player must bid")


def too_early(bid: Bid) -> IllegalBid:
    return IllegalBid("{bid} comes too early: others are asked first", bid=bid)
