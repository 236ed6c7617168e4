"""A round of the OpenSpiel game, chance nodes included."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from game.bids import (
    Bid,
    IllegalBid,
    action_count,
    action_of,
    challenge_action,
    challengeable,
    domain,
    legal_bids,
)
from game.errors import ZhaifeiError
from game.hands import Hand, IllegalHand, hands, probabilities
from game.rounds import Round, Settlement
from game.rules import Rules


@cache
def _deals(rules: Rules) -> list[tuple[int, float]]:
    """Each hand's index and probability."""
    return list(enumerate(probabilities(rules).tolist()))


@cache
def _legal_bids(rules: Rules, last: int | None) -> list[int]:
    """The bids that may follow `last`, as actions, ascending."""
    bids = legal_bids(rules, None if last is None else domain(rules)[last])
    return [action_of(rules, bid) for bid in bids]


@dataclass(frozen=True)
class RoundSoFar:
    """A round from before the roll to its end; hands are rolled one by one, seat by seat.

    Immutable: each step gives a new one. OpenSpiel copies a state by copying its attributes deeply;
    the copies share what is immutable.
    """

    rules: Rules
    starter: int | None
    """None until it is drawn."""
    hands: tuple[Hand, ...] = ()
    """[seat] the hands rolled so far."""
    actions: tuple[int, ...] = ()
    """What the players did, oldest first: bids, and at the end the challenge."""
    settlement: Settlement | None = None
    """How the round ended."""

    def __deepcopy__(self, memo: object) -> RoundSoFar:
        return self

    @property
    def is_rolled(self) -> bool:
        """Whether everybody has a hand."""
        return len(self.hands) == self.rules.players

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids made so far, oldest first."""
        bids = domain(self.rules)
        return tuple(bids[action] for action in self.actions if action < len(bids))

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is, after the end the challenger; None before the roll."""
        if self.starter is None or not self.is_rolled:
            return None
        return (self.starter + len(self.bids)) % self.rules.players

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Before the roll: what chance may do and how likely that is."""
        if self.starter is None:
            players = self.rules.players
            return [(seat, 1 / players) for seat in range(players)]
        return _deals(self.rules)

    def legal_actions(self) -> list[int]:
        """What the player in turn may do, ascending."""
        distances = challengeable(self.rules, len(self.actions))
        challenges = [challenge_action(self.rules, distance) for distance in distances]
        return _legal_bids(self.rules, self.actions[-1] if self.actions else None) + challenges

    def after(self, action: int) -> RoundSoFar:
        """The round after what chance or the player in turn did. Raises ZhaifeiError."""
        if self.starter is None:
            if not 0 <= action < self.rules.players:
                raise ZhaifeiError("no player has the seat {seat}", seat=action)
            return replace(self, starter=action)
        if not self.is_rolled:
            if not 0 <= action < len(hands(self.rules)):
                raise IllegalHand("no hand has the index {index}", index=action)
            return replace(self, hands=(*self.hands, hands(self.rules)[action]))
        if not 0 <= action < action_count(self.rules):
            raise IllegalBid("no bid has the action {action}", action=action)
        state = Round(self.rules, self.hands, self.starter, self.bids)
        state.take(action)
        return replace(self, actions=(*self.actions, action), settlement=state.settlement)
