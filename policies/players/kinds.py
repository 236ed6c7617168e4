"""Kinds of unknown players, and the inference of their hands from their bids.

A player bids in one of a few *styles*, and challenges bids that seem less likely than one of a few
*limits*. Style, limit and hand are independent before the round. The player keeps style and limit
for the whole round; no information is carried over to the next round.

**Styles.** The probability `B` of the raise `b` with a hand, if `n` raises are legal:

    plausible:  see `policies.players.reading.PlausibleBidding`
    climbs:     (1 - SLIP) * (1 - STOP) ** k / sum of these + SLIP / n     with any hand
    stays:      the same, but of the raises that name the face of the last bid

where `k` is the number of weaker raises (that name this face), and STOP and SLIP are those of
`policies.players.styles`. At the start of a round there is no
last bid, and a player who stays opens plausibly. A weak raise may be the style of its bidder, so it
tells little about the hand. SHARES has the probability of each style before the round.

**Limits.** Let `p` be the probability that the last bid is true, given the player's own hand only.
A player with the limit `l` challenges with the probability

    c = NOISE + (1 - 2 * NOISE) * [p < l]

After a double (劈) they show their dice or give up, by which costs less if the bid is true with the
probability `p`. LIMIT_SHARES has the probability of each limit before the round. A player who
raised did not challenge the bid before, so either this bid seemed likely to them, or they challenge
late.

**The range** of a player who made the bids `b_1, b_2, ...`, each after the bid `a_1, a_2, ...` of
somebody else:

    range(hand)  ~  prior(hand) * sum over styles of share * product over i of B(b_i | hand)
                                * sum over limits of share * product over i of (1 - c(a_i | hand))

The first sum decides between the styles. After two weakest raises of one player the range stays
close to the prior, because such raises are far likelier from a player who climbs than from a player
who bids plausibly. The second sum decides between the limits, and so predicts the challenges of the
player.

**The constants** were chosen by single runs of 3,000 rounds a table, by the shares of the penalty
points that `reader` and `zhaifei-4p` took. They sat alone among the six rule-based players that
know their dice, among copies of the table, and among `climbs`, `stays` and `pretends` of
`benchmarks/opponents`. `adds_one` and `tosses` were not looked at. Equal LIMIT_SHARES cost `reader`
.013 more among the six with three players and .007 with five. SHARES of .6, .2 and .2 cost
`zhaifei-4p` .004 more among the six.

**The cost of doubt.** A player who considers more kinds possible gives up some points to the
others. The column "before" has the shares of `reader` while it took all players to bid plausibly
(24,000 rounds; 8,000 now):

    players  among           before         now
    2        zhaifei-2p      .525 +- .006   .551 +- .010
    2        conservative    .252 +- .005   .273 +- .008
    2        mean of the six .198           .174
    3        zhaifei-3p      .358 +- .005   .380 +- .010
    3        adds_one        .143 +- .007   .203 +- .008
    3        mean of the six .154           .132
    5        zhaifei-5p      .252 +- .005   .255 +- .009
    5        mean of the six .100           .087
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import domain
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.rule_based import chances_of
from zhaifei.policies.players.styles import FirstBidding, FixedBidding, weakest_raises

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SHARES = (0.8, 0.1, 0.1)
"""[style] the probability of each style before the round: plausible, climbs, stays."""
LIMITS = (0.5, 0.35, 0.2, 0.1, 0.05, 0.02, 0.005)
"""[limit] A player challenges bids that are less probable than their limit."""
LIMIT_SHARES = (0.4, 0.3, 0.1, 0.05, 0.05, 0.05, 0.05)
"""[limit] the probability of each limit before the round."""
NOISE = 0.02
"""The probability that a player challenges above their limit, and that they raise below it."""


Style = PlausibleBidding | FixedBidding | FirstBidding
"""How a player bids who follows no table."""


class Known(NamedTuple):
    """The likelihood of one player's bids, up to factors that are the same for all hands."""

    style: Floats
    """[turn, style, hand] the share of the style times the likelihood of the bids."""
    limit: Floats
    """[turn, limit, hand] the share of the limit times the likelihood of not challenging."""
    factor: Floats
    """[turn] the logarithm of the number by which both were divided, to avoid underflow."""


class Prior(NamedTuple):
    """The beliefs about one player before a round."""

    style: Floats
    """[turn, style] the probability of each style."""
    limit: Floats
    """[turn, limit] the probability of each limit."""


class People(NamedTuple):
    """What is believed about the other players before a round. Axis `player` is in the order of
    turns after the player who believes it."""

    odds: Floats
    """[turn, player] the logarithm of the odds that the player follows the table."""
    style: Floats
    """[turn, player, style] the probability of each style of a player who does not."""
    limit: Floats
    """[turn, player, limit] the probability of each limit of a player who does not."""
    program: Floats
    """[turn, player, program] the logarithm of how many times likelier the player is each program
    (`policies.learning.programs`) than a player of the styles. Without programs, size 0."""

    @property
    def following(self) -> Floats:
        """[turn, player] the logarithm of the odds that the player follows the table, against all
        else."""
        others: Floats = np.logaddexp(0.0, np.logaddexp.reduce(self.program, axis=2))
        return self.odds - others

    def of(self, turns: Ints | slice) -> People:
        """Return what is believed in some turns."""
        return People(*(one[turns] for one in self))


class Kinds:
    """The kinds of players for some rules."""

    shares: Sequence[float] = SHARES
    """[style] the probability of each style of a player who has never bid."""

    def __init__(self, rules: Rules, plausible: PlausibleBidding) -> None:
        self.bidding, self._prior = plausible, probabilities(rules)
        self._rules = rules
        self.each = self._styles()
        """[style] the likelihood of bids in each style."""
        face = np.array([bid.face for bid in domain(rules)])
        self._matches = bid_tables(rules).matches.astype(np.int64)
        own = np.tile(np.arange(bid_tables(rules).dice + 1, dtype=np.int8), (face.size, 1))
        self.true: Floats = chances_of(rules, own, rules.total_dice - rules.dice).T
        """[dice, bid] the probability that the bid is true for a player who knows no other dice, if
        `dice` of theirs count towards it."""
        limits = np.array(LIMITS)[:, np.newaxis, np.newaxis]
        below = (self.true < limits).astype(np.float64)
        self.challenges: Floats = NOISE + (1.0 - 2.0 * NOISE) * below
        """[limit, dice, bid] the probability that a player challenges the bid if `dice` of their
        dice count towards it."""

    def _styles(self) -> tuple[Style, ...]:
        """Return what is kept as `each`."""
        rules = self._rules
        legal = bidding(rules).legal
        face = np.array([bid.face for bid in domain(rules)])
        last = np.array([state.last.face if state.last else 0 for state in bidding(rules).states])
        same = legal & (last[:, np.newaxis] == face)
        climbs, stays = weakest_raises(legal, legal), weakest_raises(same, legal)
        return (
            self.bidding,
            FixedBidding(rules, climbs),
            FixedBidding(rules, stays, opening=self.bidding),
        )

    def prior(self, turns: int) -> Prior:
        """Return the beliefs about a player who has never bid."""
        return Prior(np.tile(self.shares, (turns, 1)), np.tile(LIMIT_SHARES, (turns, 1)))

    def before(self, prior: Prior) -> Known:
        """Return the beliefs about a player who has not bid in this round."""
        style, limit = (one[:, :, np.newaxis].repeat(self._prior.size, axis=2) for one in prior)
        return Known(style, limit, np.zeros(len(style)))

    def after(self, known: Known, history: Ints, bid: Ints) -> Known:
        """Return `known` updated by one more `bid` [turn] of the player, which followed `history`
        [turn, bid]."""
        style, one = _scaled(known.style * self.styles(history, bid))
        limit, other = _scaled(known.limit * self.raised(history))
        return Known(style, limit, known.factor + np.log(one) + np.log(other))

    def ranges(self, known: Known) -> tuple[Floats, Floats]:
        """Return [turn, limit, hand] the probability of each limit and hand, summing to 1, and
        [turn] the logarithm of the probability of the player's bids."""
        both = (self._prior * known.style.sum(axis=1))[:, np.newaxis] * known.limit
        seen = both.sum(axis=(1, 2))
        return both / seen[:, np.newaxis, np.newaxis], known.factor + np.log(seen)

    def plausible(self, history: Ints, bid: Ints) -> Floats:
        """Return [turn, hand] the probability that a player of unknown limit does not challenge and
        then makes `bid` by plausible bidding."""
        raised: Floats = np.einsum("l,tlh->th", LIMIT_SHARES, self.raised(history))
        return self.bidding(history, bid) * raised

    def styles(self, history: Ints, bid: Ints) -> Floats:
        """Return [turn, style, hand] the probability of the bid in each style, and 0 in styles
        that nobody has."""
        nobody = np.zeros((len(history), self._prior.size))
        shared = zip(self.each, self.shares, strict=True)
        likely = [style(history, bid) if share else nobody for style, share in shared]
        return np.stack(likely, axis=1)

    def raised(self, history: Ints) -> Floats:
        """Return [turn, limit, hand] the probability that a player does not challenge the last
        bid."""
        if not history.shape[1]:
            return np.ones((len(history), len(LIMITS), self._prior.size))
        raised: Floats = self._raised[history[:, -1]]
        return raised

    @cached_property
    def _raised(self) -> Floats:
        """[bid, limit, hand] the probability that a player does not challenge the bid."""
        bids = np.arange(len(self._matches))[:, np.newaxis]
        challenges = self.challenges[:, self._matches, bids]
        return np.ascontiguousarray(1.0 - challenges.transpose(1, 0, 2))


def _scaled(weight: Floats) -> tuple[Floats, Floats]:
    """Return weights [turn, kind, hand] divided by the largest weight of each turn, and [turn] the
    largest weights."""
    largest = weight.max(axis=(1, 2))
    return weight / largest[:, np.newaxis, np.newaxis], largest
