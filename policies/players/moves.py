"""Players that decide move by move and see a round as a person does: those of the rules in which
dice are lost, and those that users bring (see `policies.players.plug_in.plug_in`)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import NamedTuple, Protocol

from game.bids import Bid
from game.chances import chance
from game.elimination import EliminationRound
from game.hands import Hand
from game.rules import Rules


class Made(NamedTuple):
    """A bid, and who made it."""

    seat: int
    bid: Bid


@dataclass(frozen=True)
class Seen:
    """What a player knows when it has to decide."""

    rules: Rules
    seat: int
    """The own one."""
    dice: Hand
    """The own faces, ascending."""
    dice_counts: tuple[int, ...]
    """[seat] how many dice everybody has; 0 for who is out."""
    history: tuple[Made, ...]
    """The bids of the round, oldest first."""
    legal_bids: tuple[Bid, ...]
    """What may be bid now, by strength; nothing when asked whether to challenge."""
    turns_until_own: int
    """How many other players are to bid before oneself; 0 if it is one's own turn."""
    out_of_turn: bool
    """Whether a challenge now would be one out of turn."""

    @property
    def current_bid(self) -> Bid | None:
        """The last bid; None at the start of a round."""
        return self.history[-1].bid if self.history else None

    @property
    def probability(self) -> float | None:
        """How likely the current bid is true, given the own dice and nothing else; None at the
        start of a round."""
        return None if self.current_bid is None else self.chance(self.current_bid)

    def chance(self, bid: Bid) -> float:
        """How likely `bid` is true, given the own dice and nothing else."""
        return chance(self.rules, bid, self.dice, sum(self.dice_counts) - len(self.dice))


class Strategy(Protocol):
    """Decides one move at a time, where there is a choice. Errors and tables name it by `str`."""

    def challenge_bid(self, seen: Seen) -> bool:
        """Whether to challenge the current bid. Asked in turn before each own bid but the first of
        a round, and where the rules have it so out of turn."""

    def make_bid(self, seen: Seen) -> Bid | None:
        """One of `seen.legal_bids`. None, and what the rules forbid, forfeits the decision."""


def see(state: EliminationRound) -> Seen:
    """What the player in turn knows."""
    seats, place = state.seats, len(state.history)
    own = state.turn
    return Seen(
        state.rules,
        own,
        tuple(state.hands[own]),
        state.dice,
        tuple(map(Made, cycle(seats), state.history)),
        state.legal_bids(),
        (seats.index(own) - place) % len(seats),
        state.is_out_of_turn,
    )
