"""A strategy table that reads the others' hands where its own play hardly ever comes.

A table says little about histories that do not come up when everybody plays it: training hardly saw
them, and where nothing is stored it challenges, whatever it holds. Players of another kind come
there all the time. So where self-play comes with a probability below RARE, and at histories that
are not stored, the others' ranges are read from all their bids, and the action of least risk is
taken (`policies.players.reading`). Elsewhere the table plays.

The likelihood of a bid is what the table plays with each hand, mixed with plausible bidding: see
`MixedBidding`. `benchmarks/reading.py` measures RARE and SURPRISE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid
from game.rules import Rules
from game.tables import bid_tables
from policies.players.policy import SingleQueries
from policies.players.reading import Likelihood, PlausibleBidding, Reading
from policies.players.table_policy import TablePolicy
from solver.tables.lookup import Lookup
from solver.tables.strategy_table import NO_NODE

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

RARE = 1e-4
"""Where self-play comes with a smaller probability than this, the policy reads."""
SURPRISE = 0.05
"""The share of plausible bidding in the likelihood of each bid."""


class MixedBidding:
    """A Likelihood: what a table plays with each hand, mixed with the share `surprise` of plausible
    bidding. Where the table does not play, plausible bidding alone."""

    def __init__(self, lookup: Lookup, plays: Bits, plausible: Likelihood, surprise: float) -> None:
        """`plays` [node] is where the table plays."""
        self._lookup, self._plays = lookup, plays
        self._plausible, self._surprise = plausible, surprise

    def __call__(self, history: Ints, bid: Ints) -> Floats:
        """See Likelihood."""
        node = self._lookup.nodes(history)
        played = self._lookup.played(np.where(self._plays[node], node, NO_NODE), bid)
        plausible = self._plausible(history, bid)
        mixed: Floats = (1.0 - self._surprise) * played + self._surprise * plausible
        return mixed


@dataclass(frozen=True)
class ReadingPolicy(SingleQueries):
    """A Policy: the table `plain`, of full recall, where self-play comes, and reading elsewhere."""

    plain: TablePolicy
    reach: NDArray[np.floating]
    """[node] the probability with which a round comes to each stored history if all play
    `plain`."""
    rare: float = RARE
    surprise: float = SURPRISE
    reading: Reading = field(init=False, repr=False, compare=False)
    _lookup: Lookup = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lookup = Lookup(bid_tables(self.rules), self.plain.table)
        plausible = PlausibleBidding(self.rules)
        likelihood = MixedBidding(lookup, self.reach >= self.rare, plausible, self.surprise)
        object.__setattr__(self, "_lookup", lookup)
        object.__setattr__(self, "reading", Reading(self.rules, likelihood))

    @property
    def rules(self) -> Rules:
        """See Policy."""
        return self.plain.rules

    def reads(self, history: Ints) -> Bits:
        """Return [turn] whether the others' hands are read after each history [turn, bid]."""
        node = self._lookup.nodes(history)
        reads: Bits = (node == NO_NODE) | (self.reach[node] < self.rare)
        return reads

    def strategy(self, history: Sequence[Bid]) -> Floats:
        """See Policy."""
        bids = self.plain.actions(history)
        if self.reads(bids[np.newaxis])[0]:
            return self.reading.strategy(tuple(bids.tolist()))
        return self.plain.strategy(history)

    def draw(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """See DrawingPolicy."""
        reads = self.reads(history)
        stored = ~reads
        action = np.empty(hand.size, dtype=np.int64)
        action[stored] = self.plain.draw(hand[stored], history[stored], uniform[stored])
        action[reads] = self.reading.decide(hand[reads], history[reads])
        return action
