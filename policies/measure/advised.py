"""What is advised of what a policy plays: nothing that is worse by the values shown beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DOMINATED = 0.01
"""What loses more than this to the best action, in penalty points, is not advised."""
_LEAST = 1e-3
"""If less than this probability is left, the best action is advised alone."""


def advised(played: Floats, values: Floats) -> Floats:
    """Return [action] what is `played` without what loses more than DOMINATED by the `values`,
    which are NaN for illegal actions; the best action if nothing is left."""
    kept = np.where(values >= np.nanmax(values) - DOMINATED, played, 0.0)
    return _normalised(kept) if kept.sum() >= _LEAST else _only(values)


def advised_surely(played: Floats, values: Floats, errors: Floats) -> Floats:
    """Return [action] the same where `values` may be off by `errors`: the best action is the one
    that is sure to earn most, and another is left out if it surely loses more than DOMINATED.

    If the most probable action surely earns less than the best one, the best one is advised alone.
    """
    sure, possible = values - errors, values + errors
    most = np.nanmax(sure)
    kept = np.where(possible >= most - DOMINATED, played, 0.0)
    if kept.sum() < _LEAST or possible[kept.argmax()] < most:
        return _only(sure)
    return _normalised(kept)


def _normalised(kept: Floats) -> Floats:
    normalised: Floats = kept / kept.sum()
    return normalised


def _only(values: Floats) -> Floats:
    """Return [action] the strategy of the action with the highest value."""
    best: Floats = np.zeros(values.size)
    best[np.nanargmax(values)] = 1.0
    return best
