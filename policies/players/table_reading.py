"""Infer the ranges of players who may follow a given table.

The model: each other player either *follows* the table, with the probability FOLLOWS before the
round, or is of one of the styles and limits of `policies.players.manners`. After their bids so far
in the round, the joint probability of their hand and of either case is proportional to

    follows:  FOLLOWS       * prior(hand) * product over their bids of f(bid | hand)
    does not: (1 - FOLLOWS) * the range of the styles and limits, not divided by its sum

with `q` plausible bidding times the probability that a player of unknown limit does not challenge
the bid before, and

    f = (1 - SURPRISE) * table + SURPRISE * plausible bidding    where the table has the history
    f = q                                                        elsewhere

so that a single bid that the table does not make excludes nothing. Players act independently of
each other, so each has a range: the sum of both parts.

**The next player**, if they follow the table, challenges or doubles a raise as the table does with
their hand. If the table does not store the bids up to the raise, they challenge with every hand. If
they do not follow the table, they challenge with the hands that their limits give. The risk of a
raise is the probability that it is challenged or doubled, and false. If the raise is let pass,
another player is taken to lose the round.

**Trust in the table** is another question, since its strategies are for players who all follow it.
The *evidence* is how many times likelier the bids of all others are if all of them follow the table
than if none of them does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import states_after
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.doubting import DoubtingReading
from zhaifei.policies.players.kinds import Prior
from zhaifei.policies.players.manners import Manners
from zhaifei.policies.players.reading import PlausibleBidding, Risks, places_of_others
from zhaifei.solver.tables.lookup import Lookup
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FOLLOWS = 0.5
"""The probability with which another player follows the table, before they bid. Hands are read only
where the bids speak against it, so it is lower than among players of whom most follow the table."""
SURPRISE = 0.05
"""The share of surprises in the bids of players who follow the table."""


def log_odds(probability: float) -> float:
    """Return the logarithm of the odds of something that has this probability."""
    return math.log(probability / (1.0 - probability))


class Beliefs(NamedTuple):
    """The beliefs about one other player, given their bids."""

    following: Floats
    """[turn, hand] the player's range if they follow the table, summing to 1."""
    limits: Floats
    """[turn, limit, hand] the probability of each limit and hand if the player does not follow the
    table, summing to 1."""
    follows: Floats
    """[turn, 1] the probability that the player follows the table."""
    evidence: Floats
    """[turn] the logarithm of how many times likelier the player's bids are if they follow it."""
    seen: Floats
    """[turn] the logarithm of the probability of the player's bids if they do not."""

    @property
    def range(self) -> Floats:
        """[turn, hand] the player's range, summing to 1."""
        both: Floats = self.follows * self.following + (1.0 - self.follows) * self.limits.sum(
            axis=1
        )
        return both


class TableReading(DoubtingReading):
    """Ranges and decisions among players who may follow a table of full recall."""

    kinds: Manners

    def __init__(
        self,
        rules: Rules,
        table: StrategyTable,
        follows: float = FOLLOWS,
        surprise: float = SURPRISE,
    ) -> None:
        super().__init__(rules)
        self._lookup = Lookup(bid_tables(rules), table)
        self._odds, self._surprise = log_odds(follows), surprise

    def _kinds_of(self, rules: Rules, plausible: PlausibleBidding) -> Manners:
        """See DoubtingReading."""
        return Manners(rules, plausible)

    def beliefs(self, history: Ints) -> list[Beliefs]:
        """Return [player] the beliefs about the other players after each history [turn, bid], in
        the order of turns after the player to move."""
        return [self._beliefs(history, its) for its in places_of_others(self.rules, history)]

    def _beliefs(
        self,
        history: Ints,
        places: Sequence[int],
        odds: Floats | None = None,
        prior: Prior | None = None,
    ) -> Beliefs:
        """Return the beliefs about the player who made the bids at these places. Before the round,
        `odds` [turn] are the logarithm of the odds that they follow the table, and `prior` is what
        is believed about them otherwise; by default they have never bid."""
        following = np.tile(probabilities(self.rules), (len(history), 1))
        evidence = np.zeros(len(history))
        for place in places:
            likely = self.following(history[:, :place], history[:, place])
            evidence += _update(following, likely)
        limits, seen = self.kinds.ranges(self._known(history, places, prior))
        evidence -= seen
        following_odds = evidence + (self._odds if odds is None else odds)
        follows = np.exp(-np.logaddexp(0.0, -following_odds))
        return Beliefs(following, limits, follows[:, np.newaxis], evidence, seen)

    def following(self, history: Ints, bid: Ints) -> Floats:
        """Return [turn, hand] the probability of the bid with each hand of a player who follows the
        table."""
        node = self._lookup.nodes(history)
        mixed = (1.0 - self._surprise) * self._lookup.played(node, bid)
        mixed += self._surprise * self._likelihood(history, bid)
        lost = node == NO_NODE
        if lost.any():
            mixed[lost] = self.kinds.plausible(history[lost], bid[lost])
        return mixed

    def evidence(self, history: Ints) -> Floats:
        """Return [turn] the logarithm of how many times likelier the bids of all others are if all
        of them follow the table than if none of them does, after each history [turn, bid]."""
        found = np.zeros(len(history))
        for one in self.beliefs(history):
            found += one.evidence
        return found

    def range_of(self, history: Ints, places: Sequence[int]) -> Floats:
        """See Reading."""
        return self._beliefs(history, places).range

    def _risks(self, history: Ints) -> Risks:
        """See Reading."""
        next_, *others = self.beliefs(history)
        passing = self._passing((1.0 - next_.follows)[:, np.newaxis] * next_.limits)
        turn, bid, follows = self._following_passes(history, next_.follows * next_.following)
        passing[turn, :, bid] += follows
        return self._risks_if(passing, next_.range, [one.range for one in others])

    def _following_passes(self, history: Ints, following: Floats) -> tuple[Ints, Ints, Floats]:
        """Return the raises that the next player may let pass if they follow the table; `following`
        [turn, hand] is the probability that they do, and hold each hand.

        They are [place] the turn and [place] the bid, and [place, dice] the probability that the
        player follows the table, lets the bid pass and holds `dice` dice that count."""
        turn, bid = np.nonzero(self._legal[states_after(self.rules, history)])
        node = self._lookup.after(history, turn, bid)
        turn, bid, node = (places[node != NO_NODE] for places in (turn, bid, node))
        challenge = np.full(node.size, self._showdowns.claimed.size)
        part = 1.0 - self._lookup.played(node, challenge)
        if self.rules.stakes.doubled:
            double = np.flatnonzero(bid < self._plain)
            part[double] -= self._lookup.played(node[double], bid[double] + self._plain)
        part *= following[turn]
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
