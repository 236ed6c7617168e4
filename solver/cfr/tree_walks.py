"""Walks of a `solver.cfr.growing_tree.Tree`: all hands of both players, nothing sampled.

Both walks value the subtree below an opening for one player, the *walker*, for all own hands at
once, against the range of the other: for every hand of theirs its probability times the
probability that they bid like this. Values are counterfactual, in penalty points: expected over
the other's range, which need not sum to 1.

- `improve` adds one pass to the walker's regrets (CFR: Zinkevich et al. 2007), and the *other's*
  current strategy to their average: the walk computes the other's reach, and follows all actions of
  the walker.
- `respond` values the best response to the other's average, **in the whole game**. That is exact:
  beyond the tree the other always challenges, so a raise that leaves the tree is settled by its
  challenge, and after it there is nothing to decide. It also notes what raises that leave the tree
  would gain: there the tree should grow.

The root, where there is no challenge, is left to numpy in `solver.cfr.tree_cfr`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.cfr.growing_tree import NONE, Tree, is_challenge, is_leaf
from solver.jit import hot_kernel
from solver.showdown import ONE, TINY, ZERO, add_having, count_having, pay_walker

NEGLIGIBLE = np.float32(1e-9)
"""A reply less likely than this is not followed while regrets are improved."""
_NOTED = 1 << 16
"""Raises that one walk can note; more are left for the next."""


class Step(NamedTuple):
    """How a pass weighs what came before it (discounted CFR: Brown & Sandholm 2019)."""

    keep_positive: np.float32
    """Regrets above zero are multiplied by this before the pass adds its own."""
    keep_negative: np.float32
    weight: np.float32
    """Of the pass in the average."""


class TreeWalk(NamedTuple):
    """The arrays of one thread: the frames of the nodes being valued, by `depth`."""

    node: NDArray[np.int64]
    """[depth]"""
    child: NDArray[np.int64]
    """[depth] the child being valued, NONE when all are,"""
    place: NDArray[np.int64]
    """[depth] and which one it is."""
    level: NDArray[np.int64]
    """[depth] which of the ranges is the one at this node."""
    ranges: NDArray[np.float32]
    """[level, hand] the other player's; a level for each move of theirs. The caller fills 0."""
    scale: NDArray[np.float32]
    """[depth, hand] 1 over the sum of the children's shares, 0 where there are none."""
    value: NDArray[np.float32]
    """[depth, hand] the value of the node to the walker; that at 0 is the result."""
    values: NDArray[np.float32]
    """[depth, place, hand] the values of its children, where the walker moves."""
    counts: NDArray[np.float32]
    """[depth, kind, count] the mass of the range at the node with so many dice that count."""
    counted: NDArray[np.int64]
    """[depth] the kinds for which that is written, as bits."""
    earned: NDArray[np.float32]
    """[own count] what a challenge earns."""
    earned_by: NDArray[np.float32]
    """[hand] what one action earns."""
    scratch: NDArray[np.float32]
    """[hand]"""
    best: NDArray[np.float32]
    """[hand] the most that a hand can get, by leaving the tree or not,"""
    leaving: NDArray[np.int64]
    """[bid] the raises by which it may be left."""
    in_tree: NDArray[np.bool_]
    """[bid] whether the tree has it at the node in question; all false in between."""
    noted: NDArray[np.int64]
    """[note, 2] raises that gain by leaving the tree: node, bid."""
    noted_gain: NDArray[np.float32]
    """[note]"""
    notes: NDArray[np.int64]
    """[1] how many."""


def new_walk(bids: BidTables, depth: int) -> TreeWalk:
    """Return the frames for rounds of at most `depth` bids."""
    hands, raises = bids.prior.size, bids.claimed.size

    def real(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, dtype=np.float32)

    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    return TreeWalk(
        node=whole(depth), child=whole(depth), place=whole(depth), level=whole(depth),
        ranges=real(depth, hands), scale=real(depth, hands), value=real(depth, hands),
        values=real(depth, raises + 1, hands),
        counts=real(depth, *bids.having.shape[:2]), counted=whole(depth),
        earned=real(bids.dice + 1), earned_by=real(hands), scratch=real(hands), best=real(hands),
        leaving=whole(raises), in_tree=np.zeros(raises, dtype=np.bool_),
        noted=whole(_NOTED, 2), noted_gain=real(_NOTED), notes=whole(1),
    )  # fmt: skip


# Challenges


@hot_kernel
def count_range(
    bids: BidTables, walk: TreeWalk, depth: int, kind: int, range_: NDArray[np.float32]
) -> None:
    """Write `walk.counts` of one kind of bids for the `range_` [hand] at `depth`, unless it is
    there already."""
    if walk.counted[depth] >> kind & 1:
        return
    walk.counted[depth] |= 1 << kind
    count_having(range_, bids.having[kind], walk.counts[depth, kind])


@hot_kernel
def settle(
    bids: BidTables,
    walk: TreeWalk,
    depth: int,
    bid: int,
    range_: NDArray[np.float32],
    by_walker: bool,
) -> None:
    """Write into `walk.earned` [own] what a challenge of `bid` earns the walker, who challenges
    (`by_walker`) or made the bid, against the `range_` [hand] at `depth`."""
    kind = bids.kind[bid]
    count_range(bids, walk, depth, kind, range_)
    pay_walker(walk.counts[depth, kind], bids.claimed[bid], by_walker, walk.earned)


@hot_kernel
def add_earned(bids: BidTables, walk: TreeWalk, bid: int, value: NDArray[np.float32]) -> None:
    """Add `walk.earned` to the `value` [hand] of every hand."""
    add_having(walk.earned, bids.having[bids.kind[bid]], value)


@hot_kernel
def write_earned(bids: BidTables, walk: TreeWalk, bid: int, value: NDArray[np.float32]) -> None:
    """Write `walk.earned` into the `value` [hand] of every hand."""
    for hand in range(value.size):
        value[hand] = ZERO
    add_earned(bids, walk, bid, value)


# Strategies


@hot_kernel
def weigh_children(
    tree: Tree, shares: NDArray[np.float32], node: int, scale: NDArray[np.float32]
) -> None:
    """Write into `scale` [hand] 1 over the sum of the positive `shares` [node, hand] of the
    children of `node`, or 0 where there are none, or none but denormal ones.

    Where it is 0 the hand challenges: regret matching may do anything there (theorem 4 of Zinkevich
    et al. 2007 rests on Blackwell's condition, which then holds for any strategy), and uniform
    raises would make young trees explode.
    """
    for hand in range(scale.size):
        scale[hand] = ZERO
    child = tree.first_child[node]
    while child != NONE:
        share = shares[child]
        for hand in range(scale.size):
            scale[hand] += max(share[hand], ZERO)
        child = tree.sibling[child]
    for hand in range(scale.size):
        scale[hand] = ONE / scale[hand] if scale[hand] >= TINY else ZERO


@hot_kernel
def part_that_plays(
    shares: NDArray[np.float32],
    challenge: bool,
    scale: NDArray[np.float32],
    range_: NDArray[np.float32],
    part: NDArray[np.float32],
) -> float:
    """Write into `part` [hand] the part of `range_` [hand] that plays an action with these `shares`
    [hand], which may be the `challenge`; return its mass."""
    mass = ZERO
    if challenge:
        for hand in range(part.size):
            played = max(shares[hand], ZERO) * scale[hand] if scale[hand] > ZERO else ONE
            part[hand] = range_[hand] * played
            mass += part[hand]
    else:
        for hand in range(part.size):
            part[hand] = range_[hand] * max(shares[hand], ZERO) * scale[hand]
            mass += part[hand]
    return float(mass)


# Frames


@hot_kernel
def push(tree: Tree, walk: TreeWalk, depth: int, node: int, level: int) -> None:
    """Open a frame for a node with children."""
    walk.node[depth] = node
    walk.child[depth] = tree.first_child[node]
    walk.place[depth] = 0
    walk.level[depth] = level
    walk.counted[depth] = 0
    value = walk.value[depth]
    for hand in range(value.size):
        value[hand] = ZERO


@hot_kernel
def advance(tree: Tree, walk: TreeWalk, depth: int) -> None:
    """Move on to the next child."""
    walk.child[depth] = tree.sibling[walk.child[depth]]
    walk.place[depth] += 1


@hot_kernel
def settle_own(tree: Tree, walk: TreeWalk, depth: int, value: NDArray[np.float32]) -> None:
    """Write into `value` [hand] the value of a child of the walker's node that ends the round: the
    walker's challenge, or a bid that every hand of the other challenges."""
    child, range_ = walk.child[depth], walk.ranges[walk.level[depth]]
    by_walker = is_challenge(tree, child)
    bid = tree.action[walk.node[depth] if by_walker else child]
    settle(tree.bids, walk, depth, bid, range_, by_walker)
    write_earned(tree.bids, walk, bid, value)


# Regrets


@hot_kernel
def improve_own(tree: Tree, walk: TreeWalk, depth: int) -> bool:
    """Value the walker's children up to the first that must be walked; return whether there is
    one."""
    while walk.child[depth] != NONE:
        if not is_leaf(tree, walk.child[depth]):
            return True
        settle_own(tree, walk, depth, walk.values[depth, walk.place[depth]])
        advance(tree, walk, depth)
    return False


@hot_kernel
def improve_other(tree: Tree, walk: TreeWalk, depth: int, step: Step) -> bool:
    """Add up the values of the other's children up to the first that must be walked, and add their
    strategy to the average. Return whether there is such a child; its range is then in place."""
    level, node = walk.level[depth], walk.node[depth]
    range_, part = walk.ranges[level], walk.ranges[level + 1]
    while walk.child[depth] != NONE:
        child = walk.child[depth]
        challenge = is_challenge(tree, child)
        regret = tree.regret[child]
        mass = part_that_plays(regret, challenge, walk.scale[depth], range_, part)
        if mass > NEGLIGIBLE:
            average = tree.average[child]
            for hand in range(part.size):
                average[hand] += step.weight * part[hand]
            if not is_leaf(tree, child):
                return True
            bid = tree.action[node if challenge else child]
            walk.counted[depth + 1] = 0
            settle(tree.bids, walk, depth + 1, bid, part, not challenge)
            add_earned(tree.bids, walk, bid, walk.value[depth])
        advance(tree, walk, depth)
    return False


@hot_kernel
def add_value(
    regret: NDArray[np.float32],
    challenge: bool,
    scale: NDArray[np.float32],
    earned: NDArray[np.float32],
    value: NDArray[np.float32],
) -> None:
    """Add to `value` [hand] the contribution of an action that earns `earned` [hand]."""
    if challenge:
        for hand in range(value.size):
            played = max(regret[hand], ZERO) * scale[hand] if scale[hand] > ZERO else ONE
            value[hand] += played * earned[hand]
    else:
        for hand in range(value.size):
            value[hand] += max(regret[hand], ZERO) * scale[hand] * earned[hand]


@hot_kernel
def update_regrets(tree: Tree, walk: TreeWalk, depth: int, step: Step) -> None:
    """Value the walker's node by the current strategy, and add the regrets of its children."""
    node, value = walk.node[depth], walk.value[depth]
    child, place = tree.first_child[node], 0
    while child != NONE:
        earned = walk.values[depth, place]
        add_value(tree.regret[child], is_challenge(tree, child), walk.scale[depth], earned, value)
        child, place = tree.sibling[child], place + 1
    child, place = tree.first_child[node], 0
    while child != NONE:
        regret, earned = tree.regret[child], walk.values[depth, place]
        for hand in range(value.size):
            keep = step.keep_positive if regret[hand] > ZERO else step.keep_negative
            regret[hand] = keep * regret[hand] + earned[hand] - value[hand]
        child, place = tree.sibling[child], place + 1


@hot_kernel
def add_to_parent(walk: TreeWalk, depth: int, own: bool) -> None:
    """Pass the value of the node at `depth` to the one above: as that of one action where the
    walker moves there (`own`), and else as a part of a sum."""
    value = walk.value[depth]
    target = walk.values[depth - 1, walk.place[depth - 1]] if own else walk.value[depth - 1]
    for hand in range(value.size):
        target[hand] = value[hand] if own else target[hand] + value[hand]


@hot_kernel
def improve(tree: Tree, walk: TreeWalk, opening: int, own: bool, step: Step) -> None:
    """Run one pass below `opening`, against `walk.ranges[0]`; its value is left in `walk.value[0]`.

    `own` says whether the walker replies to the opening.
    """
    if is_leaf(tree, opening):
        walk.counted[0] = 0
        settle(tree.bids, walk, 0, tree.action[opening], walk.ranges[0], own)
        write_earned(tree.bids, walk, tree.action[opening], walk.value[0])
        return
    depth = 0
    push(tree, walk, 0, opening, 0)
    weigh_children(tree, tree.regret, opening, walk.scale[0])
    while depth >= 0:
        mine = own == (depth % 2 == 0)
        deeper = improve_own(tree, walk, depth) if mine else improve_other(tree, walk, depth, step)
        if deeper:
            depth += 1
            push(tree, walk, depth, walk.child[depth - 1], walk.level[depth - 1] + (not mine))
            weigh_children(tree, tree.regret, walk.node[depth], walk.scale[depth])
            continue
        if mine:
            update_regrets(tree, walk, depth, step)
        if depth > 0:
            add_to_parent(walk, depth, not mine)
            advance(tree, walk, depth - 1)
        depth -= 1


# Best responses


@hot_kernel
def mark_children(tree: Tree, walk: TreeWalk, node: int, mark: bool) -> None:
    """Set `walk.in_tree` to `mark` for the raises that the tree has after `node`."""
    child = tree.first_child[node]
    while child != NONE:
        if not is_challenge(tree, child):
            walk.in_tree[tree.action[child]] = mark
        child = tree.sibling[child]


@hot_kernel
def list_leaving(tree: Tree, walk: TreeWalk, node: int) -> int:
    """Write into `walk.leaving` the weakest raise of each kind after `node` that leaves the tree;
    return how many. Stronger raises of the same kind do not matter: all of them are challenged, and
    where one is true the weakest is true as well."""
    bids = tree.bids
    mark_children(tree, walk, node, True)
    found, kinds = 0, 0
    for bid in range(bids.first_raise[tree.action[node] + 1], bids.claimed.size):
        if not walk.in_tree[bid] and not kinds >> bids.kind[bid] & 1:
            kinds |= 1 << bids.kind[bid]
            walk.leaving[found] = bid
            found += 1
    mark_children(tree, walk, node, False)
    return found


@hot_kernel
def note_gains(
    bids: BidTables,
    walk: TreeWalk,
    depth: int,
    node: int,
    found: int,
    value: NDArray[np.float32],
    least: float,
) -> None:
    """Note which of the `found` raises in `walk.leaving` gain at least `least`. Each hand whose
    `walk.best` is above its `value` counts for the first raise that earns it that."""
    for hand in range(value.size):
        walk.scratch[hand] = bids.prior[hand] * (walk.best[hand] - value[hand])
    for place in range(found):
        bid = walk.leaving[place]
        settle(bids, walk, depth, bid, value, False)  # what is counted already
        matches, gain = bids.matches[bid], ZERO
        for hand in range(value.size):
            if walk.scratch[hand] > ZERO and walk.earned[matches[hand]] == walk.best[hand]:
                gain += walk.scratch[hand]
                walk.scratch[hand] = ZERO
        if gain >= least and walk.notes[0] < walk.noted_gain.size:
            note = walk.notes[0]
            walk.noted[note, 0], walk.noted[note, 1] = node, bid
            walk.noted_gain[note] = gain
            walk.notes[0] += 1


@hot_kernel
def leave_tree(
    tree: Tree,
    walk: TreeWalk,
    depth: int,
    node: int,
    range_: NDArray[np.float32],
    value: NDArray[np.float32],
    least: float,
) -> None:
    """Raise `value` [hand], the value after `node` within the tree, to that of the best raise that
    leaves the tree, where it is higher. Note the raises that gain at least `least` by that."""
    bids, best = tree.bids, walk.best
    for hand in range(best.size):
        best[hand] = value[hand]
    found = list_leaving(tree, walk, node)
    for place in range(found):
        settle(bids, walk, depth, walk.leaving[place], range_, False)
        write_earned(bids, walk, walk.leaving[place], walk.scratch)
        for hand in range(best.size):
            best[hand] = max(best[hand], walk.scratch[hand])
    gain = ZERO
    for hand in range(best.size):
        gain += bids.prior[hand] * (best[hand] - value[hand])
    if gain >= least:
        note_gains(bids, walk, depth, node, found, value, least)
    for hand in range(best.size):
        value[hand] = best[hand]


@hot_kernel
def respond_own(tree: Tree, walk: TreeWalk, depth: int) -> bool:
    """Take the best of the responder's children up to the first that must be walked; return whether
    there is one."""
    while walk.child[depth] != NONE:
        if not is_leaf(tree, walk.child[depth]):
            return True
        settle_own(tree, walk, depth, walk.earned_by)
        take_best(walk, depth, walk.earned_by)
        advance(tree, walk, depth)
    return False


@hot_kernel
def take_best(walk: TreeWalk, depth: int, earned: NDArray[np.float32]) -> None:
    """Raise the value of the responder's node to `earned` [hand], what the current child earns,
    where that is higher."""
    value = walk.value[depth]
    for hand in range(value.size):
        value[hand] = earned[hand] if walk.place[depth] == 0 else max(value[hand], earned[hand])


@hot_kernel
def respond_other(tree: Tree, walk: TreeWalk, depth: int, least: float) -> bool:
    """Add up the values of the other's children up to the first that must be walked, whose range is
    then in place; return whether there is one."""
    level, node = walk.level[depth], walk.node[depth]
    range_, part, value = walk.ranges[level], walk.ranges[level + 1], walk.value[depth]
    while walk.child[depth] != NONE:
        child = walk.child[depth]
        challenge = is_challenge(tree, child)
        average = tree.average[child]
        mass = part_that_plays(average, challenge, walk.scale[depth], range_, part)
        if mass > 0.0:
            walk.counted[depth + 1] = 0
            if challenge:
                settle(tree.bids, walk, depth + 1, tree.action[node], part, False)
                add_earned(tree.bids, walk, tree.action[node], value)
            elif is_leaf(tree, child):
                settle(tree.bids, walk, depth + 1, tree.action[child], part, True)
                write_earned(tree.bids, walk, tree.action[child], walk.earned_by)
                leave_tree(tree, walk, depth + 1, child, part, walk.earned_by, least)
                for hand in range(value.size):
                    value[hand] += walk.earned_by[hand]
            else:
                return True
        advance(tree, walk, depth)
    return False


@hot_kernel
def respond(tree: Tree, walk: TreeWalk, opening: int, own: bool, least: float) -> None:
    """Value a best response to the average below `opening`, against `walk.ranges[0]`; its value is
    left in `walk.value[0]`. `own` says whether the responder replies to the opening.

    Note the raises that gain `least` or more by leaving the tree.
    """
    if is_leaf(tree, opening):
        walk.counted[0] = 0
        settle(tree.bids, walk, 0, tree.action[opening], walk.ranges[0], own)
        write_earned(tree.bids, walk, tree.action[opening], walk.value[0])
        if own:
            leave_tree(tree, walk, 0, opening, walk.ranges[0], walk.value[0], least)
        return
    depth = 0
    push(tree, walk, 0, opening, 0)
    weigh_children(tree, tree.average, opening, walk.scale[0])
    while depth >= 0:
        mine = own == (depth % 2 == 0)
        deeper = respond_own(tree, walk, depth) if mine else respond_other(tree, walk, depth, least)
        if deeper:
            depth += 1
            push(tree, walk, depth, walk.child[depth - 1], walk.level[depth - 1] + (not mine))
            if mine:
                weigh_children(tree, tree.average, walk.node[depth], walk.scale[depth])
            continue
        if mine:
            leave_tree(
                tree, walk, depth, walk.node[depth], walk.ranges[walk.level[depth]],
                walk.value[depth], least,
            )  # fmt: skip
        if depth > 0:
            if mine:
                add_to_parent(walk, depth, False)
            else:
                take_best(walk, depth - 1, walk.value[depth])
            advance(tree, walk, depth - 1)
        depth -= 1
