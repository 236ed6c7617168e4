"""The sequential test keeps its error rates, whatever the scores are made of."""

import math

import numpy as np
import pytest

from benchmarks._sprt import (
    ALPHA,
    BETA,
    LEAST_SCORES,
    LOWER,
    UPPER,
    log_likelihood_ratio,
    verdict,
)

STREAMS = 2000
GAIN = 0.1
EVERY = 50
"""Scores between two looks."""


def accepted(mean: float, values: list[float], seed: int) -> float:
    """The share of streams in which H1 is accepted. Scores are `values`, with probabilities 1/4,
    1/2 and 1/4, shifted to `mean`."""
    random = np.random.default_rng(seed)
    shifted = np.array(values) - np.dot([0.25, 0.5, 0.25], values) + mean
    decided = np.zeros(STREAMS, dtype=np.int64)
    total, squares, scores = np.zeros(STREAMS), np.zeros(STREAMS), 0
    while not decided.all():
        drawn = random.choice(shifted, size=(STREAMS, EVERY), p=[0.25, 0.5, 0.25])
        total += drawn.sum(axis=1)
        squares += (drawn**2).sum(axis=1)
        scores += EVERY
        middle = total / scores
        ratio = log_likelihood_ratio(scores, middle, squares / scores - middle**2, GAIN)
        now = (ratio >= UPPER).astype(np.int64) - (ratio <= LOWER)
        decided = np.where((decided == 0) & (scores >= LEAST_SCORES), now, decided)
    return float((decided > 0).mean())


@pytest.mark.parametrize("values", [[-1.0, 0.0, 1.0], [-0.5, 0.0, 3.0], [-2.0, 0.0, 0.5]])
def test_error_rates_hold_for_symmetric_and_skewed_scores(values: list[float]) -> None:
    # Wald's bounds, and four standard errors of the share among STREAMS streams.
    for error, rate in (
        (accepted(0.0, values, 1), ALPHA / (1.0 - BETA)),
        (1.0 - accepted(GAIN, values, 2), BETA / (1.0 - ALPHA)),
    ):
        assert error <= rate + 4.0 * math.sqrt(rate * (1.0 - rate) / STREAMS)
    assert accepted(-GAIN, values, 3) < 0.005
    assert accepted(2.0 * GAIN, values, 4) > 0.995


def test_bounds_are_those_of_wald() -> None:
    assert pytest.approx(math.log(19.0)) == UPPER == -LOWER


def test_the_ratio_of_a_small_gain_is_that_of_normal_scores_of_known_variance() -> None:
    exact = float(log_likelihood_ratio(10_000, 0.004, 1.0, 0.002))
    assert exact == pytest.approx(10_000 * 0.002 * (2 * 0.004 - 0.002) / 2.0, rel=1e-4)
    assert float(log_likelihood_ratio(500, 0.05, 1.0, 0.1)) == 0.0


def test_a_ratio_decides_only_beyond_its_bounds_and_after_enough_scores() -> None:
    assert verdict(LEAST_SCORES, UPPER) == "better"
    assert verdict(LEAST_SCORES, LOWER) == "not better"
    assert verdict(LEAST_SCORES, 0.0) == "undecided"
    assert verdict(LEAST_SCORES - 1, UPPER + 1.0) == "undecided"


def test_scores_without_variance_decide() -> None:
    assert float(log_likelihood_ratio(300, 0.0, 0.0, 0.1)) == -math.inf
    assert float(log_likelihood_ratio(300, 0.1, 0.0, 0.1)) == math.inf
