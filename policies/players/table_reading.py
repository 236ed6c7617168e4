"""Read the other players' hands where it is known what they would play if they followed a table.

Of each other player it is known that they either *follow* the table, with the probability FOLLOWS
before the round, or bid plausibly. After their bids so far in the round, what they hold and which
of the two they do have probabilities in proportion to

    follows:  FOLLOWS       * prior(hand) * product over their bids of f(bid | hand)
    does not: (1 - FOLLOWS) * prior(hand) * product over their bids of p(bid | hand)

with `p` plausible bidding and

    f = (1 - SURPRISE) * table + SURPRISE * p       where the table has the history, p elsewhere,

so that a single bid that the table does not make rules nothing out. Where nothing is stored, one
bid says nothing about whether its bidder follows the table. What players do is independent of each
other, so each has a range: the sum of both parts.

**The next player** challenges a raise with every hand that bids plausibly, as `Reading` assumes,
and with the hands that the table challenges with if they follow it. So the risk of a raise is the
probability that it is challenged and false; once a raise is let pass, somebody else is taken to
lose the round.

**Whether the table can be trusted** is another question: its strategies are for players who all
follow it. So the *evidence* is how many times likelier the bids of all others are if all of them
follow it than if none does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.hands import probabilities
from game.rules import Rules
from game.tables import bid_tables
from policies.players.reading import PlausibleBidding, Reading, Risks, last_of, places_of_others
from solver.tables.lookup import Lookup
from solver.tables.strategy_table import NO_NODE, StrategyTable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FOLLOWS = 0.95
"""The probability with which another player follows the table, before they bid."""
SURPRISE = 0.05
"""The share of plausible bidding in the bids of players who follow the table."""


class Beliefs(NamedTuple):
    """What bids say about one other player."""

    following: Floats
    """[turn, hand] their range if they follow the table, summing to 1,"""
    plausible: Floats
    """[turn, hand] and if they bid plausibly."""
    follows: Floats
    """[turn, 1] the probability that they follow it."""
    evidence: Floats
    """[turn] the logarithm of how many times likelier their bids are if they do."""

    @property
    def range(self) -> Floats:
        """[turn, hand] their range."""
        return self.follows * self.following + (1.0 - self.follows) * self.plausible


class TableReading(Reading):
    """Ranges and decisions among players who may follow a table of full recall."""

    def __init__(
        self,
        rules: Rules,
        table: StrategyTable,
        follows: float = FOLLOWS,
        surprise: float = SURPRISE,
    ) -> None:
        self._plausible = PlausibleBidding(rules)
        super().__init__(rules, self._plausible)
        self._lookup = Lookup(bid_tables(rules), table)
        self._odds, self._surprise = np.log(follows / (1.0 - follows)), surprise

    def beliefs(self, history: Ints) -> list[Beliefs]:
        """Return [player] what is known of the other players after each history [turn, bid], in the
        order of turns after the player to move."""
        made, players = history.shape[1], self._rules.players
        return [self._beliefs(history, its) for its in places_of_others(made, players)]

    def _beliefs(self, history: Ints, places: range) -> Beliefs:
        """Return what the bids at these places say about the player who made them."""
        shape = len(history), 1
        following, plausible = (np.tile(probabilities(self._rules), shape) for _ in range(2))
        evidence = np.zeros(len(history))
        for place in places:
            before, bid = history[:, :place], history[:, place]
            likely = self._plausible(before, bid)
            evidence += _update(following, self._following(before, bid, likely))
            evidence -= _update(plausible, likely)
        follows = np.exp(-np.logaddexp(0.0, -(self._odds + evidence)))
        return Beliefs(following, plausible, follows[:, np.newaxis], evidence)

    def _following(self, history: Ints, bid: Ints, plausible: Floats) -> Floats:
        """Return [turn, hand] how likely each hand makes the bid if it follows the table."""
        node = self._lookup.nodes(history)
        played = self._lookup.played(node, bid)
        mixed = (1.0 - self._surprise) * played + self._surprise * plausible
        return np.where((node == NO_NODE)[:, np.newaxis], plausible, mixed)

    def evidence(self, history: Ints) -> Floats:
        """Return [turn] the logarithm of how many times likelier all bids of the others are if all
        follow the table than if none does, after each history [turn, bid]."""
        found = np.zeros(len(history))
        for one in self.beliefs(history):
            found += one.evidence
        return found

    def range_of(self, history: Ints, places: range) -> Floats:
        """See Reading."""
        return self._beliefs(history, places).range

    def _risks(self, history: Ints) -> Risks:
        """See Reading."""
        next_, *others = self.beliefs(history)
        ranges = [one.range for one in others]
        true = self._true([next_.range, *ranges])
        raising = 1.0 - true
        turn, bid, passing = self._passing(history, next_)
        tails, own = self._showdowns.tails(ranges), self._showdowns.dice
        claimed, kind = self._showdowns.claimed[bid, np.newaxis], self._showdowns.kind[bid]
        for dice in self._showdowns.dice:
            missing = np.clip(claimed - own - dice, 0, tails.shape[1] - 1)
            false = 1.0 - tails[turn[:, np.newaxis], missing, kind[:, np.newaxis]]
            raising[turn, :, bid] -= passing[:, dice, np.newaxis] * false
        return Risks(true, raising)

    def _passing(self, history: Ints, next_: Beliefs) -> tuple[Ints, Ints, Floats]:
        """Return the raises that the next player may let pass: [place] the turn and the bid, and
        [place, dice] the probability that they do and hold so many dice that count."""
        turn, bid = np.nonzero(self._legal[last_of(history) + 1])
        node = self._lookup.after(history, turn, bid)
        turn, bid, node = (places[node != NO_NODE] for places in (turn, bid, node))
        challenge = np.full(node.size, self._showdowns.claimed.size)
        part = 1.0 - self._lookup.played(node, challenge)
        part *= (next_.follows * next_.following)[turn]
        matches, every = self._showdowns.matches[bid], self._showdowns.dice
        passing = np.column_stack([(part * (matches == dice)).sum(axis=1) for dice in every])
        return turn, bid, passing


def _update(range_: Floats, likelihood: Floats) -> Floats:
    """Apply Bayes' rule to `range_` [turn, hand] in place. Return [turn] the logarithm of the
    probability of what was seen."""
    range_ *= likelihood
    seen = range_.sum(axis=1, keepdims=True)
    range_ /= seen
    logarithm: Floats = np.log(seen[:, 0])
    return logarithm
