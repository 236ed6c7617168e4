"""The walk that values a best response to the others' averages, **in the whole game**.

The value is exact. Outside the tree the player in turn always challenges the last bid, so a raise
that leaves the tree is settled by its challenge, and no decision follows it. The walk also notes
how much actions that leave the tree would gain: the tree should grow by them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID
from zhaifei.solver.bidding import double_of
from zhaifei.solver.cfr.growing_tree import (
    NONE,
    Tree,
    is_challenge,
    is_leaf,
    place_elsewhere,
    state_of,
)
from zhaifei.solver.cfr.tree_challenges import (
    count_all_kinds,
    end_of,
    is_ending,
    settle,
    write_paid,
)
from zhaifei.solver.cfr.tree_walk import (
    Entries,
    TreeWalk,
    add_to_parent,
    add_value,
    advance,
    enter,
    is_fallback,
    leave_ranges_at,
    push,
    reached_mass,
    weigh_children,
)
from zhaifei.solver.hand_classes import ALONE
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import ZERO
from zhaifei.solver.small_tables import raise_to_entries

_MORE = np.float32(1e6)
"""Penalty points: more than any action earns."""


# Leaving the tree


@hot_kernel
def mark_children(tree: Tree, walk: TreeWalk, node: int, mark: bool) -> None:
    """Set `walk.in_tree` to `mark` for the actions of the children of `node`."""
    child = tree.first_child[node]
    while child != NONE:
        walk.in_tree[tree.action[child]] = mark
        child = tree.sibling[child]


@hot_kernel
def list_leaving(tree: Tree, walk: TreeWalk, depth: int) -> int:
    """Write into `walk.leaving` the actions at the node at `depth` that leave the tree and may
    gain; return their number.

    They are the endings but the challenge of the last bid, the double of the last bid, and the
    weakest raise of each kind. Stronger raises of the same kind need not be tried: all of them are
    challenged, and if one is true, so is the weakest. A double is answered by showing the dice.
    """
    bids, node = tree.root.bids, walk.node[depth]
    mark_children(tree, walk, node, True)
    found, kinds = 0, 0
    state = state_of(tree, node)
    for bid in range(bids.first_raise[state], bids.plain):
        outside = bids.legal[state, bid] and not walk.in_tree[bid]
        if outside and not kinds >> bids.kind[bid] & 1:
            kinds |= 1 << bids.kind[bid]
            walk.leaving[found] = bid
            found += 1
            if found == tree.root.matches.shape[0]:
                break
    double = double_of(bids, state, int(tree.action[node]))
    if double != NO_BID and not walk.in_tree[double]:
        walk.leaving[found] = double
        found += 1
    for ending in range(1, bids.endings):
        action = bids.claimed.size + ending
        if is_ending(tree, walk, depth, ending) and not walk.in_tree[action]:
            walk.leaving[found] = action
            found += 1
    mark_children(tree, walk, node, False)
    return found


@hot_kernel
def settle_leaving(tree: Tree, walk: TreeWalk, depth: int, walker: int, place: int) -> None:
    """Write into `walk.pays` what the action at `place` in `walk.leaving` earns the `walker`. Write
    into `walk.kind` the kind of bid that decides which of the walker's dice count."""
    made = end_of(tree, walk, depth, walk.leaving[place])
    settle(tree, walk, walker, walker, made, walk.pays[place])
    walk.kind[place] = made.kind


@hot_kernel
def note_gains(
    tree: Tree,
    walk: TreeWalk,
    depth: int,
    walker: int,
    found: int,
    value: NDArray[np.float32],
    least: float,
) -> None:
    """Note the actions among the first `found` in `walk.leaving` that gain at least `least`. Each
    hand that earns more than its `value` [hand] by leaving the tree adds its gain to the first
    action that earns it most."""
    prior, matches = tree.root.ranges[walker], tree.root.matches_of
    for place in range(found):
        walk.gain[place] = ZERO
    for hand in range(value.size):
        if walk.best[hand] > value[hand]:
            most, by = value[hand], NONE
            for place in range(found):
                earned = walk.pays[place, matches[hand, walk.kind[place]]]
                if earned > most:
                    most, by = earned, place
            walk.gain[by] += prior[hand] * (most - value[hand])
    for place in range(found):
        if walk.gain[place] >= least:
            note = walk.notes[0]
            walk.notes[0] += 1
            if note < walk.noted_gain.size:
                walk.noted[note, 0], walk.noted[note, 1] = walk.node[depth], walk.leaving[place]
                walk.noted[note, 2] = walk.key[depth]
                walk.noted_gain[note] = walk.gain[place]


@hot_kernel
def leave_tree(
    tree: Tree,
    walk: TreeWalk,
    depth: int,
    walker: int,
    value: NDArray[np.float32],
    least: float,
) -> None:
    """Raise `value` [hand], the value of the node at `depth` within the tree, to the best that an
    action earns by leaving the tree, where this is higher. Note the actions that thus gain at least
    `least`."""
    root, best = tree.root, walk.best
    for player in range(root.bids.players):
        if player != walker:
            count_all_kinds(tree, walk, walk.latest[depth + 1, player])
    for hand in range(best.size):
        best[hand] = value[hand]
    found = list_leaving(tree, walk, depth)
    for place in range(found):
        settle_leaving(tree, walk, depth, walker, place)
        matches = root.matches[walk.kind[place]]
        raise_to_entries(best, walk.pays[place], matches)
    prior, gain = root.ranges[walker], ZERO
    for hand in range(best.size):
        gain += prior[hand] * (best[hand] - value[hand])
    if gain >= least:
        note_gains(tree, walk, depth, walker, found, value, least)
    for hand in range(best.size):
        value[hand] = best[hand]


# Responding


@hot_kernel
def may_leave(tree: Tree, node: int) -> bool:
    """Return whether the player who moves at `node` may leave the tree there: the round is not
    over, and no other tree holds the node's subtree."""
    if not is_leaf(tree, node):
        return True
    return not is_challenge(tree, node) and place_elsewhere(tree, node) == NONE


@hot_kernel
def respond_at_leaf(tree: Tree, walk: TreeWalk, depth: int, walker: int) -> None:
    """Value the leaf at `depth`, as if its player could not leave the tree: a challenge, a bid that
    is challenged, or a subtree held elsewhere."""
    leaf, value = walk.node[depth], walk.value[depth]
    place = leave_ranges_at(tree, walk, depth, leaf)
    if place == NONE:
        write_paid(tree, walk, walker, end_of(tree, walk, depth - 1, tree.action[leaf]), value)
        return
    given = tree.elsewhere.values[place]
    for hand in range(value.size):
        value[hand] = given[hand]


@hot_kernel
def take_best(walk: TreeWalk, depth: int, earned: NDArray[np.float32]) -> None:
    """Raise the value of the responder's node to `earned` [hand], what the current child earns,
    where that is higher."""
    value = walk.value[depth]
    for hand in range(value.size):
        value[hand] = earned[hand] if walk.place[depth] == 0 else max(value[hand], earned[hand])


@hot_kernel
def find_held(tree: Tree, walk: TreeWalk, depth: int, node: int) -> None:
    """Look up whether `node` holds a strategy; if it does, prepare to value that strategy."""
    walk.held[depth] = NONE
    for place in range(tree.held.size):
        if tree.held[place] == node:
            walk.held[depth] = place
            weigh_children(tree, walk, depth, tree.regret)
            kept = walk.kept[depth]
            for hand in range(kept.size):
                kept[hand] = ZERO


@hot_kernel
def keep(tree: Tree, walk: TreeWalk, depth: int, earned: NDArray[np.float32]) -> None:
    """If a strategy is held at `depth`, add to its value the contribution of the current child,
    which earns `earned` [hand]."""
    if walk.held[depth] != NONE:
        child = walk.child[depth]
        add_value(
            walk.shares[depth, walk.place[depth]],
            is_fallback(tree, child),
            walk.scale[depth],
            earned,
            walk.kept[depth],
        )


@hot_kernel
def leave_or_keep(tree: Tree, walk: TreeWalk, depth: int, walker: int, least: float) -> None:
    """Raise the value of the responder's node at `depth` as `leave_tree` does. For held hands, set
    it to what the held strategy earns."""
    value, held = walk.value[depth], walk.held[depth]
    if held == NONE:
        leave_tree(tree, walk, depth, walker, value, least)
        return
    for hand in range(value.size):
        if tree.holds[held, hand]:
            value[hand] = _MORE  # no action gains for a held hand
    leave_tree(tree, walk, depth, walker, value, least)
    for hand in range(value.size):
        if tree.holds[held, hand]:
            value[hand] = walk.kept[depth, hand]


@hot_kernel
def next_to_respond(tree: Tree, walk: TreeWalk, depth: int, walker: int) -> int:
    """Return the next child to value of the node at `depth`, or NONE. Where another player moves,
    their range after the child has been written."""
    child = int(walk.child[depth])
    if walk.mover[depth] == walker:
        return child
    while child != NONE:
        if reached_mass(tree, walk, depth, walker, child) > ZERO:
            return child
        advance(tree, walk, depth)
        child = int(walk.child[depth])
    return NONE


@hot_kernel
def respond(tree: Tree, walk: TreeWalk, start: int, above: int, walker: int, least: float) -> None:
    """Value a best response of the `walker` to the average over the subtree of `start`, and leave
    its value in `walk.value[above]`. Frames and ranges must be as `enter` leaves them.

    Note the actions that gain at least `least` by leaving the tree.
    """
    node, depth = start, above
    while True:
        mine = walk.mover[depth] == walker
        if node == NONE:
            if depth == above:
                return
            if mine and may_leave(tree, walk.node[depth]):
                leave_or_keep(tree, walk, depth, walker, least)
            if depth > above + 1 and walk.mover[depth - 1] == walker:
                take_best(walk, depth - 1, walk.value[depth])
                keep(tree, walk, depth - 1, walk.value[depth])
            else:
                add_to_parent(tree, walk, depth, False)
            depth -= 1
            advance(tree, walk, depth)
        else:
            depth += 1
            push(tree, walk, depth, node, ALONE)
            find_held(tree, walk, depth, node)
            if is_leaf(tree, node):
                respond_at_leaf(tree, walk, depth, walker)
            elif walk.mover[depth] != walker:
                weigh_children(tree, walk, depth, tree.average)
        node = next_to_respond(tree, walk, depth, walker) if depth > above else NONE


@kernel
def respond_below(
    tree: Tree,
    walk: TreeWalk,
    places: NDArray[np.int64],
    entries: Entries,
    walker: int,
    least: float,
    values: NDArray[np.float32],
) -> None:
    """Value a best response of the `walker` from the `entries` at `places` [n] on, and write into
    `values` [entry, hand] what it earns. Note the actions that gain at least `least` by leaving the
    tree."""
    walk.notes[0] = 0
    for place in places:
        above = enter(tree, walk, entries, place)
        respond(tree, walk, entries.node[place], above, walker, least)
        for hand in range(values.shape[1]):
            values[place, hand] = walk.value[above, hand]
