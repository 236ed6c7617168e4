"""What all walks of a `solver.cfr.growing_tree.Tree` share: frames, ranges and strategies.

A walk covers the subtree of one node, usually a child of the root, with all hands of all players
and without sampling. It values nodes for one player, the *walker*, for all own hands at once. The
others enter as ranges: for each hand its probability times the probability that they bid like this.
Values are counterfactual, in penalty points: expected over the others' ranges, which need not sum
to 1.

| walk | what it does |
|---|---|
| `solver.cfr.tree_improve` | a pass of CFR: adds to the walker's regrets |
| `solver.cfr.tree_averages` | adds the walker's strategy to their average |
| `solver.cfr.tree_respond` | values the walker's best response to the others' averages |

**Ranges.** Write R[0], ..., R[N-1] for the ranges at the root, in turn order. The action at depth
d, which is the (d+1)-th from the root on, makes the range R[d+N] of the player who takes it. Unless
bids are doubled, this is player d mod N. A walk for one player's values never touches the walker's
own range.

**Hands and classes.** A walk that only follows the tree treats the hands of a class as one hand:
the ranges and values of a frame are over the classes of its node (`solver.hand_classes`). Below
a node with a coarser partition, ranges are merged into places of their own. Best responses also
leave the tree, where each hand counts by itself, so `solver.cfr.tree_respond` works with hands. The
frame above the first node always holds hands.

`solver.cfr.tree_cfr` treats the root itself, with numpy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.bidding import turns_on
from zhaifei.solver.cfr.growing_tree import NONE, Tree, place_elsewhere
from zhaifei.solver.cfr.root import Root
from zhaifei.solver.cfr.row_precision import Stored, widen
from zhaifei.solver.hand_classes import ALONE, SUMS, class_at, merge
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ONE, TINY, ZERO
from zhaifei.solver.small_tables import LANES

NEGLIGIBLE = np.float32(1e-9)
"""While regrets are improved, a reply is not followed if the others make it together with less mass
than this."""
_NOTED = 1 << 12
"""The number of notes that a new walk has room for."""


class TreeWalk(NamedTuple):
    """The arrays of one thread. The frames of the nodes being valued are indexed by `depth`, the
    number of bids since the root; frame 0 is the root's."""

    mover: NDArray[np.int64]
    """[depth] the player in turn."""
    latest: NDArray[np.int64]
    """[depth, player] where in `ranges` each player's range after `depth` actions is, over the
    classes of the frame above. It has one row more than there are frames."""
    entered: NDArray[np.int64]
    """[depth, player] where the same range is over the classes of the frame at `depth`."""
    partition: NDArray[np.int64]
    """[depth] the partition of hands in the frame."""
    size: NDArray[np.int64]
    """[depth] the number of classes in the frame."""
    node: NDArray[np.int64]
    """[depth] the node of the frame."""
    key: NDArray[np.int64]
    """[depth] the hash of the history, which seeds pseudo-random choices; 0 at the root."""
    child: NDArray[np.int64]
    """[depth] the child being valued, or NONE when all are valued."""
    place: NDArray[np.int64]
    """[depth] the place of this child among its siblings."""
    ranges: NDArray[np.float32]
    """[j, hand] the ranges R[j] of the module's docstring, then merged ones, by depth and
    player."""
    mass: NDArray[np.float32]
    """[j] the sum of each range."""
    counts: NDArray[np.float32]
    """[j, kind, count] the mass of a range on hands with `count` dice that count for the kind."""
    counted: NDArray[np.int64]
    """[j] a bit for each kind whose `counts` have been written."""
    sums: NDArray[np.float32]
    """[turn, class] scratch: sums over parts of a range."""
    possible: NDArray[np.uint32]
    """[n] scratch: the hands of a range that have positive mass."""
    shares: NDArray[np.float32]
    """[depth, place, hand] the positive shares of the children."""
    scale: NDArray[np.float32]
    """[depth, hand] 1 over the sum of the shares, or 0 where no share is positive."""
    value: NDArray[np.float32]
    """[depth, hand] the value of the node to the walker. The frame above the first node receives
    the result."""
    values: NDArray[np.float32]
    """[depth, place, hand] the values of the children, where the walker moves."""
    total: NDArray[np.float32]
    """[count] the mass with which all others together have `count` dice that count."""
    earned: NDArray[np.float32]
    """[own count] what a challenge earns; padded beyond the dice of a hand if `LANES` is larger."""
    best: NDArray[np.float32]
    """[hand] the most that a hand can get, in the tree or by leaving it."""
    leaving: NDArray[np.int64]
    """[place] the actions by which the tree may be left."""
    pays: NDArray[np.float32]
    """[place, own count] what each action in `leaving` earns, padded like `earned`."""
    kind: NDArray[np.int64]
    """[place] the kind of bid that decides which dice count for the action in `leaving`."""
    gain: NDArray[np.float32]
    """[place] what the hands gain together for which the action in `leaving` is the best."""
    in_tree: NDArray[np.bool_]
    """[action] scratch: whether the node has a child by the action; all false between uses."""
    noted: NDArray[np.int64]
    """[note, 3] the actions that gain by leaving the tree, up to the room there is: node, action,
    and key of the node's history."""
    noted_gain: NDArray[np.float32]
    """[note] what the noted action gains."""
    notes: NDArray[np.int64]
    """[1] the number of notes, which may exceed the room."""
    held: NDArray[np.int64]
    """[depth] the index into `tree.held` of a node where the responder moves, or NONE."""
    kept: NDArray[np.float32]
    """[depth, hand] what the strategy held at that node earns."""


def new_walk(root: Root, depth: int) -> TreeWalk:
    """Return a walk with frames for at most `depth` bids from the root on. Ranges are 0."""
    (players, hands), bids = root.ranges.shape, root.bids
    actions, kinds = bids.claimed.size + bids.endings, root.matches.shape[0]
    dice, owns = bids.dice, max(LANES, bids.dice + 1)

    def real(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, dtype=np.float32)

    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    ranges = depth + players + depth * players
    return TreeWalk(
        mover=whole(depth),
        latest=np.tile(np.arange(players), (depth + 1, 1)),
        entered=whole(depth, players),
        partition=whole(depth),
        size=np.full(depth, hands),
        node=whole(depth),
        key=whole(depth),
        child=whole(depth),
        place=whole(depth),
        ranges=real(ranges, hands),
        mass=real(ranges),
        counts=real(ranges, kinds, dice + 1),
        counted=whole(ranges),
        sums=real(SUMS, hands),
        possible=np.zeros(hands, dtype=np.uint32),
        shares=real(depth, actions, hands),
        scale=real(depth, hands),
        value=real(depth, hands),
        values=real(depth, actions, hands),
        total=real((players - 1) * dice + 1),
        earned=real(owns),
        best=real(hands),
        leaving=whole(actions),
        pays=real(actions, owns),
        kind=whole(actions),
        gain=real(actions),
        in_tree=np.zeros(actions, dtype=np.bool_),
        noted=whole(_NOTED, 3),
        noted_gain=real(_NOTED),
        notes=whole(1),
        held=whole(depth),
        kept=real(depth, hands),
    )


# Histories


@hot_kernel
def key_after(key: int, action: int) -> int:
    """Return the key of the history that `action` appends to the history with this `key`. Keys are
    below 2^32, and differ between the actions of a history."""
    return int((key * 0x5851F42D + int(action) * 10007 + 1) & 0xFFFFFFFF)


# Ranges


class Entries(NamedTuple):
    """Nodes at which walks begin, and the players' ranges there."""

    node: NDArray[np.int64]
    """[entry] the node."""
    ranges: NDArray[np.float32]
    """[entry, player, hand] each player's range after the action that leads to the node."""
    mass: NDArray[np.float32]
    """[entry, player] the sum of the range."""


@hot_kernel
def enter(tree: Tree, walk: TreeWalk, entries: Entries, place: int) -> int:
    """Fill the frames above the entry at `place`, and its ranges. Return the depth of the frame
    just above the entry."""
    start, above = entries.node[place], -1
    node = tree.parent[start]
    while node != NONE:
        above += 1
        node = tree.parent[node]
    node = tree.parent[start]
    for up in range(above + 1):
        walk.node[above - up] = node
        node = tree.parent[node]
    for depth in range(above + 1):
        push(tree, walk, depth, walk.node[depth], ALONE)
    for player in range(tree.root.bids.players):
        index = walk.latest[above + 1, player]
        for hand in range(entries.ranges.shape[2]):
            walk.ranges[index, hand] = entries.ranges[place, player, hand]
        walk.mass[index], walk.counted[index] = entries.mass[place, player], 0
    return above


@hot_kernel
def others_mass(tree: Tree, walk: TreeWalk, depth: int, walker: int) -> float:
    """Return the probability with which all players but the `walker` come to the current history
    after `depth` actions."""
    mass = ONE
    for player in range(tree.root.bids.players):
        if player != walker:
            mass *= walk.mass[walk.latest[depth, player]]
    return float(mass)


@hot_kernel
def part_that_plays(
    share: NDArray[np.float32],
    fallback: bool,
    scale: NDArray[np.float32],
    range_: NDArray[np.float32],
    part: NDArray[np.float32],
) -> float:
    """Write into `part` [hand] the part of `range_` [hand] that plays an action with this `share`
    [hand]; return its mass. Hands without a strategy play the action if it is the `fallback`."""
    mass = ZERO
    if fallback:
        for hand in range(part.size):
            played = share[hand] * scale[hand] if scale[hand] > ZERO else ONE
            part[hand] = range_[hand] * played
            mass += part[hand]
    else:
        for hand in range(part.size):
            part[hand] = range_[hand] * share[hand] * scale[hand]
            mass += part[hand]
    return float(mass)


@hot_kernel
def hands_that_play(
    share: NDArray[np.float32],
    fallback: bool,
    scale: NDArray[np.float32],
    class_of: NDArray[np.uint16],
    range_: NDArray[np.float32],
    part: NDArray[np.float32],
    played: NDArray[np.float32],
) -> float:
    """Do what `part_that_plays` does where `share` and `scale` are of classes, and ranges of hands.
    `played` [class] is scratch."""
    for group in range(played.size):
        played[group] = share[group] * scale[group]
        if fallback and scale[group] == ZERO:
            played[group] = ONE
    mass = ZERO
    for hand in range(part.size):
        part[hand] = range_[hand] * played[class_of[hand]]
        mass += part[hand]
    return float(mass)


@hot_kernel
def move(tree: Tree, walk: TreeWalk, depth: int, child: int) -> float:
    """Write the range of the player in turn at `depth` after the current `child`, by the shares at
    `depth`; return its mass, which is also written."""
    new = depth + tree.root.bids.players
    partition, fallback = tree.partition[walk.node[depth]], is_fallback(tree, child)
    share, scale = walk.shares[depth, walk.place[depth]], walk.scale[depth]
    range_ = walk.ranges[walk.entered[depth, walk.mover[depth]]]
    part = walk.ranges[new, : walk.size[depth]]
    if partition == walk.partition[depth]:
        mass = part_that_plays(share, fallback, scale, range_, part)
    else:
        played = walk.sums[0, : tree.classes.size[partition]]
        mass = hands_that_play(
            share, fallback, scale, tree.classes.class_of[partition], range_, part, played
        )
    walk.mass[new], walk.counted[new] = mass, 0
    return mass


@hot_kernel
def reached_mass(tree: Tree, walk: TreeWalk, depth: int, walker: int, child: int) -> float:
    """Write the range of the player in turn at `depth`, who is not the `walker`, after the current
    `child`. Return the mass with which all but the walker reach the child."""
    mass = move(tree, walk, depth, child)
    return mass if tree.root.bids.players == 2 else others_mass(tree, walk, depth + 1, walker)


# Strategies


@hot_kernel
def is_fallback(tree: Tree, child: int) -> bool:
    """Return whether hands without a strategy play `child`: the challenge of the last bid."""
    last: bool = tree.action[child] == tree.root.bids.claimed.size
    return last


@hot_kernel
def weigh_children(
    tree: Tree, walk: TreeWalk, depth: int, rows: Stored | NDArray[np.uint8]
) -> None:
    """Write into `walk.shares` the positive parts of the `rows` of the children of the node at
    `depth`. Write into `walk.scale` 1 over their sum, or 0 where the sum is 0 or denormal.

    Where it is 0 the hand challenges the last bid. Regret matching may do anything there, since
    theorem 4 of Zinkevich et al. (2007) rests on Blackwell's condition, which then holds for any
    strategy. Uniform raises would make young trees explode.
    """
    node = walk.node[depth]
    scale = walk.scale[depth, : tree.classes.size[tree.partition[node]]]
    for group in range(scale.size):
        scale[group] = ZERO
    child, place = tree.first_child[node], 0
    while child != NONE:
        first, share = tree.row[child], walk.shares[depth, place]
        row = rows[first : first + scale.size]
        for group in range(scale.size):
            share[group] = max(widen(row[group]), ZERO)
            scale[group] += share[group]
        child, place = tree.sibling[child], place + 1
    for group in range(scale.size):
        scale[group] = ONE / scale[group] if scale[group] >= TINY else ZERO


# Frames


@hot_kernel
def mover_after(tree: Tree, walk: TreeWalk, depth: int, action: int) -> int:
    """Return the player in turn after a bid or double is made at the node at `depth`."""
    turn = walk.mover[depth] + turns_on(tree.root.bids, action)
    return player_of(turn, tree.root.bids.players)


@hot_kernel
def player_of(turn: int, players: int) -> int:
    """Return the player of a `turn` from -N up to 2 N - 1. A division would take longer."""
    if turn < 0:
        return turn + players
    return turn - players if turn >= players else turn


@hot_kernel
def push(
    tree: Tree, walk: TreeWalk, depth: int, node: int, partition: int, walker: int = NONE
) -> None:
    """Open the frame of `node` at `depth`, with the hands divided as in `partition`. The range of
    the `walker`, if there is one, is not needed."""
    players = tree.root.bids.players
    walk.node[depth] = node
    walk.key[depth] = key_after(walk.key[depth - 1], tree.action[node]) if depth > 0 else 0
    walk.child[depth] = tree.first_child[node]
    walk.place[depth] = 0
    walk.partition[depth], walk.size[depth] = partition, tree.classes.size[partition]
    for player in range(players):
        walk.entered[depth, player] = walk.latest[depth, player]
    if depth > 0 and partition != walk.partition[depth - 1]:
        merge_ranges(tree, walk, depth, walker)
    for player in range(players):
        walk.latest[depth + 1, player] = walk.entered[depth, player]
    mover = mover_after(tree, walk, depth - 1, int(tree.action[node])) if depth > 0 else 0
    walk.mover[depth] = mover
    walk.latest[depth + 1, mover] = depth + players
    value = walk.value[depth]
    for group in range(walk.size[depth]):
        value[group] = ZERO


@hot_kernel
def merge_ranges(tree: Tree, walk: TreeWalk, depth: int, walker: int) -> None:
    """Merge the ranges of all but the `walker` that enter the frame at `depth` into its classes."""
    players = tree.root.bids.players
    merged = walk.node.size + players + depth * players
    for player in range(players):
        if player == walker:
            continue
        source, target = walk.latest[depth, player], merged + player
        merge(
            tree.classes,
            walk.partition[depth - 1],
            walk.partition[depth],
            walk.ranges[source],
            walk.ranges[target],
            walk.sums,
        )
        walk.mass[target], walk.counted[target] = walk.mass[source], 0
        walk.entered[depth, player] = target


@hot_kernel
def advance(tree: Tree, walk: TreeWalk, depth: int) -> None:
    """Move the frame at `depth` on to the next child."""
    walk.child[depth] = tree.sibling[walk.child[depth]]
    walk.place[depth] += 1


# Values


@hot_kernel
def add_value(
    share: NDArray[np.float32],
    fallback: bool,
    scale: NDArray[np.float32],
    earned: NDArray[np.float32],
    value: NDArray[np.float32],
) -> None:
    """Add to `value` [hand] the contribution of an action with this `share` [hand] that earns
    `earned` [hand]. Hands without a strategy play it if it is the `fallback`."""
    if fallback:
        for hand in range(value.size):
            played = share[hand] * scale[hand] if scale[hand] > ZERO else ONE
            value[hand] += played * earned[hand]
    else:
        for hand in range(value.size):
            value[hand] += share[hand] * scale[hand] * earned[hand]


@hot_kernel
def add_children(tree: Tree, walk: TreeWalk, depth: int) -> None:
    """Add to the value of the walker's node at `depth` what its children earn by the current
    shares."""
    value, scale = walk.value[depth, : walk.size[depth]], walk.scale[depth]
    child, place = tree.first_child[walk.node[depth]], 0
    while child != NONE:
        share, earned = walk.shares[depth, place], walk.values[depth, place]
        add_value(share, is_fallback(tree, child), scale, earned, value)
        child, place = tree.sibling[child], place + 1


@hot_kernel
def leave_ranges_at(tree: Tree, walk: TreeWalk, depth: int, leaf: int) -> int:
    """If another tree holds the subtree of `leaf`, reached after `depth` actions, write the current
    ranges into `tree.elsewhere` and return the leaf's place there; else return NONE."""
    elsewhere, place = tree.elsewhere, place_elsewhere(tree, leaf)
    if place == NONE:
        return NONE
    elsewhere.reached[place] = True
    for player in range(tree.root.bids.players):
        index = walk.latest[depth, player]
        elsewhere.mass[place, player] = walk.mass[index]
        for hand in range(elsewhere.ranges.shape[2]):
            elsewhere.ranges[place, player, hand] = walk.ranges[index, hand]
    return int(place)


@hot_kernel
def add_to_parent(tree: Tree, walk: TreeWalk, depth: int, own: bool) -> None:
    """Pass the value of the node at `depth` to the frame above. If the walker moves there (`own`),
    it becomes the value of one action; else it is added to a sum."""
    value, size = walk.value[depth], walk.size[depth - 1]
    target = walk.values[depth - 1, walk.place[depth - 1]] if own else walk.value[depth - 1]
    fine, coarse = walk.partition[depth - 1], walk.partition[depth]
    if fine == coarse:
        for group in range(size):
            target[group] = value[group] if own else target[group] + value[group]
        return
    for group in range(size):
        found = value[class_at(tree.classes, fine, coarse, group)]
        target[group] = found if own else target[group] + found
