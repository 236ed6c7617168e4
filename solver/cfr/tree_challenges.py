"""What endings of the round pay in walks of a tree (`solver.cfr.tree_walk`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.bidding import settled_if
from zhaifei.solver.cfr.growing_tree import Tree
from zhaifei.solver.cfr.tree_walk import TreeWalk, mover_after, others_mass, player_of
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ONE, ZERO, convolve, count_having, pay_walker
from zhaifei.solver.small_tables import add_entries


class Challenge(NamedTuple):
    """An ending of the round after `depth` actions from the root on, as in
    `solver.bidding.Settled`."""

    depth: int
    """The ranges in use are those after this many actions from the root."""
    kind: int
    """The kind of the settled bid."""
    claimed: int
    """The count from which on the challenger loses."""
    cost: int
    """The penalty points of the loser."""
    challenger: int
    """The player who challenges, or gives up."""
    bidder: int
    """The player who stands by the bid."""


# Distributions


@hot_kernel
def count_range(tree: Tree, walk: TreeWalk, depth: int, player: int, kind: int) -> int:
    """Write `walk.counts` of the range of `player` after `depth` actions for one kind of bids,
    unless they have been written already. Return where the range is."""
    index: int = walk.latest[depth, player]
    if walk.counted[index] >> kind & 1:
        return index
    walk.counted[index] |= 1 << kind
    partition = walk.partition[depth - 1]
    range_ = walk.ranges[index, : walk.size[depth - 1]]
    mass = np.float32(walk.mass[index])
    count_having(range_, mass, tree.classes.matches[partition, kind], walk.counts[index, kind])
    return index


@hot_kernel
def count_all_kinds(tree: Tree, walk: TreeWalk, index: int) -> None:
    """Do what `count_range` does, for all kinds of bids at once.

    Few bids are made with more than a few dozen of 252 hands. Adding each of these hands to a count
    of each kind takes a quarter of the time of masked sums over all hands, one kind at a time.
    """
    kinds, possible = walk.counts.shape[1], walk.possible
    if walk.counted[index] == (1 << kinds) - 1:
        return
    walk.counted[index] = (1 << kinds) - 1
    matches, range_ = tree.root.matches_of, walk.ranges[index]
    size = 0
    for hand in range(range_.size):
        possible[size] = hand  # overwritten by the next hand unless this one is possible
        size += int(range_[hand] > ZERO)
    counts = walk.counts[index]
    for kind in range(kinds):
        for count in range(counts.shape[1]):
            counts[kind, count] = ZERO
    for place in range(size):
        hand, reach = possible[place], range_[possible[place]]
        for kind in range(kinds):
            counts[kind, matches[hand, kind]] += reach
    for kind in range(kinds):
        none = walk.mass[index]
        for count in range(1, counts.shape[1]):
            none -= counts[kind, count]
        counts[kind, 0] = max(none, ZERO)


@hot_kernel
def count_others(tree: Tree, walk: TreeWalk, depth: int, walker: int, kind: int) -> None:
    """Write into `walk.total` the mass of all players but the `walker` by how many of their dice
    count."""
    walk.total[0], dice = ONE, 0
    for player in range(tree.root.bids.players):
        if player != walker:
            index = count_range(tree, walk, depth, player, kind)
            theirs = walk.counts[index, kind]
            if dice == 0:
                for count in range(theirs.size):
                    walk.total[count] = theirs[count]
            else:
                for count in range(dice + 1, dice + theirs.size):
                    walk.total[count] = ZERO
                convolve(walk.total, dice + theirs.size - 1, theirs, theirs.size - 1)
            dice += theirs.size - 1


# Payments


@hot_kernel
def settle(
    tree: Tree, walk: TreeWalk, walker: int, paid: int, made: Challenge, earned: NDArray[np.float32]
) -> None:
    """Write into `earned` [count of the walker's dice] what an ending earns the player `paid`, who
    is its challenger or its bidder."""
    players = tree.root.bids.players
    stake = np.float32(made.cost)
    win = stake / np.float32(players - 1)
    count_others(tree, walk, made.depth, walker, made.kind)
    pay_walker(walk.total, made.claimed, stake, win, paid == made.challenger, earned)


@hot_kernel
def add_paid(
    tree: Tree, walk: TreeWalk, walker: int, paid: int, made: Challenge, value: NDArray[np.float32]
) -> None:
    """Add to `value` [class] what an ending pays the player `paid`, often the walker, for each
    class of hands of the `walker`."""
    root = tree.root
    if paid in (made.challenger, made.bidder):
        settle(tree, walk, walker, paid, made, walk.earned)
        partition = walk.partition[made.depth - 1]
        add_entries(value, walk.earned, tree.classes.matches[partition, made.kind])
    else:
        # A player who neither challenges nor made the bid wins a share whatever the dice.
        mass = others_mass(tree, walk, made.depth, walker)
        win = np.float32(mass * made.cost / (root.bids.players - 1))
        for hand in range(value.size):
            value[hand] += win


@hot_kernel
def write_paid(
    tree: Tree, walk: TreeWalk, walker: int, made: Challenge, value: NDArray[np.float32]
) -> None:
    """Write into `value` [hand] what an ending pays each hand of the `walker`."""
    for hand in range(value.size):
        value[hand] = ZERO
    add_paid(tree, walk, walker, walker, made, value)


# Who settles what


@hot_kernel
def bid_made(tree: Tree, walk: TreeWalk, depth: int, back: int) -> int:
    """Return the bid made `back` bids before the node at `depth`, which must have a frame."""
    made = tree.root.made
    if back <= depth:
        bid: int = tree.action[walk.node[depth - back + 1]]
    else:
        bid = made[made.size - (back - depth)]
    return bid


@hot_kernel
def is_ending(tree: Tree, walk: TreeWalk, depth: int, ending: int) -> bool:
    """Return whether the `ending` is legal at the node at `depth`, which must have a frame."""
    bids = tree.root.bids
    back = bids.back[ending]
    if back > tree.root.made.size + depth:
        return False
    legal: bool = bids.cost[bid_made(tree, walk, depth, back), ending] > 0
    return legal


@hot_kernel
def ended(tree: Tree, walk: TreeWalk, depth: int, bid: int, ending: int, mover: int) -> Challenge:
    """Return the `ending` of the player `mover` that settles `bid`. The ranges in use are those
    after `depth` actions."""
    found, players = settled_if(tree.root.bids, bid, ending, mover), tree.root.bids.players
    return Challenge(
        depth,
        tree.root.bids.kind[bid],
        found.claimed,
        found.cost,
        player_of(found.challenger, players),
        player_of(found.bidder, players),
    )


@hot_kernel
def end_of(tree: Tree, walk: TreeWalk, depth: int, action: int) -> Challenge:
    """Return what ends the round after an `action` at the node at `depth`, which must have a frame:
    the action itself, or the challenge that answers the bid."""
    bids = tree.root.bids
    # A single type for numba, whatever the dtype of the array.
    bid, ending = int(np.int64(action)), 0
    if bid >= bids.claimed.size:
        ending, mover = bid - bids.claimed.size, int(walk.mover[depth])
        bid = bid_made(tree, walk, depth, bids.back[ending])
    else:
        mover = mover_after(tree, walk, depth, bid)
    return ended(tree, walk, depth + 1, bid, ending, mover)
