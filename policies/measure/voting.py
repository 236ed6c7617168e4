"""Rankings of an arena beyond ratings: the maximal lottery over its players.

A maximal lottery (Fishburn 1984; close to Nash averaging, Balduzzi et al. 2018) is the equilibrium
of the game in which two people each send a player into the arena, and the margin between these two
is the payoff. Unlike a rating it is not changed by copies of a player, nor by weak players whom all
others beat, and it shows cycles: then several players share it.

OpenSpiel's `voting.maximal_lotteries` solves the same game by a linear program, and needs cvxpy.
Here the supports are tried, smallest first, which is exact and quick for as many players as an
arena has.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

MOST = 12
"""The most players for whom supports are tried: there are 2,048 supports."""
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
