"""Replies that are made seldom: one pass in a few follows them, for all the others as well.

The mass below which a reply is seldom is `Step.seldom`. What a pass finds below such a reply counts
for as many passes as there are between two that follow it, so it is right in expectation (Lanctot
et al. 2009, equation 6).
"""

from __future__ import annotations

import numpy as np

from solver.cfr.tree_walk import TreeWalk
from solver.jit import hot_kernel

_ONE_IN = 4
"""Of so many passes one follows a reply that is made seldom."""


@hot_kernel
def _mixed(number: int) -> int:
    """Return the lowest 32 bits of a `number`, mixed (as in Murmur3: Appleby 2011)."""
    mixed = number & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 16)) * 0x21F0AAAD) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 0x735A2D97) & 0xFFFFFFFF
    return int(mixed ^ (mixed >> 15))


@hot_kernel
def is_drawn(passes: int, key: int) -> bool:
    """Return whether this pass follows the seldom replies after the history with this `key`: one
    pass in _ONE_IN does, as good as at random, and independent of other histories."""
    return _mixed(_mixed(key) + passes * 0x9E3779B1) % _ONE_IN == 0


@hot_kernel
def sample(walk: TreeWalk, depth: int, players: int, passes: int) -> float:
    """If this pass follows the seldom replies of the node at `depth`, multiply the range after the
    current one by the number of passes of which it is one, and return its mass; else return 0.

    So all that is found below is right in expectation, also where it is sampled again further down.
    All replies of a node are followed in the same passes, and their averages stay comparable.
    """
    if not is_drawn(passes, int(walk.key[depth])):
        return 0.0
    part = walk.ranges[depth + players]
    for hand in range(part.size):
        part[hand] *= np.float32(_ONE_IN)
    walk.mass[depth + players] *= np.float32(_ONE_IN)
    return float(walk.mass[depth + players])
