"""The walk that adds one pass to the walker's regrets (CFR: Zinkevich et al. 2007).

It computes the others' reach and follows all actions of the walker. With two players it also adds
the other player's strategy to their average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.growing_tree import NONE, Tree, is_leaf
from zhaifei.solver.cfr.regret_matching import BARRED, Step
from zhaifei.solver.cfr.row_precision import first_noise, narrow, widen
from zhaifei.solver.cfr.seldom_replies import sample
from zhaifei.solver.cfr.tree_averages import add_to_average
from zhaifei.solver.cfr.tree_challenges import add_paid, end_of
from zhaifei.solver.cfr.tree_walk import (
    NEGLIGIBLE,
    Entries,
    TreeWalk,
    add_children,
    add_to_parent,
    advance,
    enter,
    key_after,
    leave_ranges_at,
    push,
    reached_mass,
    weigh_children,
)
from zhaifei.solver.cfr.trembling import tremble
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import ZERO


@hot_kernel
def next_to_improve(tree: Tree, walk: TreeWalk, depth: int, walker: int, step: Step) -> int:
    """Return the next child to value of the node at `depth`, or NONE.

    Where another player moves, their range after the child has been written. With two players it
    has also been added to their average, if the `step` says so.
    """
    players, child = tree.root.bids.players, int(walk.child[depth])
    if walk.mover[depth] == walker:
        return child
    part = walk.ranges[depth + players, : walk.size[depth]]
    while child != NONE:
        mass = reached_mass(tree, walk, depth, walker, child)
        if mass < step.seldom:
            mass = sample(walk, depth, players, step.passes)
        if mass > NEGLIGIBLE:
            if players == 2 and step.averages:
                add_to_average(tree, walk, depth, part, step)
            return child
        advance(tree, walk, depth)
        child = int(walk.child[depth])
    return NONE


@hot_kernel
def update_regrets(tree: Tree, walk: TreeWalk, depth: int, step: Step) -> None:
    """Value the walker's node by the current strategy, and add to its children's regrets."""
    add_children(tree, walk, depth)
    node, value = walk.node[depth], walk.value[depth, : walk.size[depth]]
    child, place = tree.first_child[node], 0
    while child != NONE:
        row, earned = tree.row[child], walk.values[depth, place]
        regret = tree.regret[row : row + value.size]
        first = first_noise(step.passes, key_after(walk.key[depth], tree.action[child]))
        for group in range(value.size):
            before = widen(regret[group])
            keep = step.keep_positive if before > ZERO else step.keep_negative
            now = before
            if before > BARRED:
                now = keep * before + earned[group] - value[group]
            regret[group] = narrow(now, step.noise[first + group], regret[group])
        child, place = tree.sibling[child], place + 1


@hot_kernel
def improve_at_leaf(
    tree: Tree, walk: TreeWalk, depth: int, own: bool, walker: int, paid: int, leaf: int
) -> None:
    """Value the `leaf`, a child of the node at `depth`, by what the player `paid` earns: a
    challenge, a bid that is challenged, or a subtree held elsewhere. Write it as the value of one
    action if the walker moves (`own`), and add it to a sum otherwise."""
    target = walk.values[depth, walk.place[depth]] if own else walk.value[depth]
    value = target[: walk.size[depth]]
    if own:
        for group in range(value.size):
            value[group] = ZERO
    place = leave_ranges_at(tree, walk, depth + 1, leaf)
    if place == NONE:
        add_paid(tree, walk, walker, paid, end_of(tree, walk, depth, tree.action[leaf]), value)
        return
    given = tree.elsewhere.values[place]
    for hand in range(value.size):
        value[hand] = given[hand] if own else value[hand] + given[hand]


@hot_kernel
def improve(tree: Tree, walk: TreeWalk, start: int, above: int, walker: int, step: Step) -> None:
    """Run one pass for the `walker` over the subtree of `start`, and leave its value in
    `walk.value[above]`. Frames and ranges must be as `enter` leaves them."""
    node, depth = start, above
    while True:
        if node == NONE:
            if depth == above:
                return
            if walk.mover[depth] == walker:
                update_regrets(tree, walk, depth, step)
            add_to_parent(tree, walk, depth, depth > above + 1 and walk.mover[depth - 1] == walker)
            depth -= 1
            advance(tree, walk, depth)
        elif is_leaf(tree, node):
            own = depth > above and walk.mover[depth] == walker
            improve_at_leaf(tree, walk, depth, own, walker, walker, node)
            advance(tree, walk, depth)
        else:
            depth += 1
            push(tree, walk, depth, node, tree.partition[node], walker)
            weigh_children(tree, walk, depth, tree.regret)
            if step.tremble > ZERO and walk.mover[depth] != walker:
                tremble(tree, walk, depth, step.tremble)
        node = next_to_improve(tree, walk, depth, walker, step) if depth > above else NONE


@kernel
def improve_below(
    tree: Tree,
    walk: TreeWalk,
    places: NDArray[np.int64],
    entries: Entries,
    walker: int,
    step: Step,
    values: NDArray[np.float32],
) -> None:
    """Improve the `walker` below the `entries` at `places` [n]. Write into `values` [entry, hand]
    what the entries are worth to the walker."""
    for place in places:
        above = enter(tree, walk, entries, place)
        improve(tree, walk, entries.node[place], above, walker, step)
        for hand in range(values.shape[1]):
            values[place, hand] = walk.value[above, hand]
