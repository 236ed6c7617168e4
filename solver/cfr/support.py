"""Restricting a player of a growing tree to the support of their average strategy.

After enough passes each hand takes only a few of the actions that the tree offers it. The *support*
of a player holds the actions that each hand takes with at least some probability, the hand's deal
and reach included. A policy file holds little more than this.

A player who is solved *alone* may only act within their support. The other player may do
everything, and the tree grows where the other's best response leaves it. The average of the player
who is alone thus approaches the strategy that loses least to a best response *among those that the
file can hold*. Without this, training would rely on actions that are cut off in the end: with five
dice and a file of 39 MB they were worth .0036 points.

Nothing is assumed about what the support should hold: a best response in the whole game measures
what it costs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.growing_tree import NONE, ROOT, GrowingTree, Tree
from zhaifei.solver.cfr.regret_matching import BARRED
from zhaifei.solver.cfr.row_precision import NEAREST, narrow, widen
from zhaifei.solver.cfr.tree_strategy import least_averages, turns
from zhaifei.solver.cfr.tree_walk import is_fallback
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import ZERO


def restrict(grown: GrowingTree, tree: Tree, player: int, least: float) -> None:
    """Replace all nodes of `grown`, which has the same root, by a part of `tree` in which `player`,
    in turn order from the root, is restricted to their support. They keep all challenges, all
    actions at the root, and the actions that a class of hands takes with an average of at least
    `least_averages` of `least`. Other actions of the player are missing, or barred by their
    regrets. The other player's averages become 0.

    Raises OutOfMemory, and then leaves `grown` as it was.
    """
    turn = turns(tree)
    kept = np.zeros(turn.size, dtype=np.bool_)
    leasts = least_averages(tree, least)
    _keep(tree, turn, player, leasts, kept)
    number = np.flatnonzero(kept)
    grown.replant(_links(tree, kept, number))
    grown.tree.dealt[:] = tree.dealt
    _write_rows(tree, grown.tree, number, turn, player, leasts)


def _links(
    tree: Tree, kept: NDArray[np.bool_], number: NDArray[np.int64]
) -> dict[str, NDArray[np.generic]]:
    """Return the links, by name, of the `kept` [node] nodes alone. `number` [place] is the node
    that comes to each place. Nodes that are left out change the numbers of others, but not their
    order."""
    place = np.append(np.cumsum(kept) - 1, NONE).astype(np.int32)
    first_child, sibling = np.empty((2, kept.size), dtype=np.int32)
    _link(tree, kept, first_child, sibling)
    return {
        "action": tree.action[number],
        "parent": place[tree.parent[number]],
        "first_child": place[first_child[number]],
        "sibling": place[sibling[number]],
    }


@hot_kernel
def may_lack(tree: Tree, turn: NDArray[np.int64], child: int, player: int) -> bool:
    """Return whether `child` is an action that the `player` may lack: any of their actions but the
    challenge of the last bid, and those at the root. `turn` [node] is the player who moves at each
    node."""
    parent = tree.parent[child]
    found: bool = parent != ROOT and turn[parent] == player and not is_fallback(tree, child)
    return found


@kernel
def _keep(
    tree: Tree,
    turn: NDArray[np.int64],
    player: int,
    least: NDArray[np.float32],
    kept: NDArray[np.bool_],
) -> None:
    """Set `kept` [node] for the nodes to which `player` comes within their support. A challenge
    without siblings is not kept: its parent becomes a leaf. Parents must come before their
    children."""
    kept[ROOT] = True
    for node in range(1, kept.size):
        parent = tree.parent[node]
        kept[node] = kept[parent]
        if kept[node] and may_lack(tree, turn, node, player):
            kept[node] = _is_taken(tree, node, least)
    for node in range(1, kept.size):
        child, others = tree.first_child[node], 0
        while child != NONE:
            others += kept[child] and not is_fallback(tree, child)
            child = tree.sibling[child]
        if others == 0 and tree.first_child[node] != NONE:
            kept[tree.first_child[node]] = False


@hot_kernel
def _is_taken(tree: Tree, child: int, least: NDArray[np.float32]) -> bool:
    """Return whether any hand takes the action that leads to `child` with an average of at least
    `least`."""
    row, partition, taken = tree.row[child], tree.partition[tree.parent[child]], False
    for group in range(tree.classes.size[partition]):
        taken |= widen(tree.average[row + group]) >= least[partition, group]
    return bool(taken)


@kernel
def _link(
    tree: Tree,
    kept: NDArray[np.bool_],
    first_child: NDArray[np.int32],
    sibling: NDArray[np.int32],
) -> None:
    """Write into `first_child` and `sibling` [node] the first kept child of each node, and the next
    kept sibling, or NONE."""
    for node in range(kept.size):
        first_child[node] = _next_kept(tree, kept, tree.first_child[node])
        sibling[node] = _next_kept(tree, kept, tree.sibling[node])


@hot_kernel
def _next_kept(tree: Tree, kept: NDArray[np.bool_], node: int) -> int:
    """Return the first kept node among `node` and its next siblings, or NONE."""
    while node != NONE and not kept[node]:
        node = tree.sibling[node]
    return node


@kernel
def _write_rows(
    tree: Tree,
    into: Tree,
    number: NDArray[np.int64],
    turn: NDArray[np.int64],
    player: int,
    least: NDArray[np.float32],
) -> None:
    """Write the rows of `into`, whose nodes have the `number` [node] in `tree`.

    Classes of `into` may join several classes of `tree`. A joint class has the sum of the averages,
    and the largest of the regrets: it may do what any of its parts may do.
    """
    hands = tree.dealt.shape[1]
    regret, average = np.zeros(hands, dtype=np.float32), np.zeros(hands, dtype=np.float32)
    for node in range(1, number.size):
        before, above = number[node], max(into.parent[node], ROOT)
        fine, coarse = tree.partition[number[above]], into.partition[above]
        own, lacks = turn[number[above]] == player, may_lack(tree, turn, before, player)
        width, row, start = into.classes.size[coarse], tree.row[before], into.row[node]
        for group in range(width):
            regret[group], average[group] = BARRED, ZERO
        for group in range(tree.classes.size[fine]):
            joint = into.classes.class_of[coarse, tree.classes.first[fine, group]]
            mass = widen(tree.average[row + group])
            if lacks and mass < least[fine, group]:
                continue
            regret[joint] = max(regret[joint], widen(tree.regret[row + group]))
            if own:
                average[joint] += mass
        for group in range(width):
            first = start + group
            into.regret[first] = narrow(regret[group], NEAREST, into.regret[first])
            into.average[first] = narrow(average[group], NEAREST, into.average[first])
