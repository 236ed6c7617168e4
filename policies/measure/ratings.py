"""Elo-style ratings, from rounds that one player of a table loses or matches that one player wins.

**Model.** Given strengths `t`, player `e` loses a round with probability

    p_e = h_e exp(-t_e) / sum over f of h_f exp(-t_f)

where `f` holds `h_f` seats of the table: Luce's choice axiom, applied to the loser. With two
players, `e` wins with probability 1 / (1 + exp(t_f - t_e)), the Bradley-Terry model. Ratings are
`1500 + t * 400 / ln 10`, where strengths have mean 0. With two players, a player rated 400 above
the other loses one round in eleven. A match has one winner, and `e` wins it with a probability
proportional to `h_e exp(t_e)`: the same model with all strengths negated.

**Estimate.** The strengths maximise the likelihood. Newton's method finds them, halving each step
until the likelihood increases (Hunter 2004, "MM algorithms for generalized Bradley-Terry models",
section 3, compares it with his own method). If `e` loses `L_e` of the `R` rounds at a table, the
gradient and the negated Hessian are the sums over tables of `R p - L` and `R (diag(p) - p p')`. The
maximum is finite if and only if the players cannot be split into two groups of which one never
loses a round to the other (Hunter's assumption 1). A player that never loses is infinitely strong.
Its weight exp(-t) is then 0. So the others are rated as if its seats were empty, which is the limit
of their likelihood.

**Standard error.** Deals are independent; rounds of one deal are not. Let `S` be the covariance of
the summed gradient, estimated from the variation of rounds lost between deals, and `H` the negated
Hessian. The covariance of the estimate is approximately `H^+ S H^+` (White 1982), even if the model
does not fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MEAN = 1500.0
"""The mean of all ratings."""
_PER_STRENGTH = 400.0 / math.log(10.0)
_ROUNDING = 1e-12
"""The relative rounding error of a log-likelihood, which is negative."""


@dataclass(frozen=True)
class Rating:
    """The strength of one player relative to the players that it was compared with."""

    value: float
    """The rating on the Elo scale; the mean over rated players is MEAN."""
    deviation: float
    """The standard error of the rating."""


def ratings(
    held: NDArray[np.float64], lost: NDArray[np.float64], covariance: NDArray[np.float64]
) -> list[Rating | None] | None:
    """Return [player] ratings, with None for a player that never lost a round. Return None instead
    of the list if the others' likelihood has no finite maximum, or fewer than two players lost a
    round.

    All arrays are float64: `held` [table, player] has the seats that the player holds, `lost`
    [table, player] the rounds that it lost there, `covariance` [player, player] the covariance of
    the rounds lost over all tables.
    """
    rated = np.flatnonzero(lost.any(axis=0))
    if len(rated) < 2 or not _comparable(held[:, rated], lost[:, rated]):
        return None
    found: list[Rating | None] = [None] * len(lost.T)
    fitted = _fit(held[:, rated], lost[:, rated], covariance[np.ix_(rated, rated)])
    for place, rating in zip(rated, fitted, strict=True):
        found[place] = rating
    return found


def _fit(
    held: NDArray[np.float64], lost: NDArray[np.float64], covariance: NDArray[np.float64]
) -> list[Rating]:
    """Return [player] ratings by maximum likelihood, which must have a finite maximum."""
    strength = np.zeros(held.shape[1])
    found = -math.inf
    while (here := _likelihood(held, lost, strength)) > found * (1.0 - _ROUNDING):
        found = here
        gradient, information = _derivatives(held, lost, strength)
        inverse = _pseudo_inverse(information)
        step = inverse @ gradient
        while not _likelihood(held, lost, strength + step) >= found * (1.0 + _ROUNDING):
            step /= 2.0
        strength = strength + step
    deviations = np.sqrt(np.diag(inverse @ covariance @ inverse))
    return [
        Rating(float(MEAN + _PER_STRENGTH * value), float(_PER_STRENGTH * deviation))
        for value, deviation in zip(strength - strength.mean(), deviations, strict=True)
    ]


def ratings_of_winners(
    held: NDArray[np.float64], won: NDArray[np.float64], covariance: NDArray[np.float64]
) -> list[Rating | None] | None:
    """Return [player] ratings as `ratings` does, from `won` [table, player] matches won; None for a
    player that never won."""
    found = ratings(held, won, covariance)
    return found and [one and Rating(2.0 * MEAN - one.value, one.deviation) for one in found]


def _comparable(held: NDArray[np.float64], lost: NDArray[np.float64]) -> bool:
    """Return whether every player lost to every other, directly or through a chain of others."""
    lost_to = ((lost > 0.0).T.astype(np.int64) @ (held > 0.0).astype(np.int64)) > 0
    for _ in range(len(lost_to)):
        lost_to |= (lost_to.astype(np.int64) @ lost_to.astype(np.int64)) > 0
    return bool(lost_to.all())


def _loses(held: NDArray[np.float64], strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return [table, player] the probability that the player loses a round."""
    share = held * np.exp(-strength)
    result: NDArray[np.float64] = share / share.sum(axis=1, keepdims=True)
    return result


def _likelihood(
    held: NDArray[np.float64], lost: NDArray[np.float64], strength: NDArray[np.float64]
) -> float:
    """Return the log-likelihood."""
    played = lost > 0.0
    return float((lost[played] * np.log(_loses(held, strength)[played])).sum())


def _derivatives(
    held: NDArray[np.float64], lost: NDArray[np.float64], strength: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return [player] the gradient of the log-likelihood, and [player, player] its negated
    Hessian."""
    loses, rounds = _loses(held, strength), lost.sum(axis=1)
    expected = rounds @ loses
    information = np.diag(expected) - (loses * rounds[:, np.newaxis]).T @ loses
    return expected - lost.sum(axis=0), information


def _pseudo_inverse(information: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pseudo-inverse of a matrix whose null space is the vectors of equal strengths.

    The null direction is given the mean eigenvalue, so that the matrix can be inverted however
    small its other eigenvalues are. It is then removed from the inverse.
    """
    equal = np.full(information.shape, 1.0 / len(information))
    weight = np.trace(information) / len(information)
    result: NDArray[np.float64] = np.linalg.inv(information + weight * equal) - equal / weight
    return result
