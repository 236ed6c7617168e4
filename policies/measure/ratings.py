"""Elo-style ratings from rounds that one of several players loses, or matches that one wins.

**The model.** With strengths `t`, the one who loses a round is player `e` with probability

    p_e = h_e exp(-t_e) / sum over f of h_f exp(-t_f)

where `h_f` seats of the table are held by `f`: Luce's choice axiom, applied to who loses. Of two
players, `e` wins with probability 1 / (1 + exp(t_f - t_e)): the model of Bradley and Terry. Ratings
are `1500 + t * 400 / ln 10` with strengths that have mean 0, so that of two players one who is 400
above the other loses one round in eleven. A match has one winner, and `e` wins it with the weight
`h_e exp(t_e)`: the same with all strengths negated.

**The estimate** is that of maximum likelihood, by Newton's method with steps that are halved until
they gain (Hunter 2004, "MM algorithms for generalized Bradley-Terry models", section 3, compares it
with his own). With `R` rounds at a table, of which `e` loses `L_e`, gradient and negated Hessian
are the sums over tables of `R p - L` and `R (diag(p) - p p')`. It is finite if and only if there
are no two camps of whom one never loses a round to the other (his assumption 1). Whoever never
loses at all is infinitely strong; as such a player weighs nothing, the others are rated as if its
seats were empty, which is the limit of their likelihood.

**Its standard error.** Rounds of one deal are not independent, deals are. With the covariance `S`
of the summed gradient, found from how much the rounds lost differ from deal to deal, and the
negated Hessian `H`, the estimate has about the covariance `H^+ S H^+` (White 1982; it holds too if
players do not win as any strengths would have them).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MEAN = 1500.0
_PER_STRENGTH = 400.0 / math.log(10.0)
_ROUNDING = 1e-12
"""By which part a log-likelihood, which is negative, may be wrong."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """How strong one player is, among those that it was compared with."""

    value: float
    deviation: float
    """The standard error."""


def ratings(held: Floats, lost: Floats, covariance: Floats) -> list[Rating | None] | None:
    """[player] their ratings, None for who never lost; None if of the others too somebody should be
    infinitely far above others.

    `held` [table, player] is how many seats each holds, `lost` [table, player] how many rounds it
    lost there, and `covariance` [player, player] that of its total over all tables.
    """
    rated = np.flatnonzero(lost.any(axis=0))
    if len(rated) < 2 or not _comparable(held[:, rated], lost[:, rated]):
        return None
    found: list[Rating | None] = [None] * len(lost.T)
    fitted = _fit(held[:, rated], lost[:, rated], covariance[np.ix_(rated, rated)])
    for place, rating in zip(rated, fitted, strict=True):
        found[place] = rating
    return found


def _fit(held: Floats, lost: Floats, covariance: Floats) -> list[Rating]:
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


def ratings_of_winners(held: Floats, won: Floats, covariance: Floats) -> list[Rating | None] | None:
    """As `ratings`, from how many matches each won; None for who never won."""
    found = ratings(held, won, covariance)
    return found and [one and Rating(2.0 * MEAN - one.value, one.deviation) for one in found]


def _comparable(held: Floats, lost: Floats) -> bool:
    """Whether everybody lost to everybody, if only by way of others."""
    lost_to = ((lost > 0.0).T.astype(np.int64) @ (held > 0.0).astype(np.int64)) > 0
    for _ in range(len(lost_to)):
        lost_to |= (lost_to.astype(np.int64) @ lost_to.astype(np.int64)) > 0
    return bool(lost_to.all())


def _loses(held: Floats, strength: Floats) -> Floats:
    """[table, player] how likely it is to lose a round."""
    share = held * np.exp(-strength)
    result: Floats = share / share.sum(axis=1, keepdims=True)
    return result


def _likelihood(held: Floats, lost: Floats, strength: Floats) -> float:
    """Its logarithm."""
    played = lost > 0.0
    return float((lost[played] * np.log(_loses(held, strength)[played])).sum())


def _derivatives(held: Floats, lost: Floats, strength: Floats) -> tuple[Floats, Floats]:
    """[player] the gradient of the log-likelihood, and [player, player] its negated Hessian."""
    loses, rounds = _loses(held, strength), lost.sum(axis=1)
    expected = rounds @ loses
    information = np.diag(expected) - (loses * rounds[:, np.newaxis]).T @ loses
    return expected - lost.sum(axis=0), information


def _pseudo_inverse(information: Floats) -> Floats:
    """Of a matrix that takes nothing but equal strengths to 0, however small what it takes others
    to: with their direction made as heavy as the mean of all."""
    equal = np.full(information.shape, 1.0 / len(information))
    weight = np.trace(information) / len(information)
    result: Floats = np.linalg.inv(information + weight * equal) - equal / weight
    return result
