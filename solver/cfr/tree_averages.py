"""Walks that add one player's current strategy to their average, weighted by their own reach.

With two players `solver.cfr.tree_improve` does this at less cost while it improves the other
player, whose walk has this player's reach at hand. With three or more players it would miss
histories that some third player does not reach at present.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.growing_tree import NONE, Tree, is_leaf
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.row_precision import first_noise, narrow, widen
from zhaifei.solver.cfr.tree_walk import (
    NEGLIGIBLE,
    Entries,
    TreeWalk,
    advance,
    enter,
    key_after,
    leave_ranges_at,
    move,
    push,
    weigh_children,
)
from zhaifei.solver.machine.jit import hot_kernel, kernel


@hot_kernel
def add_to_average(
    tree: Tree, walk: TreeWalk, depth: int, part: NDArray[np.float32], step: Step
) -> None:
    """Add `part` [class], the range that reaches the current child of the node at `depth`, to the
    child's average."""
    child = walk.child[depth]
    row = tree.row[child]
    average = tree.average[row : row + part.size]
    first = first_noise(step.passes, key_after(walk.key[depth], tree.action[child]))
    for group in range(part.size):
        added = widen(average[group]) + step.weight * part[group]
        average[group] = narrow(added, step.noise[first + group], average[group])


@hot_kernel
def next_to_accumulate(tree: Tree, walk: TreeWalk, depth: int, player: int, step: Step) -> int:
    """Return the next child of the node at `depth` below which the strategy of `player` must be
    added to their average, or NONE.

    Where `player` moves, the strategies of the children up to the returned one have been added, and
    the player's range after it has been written.
    """
    players = tree.root.bids.players
    part = walk.ranges[depth + players, : walk.size[depth]]
    child = int(walk.child[depth])
    while child != NONE:
        followed = True
        if walk.mover[depth] == player:
            followed = bool(move(tree, walk, depth, child) > NEGLIGIBLE)
            if followed:
                add_to_average(tree, walk, depth, part, step)
        if followed and not is_leaf(tree, child):
            return child
        if followed:
            leave_ranges_at(tree, walk, depth + 1, child)
        advance(tree, walk, depth)
        child = int(walk.child[depth])
    return NONE


@hot_kernel
def accumulate(tree: Tree, walk: TreeWalk, start: int, above: int, player: int, step: Step) -> None:
    """Add the current strategy of `player` below `start` to their average, by their own reach times
    the weight of the pass. Frames and ranges must be as `enter` leaves them."""
    if is_leaf(tree, start):
        leave_ranges_at(tree, walk, above + 1, start)
        return
    node, depth = start, above + 1
    while depth > above:
        if node != NONE:
            push(tree, walk, depth, node, tree.partition[node])
            if walk.mover[depth] == player:
                weigh_children(tree, walk, depth, tree.regret)
        node = next_to_accumulate(tree, walk, depth, player, step)
        if node != NONE:
            depth += 1
            continue
        depth -= 1
        if depth > above:
            advance(tree, walk, depth)


@kernel
def accumulate_below(
    tree: Tree,
    walk: TreeWalk,
    places: NDArray[np.int64],
    entries: Entries,
    player: int,
    step: Step,
) -> None:
    """Add the strategy of `player` below the `entries` at `places` [n] to their average."""
    for place in places:
        above = enter(tree, walk, entries, place)
        accumulate(tree, walk, entries.node[place], above, player, step)
