"""A growing public tree of the bid histories at which players do more than challenge.

A *node* is a public history: the round after some bids, or after its challenge. What leads to it is
its *action*; its row of regrets and its row of average strategy, both over hands, are those of the
player who took that action. At a node without children every hand challenges the last bid. All
players do so everywhere outside the tree, so the tree defines their strategies in the whole game.

A tree is for two to eight players and grows from any position (`solver.cfr.root`).

A tree may hold a *part* of another: a *stem* from the root to some history, some of the children of
that history, which are its *starts*, and all that is below them. A whole tree has the root alone as
its stem, and all children of the root as its starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.errors import ZhaifeiError
from solver.cfr.narrow import (
    CHUNK,
    NEAREST,
    Stored,
    halve,
    narrow,
    new_rows,
    stored_as,
    widen,
)  # fmt: skip
from solver.cfr.root import Root
from solver.jit import hot_kernel, kernel
from solver.memory import lengthen, usable, within_memory
from solver.state import SAFE, StateError, array_of, verify_between, verify_names

_WRITING = 0.15
"""The bytes that a policy takes while it is made and written, for each byte of the arrays here;
.103 for 732,000 nodes of four dice."""

DISORDER = 0.1
"""The share of nodes out of order from which on a growing tree is arranged: to move all of them
takes as long as several passes, and to have this many elsewhere hardly slows one."""

NONE = -1
"""No such node."""
ROOT = 0


class Elsewhere(NamedTuple):
    """Subtrees that another tree holds: here, the nodes they begin at are leaves. A walk leaves the
    ranges with which it comes there, and takes what it is given as the values of these nodes."""

    node: NDArray[np.int64]
    """[n] where they begin."""
    reached: NDArray[np.bool_]
    """[n] whether the walk has come there,"""
    ranges: NDArray[np.float32]
    """[n, player, hand] with which ranges,"""
    mass: NDArray[np.float32]
    """[n, player] and their sums."""
    values: NDArray[np.float32]
    """[n, hand] what the node is worth to the walker."""


def elsewhere_of(nodes: NDArray[np.int64], players: int, hands: int) -> Elsewhere:
    """Return what a tree has of the subtrees that begin at these `nodes` [n]."""
    return Elsewhere(
        node=nodes,
        reached=np.zeros(nodes.size, dtype=np.bool_),
        ranges=np.zeros((nodes.size, players, hands), dtype=np.float32),
        mass=np.zeros((nodes.size, players), dtype=np.float32),
        values=np.zeros((nodes.size, hands), dtype=np.float32),
    )


class Tree(NamedTuple):
    """The tree as kernels see it. The first axis of each array grows, with `used` rows in use."""

    root: Root
    action: NDArray[np.int16]
    """[node] what leads to it, as in `game.bids`: a bid, or beyond them a challenge by distance; at
    the root the last bid, or NO_BID."""
    parent: NDArray[np.int32]
    """[node] the history before the action, or NONE."""
    first_child: NDArray[np.int32]
    """[node] the challenge of the last bid (at the start of a round the weakest opening), or
    NONE."""
    sibling: NDArray[np.int32]
    """[node] the next child of its parent, or NONE."""
    regret: Stored
    """[node, hand] discounted counterfactual regrets of the action, in penalty points, float32 or
    int16 (`solver.cfr.narrow`)."""
    average: Stored
    """[node, hand] the sum over passes of their weight times the probability that the player has
    the hand and takes all their actions that lead to the node, this one included; float32 or
    uint16."""
    dealt: NDArray[np.float32]
    """[player, hand] the same before the player has acted: the sum of the weights times what the
    player may hold at the root."""
    used: NDArray[np.int64]
    """[1] nodes in use."""
    held: NDArray[np.int64]
    """[n] nodes where some hands play what is held fixed (`solver.cfr.held_nodes`),"""
    holds: NDArray[np.bool_]
    """[n, hand] and for which hands."""
    elsewhere: Elsewhere


@hot_kernel
def is_leaf(tree: Tree, node: int) -> bool:
    """Return whether every hand challenges at `node`."""
    leaf: bool = tree.first_child[node] == NONE
    return leaf


@hot_kernel
def place_elsewhere(tree: Tree, leaf: int) -> int:
    """Return the place in `tree.elsewhere` of the subtree that begins at this `leaf`, or NONE."""
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
def _append(tree: Tree, parent: int, action: int) -> int:
    node: int = tree.used[0]
    tree.used[0] += 1
    tree.action[node] = action
    tree.parent[node] = parent
    tree.first_child[node] = NONE
    tree.sibling[node] = NONE
    return node


@hot_kernel
def _remember(tree: Tree, node: int, share: np.float32, average: Stored) -> None:
    """Write into `average` [hand] the `share` of the reach with which the player in turn came to
    `node`: by their last action, N - 1 actions before the one that leads there, or by the deal."""
    players, came, depth = tree.dealt.shape[0], node, 0
    while came != ROOT and depth < players - 1:
        came = tree.parent[came]
        depth += 1
    for hand in range(average.size):
        reach = tree.dealt[depth, hand] if came == ROOT else widen(tree.average[came, hand])
        average[hand] = narrow(share * reach, NEAREST, average[hand])


@kernel
def _add_children(
    tree: Tree, parent: NDArray[np.int64], action: NDArray[np.int64], remembered: float
) -> None:
    """Add a child by `action` [n] to each `parent` [n], as its first or second child."""
    for place in range(parent.size):
        node = parent[place]
        if is_leaf(tree, node) and node != ROOT:
            challenge = _append(tree, node, tree.root.bids.claimed.size)
            tree.first_child[node] = challenge
            _remember(tree, node, np.float32(remembered), tree.average[challenge])
        child, first = _append(tree, node, action[place]), tree.first_child[node]
        if first == NONE:
            tree.first_child[node] = child
        else:
            tree.sibling[child] = tree.sibling[first]
            tree.sibling[first] = child


@kernel
def _depth_first(tree: Tree, place: NDArray[np.int32], waiting: NDArray[np.int32]) -> None:
    """Write into `place` [node] where each node goes for siblings to be neighbours and subtrees to
    be close together; parents come before their children. `waiting` [node] is scratch."""
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
        # The first child is to be taken first.
        for turned in range((waits - first) // 2):
            other = waits - 1 - turned
            low, high = waiting[first + turned], waiting[other]
            waiting[first + turned], waiting[other] = high, low


@kernel
def _renumber(links: NDArray[np.int32], place: NDArray[np.int32]) -> None:
    """Replace each node in `links` [node] by its new place."""
    for node in range(place.size):
        if links[node] != NONE:
            links[node] = place[links[node]]


@kernel
def _move_all(tree: Tree, place: NDArray[np.int32]) -> None:
    """Move each node to `place` [node], in place: a displaced node is moved next. Afterwards
    `place` [node] is the node itself."""
    for start in range(place.size):
        while place[start] != start:
            target = place[start]
            _swap(tree, start, target)
            place[start], place[target] = place[target], target


@hot_kernel
def _swap(tree: Tree, one: int, two: int) -> None:
    action, parent = tree.action[one], tree.parent[one]
    child, sibling = tree.first_child[one], tree.sibling[one]
    tree.parent[one], tree.parent[two] = tree.parent[two], parent
    tree.action[one], tree.action[two] = tree.action[two], action
    tree.first_child[one], tree.first_child[two] = tree.first_child[two], child
    tree.sibling[one], tree.sibling[two] = tree.sibling[two], sibling
    for hand in range(tree.regret.shape[1]):
        regret, average = tree.regret[one, hand], tree.average[one, hand]
        tree.regret[one, hand], tree.average[one, hand] = (
            tree.regret[two, hand], tree.average[two, hand]
        )  # fmt: skip
        tree.regret[two, hand], tree.average[two, hand] = regret, average


@kernel
def count_below(tree: Tree, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Write into `counts` [n] how many nodes there are from each of `starts` [n] on."""
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


def verify_tree(tree: Tree, stem: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
    """Raise StateError unless `tree` is one that can have grown after the bids of the `stem`, with
    these actions as its `starts`: walks then stay inside its arrays, end, and reach each node once,
    and its numbers are sound."""
    bids = tree.root.bids
    seen = np.full(bids.claimed.size + bids.challenges, NONE, dtype=np.int32)
    fault = _fault_of_stem(tree, stem, starts)
    if fault == NONE:
        fault = _first_fault(tree, stem.size, starts.size, seen)
    if fault != NONE:
        raise StateError("the saved tree is broken at node {node}", node=fault)
    used = slice(tree.used[0])
    for start in range(0, used.stop, CHUNK):
        rows = slice(start, min(start + CHUNK, used.stop))
        verify_between("regret", widen(tree.regret[rows]), -SAFE, SAFE)
        verify_between("average", widen(tree.average[rows]), 0.0, SAFE)
    verify_between("dealt", tree.dealt, 0.0, SAFE)


def _fault_of_stem(tree: Tree, stem: NDArray[np.int64], starts: NDArray[np.int64]) -> int:
    """Return the first node of the stem, numbered from the root on, that is not as it should be, or
    the last if the starts are not; or NONE. The starts are numbered after the stem, in any order
    but for the first: in checkpoints of earlier versions they were in another."""
    first, end = 1 + stem.size, 1 + stem.size + starts.size
    if tree.used[0] < end:
        return ROOT
    nodes = np.arange(first)
    sound = (
        (tree.action[:first] == np.append(tree.root.last, stem))
        & (tree.parent[:first] == nodes - 1)
        & (tree.first_child[:first] == nodes + 1)
        & (tree.sibling[:first] == NONE)
    )
    if not sound.all():
        return int(np.argmin(sound))
    node, linked = first, list[int]()
    while first <= node < end and len(linked) < starts.size:
        linked.append(node)
        node = int(tree.sibling[node])
    all_there = (
        node == NONE
        and sorted(linked) == [*range(first, end)]
        and (tree.parent[first:end] == first - 1).all()
        and tree.action[first] == starts[0]
        and np.array_equal(np.sort(tree.action[first:end]), np.sort(starts))
    )
    return NONE if all_there else first - 1


@kernel
def _first_fault(tree: Tree, stem: int, starts: int, seen: NDArray[np.int32]) -> int:
    """Return the first node from the starts on whose children are not as they can have grown, or
    NONE; the root where a node is nobody's child. There are so many `starts` after a `stem` of so
    many bids; `seen` [action] is scratch, filled with NONE."""
    reached = 1 + stem + starts
    for node in range(1 + stem, tree.used[0]):
        children = _sound_children(tree, node, seen)
        if children == _BROKEN:
            return node
        reached += children
    return NONE if reached == tree.used[0] else ROOT


_BROKEN = -1
"""In place of a number of children."""


@hot_kernel
def _sound_children(tree: Tree, node: int, seen: NDArray[np.int32]) -> int:
    """Return the number of children of `node`, or _BROKEN unless they come after it, have it as
    their parent, and have actions that are possible and each another one."""
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
    """Return whether `child`, with its action, may be in this place among the children of `node`:
    first comes the challenge of the last bid. After a challenge nothing comes."""
    bids, action = tree.root.bids, tree.action[child]
    challenge = bids.claimed.size
    if place == 0 and action != challenge:
        return False
    if action >= challenge:
        within = action - challenge < min(bids.challenges, _bids_made(tree, node))
        return within and is_leaf(tree, child)
    legal: bool = action >= 0 and bids.legal[tree.action[node] + 1, action]
    return legal


@hot_kernel
def _bids_made(tree: Tree, node: int) -> int:
    """Return the number of bids up to `node`, as far as its parents come before it."""
    bids, parent = tree.root.made.size, tree.parent[node]
    while 0 <= parent < node:
        bids += 1
        node, parent = parent, tree.parent[parent]
    return bids


_ROWS = ("action", "parent", "first_child", "sibling", "regret", "average")
"""The arrays of a tree that grow."""


class GrowingTree:
    """A Tree that grows. It starts with all that is legal at the root, or with some actions, its
    `starts`, after the bids of a `stem` from there; each raise is challenged. Rows of a `large` one
    hold two bytes a number, those of others four."""

    def __init__(
        self,
        root: Root,
        *,
        large: bool = False,
        stem: Sequence[int] = (),
        starts: Sequence[int] | None = None,
    ) -> None:
        players, hands = root.ranges.shape
        regret, average = new_rows(256, hands, large=large)
        self.large = large
        self.tree = Tree(
            root=root,
            action=np.zeros(256, dtype=np.int16),
            parent=np.zeros(256, dtype=np.int32),
            first_child=np.zeros(256, dtype=np.int32),
            sibling=np.zeros(256, dtype=np.int32),
            regret=regret,
            average=average,
            dealt=np.zeros((players, hands), dtype=np.float32),
            used=np.zeros(1, dtype=np.int64),
            held=np.zeros(0, dtype=np.int64),
            holds=np.zeros((0, hands), dtype=np.bool_),
            elsewhere=elsewhere_of(np.zeros(0, dtype=np.int64), players, hands),
        )
        self._stem = np.array(stem, dtype=np.int64)
        self._starts = root.actions if starts is None else np.array(starts, dtype=np.int64)
        self._plant()

    def _plant(self) -> None:
        """Make the stem and the starts, which then are the nodes `starts`, in the order of their
        actions."""
        self._reserve(1 + self._stem.size + self._starts.size)
        _append(self.tree, NONE, self.tree.root.last)
        for depth, action in enumerate(self._stem.tolist()):
            self.tree.first_child[depth] = _append(self.tree, depth, action)
        for action in self._starts[::-1].tolist():
            node = _append(self.tree, self._stem.size, action)
            self.tree.sibling[node] = self.tree.first_child[self._stem.size]
            self.tree.first_child[self._stem.size] = node
        self.arrange()

    @property
    def stem(self) -> tuple[int, ...]:
        """The actions from the root to where the starts are."""
        return tuple(self._stem.tolist())

    @property
    def start_actions(self) -> tuple[int, ...]:
        """What leads to the starts, in the order in which the tree was given them."""
        return tuple(self._starts.tolist())

    @property
    def starts(self) -> NDArray[np.int64]:
        """[start] the nodes after the stem, in the order of their actions."""
        return 1 + self._stem.size + np.arange(self._starts.size)

    def __len__(self) -> int:
        """Return the number of nodes in use."""
        return int(self.tree.used[0])

    @property
    def node_bytes(self) -> int:
        """How much memory a node takes."""
        return sum(getattr(self.tree, name)[:1].nbytes for name in _ROWS)

    def nodes_in(self, spare: float) -> int:
        """Return how many nodes about fit into so many spare bytes of memory."""
        return int(usable(spare) / ((1.0 + _WRITING) * self.node_bytes))

    @property
    def decisions(self) -> int:
        """Nodes with children."""
        return int(np.count_nonzero(self.tree.first_child[: len(self)] != NONE))

    def add(
        self, parents: NDArray[np.int64], actions: NDArray[np.int64], remembered: float
    ) -> None:
        """Add a child by each of `actions` [n] to each of `parents` [n], which must not have it
        yet.

        Until then all challenged there; `remembered` is how much of that enters the average, where
        1 stands for all passes so far.

        Raises OutOfMemory and leaves the tree as it was.
        """
        self._reserve(len(self) + 2 * len(parents), _WRITING)
        _add_children(self.tree, parents, actions, remembered)

    def hold(self, nodes: NDArray[np.int64], hands: NDArray[np.bool_]) -> None:
        """Let best responses take no other strategy than the current one at these `nodes` [n] for
        `hands` [n, hand]. The nodes have children."""
        self.tree = self.tree._replace(held=nodes, holds=hands)

    def leave_elsewhere(self, nodes: NDArray[np.int64]) -> None:
        """Let what is below these `nodes` [n], which are leaves here, be in other trees."""
        self.tree = self.tree._replace(elsewhere=elsewhere_of(nodes, *self.tree.dealt.shape))

    def reserve(self, actions: int) -> None:
        """Make room for so many actions to be added. Raises OutOfMemory, also if there would be no
        room to write the average."""
        with within_memory(self._complaint()):
            self._reserve(len(self) + 2 * actions, _WRITING)

    def grow(
        self, parents: NDArray[np.int64], actions: NDArray[np.int64], remembered: float
    ) -> None:
        """Add children as `add` does, and arrange the tree if many nodes are out of order. Raises
        OutOfMemory and leaves the tree as it was; also if there would be no room to write its
        average."""
        with within_memory(self._complaint()):
            scratch = np.empty((2, len(self) + 2 * len(parents)), dtype=np.int32)
            self.add(parents, actions, remembered)
        if self._disorder() > DISORDER:
            self._arrange(*scratch[:, : len(self)])

    def _disorder(self) -> float:
        """Return the share of the nodes that are not followed by their sibling."""
        sibling = self.tree.sibling[: len(self)]
        apart = (sibling != NONE) & (sibling != np.arange(1, len(self) + 1))
        return np.count_nonzero(apart) / len(self)

    def arrange(self) -> None:
        """Renumber the nodes so that walks read memory in order, which nearly doubles their speed.
        The nodes after the root are then its children."""
        self._arrange(*np.empty((2, len(self)), dtype=np.int32))

    def _arrange(self, place: NDArray[np.int32], scratch: NDArray[np.int32]) -> None:
        _depth_first(self.tree, place, scratch)
        for links in (self.tree.parent, self.tree.first_child, self.tree.sibling):
            _renumber(links, place)
        for nodes in (self.tree.held, self.tree.elsewhere.node):
            nodes[:] = place[nodes]
        _move_all(self.tree, place)

    def halve_averages(self, times: int) -> None:
        """Halve all averages of a large tree, and what was dealt, so many times."""
        if times > 0:
            halve(self.tree.average[: len(self)], times)
            self.tree.dealt[:] /= np.float32(2.0**times)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays in use, by name, for checkpoints: views of memory that `add` may
        free."""
        rows = {name: getattr(self.tree, name)[: len(self)] for name in _ROWS}
        return {**rows, "dealt": self.tree.dealt}

    def restore(self, state: Mapping[str, NDArray[np.generic]], halvings: int = 0) -> None:
        """Replace the tree by one that `state` returned. Raise StateError if it did not; the tree
        is then not to be used. In the rows of a large tree that were saved as float32, averages
        have not been halved: they are, so many times."""
        state = _with_dealt(state)
        if self.large:
            state = _narrowed(state, self.tree, halvings)
        verify_names(state, (*_ROWS, "dealt"))
        nodes = len(array_of(state, "action", np.int16, None))
        arrays = {}
        for name in _ROWS:
            target = getattr(self.tree, name)
            arrays[name] = array_of(state, name, target.dtype, nodes, *target.shape[1:])
        dealt = array_of(state, "dealt", np.float32, *self.tree.dealt.shape)
        self.replace({**arrays, "dealt": dealt})
        self.verify()

    def replace(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the tree by one with this sound `state`."""
        nodes = len(state["action"])
        self._reserve(nodes)
        self.tree.dealt[:] = state["dealt"]
        for name in _ROWS:
            target = getattr(self.tree, name)
            target[:nodes] = state[name]
            target[nodes:] = 0  # as what is added later must find it
        self.tree.used[0] = nodes

    def verify(self) -> None:
        """Raise StateError unless the tree is one that can have grown: see `verify_tree`."""
        verify_tree(self.tree, self._stem, self._starts)

    def _reserve(self, nodes: int, beside: float = 0.0) -> None:
        arrays = [getattr(self.tree, name) for name in _ROWS]
        lengthen(arrays, [nodes] * len(arrays), self._complaint(), beside=beside)

    def _complaint(self) -> ZhaifeiError:
        return ZhaifeiError(
            "a tree of {nodes} nodes fills the memory that may be used", nodes=len(self)
        )


def _narrowed(
    state: Mapping[str, NDArray[np.generic]], tree: Tree, halvings: int
) -> Mapping[str, NDArray[np.generic]]:
    """Return `state` with rows like those of a large `tree`: checkpoints once held float32, and
    averages that were not halved, whatever the size of the tree."""
    regret, average, dealt = (state.get(name) for name in ("regret", "average", "dealt"))
    if regret is None or average is None or dealt is None or average.dtype != np.float32:
        return state
    verify_between("average", average, 0.0, SAFE)
    unit = np.float32(2.0**-halvings)
    regrets, averages = (array.astype(np.float32, copy=False) for array in (regret, average))
    return {
        **state,
        "regret": stored_as(tree.regret, regrets),
        "average": stored_as(tree.average, averages, float(unit)),
        "dealt": dealt.astype(np.float32) * unit,
    }


def _with_dealt(state: Mapping[str, NDArray[np.generic]]) -> Mapping[str, NDArray[np.generic]]:
    """Return `state` with `dealt`: checkpoints of two players once held it as the average of the
    root, the same for both."""
    average = state.get("average", np.zeros(0))
    if "dealt" in state or average.ndim != 2 or len(average) == 0:
        return state
    average = average.copy()
    dealt, average[ROOT] = np.tile(average[ROOT], (2, 1)), 0
    return {**state, "average": average, "dealt": dealt}
