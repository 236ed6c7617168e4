"""Regret matching over the actions of one decision, for all hands at once, in numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BARRED = np.float32(-(2.0**99))
"""The regret of an action that a hand may not take, whatever it would earn (`solver.cfr.support`).
All formats of rows hold this number exactly."""


class Step(NamedTuple):
    """How a pass weighs itself against earlier passes (discounted CFR: Brown & Sandholm 2019)."""

    keep_positive: np.float32
    """The factor of positive regrets before the pass adds its own."""
    keep_negative: np.float32
    """The factor of negative regrets before the pass adds its own."""
    weight: np.float32
    """The weight of the pass in the average strategy."""
    passes: int
    """The number of passes so far, this one included."""
    noise: NDArray[np.uint16]
    """The noise that rounds the rows this pass writes (`solver.cfr.row_precision`)."""
    seldom: np.float32 = np.float32(0.0)
    """The mass below which only some passes follow a reply (`solver.cfr.seldom_replies`)."""
    averages: bool = True
    """Whether a walk that improves one of two players adds to the other's average."""
    tremble: np.float32 = np.float32(0.0)
    """The probability with which the players who are not being improved take an action at random
    (`solver.cfr.trembling`)."""


def positive_shares(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return [action, hand] the strategy of regret matching: each hand plays in proportion to its
    positive `shares`, or the first action if it has no positive share."""
    positive: NDArray[np.float32] = np.maximum(shares, np.float32(0.0))
    total = positive.sum(axis=0)
    positive /= np.where(total > 0.0, total, np.float32(1.0))
    positive[0, total == 0.0] = 1.0
    return positive


def improved(
    regret: NDArray[np.float32], earned: NDArray[np.float32], step: Step
) -> NDArray[np.float32]:
    """Return the `regret` [action, hand] after a pass in which the player followed regret matching
    and each action earned `earned` [action, hand]."""
    value = (positive_shares(regret) * earned).sum(axis=0)
    kept = regret * np.where(regret > 0.0, step.keep_positive, step.keep_negative)
    found: NDArray[np.float32] = np.where(regret > BARRED, kept + earned - value, regret)
    return found
