"""A round of the OpenSpiel game, including its chance nodes."""

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
    """Return (index, probability) of each hand."""
    return list(enumerate(probabilities(rules).tolist()))


@cache
def _legal_bids(rules: Rules, last: int | None) -> list[int]:
    """Return the actions of the bids that may follow `last`, ascending."""
    bids = legal_bids(rules, None if last is None else domain(rules)[last])
    return [action_of(rules, bid) for bid in bids]


@dataclass(frozen=True)
class RoundSoFar:
    """A round from before the roll to its end; hands are rolled seat by seat.

    Immutable: each step returns a new value. OpenSpiel copies states by deep copies of their
    attributes, and these copies share the immutable values.
    """

    rules: Rules
    starter: int | None
    """Seat that starts; None until it is drawn."""
    hands: tuple[Hand, ...] = ()
    """[seat] hands rolled so far."""
    actions: tuple[int, ...] = ()
    """Actions of the players, oldest first: bids, and at the end the challenge."""
    settlement: Settlement | None = None
    """Result of the challenge; None before it."""

    def __deepcopy__(self, memo: object) -> RoundSoFar:
        return self

    @property
    def is_rolled(self) -> bool:
        """Return whether every player has a hand."""
        return len(self.hands) == self.rules.players

    @property
    def bids(self) -> tuple[Bid, ...]:
        """Return the bids made so far, oldest first."""
        bids = domain(self.rules)
        return tuple(bids[action] for action in self.actions if action < len(bids))

    @property
    def turn(self) -> int | None:
        """Return the seat to act, after the end the challenger's; None before the roll."""
        if self.starter is None or not self.is_rolled:
            return None
        return (self.starter + len(self.bids)) % self.rules.players

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return (action, probability) of each chance outcome; only before the roll is complete."""
        if self.starter is None:
            players = self.rules.players
            return [(seat, 1 / players) for seat in range(players)]
        return _deals(self.rules)

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the player to act, ascending."""
        distances = challengeable(self.rules, len(self.actions))
        challenges = [challenge_action(self.rules, distance) for distance in distances]
        return _legal_bids(self.rules, self.actions[-1] if self.actions else None) + challenges

    def after(self, action: int) -> RoundSoFar:
        """Return the round after an action of chance or of the player to act. Raises ZhaifeiError
        for an illegal one."""
        if self.starter is None:
            if not 0 <= action < self.rules.players:
                raise ZhaifeiError("no player sits in seat {seat}", seat=action)
            return replace(self, starter=action)
        if not self.is_rolled:
            if not 0 <= action < len(hands(self.rules)):
                raise IllegalHand("no hand has index {index}", index=action)
            return replace(self, hands=(*self.hands, hands(self.rules)[action]))
        if not 0 <= action < action_count(self.rules):
            raise IllegalBid("no bid has the action {action}", action=action)
        state = Round(self.rules, self.hands, self.starter, self.bids)
        state.take(action)
        return replace(self, actions=(*self.actions, action), settlement=state.settlement)
