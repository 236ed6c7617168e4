"""Averages without the small shares of several players.

With three players or more, regret matching may cycle, and the average keeps a little of all that
was tried on the way. Without small shares NashConv is often lower: see Ganzfried, Sandholm & Waugh
(2012), "Strategy purification and thresholding".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from zhaifei.solver.cfr.growing_tree import NONE, ROOT, GrowingTree, Tree
from zhaifei.solver.cfr.row_precision import widen
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import ZERO

LEAST_SHARES = (0.03, 0.1, 0.3)
"""The least shares with which averages are measured, in turn. In the first minutes 0.03 did best
with four players, 0.1 with five and 跳开, and 0.3 with eight."""


def least_share(passes: int) -> float:
    """Return the least share with which an average is measured after this number of `passes`."""
    return LEAST_SHARES[passes % len(LEAST_SHARES)]


@contextmanager
def without_small_shares(grown: GrowingTree, least: float, first: int = ROOT) -> Iterator[None]:
    """Leave the shares below `least` out of the averages for a while: at all nodes from `first` on.
    Meanwhile the tree must not grow. Raises MemoryError if there is no room to keep the averages.
    """
    averages = grown.tree.average[: grown.numbers]
    kept = averages.copy()
    drop_small_shares(grown.tree, first, np.float32(least))
    try:
        yield
    finally:
        averages[:] = kept


@kernel
def drop_small_shares(tree: Tree, first: int, least: np.float32) -> None:
    """Set to 0 the averages of the actions that a class of hands takes with a share below `least`,
    at all nodes from `first` on. The largest share of a class stays, however small."""
    for node in range(first, tree.used[0]):
        if tree.first_child[node] != NONE:
            for group in range(tree.classes.size[tree.partition[node]]):
                _drop_of_class(tree, node, group, least)


@hot_kernel
def _drop_of_class(tree: Tree, node: int, group: int, least: np.float32) -> None:
    """Do the same for one class, the `group` at the `node`."""
    total, most = ZERO, ZERO
    child = tree.first_child[node]
    while child != NONE:
        average = widen(tree.average[tree.row[child] + group])
        total, most = total + average, max(most, average)
        child = tree.sibling[child]
    kept = min(least * total, most)
    child = tree.first_child[node]
    while child != NONE:
        place = tree.row[child] + group
        if widen(tree.average[place]) < kept:
            tree.average[place] = 0
        child = tree.sibling[child]
