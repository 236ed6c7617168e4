"""Sampled lower bounds of the gain of a best response, for three players or more in the full game,
where certified bounds stay wide. The bounds hold with 95 % confidence; they are not certified.

For each seat, a response is learned by sampling (`solver.response.learned`). Then the same deals
are played twice, with the response and with the policy in that seat; all other seats play the
policy. The response is fixed before the deals are drawn. So the differences between the two
utilities, one for each deal, are independent and identically distributed. They are bounded and
many: by the central limit theorem their mean less 1.645 standard errors is below the response's
expected gain with 95 % confidence. A best response gains at least as much.

**Policies that read** are not tables, so no kernel learns against them. Here the responses are
existing players: the table alone, the reader, and the rule-based players. One sample of deals
chooses the best of them in each seat, and a separate sample measures it, so the argument above
holds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from zhaifei.policies.play.simulation import play_rounds
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rule_based import RULES, rule_based
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.response.learned import SampledResponse

ROUNDS = 200_000
"""Deals for which the standard error of a gain is some thousandths of a point."""
READING_ROUNDS = 2_000
"""Deals for policies that read, which play a thousand rounds a second; the standard error is about
a fiftieth."""
_CHOOSING = 4
"""A response is chosen on this many times fewer deals."""
_CONFIDENCE = 0.95
_MOST_REMEMBERED = 5
"""The largest number of most recent bids that a response remembers exactly: with more it learns too
slowly."""


@dataclass(frozen=True)
class KnownGain:
    """The gain of a learned response over the policy in its seat, in penalty points per round."""

    mean: float
    """The mean gain over the sampled deals."""
    deviation: float
    """The standard error of the mean."""
    traversals: int
    """The number of traversals from which the response learned."""

    @property
    def lower(self) -> float:
        """A lower bound of a best response's gain, with 95 % confidence. It is never below 0, since
        the policy itself is a response that gains 0."""
        return max(0.0, self.mean - NormalDist().inv_cdf(_CONFIDENCE) * self.deviation)


def known_nash_conv(gains: Sequence[KnownGain]) -> float:
    """Return a lower bound of NashConv with 95 % confidence, in penalty points per round.

    `gains` [seat] must have been sampled independently of each other.
    """
    spread = math.sqrt(sum(gain.deviation**2 for gain in gains))
    return KnownGain(sum(gain.mean for gain in gains), spread, traversals=0).lower


def known_gains(
    policy: TablePolicy, *, seconds: float, seed: int = 0
) -> Iterator[tuple[KnownGain, ...]]:
    """Yield [seat] the gains in the seats done so far: first an empty tuple, then one more seat
    each time.

    Learning takes about `seconds` in all, divided evenly among the seats. Each seat first takes one
    step outside of the limit, because it may compile. The seed determines the dice of rounds and of
    learning; the number of traversals depends on the time.
    """
    found: tuple[KnownGain, ...] = ()
    yield found
    for seat in range(policy.rules.players):
        response, traversals = _learn(policy, seat, seconds / policy.rules.players, seed)
        gains = _gains(policy, response, seat, seed + seat)
        mean, spread = float(gains.mean()), float(gains.std(ddof=1))
        found = (*found, KnownGain(mean, spread / math.sqrt(gains.size), traversals))
        yield found


def known_gains_on_reading(
    policy: ReadingPolicy, *, rounds: int = READING_ROUNDS, seed: int = 0
) -> Iterator[tuple[KnownGain, ...]]:
    """Yield [seat] the gains of known players over a policy that reads, in the seats done so far:
    first an empty tuple, then one more seat each time. Equal arguments give equal gains.

    It plays about four times `rounds` rounds for each seat, at a thousand rounds a second with five
    dice.
    """
    usual, rules = PolicyPlayer(policy), policy.rules
    responses: list[BatchPlayer] = [
        PolicyPlayer(policy.plain, "table"),
        PolicyPlayer(Reader(rules), "reader"),
        *(PolicyPlayer(rule_based(name, rules), name) for name in RULES),
    ]
    found: tuple[KnownGain, ...] = ()
    yield found
    for seat in range(rules.players):
        choosing, measuring = (2 * (seed * rules.players + seat) + part for part in range(2))
        few = max(2, rounds // _CHOOSING)
        best = max(
            responses, key=lambda one: _earned(_with(usual, one, seat), seat, few, choosing).mean()
        )
        gains = _gain(usual, best, seat, rounds, measuring)
        spread = float(gains.std(ddof=1)) / math.sqrt(gains.size)
        found = (*found, KnownGain(float(gains.mean()), spread, traversals=0))
        yield found


def _learn(policy: TablePolicy, seat: int, seconds: float, seed: int) -> tuple[TablePolicy, int]:
    """Learn a response for `seat` in about `seconds`; return it and the number of traversals."""
    rules = policy.rules
    recall = ",".join(["bid"] * min(rules.players, _MOST_REMEMBERED))
    learner = SampledResponse(rules, policy.table, seat, recall, seed=seed)
    learner.advance()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            learner.advance()
        except OutOfMemory:
            break  # the strategy learned so far is a response too
    return TablePolicy(rules, recall, learner.strategy()), learner.traversals


def _gains(policy: TablePolicy, response: TablePolicy, seat: int, seed: int) -> NDArray[np.float64]:
    """Return [deal] the utility of `response` in `seat` minus the utility of `policy` there, in
    penalty points."""
    return _gain(PolicyPlayer(policy), PolicyPlayer(response, "response"), seat, ROUNDS, seed)


def _gain(
    usual: BatchPlayer, response: BatchPlayer, seat: int, rounds: int, seed: int
) -> NDArray[np.float64]:
    """Return [deal] the utility of `response` in `seat` minus the utility of `usual` there."""
    earned = _earned(_with(usual, response, seat), seat, rounds, seed)
    return earned - _earned(_with(usual, usual, seat), seat, rounds, seed)


def _with(usual: BatchPlayer, response: BatchPlayer, seat: int) -> list[BatchPlayer]:
    """Return the players of a table: `response` in `seat`, and `usual` in the others."""
    return [response if one == seat else usual for one in range(usual.rules.players)]


def _earned(
    players: Sequence[BatchPlayer], seat: int, rounds: int, seed: int
) -> NDArray[np.float64]:
    """Return [deal] the utility of `seat` in penalty points: minus the points that it takes, or its
    share 1 / (N - 1) of the points that another player takes."""
    points = play_rounds(players, players[0].rules, rounds, seed)
    own = points[:, seat]
    saved: NDArray[np.float64] = (points.sum(axis=1) - own) / (len(players) - 1) - own
    return saved
