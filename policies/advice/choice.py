"""Select the actions of a strategy that are advised, without those of clearly worse value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DOMINATED = 0.01
"""Actions that lose more than this to the best action, in penalty points, are not advised."""
_LEAST = 1e-3
"""If less probability than this is left, only the best action is advised."""


def advised(played: Floats, values: Floats) -> Floats:
    """Return [action] the strategy `played` without actions that lose more than DOMINATED by the
    `values`, which are NaN for illegal actions. Return the best action alone if too little is
    left."""
    kept = np.where(values >= np.nanmax(values) - DOMINATED, played, 0.0)
    return _normalised(kept) if kept.sum() >= _LEAST else _only(values)


def advised_surely(played: Floats, values: Floats, errors: Floats) -> Floats:
    """Return [action] the strategy as `advised` does, for `values` with these `errors`. The best
    action has the highest certain value, and actions that surely lose more than DOMINATED are left
    out.

    If the most probable action surely earns less than the best, only the best is advised.
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
