"""What a best response is known to gain where searching for it tells little: with three players and
more in the full game. A lower bound that is sampled, not certified.

For each seat a response is learnt by sampling (`solver.response.learned`) and then played: in as
many rounds with as without it, with the same dice, all other seats playing the policy. Once learnt
it is a fixed strategy, and the rounds are dealt afterwards, so the differences between what the two
earn with the same deal are independent draws. Their mean, less 1.645 of its standard deviations, is
below what the response gains with a confidence of 95 % (they are bounded, and there are many: the
central limit theorem); and a best response gains at least as much.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from policies.play.simulation import play_rounds
from policies.players.player import PolicyPlayer
from policies.players.table_policy import TablePolicy
from solver.memory import OutOfMemory
from solver.response.learned import SampledResponse

ROUNDS = 200_000
"""Rounds that tell what a response gains to some thousandths of a point."""
_CONFIDENCE = 0.95
_MOST_REMEMBERED = 5
"""Bids that a response remembers exactly, at most: with more it learns too slowly."""


@dataclass(frozen=True)
class KnownGain:
    """By how much a response earns more than the policy in its seat, in penalty points a round."""

    mean: float
    """As sampled."""
    deviation: float
    """Its standard deviation."""
    traversals: int
    """How long the response has learnt."""

    @property
    def lower(self) -> float:
        """A best response gains at least this, with a confidence of 95 %: never less than 0, since
        the policy itself is one of the responses."""
        return max(0.0, self.mean - NormalDist().inv_cdf(_CONFIDENCE) * self.deviation)


def known_nash_conv(gains: Sequence[KnownGain]) -> float:
    """A lower bound of the sum over all seats, with a confidence of 95 %; the seats were sampled
    independently."""
    spread = math.sqrt(sum(gain.deviation**2 for gain in gains))
    return KnownGain(sum(gain.mean for gain in gains), spread, traversals=0).lower


def known_gains(
    policy: TablePolicy, *, seconds: float, seed: int = 0
) -> Iterator[tuple[KnownGain, ...]]:
    """What a response is known to gain in each seat, in order: yielded as it grows, at first empty.
    `seconds` of learning in all, divided evenly, after a first step for each seat that may compile.
    """
    found: tuple[KnownGain, ...] = ()
    yield found
    for seat in range(policy.rules.players):
        response, traversals = _learn(policy, seat, seconds / policy.rules.players, seed)
        gains = _gains(policy, response, seat, seed + seat)
        mean, spread = float(gains.mean()), float(gains.std(ddof=1))
        found = (*found, KnownGain(mean, spread / math.sqrt(gains.size), traversals))
        yield found


def _learn(policy: TablePolicy, seat: int, seconds: float, seed: int) -> tuple[TablePolicy, int]:
    """A response for `seat`, and how many traversals it has learnt from."""
    rules = policy.rules
    recall = ",".join(["bid"] * min(rules.players, _MOST_REMEMBERED))
    learner = SampledResponse(rules, policy.table, seat, recall, seed=seed)
    learner.advance()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            learner.advance()
        except OutOfMemory:
            break  # what has been learnt is a response too
    return TablePolicy(rules, recall, learner.strategy()), learner.traversals


def _gains(policy: TablePolicy, response: TablePolicy, seat: int, seed: int) -> NDArray[np.float64]:
    """[deal] what `response` earns more in `seat` than `policy` does, in penalty points."""
    rules = policy.rules
    usual = [PolicyPlayer(policy)] * rules.players
    instead = [*usual[:seat], PolicyPlayer(response, "response"), *usual[seat + 1 :]]
    return _earned(instead, seat, seed) - _earned(usual, seat, seed)


def _earned(players: Sequence[PolicyPlayer], seat: int, seed: int) -> NDArray[np.float64]:
    """[deal] the penalty points that `seat` saves: its share of what another loses, or minus what
    it loses itself."""
    points = play_rounds(players, players[0].rules, ROUNDS, seed)
    own = points[:, seat]
    saved: NDArray[np.float64] = (points.sum(axis=1) - own) / (len(players) - 1) - own
    return saved
