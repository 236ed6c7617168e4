"""Sample rarely made replies: only one pass in a few follows them, with more weight.

A reply is rare if its mass is below `Step.seldom`. A pass that follows it multiplies its mass by
the number of passes between two that do, so values are right in expectation (Lanctot et al. 2009,
equation 6).
"""

from __future__ import annotations

import numpy as np

from zhaifei.solver.cfr.tree_walk import TreeWalk
from zhaifei.solver.machine.jit import hot_kernel

_ONE_IN = 4
"""One pass in this many follows a rare reply."""


@hot_kernel
def _mixed(number: int) -> int:
    """Return the lowest 32 bits of `number`, mixed (as in Murmur3: Appleby 2011)."""
    mixed = number & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 16)) * 0x21F0AAAD) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 0x735A2D97) & 0xFFFFFFFF
    return int(mixed ^ (mixed >> 15))


@hot_kernel
def is_drawn(passes: int, key: int) -> bool:
    """Return whether this pass follows the rare replies after the history with this `key`.

    One pass in _ONE_IN does, pseudo-randomly and independently of other histories.
    """
    return _mixed(_mixed(key) + passes * 0x9E3779B1) % _ONE_IN == 0


@hot_kernel
def sample(walk: TreeWalk, depth: int, players: int, passes: int) -> float:
    """Return the mass of the range after the current reply of the node at `depth`, or 0 if this
    pass does not follow the node's rare replies.

    If it does, the range and its mass are first multiplied by _ONE_IN. So everything found below is
    right in expectation, even if it is sampled again further down. All rare replies of a node are
    followed in the same passes, so that their averages stay comparable.
    """
    if not is_drawn(passes, int(walk.key[depth])):
        return 0.0
    part = walk.ranges[depth + players, : walk.size[depth]]
    for hand in range(part.size):
        part[hand] *= np.float32(_ONE_IN)
    walk.mass[depth + players] *= np.float32(_ONE_IN)
    return float(walk.mass[depth + players])
