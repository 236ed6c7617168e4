"""Likelihoods of bids by players who mostly follow a policy, or who differ by seat.

A bid of a player who mostly follows a policy has the likelihood

    (1 - surprise) * probability of the bid in the policy + surprise * plausible bidding

for each hand, so that a bid outside the policy rules out no hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import domain, mover_of
from zhaifei.game.rules import Rules
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.reading import Likelihood, PlausibleBidding

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class MixedBidding:
    """The Likelihood of players who follow `policy`, except for a share `surprise` of plausible
    bidding."""

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
    """The Likelihood at a table where each seat has its own way of bidding."""

    rules: Rules
    starter: int
    """The seat that began the round, from 0."""
    seats: Sequence[Likelihood]
    """[seat] the likelihood of the bids of each seat."""

    def __call__(self, history: Ints, bid: Ints) -> Floats:
        """See Likelihood."""
        mover = mover_of(self.rules, history[0].tolist())
        seat = (self.starter + mover) % self.rules.players
        likely: Floats = self.seats[seat](history, bid)
        return likely
