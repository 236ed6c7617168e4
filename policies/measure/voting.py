"""Rankings of an arena beyond ratings: the maximal lottery and soft Condorcet scores.

Both read each round as a vote: it puts its loser below the others, and counts as many times as the
round costs points. A match puts its winner above the others.

A maximal lottery (Fishburn 1984; close to Nash averaging, Balduzzi et al. 2018) is the equilibrium
of the game in which two people each send a player into the arena, and the margin between these two
is the payoff. Unlike a rating it is not changed by copies of a player, nor by weak players whom all
others beat, and it shows cycles: then several players share it.

OpenSpiel's `voting.maximal_lotteries` solves the same game by a linear program, and needs cvxpy.
Here the supports are tried, smallest first, which is exact and quick for as many players as an
arena has.

Soft Condorcet scores (Lanctot et al. 2024, arXiv 2411.00119) look for the order that contradicts
the fewest votes, as Kemeny and Young do. A vote that puts `a` above `b` costs sigmoid((r_b - r_a) /
temperature), a step function made smooth, and the scores minimise the sum within bounds.
OpenSpiel's `pyspiel.sco` draws votes at random, and its noise is larger than the margins between
good players; here each step weighs all votes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

MOST = 12
"""The most players for whom supports are tried: there are 2,048 supports."""
SCORES = (0.0, 100.0)
"""The least and the greatest soft Condorcet score."""
_TEMPERATURE = 10.0
"""A score ahead by this much counts 73 % of what being ahead can count."""
_STEPS = 20_000
_ROUNDING = 1e-9


def maximal_lottery(margins: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return [player] float64, the probabilities of a maximal lottery; None for more than MOST
    players. `margins` [row, column] is what the row earns from the column; of a matrix that is not
    antisymmetric, the antisymmetric part counts. If several lotteries are maximal, one of those
    with the fewest players is returned."""
    players = len(margins)
    if players > MOST:
        return None
    payoff = (margins - margins.T) / 2.0
    for size in range(1, players + 1):
        for support in combinations(range(players), size):
            lottery = _with_support(payoff, list(support))
            if lottery is not None:
                return lottery
    raise AssertionError("a symmetric game has an equilibrium")


def _with_support(payoff: NDArray[np.float64], support: list[int]) -> NDArray[np.float64] | None:
    """Return the lottery over exactly these players if it is maximal, else None."""
    equations = np.vstack([payoff[np.ix_(support, support)], np.ones(len(support))])
    wanted = np.append(np.zeros(len(support)), 1.0)
    share = np.linalg.lstsq(equations, wanted, rcond=None)[0]
    lottery = np.zeros(len(payoff))
    lottery[support] = share
    beaten = (payoff @ lottery).max() <= _ROUNDING
    return lottery if share.min() > -_ROUNDING and beaten else None


def soft_condorcet(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return [player] float64, scores within SCORES of which the higher is the better; equal
    players have equal scores. `margins` are as for `maximal_lottery`.

    The sum is not convex. Gradient descent from equal scores, with steps so short that the sum
    never grows, ends at a local minimum.
    """
    votes = (margins - margins.T) / 2.0
    least, greatest = SCORES
    scores = np.full(len(votes), (least + greatest) / 2.0)
    steepest = np.abs(votes).sum(axis=1).max(initial=0.0)
    if steepest == 0.0:
        return scores
    # The second derivative of the sigmoid is at most 0.0963, and a row has each vote twice.
    step = _TEMPERATURE / (0.2 * steepest)
    for _ in range(_STEPS):
        behind = 1.0 / (1.0 + np.exp(np.subtract.outer(scores, scores) / _TEMPERATURE))
        better = scores + step * (votes * behind * (1.0 - behind)).sum(axis=1)
        better = np.clip(better, least, greatest)
        if np.abs(better - scores).max() < _ROUNDING:
            break
        scores = better
    return scores
