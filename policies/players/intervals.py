"""95% confidence intervals of means."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DEVIATIONS = NormalDist().inv_cdf((1.0 + 0.95) / 2.0)
"""Half the width of a 95% confidence interval, in standard deviations."""


def margin_of(figures: Floats, spread: float | None = None) -> Floats:
    """Return half the width of the 95% confidence interval of the mean of independent `figures`
    over the last axis.

    It is that of Wilson (1927, "Probable inference"), around the mean. If figures can differ by
    `spread`, spread ** 2 / 4 is the most that the variance can be, and counts as much as
    DEVIATIONS ** 2 figures. So the interval also holds means of figures that seldom differ, and has
    a width where by chance all are equal. Without `spread`, it is taken from all figures.
    """
    number, spread = figures.shape[-1], np.ptp(figures) if spread is None else spread
    variance = figures.var(axis=-1, ddof=1) + DEVIATIONS**2 * spread**2 / 4.0 / number
    margin: Floats = DEVIATIONS * np.sqrt(variance / number)
    return margin
