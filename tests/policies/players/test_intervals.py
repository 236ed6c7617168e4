"""Intervals of means hold the mean as often as they claim."""

import numpy as np
import pytest
from scipy.stats import binom

from zhaifei.policies.players.intervals import DEVIATIONS, margin_of


@pytest.mark.parametrize("number", [128, 512, 2048])
def test_nineteen_of_twenty_intervals_hold_a_probability(number: int) -> None:
    """Over probabilities from 5% to 95%; the usual interval holds as few as 88% of 128 figures."""
    lost = np.arange(number + 1)
    figures = (np.arange(number) < lost[:, np.newaxis]).astype(np.float64)  # every possible sample
    margins, held = margin_of(figures), []
    for probability in np.linspace(0.05, 0.95, 91):
        likely = binom.pmf(lost, number, probability)
        held.append(likely @ (abs(lost / number - probability) <= margins))
    assert np.mean(held) == pytest.approx(0.95, abs=0.0015)
    assert min(held) >= 0.935


def test_equal_figures_beside_others_have_an_interval() -> None:
    figures = np.zeros((2, 100))
    figures[1, ::2] = 1.25
    margins = margin_of(figures)
    assert margins[0] == pytest.approx(DEVIATIONS**2 * 1.25 / 200.0)
    assert margins[1] > margins[0]
    assert margin_of(np.ones(10)) == 0.0


def test_the_margin_of_a_difference_is_at_most_the_sum() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        figures = random.choice([-1.0, 0.25], size=(4, 40), p=random.dirichlet([1.0, 1.0]))
        margins, differences = margin_of(figures), margin_of(figures - figures[0])
        assert (differences <= margins + margins[0] + 1e-12).all()
