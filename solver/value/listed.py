"""Ranges as lists of hands: what both walks over strategy tables keep of each player.

A range over all hands soon holds a few dozen: those that would have bid like this. So a walk keeps,
at each place of a line, the hands that are left and their reach. Both kernels write without a
branch: a hand that drops out is overwritten by the next one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.jit import hot_kernel


@hot_kernel
def list_range(
    range_: NDArray[np.float64], hands: NDArray[np.int64], reach: NDArray[np.float64]
) -> tuple[int, float]:
    """Write the hands of `range_` [hand] that have some mass into `hands` [place] and `reach`
    [place]. Return how many there are, and their mass."""
    support, mass = 0, 0.0
    for hand in range(range_.size):
        hands[support] = hand
        reach[support] = range_[hand]
        mass += range_[hand]
        support += range_[hand] > 0.0
    return support, mass


@hot_kernel
def list_part(
    hands: NDArray[np.int64],
    weight: NDArray[np.float64],
    support: int,
    probability: NDArray[np.float32] | NDArray[np.uint8],
    unit: float,
    kept: NDArray[np.int64],
    reach: NDArray[np.float64],
) -> tuple[int, float]:
    """Write the part of a range that plays an action into `kept` [place] and `reach` [place].

    The range is `hands` [place] of this `weight` [place], as many as `support`; they play the
    action with `probability` [hand] times `unit`. Return the part's support and mass.
    """
    left, mass = 0, 0.0
    for place in range(support):
        hand = hands[place]
        part = weight[place] * probability[hand] * unit
        kept[left] = hand
        reach[left] = part
        mass += part
        left += part > 0.0
    return left, mass
