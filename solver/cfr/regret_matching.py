"""Regret matching over the actions of one decision, for all hands at once, in numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Step(NamedTuple):
    """How a pass weighs what came before it (discounted CFR: Brown & Sandholm 2019)."""

    keep_positive: np.float32
    """Regrets above zero are multiplied by this before the pass adds its own."""
    keep_negative: np.float32
    weight: np.float32
    """Of the pass in the average."""
    passes: int
    """How many there were, with this one,"""
    noise: NDArray[np.uint16]
    """and what rounds the rows it writes (`solver.cfr.narrow`)."""
    seldom: np.float32 = np.float32(0.0)
    """The mass below which only some passes follow a reply (`solver.cfr.seldom_replies`)."""


def positive_shares(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return [action, hand] the strategy of regret matching: each hand plays in proportion to its
    positive `shares`; the first action where none is positive."""
    positive: NDArray[np.float32] = np.maximum(shares, np.float32(0.0))
    total = positive.sum(axis=0)
    positive /= np.where(total > 0.0, total, np.float32(1.0))
    positive[0, total == 0.0] = 1.0
    return positive


def improved(
    regret: NDArray[np.float32], earned: NDArray[np.float32], step: Step
) -> NDArray[np.float32]:
    """Return the `regret` [action, hand] after a pass in which the actions `earned` [action, hand]
    so much against the others, while this player played what the regrets were."""
    value = (positive_shares(regret) * earned).sum(axis=0)
    kept = regret * np.where(regret > 0.0, step.keep_positive, step.keep_negative)
    found: NDArray[np.float32] = kept + earned - value
    return found
