"""A player's view of a round: what the player knows, and never another player's dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from zhaifei.game.bids import Bid, State, state_after
from zhaifei.game.chances import chance
from zhaifei.game.hands import Hand
from zhaifei.game.rules import Rules


class SeatBid(NamedTuple):
    """A bid and the player who made it."""

    seat: int
    bid: Bid


@dataclass(frozen=True)
class View:
    """What a player knows of a round: their own dice and everything public.

    One type serves rounds for penalty points (`game.rounds`) and rounds in which dice are lost
    (`game.elimination`). Users' strategy files receive it as `seen`; the attributes that README.md
    lists for them keep their names.
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
    """The bids that the player may make now, weakest first. Empty if another player bids next, or
    if the player is only asked whether to challenge."""
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
        return bool(self.history) and not (self.rules.out_of_turn and self.legal_bids)

    @property
    def probability(self) -> float | None:
        """The probability that the current bid is true, given only the player's own dice; None at
        the start of a round."""
        return None if self.current_bid is None else self.chance(self.current_bid)

    def chance(self, bid: Bid) -> float:
        """Return the probability that `bid` is true, given only the player's own dice."""
        return chance(self.rules, bid, self.dice, sum(self.dice_counts) - len(self.dice))
