"""A round of the OpenSpiel game, including its chance nodes."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    State,
    action_count,
    action_of,
    domain,
    endings_after,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, IllegalHand, hands_of, probabilities_of
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.rules import Rules


@cache
def decline_action(rules: Rules) -> int:
    """Return the action of a player who is asked and declines to challenge, under rules that allow
    challenges out of turn. Its number follows the challenge."""
    return action_count(rules)


@cache
def distinct_actions(rules: Rules) -> int:
    """Return the number of player actions: bids, challenges and, if players are asked out of turn,
    declining."""
    return action_count(rules) + rules.stakes.out_of_turn


@cache
def _deals(rules: Rules, dice: int) -> list[tuple[int, float]]:
    """Return (index, probability) of each hand of `hands_of`."""
    return list(enumerate(probabilities_of(rules, dice).tolist()))


@cache
def _legal_bids(rules: Rules, state: State, dice: tuple[int, ...]) -> tuple[int, ...]:
    """Return the actions of the bids that may follow in `state` with `dice` [seat] on the table,
    ascending."""
    return tuple(action_of(rules, bid) for bid in legal_bids_with(rules, state, sum(dice)))


@dataclass(frozen=True)
class RoundSoFar:
    """A round from before the roll to its end; hands are rolled seat by seat.

    Immutable: each step returns a new value. OpenSpiel copies states by deep copies of their
    attributes, and these copies share the immutable values.
    """

    rules: Rules
    starter: int | None
    """The seat that starts; None until it is drawn."""
    dice: tuple[int, ...] = ()
    """[seat] the number of dice, 0 for players who are out; empty selects the numbers in the rules,
    from seat 0 on."""
    hands: tuple[Hand, ...] = ()
    """[seat] the hands rolled so far. Players who are out have an empty hand as soon as all earlier
    seats have rolled."""
    actions: tuple[int, ...] = ()
    """Actions of the players, oldest first: bids, `decline_action` and, at the end, the challenge.
    If the dice make the first bid, it is the first action."""
    settlement: Settlement | None = None
    """How the round ended; None before its end."""

    def __post_init__(self) -> None:
        dice, hands = self.dice or self.rules.dice_by_player, self.hands
        while len(hands) < len(dice) and dice[len(hands)] == 0:
            hands = (*hands, ())
        object.__setattr__(self, "dice", dice)
        object.__setattr__(self, "hands", hands)

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
    def declined(self) -> int:
        """Return the number of players who declined to challenge the last bid."""
        said = self.actions if self.settlement is None else self.actions[:-1]
        bids = [place for place, action in enumerate(said) if action < len(domain(self.rules))]
        return len(said) - bids[-1] - 1 if bids else 0

    @cached_property
    def turn(self) -> int | None:
        """The seat to act; after the end the challenger's seat, before the roll None."""
        if self.starter is None or not self.is_rolled:
            return None
        return self._table.turn

    @cached_property
    def _table(self) -> Round:
        """The round in `game`, which applies the rules, and which nobody changes; only after the
        roll. Of a round that has ended it is the round before the ending."""
        assert self.starter is not None, "the starter is drawn before the roll"
        return Round(self.rules, self.hands, self.starter, self.bids, self.declined)

    def hands_to_roll(self) -> tuple[Hand, ...]:
        """Return the hands that the next player to roll may get; after the roll, the hands with the
        largest number of dice of a player."""
        dice = max(self.dice) if self.is_rolled else self.dice[len(self.hands)]
        return hands_of(self.rules, dice)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return (action, probability) of each chance outcome; only before the roll is complete."""
        if self.starter is None:
            players = self.rules.players
            return [(seat, 1 / players) for seat in range(players)]
        return _deals(self.rules, self.dice[len(self.hands)])

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the player to act, ascending."""
        return [*self._legal]

    @cached_property
    def _legal(self) -> tuple[int, ...]:
        table, rules = self._table, self.rules
        bids = (
            () if table.is_over or table.is_asked else _legal_bids(rules, table.state, table.dice)
        )
        endings = endings_after(rules, table.history) if table.can_challenge() else []
        return (*bids, *endings, *([decline_action(rules)] if table.is_asked else []))

    def after(self, action: int) -> RoundSoFar:
        """Return the round after an action of chance or of the player to act. Raise ZhaifeiError
        for an illegal action."""
        if self.starter is None:
            if not 0 <= action < self.rules.players:
                raise ZhaifeiError("no player sits in seat {seat}", seat=action)
            return replace(self, starter=action)
        if not self.is_rolled:
            possible = self.hands_to_roll()
            if not 0 <= action < len(possible):
                raise IllegalHand("no hand has index {index}", index=action)
            return replace(self, hands=(*self.hands, possible[action]))._opened()
        if not 0 <= action < distinct_actions(self.rules):
            raise IllegalBid("no bid has the action {action}", action=action)
        table = copy(self._table)
        table.take(DECLINE if action == decline_action(self.rules) else action)
        end = table.settlement
        following = replace(self, actions=(*self.actions, action), settlement=end)
        # Handed on: to make it again from all bids took a third of the time of walking a game.
        following.__dict__["_table"] = table if end is None else self._table
        return following

    def _opened(self) -> RoundSoFar:
        """Return the round with the bid that the dice make, if the rules say so and all hands are
        rolled."""
        if not (self.rules.bidding.forced_opening and self.is_rolled):
            return self
        made = self._table.history
        return replace(self, actions=tuple(action_of(self.rules, bid) for bid in made))
