"""95% confidence intervals of means."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DEVIATIONS = NormalDist().inv_cdf((1.0 + 0.95) / 2.0)
"""Half the width of a 95% confidence interval, in standard deviations."""


def margin_of(figures: Floats) -> Floats:
    """Return half the width of the 95% confidence interval of the mean of independent `figures`
    over the last axis."""
    deviation: Floats = figures.std(axis=-1, ddof=1)
    return DEVIATIONS * deviation / math.sqrt(figures.shape[-1])
