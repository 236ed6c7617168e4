"""A sequential test of whether one policy earns more than another.

Fishtest decides in this way whether a change of Stockfish is an improvement. Independent scores
with mean `m` arrive one after another. Here a score is the result of a deal, which both sides play
with the same dice in all seats, so that luck cancels. The hypotheses are

    H0: m <= 0        H1: m >= gain

with a gain that is worth having. Wald (1945): keep the log likelihood ratio of `m = gain` to `m =
0`, accept H1 when it reaches log((1 - beta) / alpha), H0 when it falls to log(beta / (1 - alpha)),
and else go on. Then H1 is accepted with a probability of at most alpha / (1 - beta) if m = 0. H0 is
accepted with a probability of at most beta / (1 - alpha) if m = gain. Below 0 and above `gain`
errors are rarer still. Deciding only after batches of scores makes errors rarer and tests longer.

The distribution of a score is not known. As in the generalised test of Li, Liu & Ying (2014), each
likelihood is the largest that the data allow under its mean. For a normal distribution with mean
`m`, it is attained at the variance `s2 + (mean - m)^2`, where `mean` and `s2` are the mean and
variance of the `n` scores so far. Hence

    ratio = n / 2 * log((s2 + mean^2) / (s2 + (mean - gain)^2)),

which for a small gain equals n * gain * (2 * mean - gain) / (2 * s2). Scores of a deal are whole
points over a number of seatings, not normal. But the ratio depends on them only by a sum of
hundreds or more, whose distribution is normal. Fishtest does the same with the five results of a
pair of games (its pentanomial model; M. Van den Bergh, "A practical introduction to the GSPRT",
2020). There the largest likelihood is found over distributions on five points, and agrees to first
order.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Verdict = Literal["better", "not better", "undecided"]

ALPHA = BETA = 0.05
"""The probabilities of accepting H1 if there is no gain, and H0 if there is a gain."""
LOWER, UPPER = math.log(BETA / (1.0 - ALPHA)), math.log((1.0 - BETA) / ALPHA)
"""The ratios at which H0 and H1 are accepted."""
LEAST_SCORES = 200
"""The least number of scores for a decision; the variance of fewer scores is unreliable."""


def log_likelihood_ratio(
    scores: ArrayLike, mean: ArrayLike, variance: ArrayLike, gain: float
) -> NDArray[np.float64]:
    """Return the log likelihood ratio of a mean of `gain` > 0 to a mean of 0.

    `scores` is the number of scores, `mean` and `variance` (divided by `scores`, not by one less)
    are theirs; all are arrays of one shape, or numbers. Scores without variance decide at once: the
    ratio is infinite.
    """
    number, middle, spread = (
        np.asarray(array, dtype=np.float64) for array in (scores, mean, variance)
    )
    with np.errstate(divide="ignore"):
        no_gain, as_gain = np.log(spread + middle**2), np.log(spread + (middle - gain) ** 2)
    result: NDArray[np.float64] = number / 2.0 * (no_gain - as_gain)
    return result


def verdict(scores: int, ratio: float) -> Verdict:
    """Return the decision of the test after `scores` scores, at this log likelihood ratio."""
    if scores < LEAST_SCORES or LOWER < ratio < UPPER:
        return "undecided"
    return "better" if ratio >= UPPER else "not better"
