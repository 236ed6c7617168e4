"""A growing public tree of the bid histories at which players do more than challenge.

A *node* is a public history: the round after some bids, or after its challenge. Its *action* is the
one that leads to it. Its row of regrets and its row of average strategy belong to the player who
took that action. At a node without children every hand challenges the last bid. All players do so
everywhere outside the tree, so the tree defines their strategies in the whole game.

In a *merged* tree a row holds one number for each class of hands (`solver.hand_classes`), in
the partition of the node's parent; else it holds one for each hand. The rows of all nodes lie
behind each other in one array.

Nodes are numbered so that walks read memory in order, which nearly doubles their speed: siblings
are neighbours, parents precede their children, and subtrees are close together. Nodes that join the
tree change the numbers of others, but not their order.

A tree is for two to eight players and grows from any position (`solver.cfr.root`).

A tree may hold a *part* of another tree: a *stem* from the root to some history, some children of
that history, called *starts*, and everything below them. A whole tree has the root alone as its
stem, and all children of the root as its starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import NO_BID
from zhaifei.solver.bidding import state_at, turns_on
from zhaifei.solver.cfr.root import Root
from zhaifei.solver.cfr.row_precision import (
    NEAREST,
    Stored,
    halve,
    narrow,
    new_rows,
    widen,
)
from zhaifei.solver.files.state import SAFE, StateError, array_of, verify_between, verify_names
from zhaifei.solver.hand_classes import ALONE, HandClasses, Partitions, class_at
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.machine.memory import lengthen, usable, within_memory
from zhaifei.solver.showdown import ONE, TINY, ZERO

_WRITING = 0.15
"""The bytes that making and writing a policy takes for each byte of the arrays here; measured as
.103 for 732,000 nodes of four dice."""
_GATHERING = 1.4
"""The same for trees of several players, where a step of a descent takes more: 5 bytes for the 4 of
two numbers, and 8 a node (`solver.cfr.tree_descent.Gathered`)."""

NONE = -1
"""The absence of a node."""
ROOT = 0


class Elsewhere(NamedTuple):
    """Subtrees that another tree holds; here, their first nodes are leaves. A walk writes the
    ranges with which it reaches these leaves, and reads their values."""

    node: NDArray[np.int64]
    """[n] the leaves where the subtrees begin."""
    reached: NDArray[np.bool_]
    """[n] whether the walk has reached the leaf."""
    ranges: NDArray[np.float32]
    """[n, player, hand] the ranges with which the walk reached the leaf."""
    mass: NDArray[np.float32]
    """[n, player] the sums of the ranges."""
    values: NDArray[np.float32]
    """[n, hand] the value of the leaf to the walker."""


def elsewhere_of(nodes: NDArray[np.int64], players: int, hands: int) -> Elsewhere:
    """Return an Elsewhere for subtrees that begin at `nodes` [n], filled with zeros."""
    return Elsewhere(
        node=nodes,
        reached=np.zeros(nodes.size, dtype=np.bool_),
        ranges=np.zeros((nodes.size, players, hands), dtype=np.float32),
        mass=np.zeros((nodes.size, players), dtype=np.float32),
        values=np.zeros((nodes.size, hands), dtype=np.float32),
    )


class Tree(NamedTuple):
    """The tree in the form that kernels read. Arrays over nodes grow; `used` rows are in use."""

    root: Root
    action: NDArray[np.int16]
    """[node] the action that leads to the node, as in `game.bids`: a bid or, beyond the bids, an
    ending. At the root it is the last bid, or NO_BID."""
    parent: NDArray[np.int32]
    """[node] the parent, or NONE at the root."""
    first_child: NDArray[np.int32]
    """[node] the child by the challenge of the last bid, or NONE. At the start of a round it is the
    child by the weakest opening."""
    sibling: NDArray[np.int32]
    """[node] the next child of the node's parent, or NONE."""
    partition: NDArray[np.int16]
    """[node] the partition of hands at the node; ALONE at leaves, the root and the stem."""
    row: NDArray[np.int64]
    """[node] where the node's row begins in `regret` and in `average`."""
    regret: Stored
    """[row + class] the discounted counterfactual regrets of the action, in penalty points; float32
    or int16 (`solver.cfr.row_precision`)."""
    average: Stored
    """[row + class] the sum over passes of weight times own reach, as float32 or uint16. Own reach
    is the probability that the player has a hand of the class and takes all their actions that lead
    to the node, the last one included."""
    classes: HandClasses
    dealt: NDArray[np.float32]
    """[player, hand] the same sum before the player has acted: weights times the range at the
    root."""
    used: NDArray[np.int64]
    """[1] the number of nodes in use."""
    held: NDArray[np.int64]
    """[n] the nodes where some hands play a fixed strategy (`solver.cfr.held_nodes`)."""
    holds: NDArray[np.bool_]
    """[n, hand] whether the hand plays a fixed strategy at the node."""
    elsewhere: Elsewhere


@hot_kernel
def is_leaf(tree: Tree, node: int) -> bool:
    """Return whether every hand challenges at `node`."""
    leaf: bool = tree.first_child[node] == NONE
    return leaf


@hot_kernel
def state_of(tree: Tree, node: int) -> int:
    """Return the state of the bidding at `node`, counting only parents that precede their
    children."""
    bids = tree.root.bids
    if bids.after.shape[0] == bids.claimed.size + 1:
        return int(tree.action[node]) + 1  # the last bid tells the state
    # Hot kernels allocate nothing, so each bid is looked up from the node again.
    made = tree.root.made.size
    state, above = state_at(bids, tree.root.made, made), _bids_made(tree, node) - made
    while above > 0:
        above -= 1
        at = node
        for _ in range(above):
            at = tree.parent[at]
        state = bids.after[state, tree.action[at]]
    return state


@hot_kernel
def _bids_made(tree: Tree, node: int) -> int:
    """Return the number of bids up to `node`, counting only parents that precede their children."""
    bids, parent = tree.root.made.size, tree.parent[node]
    while 0 <= parent < node:
        bids += 1
        node, parent = parent, tree.parent[parent]
    return bids


@hot_kernel
def came_by(tree: Tree, node: int) -> tuple[int, int]:
    """Return the node to which the player in turn at `node` came by their last action, and 0. If
    they have not acted since the root, return ROOT and the player, in turn order from the root."""
    bids, turns, came = tree.root.bids, 0, node
    while came != ROOT:
        turns += turns_on(bids, int(tree.action[came]))
        if turns % bids.players == 0:
            return came, 0
        came = int(tree.parent[came])
    return ROOT, turns % bids.players


@hot_kernel
def place_elsewhere(tree: Tree, leaf: int) -> int:
    """Return the place in `tree.elsewhere` of the subtree that begins at `leaf`, or NONE."""
    found = NONE
    for place in range(tree.elsewhere.node.size):
        if tree.elsewhere.node[place] == leaf:
            found = place
    return found


@hot_kernel
def is_challenge(tree: Tree, node: int) -> bool:
    """Return whether the round is over at `node`."""
    over: bool = tree.action[node] >= tree.root.bids.claimed.size
    return over


@hot_kernel
def width_of(tree: Tree, node: int) -> int:
    """Return the length of the row of `node`."""
    width: int = tree.classes.size[tree.partition[max(tree.parent[node], ROOT)]]
    return width


@hot_kernel
def bid_before(tree: Tree, node: int, back: int) -> int:
    """Return the bid that was made `back` bids ago at `node`; the last one leads there. Return
    NO_BID if there is none. The search ends at a parent with a higher number, which only damaged
    files have."""
    made = tree.root.made
    while back > 1 and 0 <= tree.parent[node] < node:
        node, back = int(tree.parent[node]), back - 1
    if node == ROOT:
        return int(made[made.size - back]) if back <= made.size else NO_BID
    # A single type for numba, whatever the dtype of the array.
    return int(np.int64(tree.action[node])) if back == 1 else NO_BID


# Growth


@hot_kernel
def _append(tree: Tree, parent: int, action: int) -> int:
    node: int = tree.used[0]
    tree.used[0] += 1
    tree.action[node] = action
    tree.parent[node] = parent
    tree.first_child[node] = NONE
    tree.sibling[node] = NONE
    return node


@kernel
def _add_children(tree: Tree, parent: NDArray[np.int64], action: NDArray[np.int64]) -> None:
    """Add a child by `action` [n] to each `parent` [n], as its first or second child."""
    for place in range(parent.size):
        node = parent[place]
        if is_leaf(tree, node) and node != ROOT:
            tree.first_child[node] = _append(tree, node, tree.root.bids.claimed.size)
        child, first = _append(tree, node, action[place]), tree.first_child[node]
        if first == NONE:
            tree.first_child[node] = child
        else:
            tree.sibling[child] = tree.sibling[first]
            tree.sibling[first] = child


@kernel
def _kinds_named(tree: Tree, named: NDArray[np.int64]) -> None:
    """Write into `named` [node] the set of kinds of the bids that may be settled at or below the
    node. Children must come after their parents."""
    bids = tree.root.bids
    for node in range(tree.used[0] - 1, ROOT, -1):
        bid = int(np.int64(tree.action[node]))
        if bid >= bids.claimed.size:
            bid = bid_before(tree, tree.parent[node], bids.back[bid - bids.claimed.size])
        named[node] |= 1 << bids.kind[bid]
        named[tree.parent[node]] |= named[node]


@kernel
def _depth_first(tree: Tree, place: NDArray[np.int32], waiting: NDArray[np.int32]) -> None:
    """Write into `place` [node] the new number of each node. `waiting` [node] is scratch."""
    place[ROOT] = 0
    waiting[0] = ROOT
    waits, placed = 1, 1
    while waits > 0:
        waits -= 1
        node = waiting[waits]
        first = waits
        child = tree.first_child[node]
        while child != NONE:
            place[child] = placed
            placed += 1
            if not is_leaf(tree, child):
                waiting[waits] = child
                waits += 1
            child = tree.sibling[child]
        # Reverse, so that the first child is taken first.
        for turned in range((waits - first) // 2):
            other = waits - 1 - turned
            low, high = waiting[first + turned], waiting[other]
            waiting[first + turned], waiting[other] = high, low


class Former(NamedTuple):
    """A tree before it grew."""

    nodes: int
    node: NDArray[np.int32]
    """[node] the former number of the node; `nodes` or more for a new one."""
    row: NDArray[np.int64]
    """[former node] where its row began."""
    partition: NDArray[np.int16]
    """[former node] its partition."""


@kernel
def _move_rows(tree: Tree, former: Former, rows: Stored) -> None:
    """Move all `rows` to where they now belong, in place. Fill new rows with 0. Where a class has
    been divided, each part gets the number of the class.

    Rows keep their order, and none becomes shorter. So from the last to the first, no number is
    overwritten before it has been moved. The same holds within a row: the part k of a class c has
    k >= c, since classes are numbered by their first hands.
    """
    classes = tree.classes
    for node in range(tree.used[0] - 1, ROOT - 1, -1):
        start, width, before = tree.row[node], width_of(tree, node), former.node[node]
        if before >= former.nodes:
            for group in range(width):
                rows[start + group] = 0
            continue
        above = max(tree.parent[node], ROOT)
        fine, coarse = tree.partition[above], former.partition[former.node[above]]
        first = former.row[before]
        for group in range(width - 1, -1, -1):
            source = group if fine == coarse else class_at(classes, fine, coarse, group)
            rows[start + group] = rows[first + source]


@kernel
def _divide_averages(tree: Tree, former: Former, remembered: np.float32) -> None:
    """Divide the averages of divided classes by the average reach of their parts. Write into the
    new challenges the share `remembered` of the average reach with which the player in turn came
    there.

    Parents come first, so the averages from which the reach follows have been divided already.
    """
    hands = tree.dealt.shape[1]
    reach, whole = np.zeros(hands, dtype=np.float32), np.zeros(hands, dtype=np.float32)
    for node in range(tree.used[0]):
        child, fine = tree.first_child[node], tree.partition[node]
        if node == ROOT or child == NONE:
            continue
        before = former.node[node]
        coarse = former.partition[before] if before < former.nodes else fine
        is_new = former.node[child] >= former.nodes
        if coarse == fine and not is_new:
            continue
        _write_reach(tree, node, reach)
        if is_new:
            average, row = tree.average, tree.row[child]
            for group in range(tree.classes.size[fine]):
                number = remembered * reach[group]
                average[row + group] = narrow(number, NEAREST, average[row + group])
            continue
        _share_of_class(tree.classes, fine, coarse, reach, whole)
        while child != NONE:
            if former.node[child] < former.nodes:
                average, row = tree.average, tree.row[child]
                for group in range(tree.classes.size[fine]):
                    number = reach[group] * widen(average[row + group])
                    average[row + group] = narrow(number, NEAREST, average[row + group])
            child = tree.sibling[child]


@hot_kernel
def _write_reach(tree: Tree, node: int, reach: NDArray[np.float32]) -> None:
    """Write into `reach` [class at `node`] the average reach with which the player in turn came to
    `node`, by their last action or by the deal."""
    came, player = came_by(tree, node)
    classes, partition = tree.classes, tree.partition[node]
    fine = tree.partition[tree.parent[came]] if came != ROOT else ALONE
    for group in range(classes.size[partition]):
        reach[group] = ZERO
    row = tree.row[came]
    for group in range(classes.size[fine]):
        mass = tree.dealt[player, group] if came == ROOT else widen(tree.average[row + group])
        reach[class_at(classes, fine, partition, group)] += mass


@hot_kernel
def _share_of_class(
    classes: HandClasses,
    fine: int,
    coarse: int,
    reach: NDArray[np.float32],
    whole: NDArray[np.float32],
) -> None:
    """Replace `reach` [class of `fine`] by each class's share of the reach of its class of
    `coarse`. The first part takes all where nothing is reached. `whole` is scratch."""
    for group in range(classes.size[coarse]):
        whole[group] = ZERO
    for group in range(classes.size[fine]):
        whole[class_at(classes, fine, coarse, group)] += reach[group]
    for group in range(classes.size[fine]):
        divided = class_at(classes, fine, coarse, group)
        if whole[divided] >= TINY:
            reach[group] /= whole[divided]
        else:
            leads = classes.first[fine, group] == classes.first[coarse, divided]
            reach[group] = ONE if leads else ZERO


@kernel
def count_below(tree: Tree, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Write into `counts` [n] the number of nodes in the subtree of each of `starts` [n]."""
    for place in range(counts.size):
        node = start = starts[place]
        counts[place] = 1
        while True:
            if not is_leaf(tree, node):
                node = tree.first_child[node]
            else:
                while node != start and tree.sibling[node] == NONE:
                    node = tree.parent[node]
                if node == start:
                    break
                node = tree.sibling[node]
            counts[place] += 1


# Checks of trees that were saved


def verify_links(tree: Tree, stem: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
    """Raise StateError unless growth from `stem` and `starts`, both actions, can yield the links of
    `tree`. Walks of a tree that passes stay inside its arrays, end, and reach each node once, and
    its nodes are numbered as this module says."""
    bids = tree.root.bids
    seen = np.full(bids.claimed.size + bids.endings, NONE, dtype=np.int32)
    fault = _fault_of_stem(tree, stem, starts)
    if fault == NONE:
        fault = _first_fault(tree, stem.size, starts.size, seen)
    if fault == NONE:
        moved = np.flatnonzero(_numbers(tree) != np.arange(tree.action.size))
        fault = int(moved[0]) if moved.size else NONE
    if fault != NONE:
        raise StateError("the saved tree is broken at node {node}", node=fault)


def _fault_of_stem(tree: Tree, stem: NDArray[np.int64], starts: NDArray[np.int64]) -> int:
    """Return the first faulty node of the stem and the starts, or NONE. The starts come after the
    stem, in the order of their actions."""
    first, end = 1 + stem.size, 1 + stem.size + starts.size
    if tree.used[0] < end:
        return ROOT
    nodes = np.arange(end)
    following, last = nodes + 1, end - 1
    sound = (
        (tree.action[:end] == np.concatenate([[tree.root.last], stem, starts]))
        & (tree.parent[:end] == np.minimum(nodes, first) - 1)
        & (tree.sibling[:end] == np.where((nodes < first) | (nodes == last), NONE, following))
    )
    sound[:first] &= tree.first_child[:first] == following[:first]
    return NONE if sound.all() else int(np.argmin(sound))


@kernel
def _first_fault(tree: Tree, stem: int, starts: int, seen: NDArray[np.int32]) -> int:
    """Return the first node, from the starts on, whose children are unsound; ROOT if any node is
    orphaned; else NONE. There are `starts` starts after a `stem` of that many bids. `seen` [action]
    is scratch, filled with NONE."""
    reached = 1 + stem + starts
    for node in range(1 + stem, tree.used[0]):
        children = _sound_children(tree, node, seen)
        if children == _BROKEN:
            return node
        reached += children
    return NONE if reached == tree.used[0] else ROOT


_BROKEN = -1
"""Stands for the number of children of an unsound node."""


@hot_kernel
def _sound_children(tree: Tree, node: int, seen: NDArray[np.int32]) -> int:
    """Return the number of children of `node`, or _BROKEN if they are unsound. Sound children come
    after the node, have it as their parent, and have distinct possible actions."""
    child, children = tree.first_child[node], 0
    if child != NONE and not 0 <= tree.action[node] < tree.root.bids.claimed.size:
        return _BROKEN
    while child != NONE:
        if not node < child < tree.used[0] or tree.parent[child] != node:
            return _BROKEN
        if not _is_possible(tree, node, child, children) or seen[tree.action[child]] == node:
            return _BROKEN
        seen[tree.action[child]] = node
        children += 1
        child = tree.sibling[child]
    return children if children != 1 else _BROKEN


@hot_kernel
def _is_possible(tree: Tree, node: int, child: int, place: int) -> bool:
    """Return whether `child`, with its action, may be at this `place` among the children of `node`.
    The challenge of the last bid comes first, and endings have no children."""
    bids, action = tree.root.bids, tree.action[child]
    challenge = bids.claimed.size
    if place == 0 and action != challenge:
        return False
    if action >= challenge:
        return _may_end(tree, node, action - challenge) and is_leaf(tree, child)
    legal: bool = action >= 0 and bids.legal[state_of(tree, node), action]
    return legal


@hot_kernel
def _may_end(tree: Tree, node: int, ending: int) -> bool:
    """Return whether the `ending` is one, and legal at `node`."""
    bids = tree.root.bids
    if ending >= bids.endings:
        return False
    bid = bid_before(tree, node, bids.back[ending])
    return 0 <= bid < bids.claimed.size and bids.cost[bid, ending] > 0


_LINKS = ("action", "parent", "first_child", "sibling")
"""The arrays over nodes from which the places of rows follow."""
_ROWS = ("regret", "average")
_CHUNK = 1 << 20
"""The numbers to widen at a time: all together would take three times their memory."""


class GrowingTree:
    """A Tree that grows. It starts with all legal actions at the root or, for a part, with the
    actions `starts` after the bids of `stem`; every raise is challenged. A `large` tree holds two
    bytes a number in its rows, others four. A `merged` tree must be whole."""

    def __init__(
        self,
        root: Root,
        *,
        large: bool = False,
        merged: bool = False,
        stem: Sequence[int] = (),
        starts: Sequence[int] | None = None,
    ) -> None:
        players, hands = root.ranges.shape
        self.large, self.merged = large, merged
        self._partitions = Partitions(root.matches)
        self._stem = np.array(stem, dtype=np.int64)
        self._starts = root.actions if starts is None else np.array(starts, dtype=np.int64)
        nodes = 1 + self._stem.size + self._starts.size
        regret, average = new_rows(nodes * hands, large=large)
        self.tree = Tree(
            root=root,
            action=np.concatenate([[root.last], self._stem, self._starts]).astype(np.int16),
            parent=np.minimum(np.arange(nodes), 1 + self._stem.size).astype(np.int32) - np.int32(1),
            first_child=np.full(nodes, NONE, dtype=np.int32),
            sibling=np.full(nodes, NONE, dtype=np.int32),
            partition=np.zeros(nodes, dtype=np.int16),
            row=np.arange(nodes) * hands,
            regret=regret,
            average=average,
            classes=self._partitions.classes,
            dealt=np.zeros((players, hands), dtype=np.float32),
            used=np.array([nodes]),
            held=np.zeros(0, dtype=np.int64),
            holds=np.zeros((0, hands), dtype=np.bool_),
            elsewhere=elsewhere_of(np.zeros(0, dtype=np.int64), players, hands),
        )
        self.tree.first_child[: 1 + self._stem.size] = np.arange(1, 2 + self._stem.size)
        self.tree.sibling[self.starts[:-1]] = self.starts[1:]

    @property
    def stem(self) -> tuple[int, ...]:
        """The actions from the root to the parent of the starts."""
        return tuple(self._stem.tolist())

    @property
    def start_actions(self) -> tuple[int, ...]:
        """The actions that lead to the starts, in the order that was passed to the tree."""
        return tuple(self._starts.tolist())

    @property
    def starts(self) -> NDArray[np.int64]:
        """[start] the nodes after the stem, in the order of their actions."""
        return 1 + self._stem.size + np.arange(self._starts.size)

    def start_rows(self, rows: Stored) -> Stored:
        """Return [start, hand] the rows of the starts in `rows`, the regrets or the averages, as a
        view."""
        hands = self.tree.dealt.shape[1]
        first = int(self.tree.row[self.starts[0]])
        return rows[first : first + self.starts.size * hands].reshape(-1, hands)

    def __len__(self) -> int:
        """Return the number of nodes in use."""
        return int(self.tree.used[0])

    @property
    def numbers(self) -> int:
        """The number of numbers in use in the regrets, and in the averages."""
        return _end_of_rows(self.tree)

    @property
    def node_bytes(self) -> int:
        """The bytes of memory that a node takes in the mean."""
        links = sum(getattr(self.tree, name).itemsize for name in (*_LINKS, "partition", "row"))
        rows = sum(getattr(self.tree, name).itemsize for name in _ROWS)
        return int(links + rows * self.numbers // len(self))

    def nodes_in(self, spare: float) -> int:
        """Return about how many nodes fit into `spare` bytes of memory."""
        return int(usable(spare) / ((1.0 + self._beside) * self.node_bytes))

    @property
    def _beside(self) -> float:
        """The bytes that must be left for each byte of the arrays here."""
        return _WRITING if len(self.tree.dealt) == 2 else _GATHERING

    @property
    def decisions(self) -> int:
        """The number of nodes with children."""
        return int(np.count_nonzero(self.tree.first_child[: len(self)] != NONE))

    def hold(self, nodes: NDArray[np.int64], hands: NDArray[np.bool_]) -> None:
        """Make best responses play the current strategy at `nodes` [n], which have children, for
        the hands in `hands` [n, hand]. The tree must not be merged."""
        assert not self.merged
        self.tree = self.tree._replace(held=nodes, holds=hands)

    def leave_elsewhere(self, nodes: NDArray[np.int64]) -> None:
        """Mark the leaves `nodes` [n] as places whose subtrees are in other trees. The tree must
        not be merged."""
        assert not self.merged
        self.tree = self.tree._replace(elsewhere=elsewhere_of(nodes, *self.tree.dealt.shape))

    # Growth

    def reserve(self, actions: int) -> None:
        """Make room to add `actions` actions. Raises OutOfMemory, also if no room would be left to
        write the average."""
        most = self.numbers + 2 * actions * self.tree.dealt.shape[1]
        with self.within_memory():
            self._reserve(most)

    def grow(
        self, parents: NDArray[np.int64], actions: NDArray[np.int64], remembered: float
    ) -> None:
        """Add to each of `parents` [n] a new child by the action in `actions` [n].

        Until now everybody challenged there. These challenges enter the average with the weight
        `remembered`, where 1 stands for all passes so far.

        Raises OutOfMemory and then leaves the tree as it was, also if no room would be left to
        write the average.
        """
        with self.within_memory():
            added = self._with_children(parents, actions)
            place = _numbers(added)
            number = _inverse(place)
            grown = self._with_rows(_with_numbers(added, place, number))
            self._reserve(_end_of_rows(grown))
        former = Former(len(self), number, self.tree.row, self.tree.partition)
        for nodes in (grown.held, grown.elsewhere.node):
            nodes[:] = place[nodes]
        self.tree = grown
        for rows in (grown.regret, grown.average):
            _move_rows(grown, former, rows)
        _divide_averages(grown, former, np.float32(remembered))

    def _with_children(self, parents: NDArray[np.int64], actions: NDArray[np.int64]) -> Tree:
        """Return this tree with the new children as the last nodes, which have no rows."""
        room = 2 * len(parents)
        longer = {
            name: np.append(array, array[:1].repeat(room))
            for name, array in _links_of(self.tree).items()
        }
        found = _with_links(self.tree, longer)
        found.used[0] = len(self)
        _add_children(found, *map(np.ascontiguousarray, (parents, actions)))
        used = slice(found.used[0])
        return _with_links(found, {name: array[used] for name, array in longer.items()})

    def _with_rows(self, tree: Tree) -> Tree:
        """Return `tree` with the partitions and the places of rows that follow from its links."""
        partition = np.zeros(tree.action.size, dtype=np.int16)
        if self.merged:
            named = np.zeros(partition.size, dtype=np.int64)
            _kinds_named(tree, named)
            inner = tree.first_child != NONE
            inner[ROOT] = False
            partition[inner] = self._partitions.of(named[inner])
        classes = self._partitions.classes
        width = classes.size[partition[np.maximum(tree.parent, ROOT)]]
        return tree._replace(partition=partition, row=np.cumsum(width) - width, classes=classes)

    def halve_averages(self, times: int) -> None:
        """Halve all averages of a large tree, and what was dealt, `times` times."""
        if times > 0:
            halve(self.tree.average[: self.numbers], times)
            self.tree.dealt[:] /= np.float32(2.0**times)

    # Saving

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays in use, by name, for checkpoints. They are views of memory that `grow`
        may free. Rows are [row + class], or [node, hand] if the tree is not merged."""
        shape = (-1,) if self.merged else (len(self), self.tree.dealt.shape[1])
        rows = {name: getattr(self.tree, name)[: self.numbers].reshape(shape) for name in _ROWS}
        return {**_links_of(self.tree), **rows, "dealt": self.tree.dealt}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the tree by a saved `state`. Raise StateError if it is invalid; the tree must
        then not be used."""
        verify_names(state, (*_LINKS, *_ROWS, "dealt"))
        nodes = len(array_of(state, "action", np.int16, None))
        for name, array in _links_of(self.tree).items():
            array_of(state, name, array.dtype, nodes)
        array_of(state, "dealt", np.float32, *self.tree.dealt.shape)
        links = _with_links(self.tree, state)
        verify_links(links, self._stem, self._starts)
        end = _end_of_rows(self._with_rows(links))
        shape = (end,) if self.merged else (nodes, self.tree.dealt.shape[1])
        for name in _ROWS:
            array_of(state, name, getattr(self.tree, name).dtype, *shape)
        self.replace(state)
        self._verify_numbers()

    def replace(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the tree by a valid `state`, which is not checked. Nodes must be numbered as a
        tree numbers them."""
        self.replant(state)
        self.tree.dealt[:] = state["dealt"]
        for name in _ROWS:
            numbers = state[name].reshape(-1)
            getattr(self.tree, name)[: numbers.size] = numbers

    def replant(self, links: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace all nodes by those with these `links`, by name, which are not checked. The caller
        must write the rows. Raises OutOfMemory, and then leaves the tree as it was."""
        copies = {name: links[name].copy() for name in _LINKS}
        tree = self._with_rows(_with_links(self.tree, copies))
        self._reserve(_end_of_rows(tree))
        self.tree = tree

    def verify(self) -> None:
        """Raise StateError unless the tree can have grown: see `verify_links`. Its numbers must be
        in range."""
        verify_links(self.tree, self._stem, self._starts)
        self._verify_numbers()

    def _verify_numbers(self) -> None:
        """Raise StateError unless all regrets and averages are in range."""
        for start in range(0, self.numbers, _CHUNK):
            numbers = slice(start, min(start + _CHUNK, self.numbers))
            verify_between("regret", widen(self.tree.regret[numbers]), -SAFE, SAFE)
            verify_between("average", widen(self.tree.average[numbers]), 0.0, SAFE)
        verify_between("dealt", self.tree.dealt, 0.0, SAFE)

    def _reserve(self, numbers: int) -> None:
        """Make room for this number of `numbers` in the regrets, and in the averages."""
        arrays = [getattr(self.tree, name) for name in _ROWS]
        lengthen(arrays, [numbers] * len(arrays), self._complaint(), beside=self._beside)

    def within_memory(self) -> AbstractContextManager[None]:
        """Raise OutOfMemory in place of MemoryError, for work that changes nothing if it fails."""
        return within_memory(self._complaint())

    def _complaint(self) -> ZhaifeiError:
        return ZhaifeiError(
            "a tree of {nodes} nodes fills the memory that may be used", nodes=len(self)
        )


def _links_of(tree: Tree) -> dict[str, NDArray[Any]]:
    """Return the arrays over nodes from which the places of rows follow, by name."""
    return {name: getattr(tree, name) for name in _LINKS}


def _with_links(tree: Tree, links: Mapping[str, NDArray[Any]]) -> Tree:
    """Return `tree` with other `links`, by name."""
    return tree._replace(
        action=links["action"],
        parent=links["parent"],
        first_child=links["first_child"],
        sibling=links["sibling"],
        used=np.array([len(links["action"])]),
    )


def _numbers(tree: Tree) -> NDArray[np.int32]:
    """Return [node] the number that each node of `tree` should have."""
    place, scratch = np.empty((2, tree.action.size), dtype=np.int32)
    _depth_first(tree, place, scratch)
    return place


def _inverse(place: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return [place] the node that has each `place` [node]."""
    number = np.empty(place.size, dtype=np.int32)
    number[place] = np.arange(place.size, dtype=np.int32)
    return number


def renumbered(tree: Tree, state: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays over nodes of a `state`, with the rows [node, hand], in the order in which
    `tree` would number the nodes."""
    tree = _with_links(tree, state)
    place = _numbers(tree)
    number = _inverse(place)
    rows = {name: state[name][number] for name in _ROWS}
    return {**_links_of(_with_numbers(tree, place, number)), **rows}


def _with_numbers(tree: Tree, place: NDArray[np.int32], number: NDArray[np.int32]) -> Tree:
    """Return `tree` with links in which each node has its new `place` [node]. `number` [place] is
    the inverse."""
    links = {name: array[number] for name, array in _links_of(tree).items()}
    for name in ("parent", "first_child", "sibling"):
        links[name] = np.where(links[name] == NONE, np.int32(NONE), place[links[name]])
    return _with_links(tree, links)


def _end_of_rows(tree: Tree) -> int:
    """Return where the last row of `tree` ends."""
    last = tree.row.size - 1
    return int(tree.row[last] + tree.classes.size[tree.partition[max(tree.parent[last], ROOT)]])
