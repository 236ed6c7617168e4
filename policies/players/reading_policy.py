"""A strategy table that reads the others' hands where they do not seem to follow the table.

A table is a good strategy among players who all follow it. Other players reach histories that
training hardly visited, or that are not stored, where the table challenges with every hand. They
also hold other dice after common bids. So the table plays a hand only

- after histories that are stored,
- if the others' bids so far are at least TIMES as likely from players who follow the table as from
  players of other kinds (`policies.players.table_reading`),
- and if the own bids have at least the probability OWN with this hand: elsewhere the average
  strategy is an average over very little training.

Everywhere else the policy infers the ranges of the others from all their bids, and takes the action
of least risk.

**Openings.** An opening is weighed as if all others followed the table with the probability
OPENING_FOLLOWS = w. Among players who follow it, the cost of an opening is the value
of the best opening minus its own (`TablePolicy.opening_cost`). With N players, 1 point a round is
(N - 1) / N of the rounds lost. Others may challenge at once, and the round is lost if the bid is
false. So each hand makes the opening that minimises

    w * cost * (N - 1) / N + (1 - w) * P(false)

**The constants** were compared by single runs of scratch scripts (`benchmarks/reading.py --policy
FILE --choose` plays the same tables), among the three kinds of CHOSEN_ON and among copies of the
table. The other kinds were looked at too, so they are not an untouched test. Trees had a NashConv
of .055, .011, .003 and .008. The columns are shares of the penalty points with five dice:

- three, six: the mean share alone among each of the three kinds of CHOSEN_ON, and among each of the
  six rule-based players that know their dice;
- largest: the largest of the measured shares;
- among copies of the table: the share alone among them minus the fair share, with its 95%
  confidence interval.

Tables played 3,000 to 6,000 rounds, and 24,000 to 150,000 for the last column. In these runs
OPENING_FOLLOWS was FOLLOWS, and players who did not follow the table were taken to bid plausibly:

    players  fair   FOLLOWS: three  six   largest  among copies of the table
    3        .333   .9       .179   .177  .233     -.0021 +- .0031
                    .95      .185         .235     +.0008 +- .0049
    4        .250   .8       .114         .166     +.0065 +- .0035
                    .9                             +.0032 +- .0013
                    .95      .126         .176     +.0015 +- .0015
                    .97                            +.0009 +- .0012
    5        .200   .9       .103   .105  .132     +.0024 +- .0023
                    .95      .113   .115  .138     +.0015 +- .0021
    6        .167   .9       .079   .088  .110     +.0038 +- .0016
                    .95      .085   .093  .114     +.0028 +- .0015

TIMES 1 and 10, and SURPRISE .01 and .2, change the first column by less than .004 with four and
five players; with three players TIMES 1 makes it .207. The table without reading takes .47 with
five players.

**Others may be of several kinds** (`policies.players.kinds`). The next table has shares of the
shipped policies before several kinds were assumed, and since then. Each policy sat alone among
copies of a strategy file of `benchmarks/opponents`, of each of the six rule-based players (the
mean), or of the table (8,000 rounds a table or more; margins up to .010):

    players fair  climbs     stays      pretends   adds_one   tosses     six        table
    3      .333  .362 .153  .509 .311  .256 .268  .171 .199  .104 .115  .187 .177  .338 .338
    4      .250  .362 .084  .420 .091  .193 .211  .143 .146  .077 .084  .119 .120  .251 .251
    5      .200  .603 .077  .153 .092  .185 .198  .104 .139  .072 .069  .117 .110  .202 .201
    6      .167  .607 .080  .139 .022  .160 .167  .096 .118  .046 .044  .092 .086  .169 .168

The figures of `adds_one` and `tosses` were not used to choose anything. The margins of `tosses` are
up to .015.

**Reading doubts more than openings do.** Hands are read only after bids that speak against the
table, so they are read best with a lower FOLLOWS. The next table has shares with .95 and the three
styles of `Kinds` (among three players: eight styles and further doubts), and since then with .5 and
the eight styles of `Manners`. The first columns are the mean alone among each of the six, the share
at mixed tables of the six and `reader`, and the share among copies of `reader` (10,000 rounds a
table). The last column is the share among copies of the table minus the fair share (60,000):

    players fair  six         mixed       reader      table            margin of it
    3      .333  .165 .138   .187 .165   .384 .346   +.0026 +.0046    .0028
    4      .250  .119 .104   .128 .116   .278 .251   +.0017 +.0024    .0020
    5      .200  .115 .102   .111 .104   .233 .222   +.0032 +.0039    .0015
    6      .167  .087 .077   .090 .090   .172 .190   +.0025 +.0034    .0011

At mixed tables few deals were played in all seatings then, so the shares of five and six players
are off by up to .01 and .02. FOLLOWS .2 takes up to .009 less among the six and up to .002 more
among copies of the table.

**Openings need more doubt, too.** OPENING_FOLLOWS was .95 in the table above. The next table has
shares with .95 and with .9 (single runs with the same dice, 3,000 rounds a mixed table and 6,000
elsewhere; margins up to .007, in the last column .012). The last column is the share of a lone
`ppo` among copies of the policy.

    players fair  mixed       table       a lone ppo
    3      .333  .166 .165   .339 .338   .334 .334
    4      .250  .118 .116   .253 .251   .225 .213
    5      .200  .099 .094   .204 .208   .180 .158
    6      .167  .085 .080   .170 .170   .142 .134

**Limits.** Alone among copies of the table of another run, the policy takes more than the fair
share, since equilibria of several players differ. With .9 instead of .95 for both probabilities, it
took .026 more with four players (the table itself .022) and .059 more with five (the table .138),
for one pair of runs each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_count
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.compiled_reading import MANY, decisions, model_of
from zhaifei.policies.players.policy import SingleQueries
from zhaifei.policies.players.reading import one_hot, places_of
from zhaifei.policies.players.rule_based import chances
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.players.table_reading import FOLLOWS, SURPRISE, TableReading, log_odds
from zhaifei.solver.playouts.beliefs import Model
from zhaifei.solver.playouts.walk import FOLLOWER
from zhaifei.solver.tables.lookup import Lookup
from zhaifei.solver.tables.strategy_table import NO_NODE

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

TIMES = 2.0
"""The table plays only if the others' bids are at least this many times likelier from players who
follow it."""
OPENING_FOLLOWS = 0.9
"""The probability with which all others follow the table, where an opening is chosen. It is higher
than FOLLOWS of `table_reading`, since an opening that the table does not make costs most among
players who do follow it."""
OWN = 1e-3
"""The table plays a hand only if the hand makes its own bids with at least this probability."""


@dataclass(frozen=True)
class ReadingPolicy(SingleQueries):
    """A Policy that plays the full-recall table `plain` among players who seem to follow it, and
    reads hands elsewhere."""

    plain: TablePolicy
    follows: float = FOLLOWS
    surprise: float = SURPRISE
    times: float = TIMES
    opening_follows: float = OPENING_FOLLOWS
    reading: TableReading = field(init=False, repr=False, compare=False)
    _lookup: Lookup = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        reading = TableReading(self.rules, self.plain.table, self.follows, self.surprise)
        object.__setattr__(self, "reading", reading)
        object.__setattr__(self, "_lookup", Lookup(bid_tables(self.rules), self.plain.table))

    @property
    def rules(self) -> Rules:
        """See Policy."""
        return self.plain.rules

    def reads(self, history: Ints, evidence: Floats | None = None) -> Bits:
        """Return [turn, hand] whether the others' hands are read with each own hand after each
        history [turn, bid]. It is False at the start of a round. The `evidence` [turn] is that of
        `TableReading`, by default of this round alone."""
        stored = self._lookup.nodes(history) != NO_NODE
        if evidence is None:
            evidence = self.reading.evidence(history)
        trusted = evidence >= np.log(self.times)
        plays: Bits = (stored & trusted)[:, np.newaxis] & (self._own(history) >= OWN)
        return ~plays if history.shape[1] else np.zeros_like(plays)

    def _own(self, history: Ints) -> Floats:
        """Return [turn, hand] the probability with which the table makes the earlier bids of the
        player to move with each hand."""
        own = np.ones((len(history), bid_tables(self.rules).hands))
        for place in places_of(self.rules, history, 0):
            node = self._lookup.nodes(history[:, :place])
            own *= self._lookup.played(node, history[:, place])
        return own

    @cached_property
    def opening(self) -> Ints:
        """[hand] the opening of each hand."""
        bids = np.flatnonzero(bid_tables(self.rules).legal[0])
        opening: Ints = bids[self._opening_risk.argmin(axis=0)]
        return opening

    @cached_property
    def _opening_risk(self) -> Floats:
        """[opening, hand] the risk of each bid that may open a round, in rounds lost."""
        bids, players = np.flatnonzero(bid_tables(self.rules).legal[0]), self.rules.players
        cost = self.plain.opening_cost.astype(np.float64) * (players - 1) / players
        false = 1.0 - chances(self.rules)[bids]
        risk: Floats = self.opening_follows * cost + (1.0 - self.opening_follows) * false
        return risk

    def opening_values(self, best: Floats, hand: Ints) -> Floats:
        """Return [place, opening] the value of each opening with each `hand` [place], in penalty
        points per round, by the criterion that chooses `opening`, which so has the highest value.

        By this criterion, all others follow the table with the probability `opening_follows`, and
        otherwise the opening is challenged at once. `best` [place] is the value of the opening of
        cost 0 if all others follow the table.
        """
        players = self.rules.players
        most = self.opening_follows * best + (1.0 - self.opening_follows) / (players - 1)
        lost = self._opening_risk[:, hand].T * players / (players - 1)
        values: Floats = most[:, np.newaxis] - lost
        return values

    def strategy(self, history: Sequence[Bid]) -> Floats:
        """See Policy."""
        bids = self.plain.actions(history)
        if not history:
            return one_hot(self.opening, action_count(self.rules))
        reads = self.reads(bids[np.newaxis])[0]
        strategy = self.plain.strategy(history)
        if reads.any():
            strategy[reads] = self.reading.strategy(tuple(bids.tolist()))[reads]
        return strategy

    def played(self, history: Ints, action: Ints) -> Floats:
        """Return [turn, hand] the probability with which each hand takes the `action` [turn] after
        the `history` [turn, bid]."""
        if not history.shape[1]:
            opens: Floats = (self.opening == action[:, np.newaxis]).astype(np.float64)
            return opens
        reads = self.reads(history)
        played = self._lookup.played(self._lookup.nodes(history), action)
        some = reads.any(axis=1)
        if some.any():
            read = self.reading.decide_all(history[some]) == action[some, np.newaxis]
            played[some] = np.where(reads[some], read, played[some])
        return played

    @cached_property
    def model(self) -> Model:
        """The model of the players at the table. Raise ZhaifeiError if the table is damaged."""
        return model_of(self.reading, self.plain.tables, self.plain.table)._replace(
            odds=np.full(self.rules.players, log_odds(self.follows)),
            surprise=self.surprise,
            trust=np.full(self.rules.players, np.log(self.times)),
            own=OWN,
        )

    def draw(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """See DrawingPolicy."""
        if history.shape[1] == 0:
            return self.opening[hand]
        different, group = np.unique(history, axis=0, return_inverse=True)
        if len(different) >= MANY:
            return decisions(self.model, self.rules, hand, history, uniform, FOLLOWER)
        reads = self.reads(different)[group.reshape(-1), hand]
        stored = ~reads
        action = np.empty(hand.size, dtype=np.int64)
        action[stored] = self.plain.draw(hand[stored], history[stored], uniform[stored])
        action[reads] = self.reading.decide(hand[reads], history[reads])
        return action


def as_played(policy: TablePolicy) -> TablePolicy | ReadingPolicy:
    """Return the policy that plays and advises where a user names this table: a ReadingPolicy for
    tables of three players or more with full recall, else the table itself."""
    if policy.rules.players == 2 or not policy.remembers_all:
        return policy
    return ReadingPolicy(policy)
