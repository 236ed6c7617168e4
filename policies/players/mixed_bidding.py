"""Likelihoods of bids by players who mostly follow a policy, or who differ by seat.

The bids of players who follow a policy count as

    (1 - surprise) * what the policy plays with the hand + surprise * plausible bidding

so that a bid that the policy does not make rules nothing out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.bids import domain
from game.rules import Rules
from policies.players.policy import Policy
from policies.players.reading import Likelihood, PlausibleBidding

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class MixedBidding:
    """A Likelihood of players who follow `policy`, but for a share of `surprise`."""

    def __init__(self, policy: Policy, surprise: float, plausible: PlausibleBidding) -> None:
        self._policy, self._surprise, self._plausible = policy, surprise, plausible

    def __call__(self, history: Ints, bid: Ints) -> Floats:
        """See Likelihood."""
        bids = domain(self._policy.rules)
        played = [
            self._policy.strategy([bids[one] for one in made])[:, following]
            for made, following in zip(history.tolist(), bid.tolist(), strict=True)
        ]
        likely = self._plausible(history, bid)
        mixed: Floats = (1.0 - self._surprise) * np.array(played) + self._surprise * likely
        return mixed


@dataclass(frozen=True)
class SeatedBidding:
    """A Likelihood at a table where each seat bids in a way of its own."""

    rules: Rules
    starter: int
    """The seat that began the round, from 0."""
    seats: Sequence[Likelihood]
    """[seat]"""

    def __call__(self, history: Ints, bid: Ints) -> Floats:
        """See Likelihood."""
        seat = (self.starter + history.shape[1]) % self.rules.players
        likely: Floats = self.seats[seat](history, bid)
        return likely
