"""The walks and the step of a descent on NashConv (`solver.cfr.descent`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.growing_tree import NONE, ROOT, GrowingTree, Tree, is_leaf
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.row_precision import NEAREST, Stored, first_noise, narrow, widen
from zhaifei.solver.cfr.tree_improve import improve_at_leaf, next_to_improve
from zhaifei.solver.cfr.tree_walk import (
    Entries,
    TreeWalk,
    add_children,
    add_to_parent,
    advance,
    enter,
    is_fallback,
    key_after,
    others_mass,
    push,
    weigh_children,
)
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import TINY, ZERO

BEST = np.float32(255.0)
"""What the best action counts among best responses."""
_HALF = np.float32(0.5)
"""Rounds to the nearest whole number if what follows the point is then cut off."""
_LEAST_LOSS = 1e-30
"""Avoids a division by zero where the others do not come."""


class Search(NamedTuple):
    """A walk for the `walker`, over what the player `paid` earns by their best responses, while the
    others play the current strategy. If the walker is paid, the best responses are noted. They must
    be known otherwise; then the gains of the walker's actions are noted."""

    walker: int
    paid: int
    softness: float
    """The loss, in points, of an action that counts 1/e among best responses."""
    step: Step
    """The step, without weights."""


class Pace(NamedTuple):
    """How far a step goes."""

    rate: float
    """The step size, in probability per penalty point."""
    ahead: float
    """The part of the way from the average to the current strategy that the step goes on."""


class Gathered(NamedTuple):
    """What the walks of one step of a descent gather."""

    best: NDArray[np.uint8]
    """[row + class] how much the action counts among the best responses of the player who moves, up
    to BEST."""
    gain: NDArray[np.float32]
    """[row + class] how much less than the current strategy the action lets the others' best
    responses earn, summed over the others."""
    mass: NDArray[np.float64]
    """[node] the probability with which the others come to the node, summed over the others who
    respond."""


def new_gathered(grown: GrowingTree) -> Gathered:
    """Return what walks of the tree `grown` gather, filled with zeros. Raise OutOfMemory."""
    with grown.within_memory():
        return Gathered(
            best=np.zeros(grown.numbers, dtype=np.uint8),
            gain=np.zeros(grown.numbers, dtype=np.float32),
            mass=np.zeros(len(grown), dtype=np.float64),
        )


# Walks


@hot_kernel
def note_best(
    tree: Tree, walk: TreeWalk, depth: int, walker: int, softness: float, gathered: Gathered
) -> None:
    """Value the walker's node at `depth` by the best actions of each class, and note these actions.
    An action counts less the more it loses, in expectation over the others, for the `softness`."""
    node, value = walk.node[depth], walk.value[depth, : walk.size[depth]]
    most, total = walk.best[: value.size], walk.scale[depth, : value.size]
    scale = np.float32(1.0 / max(softness * others_mass(tree, walk, depth, walker), _LEAST_LOSS))
    child, place = tree.first_child[node], 0
    while child != NONE:
        earned = walk.values[depth, place]
        for group in range(value.size):
            most[group] = earned[group] if place == 0 else max(most[group], earned[group])
        child, place = tree.sibling[child], place + 1
    for group in range(value.size):
        total[group] = ZERO
    child, place = tree.first_child[node], 0
    while child != NONE:
        earned, row = walk.values[depth, place], tree.row[child]
        for group in range(value.size):
            part = np.uint8(BEST * np.exp((earned[group] - most[group]) * scale) + _HALF)
            gathered.best[row + group] = part
            value[group] += np.float32(part) * earned[group]
            total[group] += np.float32(part)
        child, place = tree.sibling[child], place + 1
    for group in range(value.size):
        value[group] /= total[group]


@hot_kernel
def add_gains(tree: Tree, walk: TreeWalk, depth: int, walker: int, gathered: Gathered) -> None:
    """Value the walker's node at `depth` by the current strategy. Add to the gains of its children
    how much less they let the player who responds earn."""
    add_children(tree, walk, depth)
    node, value = walk.node[depth], walk.value[depth, : walk.size[depth]]
    child, place = tree.first_child[node], 0
    while child != NONE:
        earned, row = walk.values[depth, place], tree.row[child]
        for group in range(value.size):
            gathered.gain[row + group] += value[group] - earned[group]
        child, place = tree.sibling[child], place + 1
    gathered.mass[node] += others_mass(tree, walk, depth, walker)


@hot_kernel
def gather(
    tree: Tree, walk: TreeWalk, start: int, above: int, search: Search, gathered: Gathered
) -> None:
    """Do a `search` below `start`, and leave the value in `walk.value[above]`. Frames and ranges
    must be as `enter` leaves them."""
    node, depth, walker = start, above, search.walker
    while True:
        if node == NONE:
            if depth == above:
                return
            if walk.mover[depth] == walker and walker == search.paid:
                note_best(tree, walk, depth, walker, search.softness, gathered)
            elif walk.mover[depth] == walker:
                add_gains(tree, walk, depth, walker, gathered)
            add_to_parent(tree, walk, depth, depth > above + 1 and walk.mover[depth - 1] == walker)
            depth -= 1
            advance(tree, walk, depth)
        elif is_leaf(tree, node):
            own = depth > above and walk.mover[depth] == walker
            improve_at_leaf(tree, walk, depth, own, walker, search.paid, node)
            advance(tree, walk, depth)
        else:
            depth += 1
            push(tree, walk, depth, node, tree.partition[node], walker)
            if walk.mover[depth] != search.paid:
                weigh_children(tree, walk, depth, tree.regret)
            elif walker != search.paid:
                weigh_children(tree, walk, depth, gathered.best)
        node = next_to_improve(tree, walk, depth, walker, search.step) if depth > above else NONE


@kernel
def gather_below(
    tree: Tree,
    walk: TreeWalk,
    places: NDArray[np.int64],
    entries: Entries,
    search: Search,
    gathered: Gathered,
    values: NDArray[np.float32],
) -> None:
    """Do a `search` below the `entries` at `places` [n]. Write into `values` [entry, hand] what the
    entries are worth to the player who is paid, by hand of the walker."""
    for place in places:
        above = enter(tree, walk, entries, place)
        gather(tree, walk, entries.node[place], above, search, gathered)
        for hand in range(values.shape[1]):
            values[place, hand] = walk.value[above, hand]


# Strategies


@hot_kernel
def played(tree: Tree, rows: Stored, child: int, group: int, total: float) -> float:
    """Return the probability with which a class takes the action of `child`, where the positive
    parts of its `rows` sum to `total`."""
    if total >= TINY:
        return float(max(widen(rows[tree.row[child] + group]), ZERO) / total)
    return 1.0 if is_fallback(tree, child) else 0.0


@hot_kernel
def sum_of(tree: Tree, rows: Stored, node: int, group: int) -> float:
    """Return the sum of the positive parts of the `rows` of the children of `node` for a class."""
    total, child = ZERO, tree.first_child[node]
    while child != NONE:
        total += max(widen(rows[tree.row[child] + group]), ZERO)
        child = tree.sibling[child]
    return float(total)


@kernel
def descend_below(
    tree: Tree,
    first: int,
    last: int,
    keys: NDArray[np.int64],
    pace: Pace,
    step: Step,
    gathered: Gathered,
) -> None:
    """Change the current strategy at the nodes from `first` to before `last`: by the rate of the
    `pace` times the gains per others' mass, and ahead of the average. Write it into the regrets as
    probabilities that still have to be divided by their sum. `keys` [node] are those of the nodes'
    histories."""
    for node in range(first, last):
        if tree.first_child[node] == NONE or gathered.mass[node] <= 0.0:
            continue
        scale = pace.rate / gathered.mass[node]
        for group in range(tree.classes.size[tree.partition[node]]):
            total, child = sum_of(tree, tree.regret, node, group), tree.first_child[node]
            averages = sum_of(tree, tree.average, node, group)
            while child != NONE:
                place = tree.row[child] + group
                share = played(tree, tree.regret, child, group, total)
                change = scale * gathered.gain[place]
                if averages >= TINY:
                    average = played(tree, tree.average, child, group, averages)
                    change += pace.ahead * (share - average)
                moved = np.float32(max(share + change, 0.0))
                noise = step.noise[first_noise(step.passes, keys[child]) + group]
                tree.regret[place] = narrow(moved, noise, tree.regret[place])
                child = tree.sibling[child]


@kernel
def take_averages(tree: Tree, first: int) -> None:
    """Make the averages the current strategy, at all nodes from `first` on: write the probabilities
    by which they play into the regrets."""
    for node in range(first, tree.used[0]):
        if tree.first_child[node] == NONE:
            continue
        for group in range(tree.classes.size[tree.partition[node]]):
            total, child = sum_of(tree, tree.average, node, group), tree.first_child[node]
            while child != NONE:
                place = tree.row[child] + group
                share = np.float32(played(tree, tree.average, child, group, total))
                tree.regret[place] = narrow(share, NEAREST, tree.regret[place])
                child = tree.sibling[child]


@kernel
def keys_of(tree: Tree, keys: NDArray[np.int64]) -> None:
    """Write into `keys` [node] the keys of the nodes' histories."""
    keys[ROOT] = 0
    for node in range(ROOT + 1, keys.size):
        keys[node] = key_after(keys[tree.parent[node]], tree.action[node])
