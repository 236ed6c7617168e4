"""Ways of bidding of players who follow no table, as likelihoods of their bids.

`policies.players.reading.PlausibleBidding` weighs bids by the own hand. The styles here are

    fixed:  the probability of each raise depends on the bids alone, not on the hand
    first:  the weakest raise that is likely enough, given the own hand, or the strongest

A player of the latter style stops at each such raise with the probability STOP, and goes on to the
next one otherwise. A share SLIP of their bids is plausible instead, and so are all bids with a hand
that has no such raise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding, states_after
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.rule_based import chances

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

STOP, SLIP = 0.8, 0.05
"""STOP is the probability that a player stops at each raise of their style; SLIP is the probability
that they make another raise."""


@dataclass(frozen=True)
class FixedBidding:
    """The Likelihood of a player whose raises say nothing about the hand."""

    rules: Rules
    raises: Floats
    """[state, bid] the probability of each raise."""
    opening: PlausibleBidding | None = None
    """How the player opens a round, if not by `raises`."""

    def __call__(self, history: Ints, bid: Ints) -> Floats:
        """See Likelihood."""
        if self.opening is not None and not history.shape[1]:
            return self.opening(history, bid)
        likely = self.raises[states_after(self.rules, history), bid]
        return np.tile(likely[:, np.newaxis], bid_tables(self.rules).hands)


class FirstBidding:
    """The Likelihood of a player who makes the first raise that is likely enough."""

    def __init__(
        self, rules: Rules, least: float, plausible: PlausibleBidding, *, from_weakest: bool
    ) -> None:
        """A raise is likely enough if its probability is at least `least`, given the own hand."""
        self._rules, self._plausible, self.from_weakest = rules, plausible, from_weakest
        self.enough: Bits = chances(rules) >= least
        """[bid, hand] whether each bid is likely enough."""
        self._legal = bidding(rules).legal.astype(np.float64)

    def __call__(self, history: Ints, bid: Ints) -> Floats:
        """See Likelihood."""
        legal, plausible = self._legal[states_after(self._rules, history)], self._plausible
        enough = self.enough.astype(np.float64)
        every = legal @ enough
        before = (legal * (np.arange(legal.shape[1]) < bid[:, np.newaxis])) @ enough
        if not self.from_weakest:
            before = np.maximum(every - before - enough[bid], 0.0)
        goes_on, usual = 1.0 - STOP, plausible(history, bid)
        total = (1.0 - goes_on**every) / STOP
        first = enough[bid] * goes_on**before
        chosen = np.divide(first, total, out=usual.copy(), where=every > 0.0)
        mixed: Floats = (1.0 - SLIP) * chosen + SLIP * usual
        return mixed


def weakest_raises(chosen: Bits, legal: Bits) -> Floats:
    """Return [state, bid] the probability of each raise of a player who makes one of the weakest
    `chosen` raises [state, bid], or of the weakest `legal` raises where no raise is chosen."""
    among = np.where(chosen.any(axis=1, keepdims=True), chosen, legal)
    weaker = among.cumsum(axis=1) - among
    weight = among * (1.0 - STOP) ** weaker
    raises: Floats = (1.0 - SLIP) * _shares(weight) + SLIP * _shares(legal.astype(np.float64))
    return raises


def _shares(weight: Floats) -> Floats:
    """Return the weights of each row divided by their sum; a row of zeros stays a row of zeros."""
    total = weight.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(weight, total, out=np.zeros_like(weight), where=total > 0.0)
    return shares
