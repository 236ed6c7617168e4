"""Walks of a `solver.cfr.growing_tree.Tree`: all hands of all players, nothing sampled.

The first two walks value the subtree below a child of the root for one player, the *walker*, for
all own hands at once, against the ranges of all others: for every hand of theirs its probability
times the probability that they bid like this. Values are counterfactual, in penalty points:
expected over the others' ranges, which need not sum to 1.

- `improve` adds one pass to the walker's regrets (CFR: Zinkevich et al. 2007): it computes the
  others' reach, and follows all actions of the walker.
- `respond` values the best response to the others' averages, **in the whole game**. That is exact:
  beyond the tree whoever is in turn challenges the last bid, so a raise that leaves the tree is
  settled by its challenge, and after it there is nothing to decide. It also notes what actions
  that leave the tree would gain: there the tree should grow.
- `accumulate` adds one player's current strategy to their average, weighed by their own reach
  alone.

With two players `improve` does what `accumulate` would, for the other player, at less cost: their
reach is at hand. With more it would miss histories to which some third player does not go now.

**Ranges.** Write R[0], ..., R[N-1] for the ranges at the root, in turn order. The action of depth
d, which is the (d+1)-th from the root on, is taken by player d mod N and makes their range R[d+N].
So after d actions the ranges are R[d], ..., R[d+N-1], and that of player p is the one whose
index leaves p when divided by N. A walk never touches the walker's own.

The root is left to numpy in `solver.cfr.tree_cfr`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.cfr.growing_tree import NONE, ROOT, Tree, is_challenge, is_leaf
from solver.cfr.narrow import Stored, first_noise, narrow, widen
from solver.cfr.regret_matching import Step
from solver.cfr.root import Root
from solver.jit import hot_kernel, kernel
from solver.showdown import ONE, TINY, ZERO, convolve, count_having, pay_walker
from solver.small_tables import LANES, add_entries, raise_to_entries

NEGLIGIBLE = np.float32(1e-9)
"""A reply that the others together make with less mass than this is not followed while regrets are
improved."""
_ONE_IN = 4
"""Of so many passes one follows a reply that is made seldom."""
_NOTED = 1 << 16
"""Actions that one walk can note; more are left for the next."""
_MORE = np.float32(1e6)
"""Points: more than any action earns."""


class TreeWalk(NamedTuple):
    """The arrays of one thread: the frames of the nodes being valued, by `depth`, the number of
    bids since the root. Frame 0 is that of the root."""

    mover: NDArray[np.int64]
    """[depth] the player who moves there: divisions would take a tenth of the time."""
    latest: NDArray[np.int64]
    """[depth, player] the j of the range R[j] of each player after `depth` actions."""
    node: NDArray[np.int64]
    """[depth]"""
    child: NDArray[np.int64]
    """[depth] the child being valued, NONE when all are,"""
    place: NDArray[np.int64]
    """[depth] and which one it is."""
    ranges: NDArray[np.float32]
    """[j, hand] R[j], see above. The caller fills those up to N."""
    mass: NDArray[np.float32]
    """[j] the sum of R[j]."""
    counts: NDArray[np.float32]
    """[j, kind, count] the mass of R[j] with so many dice that count."""
    counted: NDArray[np.int64]
    """[j] the kinds for which that is written, as bits."""
    shares: NDArray[np.float32]
    """[depth, place, hand] the positive shares of the children,"""
    scale: NDArray[np.float32]
    """[depth, hand] and 1 over their sum, 0 where there are none."""
    value: NDArray[np.float32]
    """[depth, hand] the value of the node to the walker; that at 0 is the result."""
    values: NDArray[np.float32]
    """[depth, place, hand] the values of its children, where the walker moves."""
    total: NDArray[np.float32]
    """[count] the mass of all others with so many dice that count."""
    earned: NDArray[np.float32]
    """[own count] what a challenge earns, with more places than a hand has dice if `LANES` asks for
    them."""
    best: NDArray[np.float32]
    """[hand] the most that a hand can get, by leaving the tree or not,"""
    leaving: NDArray[np.int64]
    """[place] the actions by which it may be left,"""
    by: NDArray[np.int64]
    """[hand] which of them earns a hand that most, or NONE,"""
    gain: NDArray[np.float32]
    """[place] and what all hands for which it is gain together."""
    in_tree: NDArray[np.bool_]
    """[action] whether the tree has it at the node in question; all false in between."""
    noted: NDArray[np.int64]
    """[note, 2] actions that gain by leaving the tree: node, action."""
    noted_gain: NDArray[np.float32]
    """[note]"""
    notes: NDArray[np.int64]
    """[1] how many."""
    held: NDArray[np.int64]
    """[depth] the place in `tree.held` of a node where the responder moves, or NONE,"""
    kept: NDArray[np.float32]
    """[depth, hand] and what the strategy that is held there earns."""


def new_walk(root: Root, depth: int) -> TreeWalk:
    """Return the frames for at most `depth` bids from the root on. R of the root is filled in."""
    (players, hands), bids = root.ranges.shape, root.bids
    actions, dice = bids.claimed.size + bids.challenges, root.having.shape[2] - 1

    def real(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, dtype=np.float32)

    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    depths, seats = np.arange(depth + players), np.arange(players)
    walk = TreeWalk(
        mover=depths % players,
        latest=depths[:, np.newaxis] + (seats - depths[:, np.newaxis]) % players,
        node=whole(depth), child=whole(depth), place=whole(depth),
        ranges=real(depth + players, hands), mass=real(depth + players),
        counts=real(depth + players, *root.having.shape[1:3]), counted=whole(depth + players),
        shares=real(depth, actions, hands), scale=real(depth, hands),
        value=real(depth, hands), values=real(depth, actions, hands),
        total=real((players - 1) * dice + 1), earned=real(max(LANES, dice + 1)),
        best=real(hands), leaving=whole(actions), by=whole(hands), gain=real(actions),
        in_tree=np.zeros(actions, dtype=np.bool_),
        noted=whole(_NOTED, 2), noted_gain=real(_NOTED), notes=whole(1),
        held=whole(depth), kept=real(depth, hands),
    )  # fmt: skip
    walk.ranges[:players] = root.ranges
    walk.mass[:players] = root.ranges.sum(axis=1)
    return walk


# Challenges


class Challenge(NamedTuple):
    """Who challenges which bid, after `depth` actions from the root on."""

    depth: int
    """The ranges are those after so many actions; see above."""
    bid: int
    distance: int
    """How many bids ago it was made: the points at stake."""
    challenger: int
    """The player who challenges,"""
    bidder: int
    """and the one who made the bid."""


@hot_kernel
def count_range(tree: Tree, walk: TreeWalk, player: int, index: int, kind: int) -> None:
    """Write `walk.counts` of one kind of bids for R[`index`] of `player`, unless it is there
    already."""
    if walk.counted[index] >> kind & 1:
        return
    walk.counted[index] |= 1 << kind
    having = tree.root.having[tree.root.hands[player], kind]
    mass = np.float32(walk.mass[index])
    count_having(walk.ranges[index], mass, having, walk.counts[index, kind])


@hot_kernel
def others_mass(tree: Tree, walk: TreeWalk, depth: int, walker: int) -> float:
    """Return the probability with which all but the `walker` come to where they are after `depth`
    actions."""
    mass = ONE
    for player in range(tree.root.hands.size):
        if player != walker:
            mass *= walk.mass[walk.latest[depth, player]]
    return float(mass)


@hot_kernel
def count_others(tree: Tree, walk: TreeWalk, depth: int, walker: int, kind: int) -> None:
    """Write into `walk.total` the mass of all but the `walker` by how many of their dice count."""
    walk.total[0], dice = ONE, 0
    for player in range(tree.root.hands.size):
        if player != walker:
            index = walk.latest[depth, player]
            count_range(tree, walk, player, index, kind)
            theirs = walk.counts[index, kind]
            if dice == 0:
                for count in range(theirs.size):
                    walk.total[count] = theirs[count]
            else:
                for count in range(dice + 1, dice + theirs.size):
                    walk.total[count] = ZERO
                convolve(walk.total, dice + theirs.size - 1, theirs, theirs.size - 1)
            dice += theirs.size - 1


@hot_kernel
def settle(tree: Tree, walk: TreeWalk, walker: int, made: Challenge) -> None:
    """Write into `walk.earned` [own] what a challenge earns the `walker`, who challenges or made
    the bid."""
    bids, players = tree.root.bids, tree.root.hands.size
    stake = np.float32(made.distance)
    win = stake / np.float32(players - 1)
    count_others(tree, walk, made.depth, walker, bids.kind[made.bid])
    challenges = walker == made.challenger
    pay_walker(walk.total, bids.claimed[made.bid], stake, win, challenges, walk.earned)


@hot_kernel
def add_paid(
    tree: Tree, walk: TreeWalk, walker: int, made: Challenge, value: NDArray[np.float32]
) -> None:
    """Add what a challenge pays the `walker` to the `value` [hand] of every hand of theirs."""
    root = tree.root
    if walker in (made.challenger, made.bidder):
        settle(tree, walk, walker, made)
        add_entries(value, walk.earned, root.matches[root.hands[walker], root.bids.kind[made.bid]])
    else:
        # Whatever the dice.
        mass = others_mass(tree, walk, made.depth, walker)
        win = np.float32(mass * made.distance / (root.hands.size - 1))
        for hand in range(value.size):
            value[hand] += win


@hot_kernel
def write_paid(
    tree: Tree, walk: TreeWalk, walker: int, made: Challenge, value: NDArray[np.float32]
) -> None:
    """Write into `value` [hand] what a challenge pays every hand of the `walker`."""
    for hand in range(value.size):
        value[hand] = ZERO
    add_paid(tree, walk, walker, made, value)


@hot_kernel
def bid_made(tree: Tree, walk: TreeWalk, depth: int, distance: int) -> int:
    """Return the bid made `distance` bids before the node at `depth`, which has a frame."""
    made = tree.root.made
    if distance <= depth:
        bid: int = tree.action[walk.node[depth - distance + 1]]
    else:
        bid = made[made.size - (distance - depth)]
    return bid


@hot_kernel
def challenge_at(tree: Tree, walk: TreeWalk, depth: int, action: int) -> Challenge:
    """Return the challenge that is `action` at the node at `depth`, which has a frame."""
    players, distance = tree.root.hands.size, action - tree.root.bids.claimed.size + 1
    bid = bid_made(tree, walk, depth, distance)
    bidder = walk.mover[depth - distance + players]
    return Challenge(depth + 1, bid, distance, walk.mover[depth], bidder)


@hot_kernel
def challenge_of(walk: TreeWalk, depth: int, bid: int) -> Challenge:
    """Return the challenge of a `bid` that leads to a leaf, or leaves the tree, from a node at
    `depth`: the player after the bidder challenges."""
    return Challenge(depth + 1, bid, 1, walk.mover[depth + 1], walk.mover[depth])


@hot_kernel
def end_of(tree: Tree, walk: TreeWalk, depth: int, action: int) -> Challenge:
    """Return the challenge that ends the round after an `action` at `depth`: the action itself, or
    that of a bid which is challenged at once."""
    if action >= tree.root.bids.claimed.size:
        return challenge_at(tree, walk, depth, action)
    bid = int(np.int64(action))  # one type, whatever the array is of
    return challenge_of(walk, depth, bid)


# Strategies


@hot_kernel
def weigh_children(tree: Tree, walk: TreeWalk, depth: int, rows: Stored) -> None:
    """Write into `walk.shares` what is positive in `rows` [node, hand] of the children of the node
    at `depth`, and into `walk.scale` 1 over the sum, or 0 where there are none, or none but
    denormal ones.

    Where it is 0 the hand challenges the last bid: regret matching may do anything there (theorem 4
    of Zinkevich et al. 2007 rests on Blackwell's condition, which then holds for any strategy), and
    uniform raises would make young trees explode.
    """
    scale = walk.scale[depth]
    for hand in range(scale.size):
        scale[hand] = ZERO
    child, place = tree.first_child[walk.node[depth]], 0
    while child != NONE:
        row, share = rows[child], walk.shares[depth, place]
        for hand in range(scale.size):
            share[hand] = max(widen(row[hand]), ZERO)
            scale[hand] += share[hand]
        child, place = tree.sibling[child], place + 1
    for hand in range(scale.size):
        scale[hand] = ONE / scale[hand] if scale[hand] >= TINY else ZERO


@hot_kernel
def part_that_plays(
    share: NDArray[np.float32],
    fallback: bool,
    scale: NDArray[np.float32],
    range_: NDArray[np.float32],
    part: NDArray[np.float32],
) -> float:
    """Write into `part` [hand] the part of `range_` [hand] that plays an action with this `share`
    [hand], which may be the `fallback` of hands without any; return its mass."""
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
def is_fallback(tree: Tree, child: int) -> bool:
    """Return whether hands without a strategy play `child`: the challenge of the last bid."""
    last: bool = tree.action[child] == tree.root.bids.claimed.size
    return last


@hot_kernel
def move(tree: Tree, walk: TreeWalk, depth: int, child: int) -> float:
    """Write the range that the player in turn at `depth` has after the current `child`, by the
    shares there, and what is kept beside it; return its mass."""
    new = depth + tree.root.hands.size
    mass = part_that_plays(
        walk.shares[depth, walk.place[depth]], is_fallback(tree, child), walk.scale[depth],
        walk.ranges[depth], walk.ranges[new],
    )  # fmt: skip
    walk.mass[new], walk.counted[new] = mass, 0
    return mass


# Frames


@hot_kernel
def push(tree: Tree, walk: TreeWalk, depth: int, node: int) -> None:
    """Open a frame for `node`."""
    walk.node[depth] = node
    walk.child[depth] = tree.first_child[node]
    walk.place[depth] = 0
    value = walk.value[depth]
    for hand in range(value.size):
        value[hand] = ZERO


@hot_kernel
def advance(tree: Tree, walk: TreeWalk, depth: int) -> None:
    """Move on to the next child."""
    walk.child[depth] = tree.sibling[walk.child[depth]]
    walk.place[depth] += 1


@hot_kernel
def reached_mass(tree: Tree, walk: TreeWalk, depth: int, walker: int, child: int) -> float:
    """Write the range of the player in turn at `depth`, who is not the `walker`, after the current
    `child`. Return the mass with which all but the walker come there."""
    mass = move(tree, walk, depth, child)
    return mass if tree.root.hands.size == 2 else others_mass(tree, walk, depth + 1, walker)


# Regrets and averages


@hot_kernel
def add_to_average(tree: Tree, node: int, part: NDArray[np.float32], step: Step) -> None:
    """Add the `part` [hand] of a range that comes to `node` to its average."""
    average = tree.average[node]
    first = first_noise(step.passes, node)
    noise = step.noise[first : first + part.size]
    for hand in range(part.size):
        added = widen(average[hand]) + step.weight * part[hand]
        average[hand] = narrow(added, noise[hand], average[hand])


@hot_kernel
def is_drawn(passes: int, node: int) -> bool:
    """Return whether this pass follows the seldom replies of `node`: one pass in _ONE_IN does, as
    good as at random, and independent of other nodes."""
    mixed = (passes * 0x9E3779B1 + node * 0x85EBCA77) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 0x2C1B3C6D) & 0xFFFFFFFF
    return (mixed >> 12) % _ONE_IN == 0


@hot_kernel
def sample(walk: TreeWalk, depth: int, players: int, passes: int) -> float:
    """If this pass follows the seldom replies of the node at `depth`, multiply the range after the
    current one by the number of passes of which it is one, and return its mass; else return 0.

    So all that is found below is right in expectation (Lanctot et al. 2009, equation 6), also where
    it is sampled again further down. All replies of a node are followed in the same passes, and
    their averages stay comparable.
    """
    if not is_drawn(passes, int(walk.node[depth])):
        return 0.0
    part = walk.ranges[depth + players]
    for hand in range(part.size):
        part[hand] *= np.float32(_ONE_IN)
    walk.mass[depth + players] *= np.float32(_ONE_IN)
    return float(walk.mass[depth + players])


@hot_kernel
def next_to_improve(tree: Tree, walk: TreeWalk, depth: int, walker: int, step: Step) -> int:
    """Return the next child of the node at `depth` that is to be valued, or NONE. Where another
    player moves, the range that they have after it is then in place, and with two players it has
    been added to their average."""
    players, child = tree.root.hands.size, int(walk.child[depth])
    if walk.mover[depth] == walker:
        return child
    part = walk.ranges[depth + players]
    while child != NONE:
        mass = reached_mass(tree, walk, depth, walker, child)
        if mass < step.seldom:
            mass = sample(walk, depth, players, step.passes)
        if mass > NEGLIGIBLE:
            if players == 2:
                add_to_average(tree, child, part, step)
            return child
        advance(tree, walk, depth)
        child = int(walk.child[depth])
    return NONE


@hot_kernel
def add_value(
    share: NDArray[np.float32],
    fallback: bool,
    scale: NDArray[np.float32],
    earned: NDArray[np.float32],
    value: NDArray[np.float32],
) -> None:
    """Add to `value` [hand] the contribution of an action with this `share` [hand] that earns
    `earned` [hand]; it may be the `fallback` of hands without a strategy."""
    if fallback:
        for hand in range(value.size):
            played = share[hand] * scale[hand] if scale[hand] > ZERO else ONE
            value[hand] += played * earned[hand]
    else:
        for hand in range(value.size):
            value[hand] += share[hand] * scale[hand] * earned[hand]


@hot_kernel
def update_regrets(tree: Tree, walk: TreeWalk, depth: int, step: Step) -> None:
    """Value the walker's node by the current strategy, and add the regrets of its children."""
    node, value, scale = walk.node[depth], walk.value[depth], walk.scale[depth]
    child, place = tree.first_child[node], 0
    while child != NONE:
        share, earned = walk.shares[depth, place], walk.values[depth, place]
        add_value(share, is_fallback(tree, child), scale, earned, value)
        child, place = tree.sibling[child], place + 1
    child, place = tree.first_child[node], 0
    while child != NONE:
        regret, earned = tree.regret[child], walk.values[depth, place]
        first = first_noise(step.passes, child)
        noise = step.noise[first : first + value.size]
        for hand in range(value.size):
            before = widen(regret[hand])
            keep = step.keep_positive if before > ZERO else step.keep_negative
            now = keep * before + earned[hand] - value[hand]
            regret[hand] = narrow(now, noise[hand], regret[hand])
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
def improve_at_end(tree: Tree, walk: TreeWalk, depth: int, walker: int, node: int) -> None:
    """Value the child `node` of the one at `depth`: a challenge, or a bid that is challenged."""
    own = depth > 0 and walk.mover[depth] == walker
    value = walk.values[depth, walk.place[depth]] if own else walk.value[depth]
    if own:
        for hand in range(value.size):
            value[hand] = ZERO
    add_paid(tree, walk, walker, end_of(tree, walk, depth, tree.action[node]), value)


@hot_kernel
def improve(tree: Tree, walk: TreeWalk, start: int, walker: int, step: Step) -> None:
    """Run one pass for the `walker` below `start`, a child of the root; its value is left in
    `walk.value[0]`. If another player moves at the root, R[N] is theirs after `start`."""
    node, depth = start, 0
    push(tree, walk, 0, ROOT)
    while True:
        if node == NONE:
            if depth == 0:
                return
            if walk.mover[depth] == walker:
                update_regrets(tree, walk, depth, step)
            add_to_parent(walk, depth, depth > 1 and walk.mover[depth - 1] == walker)
            depth -= 1
            advance(tree, walk, depth)
        elif is_leaf(tree, node):
            improve_at_end(tree, walk, depth, walker, node)
            advance(tree, walk, depth)
        else:
            depth += 1
            push(tree, walk, depth, node)
            weigh_children(tree, walk, depth, tree.regret)
        node = next_to_improve(tree, walk, depth, walker, step) if depth > 0 else NONE


# Averages


@hot_kernel
def next_to_accumulate(tree: Tree, walk: TreeWalk, depth: int, player: int, step: Step) -> int:
    """Return the next child of the node at `depth` below which the player's strategy is to be added
    to their average, or NONE. Where they move themselves, that of the children up to it has been
    added, and the range that they have after it is in place."""
    players = tree.root.hands.size
    part = walk.ranges[depth + players]
    child = int(walk.child[depth])
    while child != NONE:
        followed = True
        if walk.mover[depth] == player:
            followed = bool(move(tree, walk, depth, child) > NEGLIGIBLE)
            if followed:
                add_to_average(tree, child, part, step)
        if followed and not is_leaf(tree, child):
            return child
        advance(tree, walk, depth)
        child = int(walk.child[depth])
    return NONE


@hot_kernel
def accumulate(tree: Tree, walk: TreeWalk, start: int, player: int, step: Step) -> None:
    """Add the current strategy of `player` below `start`, a child of the root, to their average, by
    their own reach times the weight of the pass. If they move at the root, R[N] is theirs after
    `start`."""
    if is_leaf(tree, start):
        return
    node, depth = start, 1
    while depth > 0:
        if node != NONE:
            push(tree, walk, depth, node)
            if walk.mover[depth] == player:
                weigh_children(tree, walk, depth, tree.regret)
        node = next_to_accumulate(tree, walk, depth, player, step)
        if node != NONE:
            depth += 1
            continue
        depth -= 1
        if depth > 0:
            advance(tree, walk, depth)


# Best responses


@hot_kernel
def mark_children(tree: Tree, walk: TreeWalk, node: int, mark: bool) -> None:
    """Set `walk.in_tree` to `mark` for the actions that the tree has after `node`."""
    child = tree.first_child[node]
    while child != NONE:
        walk.in_tree[tree.action[child]] = mark
        child = tree.sibling[child]


@hot_kernel
def list_leaving(tree: Tree, walk: TreeWalk, depth: int) -> int:
    """Write into `walk.leaving` the actions at the node at `depth` that leave the tree and may be
    worth it: the challenges of earlier bids, and the weakest raise of each kind. Return how many.
    Stronger raises of the same kind do not matter: all of them are challenged, and where one is
    true the weakest is true as well."""
    bids, node = tree.root.bids, walk.node[depth]
    mark_children(tree, walk, node, True)
    found, kinds = 0, 0
    for bid in range(bids.first_raise[tree.action[node] + 1], bids.claimed.size):
        if not walk.in_tree[bid] and not kinds >> bids.kind[bid] & 1:
            kinds |= 1 << bids.kind[bid]
            walk.leaving[found] = bid
            found += 1
    for distance in range(2, min(bids.challenges, tree.root.made.size + depth) + 1):
        jump = bids.claimed.size + distance - 1
        if not walk.in_tree[jump]:
            walk.leaving[found] = jump
            found += 1
    mark_children(tree, walk, node, False)
    return found


@hot_kernel
def settle_leaving(tree: Tree, walk: TreeWalk, depth: int, walker: int, place: int) -> int:
    """Write into `walk.earned` what the `walker` earns by the action in this `place` in
    `walk.leaving`. Return the kind of bid by which that depends on their dice."""
    made = end_of(tree, walk, depth, walk.leaving[place])
    settle(tree, walk, walker, made)
    return int(tree.root.bids.kind[made.bid])


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
    """Note which of the `found` actions in `walk.leaving` gain at least `least`. Each hand that has
    more by leaving the tree than its `value` [hand] counts for the first action that earns it
    most."""
    prior, best, by = tree.root.ranges[walker], walk.best, walk.by
    for hand in range(best.size):
        best[hand], by[hand] = value[hand], NONE
    for place in range(found):
        kind = settle_leaving(tree, walk, depth, walker, place)
        matches = tree.root.matches[tree.root.hands[walker], kind]
        for hand in range(best.size):
            earned = walk.earned[matches[hand]]
            if earned > best[hand]:
                best[hand], by[hand] = earned, place
    for place in range(found):
        walk.gain[place] = ZERO
    for hand in range(best.size):
        if by[hand] != NONE:
            walk.gain[by[hand]] += prior[hand] * (best[hand] - value[hand])
    for place in range(found):
        if walk.gain[place] >= least and walk.notes[0] < walk.noted_gain.size:
            note = walk.notes[0]
            walk.noted[note, 0], walk.noted[note, 1] = walk.node[depth], walk.leaving[place]
            walk.noted_gain[note] = walk.gain[place]
            walk.notes[0] += 1


@hot_kernel
def value_end(
    tree: Tree, walk: TreeWalk, depth: int, walker: int, action: int, value: NDArray[np.float32]
) -> None:
    """Write into `value` [hand] what the `walker` gets by an `action` at `depth` that ends the
    round, or leads to a leaf."""
    write_paid(tree, walk, walker, end_of(tree, walk, depth, action), value)


@hot_kernel
def leave_tree(
    tree: Tree,
    walk: TreeWalk,
    depth: int,
    walker: int,
    value: NDArray[np.float32],
    least: float,
) -> None:
    """Raise `value` [hand], the value after the node at `depth` within the tree, to that of the
    best action that leaves the tree, where it is higher. Note the actions that gain at least
    `least` by that."""
    best, prior = walk.best, tree.root.ranges[walker]
    for hand in range(best.size):
        best[hand] = value[hand]
    found = list_leaving(tree, walk, depth)
    for place in range(found):
        kind = settle_leaving(tree, walk, depth, walker, place)
        raise_to_entries(best, walk.earned, tree.root.matches[tree.root.hands[walker], kind])
    gain = ZERO
    for hand in range(best.size):
        gain += prior[hand] * (best[hand] - value[hand])
    if gain >= least:
        note_gains(tree, walk, depth, walker, found, value, least)
    for hand in range(best.size):
        value[hand] = best[hand]


@hot_kernel
def take_best(walk: TreeWalk, depth: int, earned: NDArray[np.float32]) -> None:
    """Raise the value of the responder's node to `earned` [hand], what the current child earns,
    where that is higher."""
    value = walk.value[depth]
    for hand in range(value.size):
        value[hand] = earned[hand] if walk.place[depth] == 0 else max(value[hand], earned[hand])


@hot_kernel
def find_held(tree: Tree, walk: TreeWalk, depth: int, node: int) -> None:
    """Note whether there is a strategy that the responder is held to at `node`, and prepare to
    value it."""
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
    """Add to what the strategy that is held at `depth` earns, if one is, that of its current child,
    which earns `earned` [hand]."""
    if walk.held[depth] != NONE:
        child = walk.child[depth]
        add_value(
            walk.shares[depth, walk.place[depth]], is_fallback(tree, child), walk.scale[depth],
            earned, walk.kept[depth],
        )  # fmt: skip


@hot_kernel
def leave_or_keep(tree: Tree, walk: TreeWalk, depth: int, walker: int, least: float) -> None:
    """Raise the value of the responder's node at `depth` to that of the best action, in the tree or
    not, as `leave_tree` does; for hands that are held to a strategy, set it to what that earns."""
    value, held = walk.value[depth], walk.held[depth]
    if held == NONE:
        leave_tree(tree, walk, depth, walker, value, least)
        return
    for hand in range(value.size):
        if tree.holds[held, hand]:
            value[hand] = _MORE  # so that no action gains
    leave_tree(tree, walk, depth, walker, value, least)
    for hand in range(value.size):
        if tree.holds[held, hand]:
            value[hand] = walk.kept[depth, hand]


@hot_kernel
def next_to_respond(tree: Tree, walk: TreeWalk, depth: int, walker: int) -> int:
    """Return the next child of the node at `depth` that is to be valued, or NONE. Where another
    player moves, the range that they have after it is then in place."""
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
def respond(tree: Tree, walk: TreeWalk, start: int, walker: int, least: float) -> None:
    """Value a best response of the `walker` to the average below `start`, a child of the root; its
    value is left in `walk.value[0]`. If another player moves at the root, R[N] is theirs after
    `start`.

    Note the actions that gain `least` or more by leaving the tree.
    """
    node, depth = start, 0
    push(tree, walk, 0, ROOT)
    while True:
        mine = walk.mover[depth] == walker
        if node == NONE:
            if depth == 0:
                return
            if mine and not is_challenge(tree, walk.node[depth]):
                leave_or_keep(tree, walk, depth, walker, least)
            if depth > 1 and walk.mover[depth - 1] == walker:
                take_best(walk, depth - 1, walk.value[depth])
                keep(tree, walk, depth - 1, walk.value[depth])
            else:
                add_to_parent(walk, depth, False)
            depth -= 1
            advance(tree, walk, depth)
        else:
            depth += 1
            push(tree, walk, depth, node)
            find_held(tree, walk, depth, node)
            if is_leaf(tree, node):
                value_end(tree, walk, depth - 1, walker, tree.action[node], walk.value[depth])
            elif walk.mover[depth] != walker:
                weigh_children(tree, walk, depth, tree.average)
        node = next_to_respond(tree, walk, depth, walker) if depth > 0 else NONE


# All below the root


@hot_kernel
def enter(tree: Tree, walk: TreeWalk, reach: NDArray[np.float32]) -> None:
    """Make `reach` [hand] the range that the player who moves at the root has after their
    action."""
    after, mass = tree.root.hands.size, ZERO
    for hand in range(reach.size):
        walk.ranges[after, hand] = reach[hand]
        mass += reach[hand]
    walk.mass[after], walk.counted[after] = mass, 0


@kernel
def improve_below(
    tree: Tree,
    walk: TreeWalk,
    places: NDArray[np.int64],
    reach: NDArray[np.float32],
    walker: int,
    step: Step,
    values: NDArray[np.float32],
) -> None:
    """Improve the `walker` below the children of the root at these `places` [n] among them, after
    which the player who moves there has the `reach` [place, hand]. Write the walker's `values`
    [place, hand]."""
    for place in places:
        enter(tree, walk, reach[place])
        improve(tree, walk, ROOT + 1 + place, walker, step)
        for hand in range(reach.shape[1]):
            values[place, hand] = walk.value[0, hand]


@kernel
def accumulate_below(
    tree: Tree,
    walk: TreeWalk,
    places: NDArray[np.int64],
    reach: NDArray[np.float32],
    player: int,
    step: Step,
) -> None:
    """Add the strategy of `player` to their average below the children of the root at these
    `places` [n]; `reach` [place, hand] is as in `improve_below`."""
    for place in places:
        enter(tree, walk, reach[place])
        accumulate(tree, walk, ROOT + 1 + place, player, step)


class Found(NamedTuple):
    """What a responder finds below the root."""

    values: NDArray[np.float32]
    """[child of the root, hand] of a best response."""
    ends: NDArray[np.int64]
    """[child of the root] how many actions the walk has noted by then."""


@kernel
def respond_below(
    tree: Tree,
    walk: TreeWalk,
    places: NDArray[np.int64],
    reach: NDArray[np.float32],
    walker: int,
    least: float,
    found: Found,
) -> None:
    """Value a best response of the `walker` below the children of the root at these `places` [n],
    and write what is `found`; `reach` is as in `improve_below`."""
    walk.notes[0] = 0
    for place in places:
        enter(tree, walk, reach[place])
        respond(tree, walk, ROOT + 1 + place, walker, least)
        found.ends[place] = walk.notes[0]
        for hand in range(reach.shape[1]):
            found.values[place, hand] = walk.value[0, hand]
