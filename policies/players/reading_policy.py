"""A strategy table that reads the others' hands where its own play hardly ever comes.

A table says little about histories that do not come up when everybody plays it: training hardly saw
them, and where nothing is stored it challenges, whatever it holds. Players of another kind come
there all the time. So where self-play comes with a probability below RARE, and at histories that
are not stored, the others' ranges are read from all their bids, and the action of least risk is
taken (`policies.players.reading`). Elsewhere the table plays.

**Openings.** Near an equilibrium, all openings that a hand mixes earn it about the same if
everybody plays the table. Others may challenge sooner, and then the bold ones lose. So each hand
makes the opening that is likeliest to be true, of those that the table makes with at least MIXED.

The likelihood of a bid is what the table plays with each hand, mixed with plausible bidding: see
`MixedBidding`. The constants were chosen with `benchmarks/reading.py`, for trees of one or two
minutes (NashConv .03-.10 with five dice). Mean shares among the three kinds of CHOSEN_ON, the mean
among all six rule-based players that know their dice, and the share alone among copies of the table
beyond the fair one (10,000 and 60,000 rounds a table, the latter with its 95% confidence interval):

    players  fair   table alone: six   RARE  MIXED: three  six   among copies of the table
    3        .333   .323               1e-4  .02    .238   .245  -.0012 +- .0020
                                       1e-3  .02    .224   .230  +.0030 +- .0027
    4        .250   .346               1e-4  .02    .179   .171  +.0010 +- .0013
                                       1e-3  .02    .174   .168  +.0027 +- .0017
    5        .200   .467               1e-4  .05    .166   .155  -.0001 +- .0012
                                       1e-4  .02    .158   .147  +.0021 +- .0011
                                       1e-3  .02    .151   .143  +.0037 +- .0014
    6        .167                      1e-3  .02    .089   .088  -.0001 +- .0004

SURPRISE hardly matters: .01, .05, .2 and 1 differ by less than .002 with five players. To choose
the action of least risk at every decision, among those that the table takes with at least .05,
would bring the mean to .143 with five players and .140 with four. But a best response gains far
more from such a player: with three players and two dice NashConv is .010 for a table, .011 with
reading, .014 with openings chosen as well, and .056 with every action chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid, action_count, challenge_action
from game.rules import Rules
from game.tables import bid_tables
from policies.players.policy import SingleQueries
from policies.players.reading import Likelihood, PlausibleBidding, Reading, one_hot
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
MIXED = 0.02
"""The probability from which on an opening counts among those that a hand mixes."""


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
    mixed: float = MIXED
    reading: Reading = field(init=False, repr=False, compare=False)
    _lookup: Lookup = field(init=False, repr=False, compare=False)
    _opening: Ints = field(init=False, repr=False, compare=False)
    """[hand]"""

    def __post_init__(self) -> None:
        lookup = Lookup(bid_tables(self.rules), self.plain.table)
        plausible = PlausibleBidding(self.rules)
        likelihood = MixedBidding(lookup, self.reach >= self.rare, plausible, self.surprise)
        object.__setattr__(self, "_lookup", lookup)
        object.__setattr__(self, "reading", Reading(self.rules, likelihood))
        object.__setattr__(self, "_opening", self._openings())

    @property
    def rules(self) -> Rules:
        """See Policy."""
        return self.plain.rules

    def reads(self, history: Ints) -> Bits:
        """Return [turn] whether the others' hands are read after each history [turn, bid]."""
        node = self._lookup.nodes(history)
        reads: Bits = (node == NO_NODE) | (self.reach[node] < self.rare)
        return reads

    def _openings(self) -> Ints:
        """Return [hand] the opening of each hand."""
        played = self.plain.strategy(())[:, : challenge_action(self.rules)]
        every = np.arange(len(played))
        likely = self.reading.likely(every, np.zeros((every.size, 0), dtype=np.int64))
        mixed = played >= np.minimum(self.mixed, played.max(axis=1, keepdims=True))
        opening: Ints = np.where(mixed, likely, -1.0).argmax(axis=1)
        return opening

    def strategy(self, history: Sequence[Bid]) -> Floats:
        """See Policy."""
        if not history:
            return one_hot(self._opening, action_count(self.rules))
        bids = self.plain.actions(history)
        if self.reads(bids[np.newaxis])[0]:
            return self.reading.strategy(tuple(bids.tolist()))
        return self.plain.strategy(history)

    def draw(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """See DrawingPolicy."""
        if history.shape[1] == 0:
            return self._opening[hand]
        reads = self.reads(history)
        stored = ~reads
        action = np.empty(hand.size, dtype=np.int64)
        action[stored] = self.plain.draw(hand[stored], history[stored], uniform[stored])
        action[reads] = self.reading.decide(hand[reads], history[reads])
        return action


def as_played(policy: TablePolicy) -> TablePolicy | ReadingPolicy:
    """Return what plays and advises where a user names this table: with three players or more and
    full recall, the policy that reads off its lines."""
    if policy.rules.players == 2 or not policy.remembers_all:
        return policy
    return ReadingPolicy(policy, policy.reach)
