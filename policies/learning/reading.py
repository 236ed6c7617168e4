"""Ranges and decisions among players of whom something is remembered.

The computations are those of `policies.players.table_reading`. What is believed about a player
before the round is not the same for everybody, but comes from the earlier rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.learning.manners import Manners
from zhaifei.policies.players.kinds import Prior
from zhaifei.policies.players.reading import CHUNK, places_of_others
from zhaifei.policies.players.table_reading import Beliefs, TableReading
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class People(NamedTuple):
    """What is believed about the other players before a round. Axis `player` is in the order of
    turns after the player who believes it."""

    odds: Floats
    """[turn, player] the logarithm of the odds that the player follows the table."""
    style: Floats
    """[turn, player, style] the probability of each style of a player who does not."""
    limit: Floats
    """[turn, player, limit] the probability of each limit of a player who does not."""

    def of(self, turns: Ints | slice) -> People:
        """Return what is believed in some turns."""
        return People(*(one[turns] for one in self))


class LearnedReading(TableReading):
    """Ranges and decisions among players who may follow a table, or be of one of the Manners."""

    kinds: Manners

    def __init__(self, rules: Rules, table: StrategyTable) -> None:
        super().__init__(rules, table)
        self.kinds = Manners(rules, self.kinds.bidding)
        self._hands = bid_tables(rules).hands
        self._people: People | None = None

    def beliefs(self, history: Ints) -> list[Beliefs]:
        """See TableReading."""
        people, places = self._people, places_of_others(self.rules, history)
        assert people is not None, "the other players have been named"
        return [
            self._beliefs(
                history,
                its,
                people.odds[:, player],
                Prior(people.style[:, player], people.limit[:, player]),
            )
            for player, its in enumerate(places)
        ]

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

    def evidence_among(self, history: Ints, people: People) -> Floats:
        """Return [turn] the evidence of TableReading that all others follow the table, from the
        bids of this round alone."""
        chunks = self._chunks(history, people)
        return np.concatenate([reading.evidence(some) for reading, some in chunks])

    def decide_among(self, history: Ints, people: People) -> Ints:
        """Return [turn, hand] the action of least risk with every hand after each `history`
        [turn, bid]."""
        return np.concatenate(
            [reading.decide_all(some) for reading, some in self._chunks(history, people)]
        )

    def _chunks(self, history: Ints, people: People) -> Iterator[tuple[LearnedReading, Ints]]:
        """Yield parts of the turns, each with a reading that believes this about the others."""
        for first in range(0, len(history), CHUNK):
            chunk, reading = slice(first, first + CHUNK), copy(self)
            reading._people = people.of(chunk)
            yield reading, history[chunk]
