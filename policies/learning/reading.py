"""Ranges and decisions among players of whom something is remembered.

The computations are those of `policies.players.table_reading`. What is believed about a player
before the round is not the same for everybody, but comes from the earlier rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.kinds import People, Prior
from zhaifei.policies.players.reading import places_of_others
from zhaifei.policies.players.table_reading import Beliefs, TableReading
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class LearnedReading(TableReading):
    """Ranges and decisions among players of whom `People` says something."""

    def __init__(self, rules: Rules, table: StrategyTable) -> None:
        super().__init__(rules, table)
        self._hands = bid_tables(rules).hands
        self._people: People | None = None

    def beliefs(self, history: Ints) -> list[Beliefs]:
        """See TableReading."""
        people, places = self._named, places_of_others(self.rules, history)
        return [
            self._beliefs(
                history,
                its,
                people.odds[:, player],
                Prior(people.style[:, player], people.limit[:, player]),
            )
            for player, its in enumerate(places)
        ]

    @property
    def _named(self) -> People:
        """What is believed about the others."""
        assert self._people is not None, "the other players have been named"
        return self._people

    def played(self, history: Ints, action: Ints) -> Floats:
        """Return [turn, hand] the probability with which the table takes each `action` [turn] after
        the `history` [turn, bid]; 0 where it does not store the history."""
        return self._lookup.played(self._lookup.nodes(history), action)

    def likelihood_of_challenges(self, history: Ints, usual: Floats) -> Floats:
        """Return [turn, hand] the probability that a player who follows the table challenges the
        last bid. It is mixed with `usual` [turn, hand], that of a player who does not, as bids
        are."""
        challenge = np.full(len(history), self._showdowns.claimed.size)
        mixed = (1.0 - self._surprise) * self.played(history, challenge)
        mixed += self._surprise * usual
        lost = self._lookup.nodes(history) == NO_NODE
        likelihood: Floats = np.where(lost[:, np.newaxis], usual, mixed)
        return likelihood

    def among(self, people: People) -> LearnedReading:
        """Return a reading among these people."""
        reading = copy(self)
        reading._people = people
        return reading

    def ranges(self, history: Ints) -> list[Floats]:
        """See Reading."""
        return [one.range for one in self.beliefs(history)]

    def range_among(self, history: Ints, places: Sequence[int], people: People) -> Floats:
        """Return [turn, hand] the range of the player who made the bids at these places, of whom
        `people` says what is believed."""
        prior = Prior(people.style[:, 0], people.limit[:, 0])
        return self._beliefs(history, places, people.odds[:, 0], prior).range
