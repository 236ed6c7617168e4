"""A growing public tree of the bid histories at which players do more than challenge.

A *node* is a public history: the round after some bids, or after its challenge. Its *action* is the
one that leads to it. Its row of regrets and its row of average strategy, both over hands, belong to
the player who took that action. At a node without children every hand challenges the last bid. All
players do so everywhere outside the tree, so the tree defines their strategies in the whole game.

A tree is for two to eight players and grows from any position (`solver.cfr.root`).

A tree may hold a *part* of another tree: a *stem* from the root to some history, some children of
that history, called *starts*, and everything below them. A whole tree has the root alone as its
stem, and all children of the root as its starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import NO_BID
from zhaifei.solver.bidding import state_at, turns_on
from zhaifei.solver.cfr.root import Root
from zhaifei.solver.cfr.row_precision import (
    CHUNK,
    NEAREST,
    Stored,
    halve,
    narrow,
    new_rows,
    widen,
)
from zhaifei.solver.files.state import SAFE, StateError, array_of, verify_between, verify_names
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.machine.memory import lengthen, usable, within_memory

_WRITING = 0.15
"""The bytes that making and writing a policy takes for each byte of the arrays here; measured as
.103 for 732,000 nodes of four dice."""

DISORDER = 0.1
"""The share of nodes out of order from which on a growing tree is arranged. Arranging it takes as
long as several passes, and a smaller share out of order hardly slows a pass."""

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
    regret: Stored
    """[node, hand] the discounted counterfactual regrets of the action, in penalty points; float32
    or int16 (`solver.cfr.row_precision`)."""
    average: Stored
    """[node, hand] the sum over passes of weight times own reach, as float32 or uint16. Own reach
    is the probability that the player has the hand and takes all their actions that lead to the
    node, the last one included."""
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
    """Write into `average` [hand] the `share` of the average reach with which the player in turn
    came to `node`, by their last action or by the deal."""
    came, player = came_by(tree, node)
    for hand in range(average.size):
        reach = tree.dealt[player, hand] if came == ROOT else widen(tree.average[came, hand])
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
    """Write into `place` [node] the new index of each node, so that siblings are neighbours,
    parents precede children and subtrees are close together. `waiting` [node] is scratch."""
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


@kernel
def _renumber(links: NDArray[np.int32], place: NDArray[np.int32]) -> None:
    """Replace each node in `links` [node] by its new place."""
    for node in range(place.size):
        if links[node] != NONE:
            links[node] = place[links[node]]


@kernel
def _move_all(tree: Tree, place: NDArray[np.int32]) -> None:
    """Move each node to `place` [node] by swaps, without a copy of the rows. Afterwards `place`
    [node] is the node itself."""
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
            tree.regret[two, hand],
            tree.average[two, hand],
        )
        tree.regret[two, hand], tree.average[two, hand] = regret, average


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


def verify_tree(tree: Tree, stem: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
    """Raise StateError unless growth from `stem` and `starts`, both actions, can yield `tree`.

    Walks of a tree that passes stay inside its arrays, end, and reach each node once; its numbers
    are in range.
    """
    bids = tree.root.bids
    seen = np.full(bids.claimed.size + bids.endings, NONE, dtype=np.int32)
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
    bids, made = tree.root.bids, tree.root.made
    if ending >= bids.endings:
        return False
    back = bids.back[ending]
    while back > 1 and 0 <= tree.parent[node] < node:
        node, back = int(tree.parent[node]), back - 1
    bid = NO_BID
    if node == ROOT:
        bid = made[made.size - back] if back <= made.size else NO_BID
    elif back == 1:
        bid = int(np.int64(tree.action[node]))
    return 0 <= bid < bids.claimed.size and bids.cost[bid, ending] > 0


_ROWS = ("action", "parent", "first_child", "sibling", "regret", "average")
"""The arrays with one row for each node."""


class GrowingTree:
    """A Tree that grows. It starts with all legal actions at the root or, for a part, with the
    actions `starts` after the bids of `stem`; every raise is challenged. A `large` tree holds two
    bytes a number in its rows, others four."""

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
        """Make the stem and the starts, which become the nodes `starts`, in the order of their
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

    def __len__(self) -> int:
        """Return the number of nodes in use."""
        return int(self.tree.used[0])

    @property
    def node_bytes(self) -> int:
        """The bytes of memory that a node takes."""
        return sum(getattr(self.tree, name)[:1].nbytes for name in _ROWS)

    def nodes_in(self, spare: float) -> int:
        """Return about how many nodes fit into `spare` bytes of memory."""
        return int(usable(spare) / ((1.0 + _WRITING) * self.node_bytes))

    @property
    def decisions(self) -> int:
        """The number of nodes with children."""
        return int(np.count_nonzero(self.tree.first_child[: len(self)] != NONE))

    def add(
        self, parents: NDArray[np.int64], actions: NDArray[np.int64], remembered: float
    ) -> None:
        """Add to each of `parents` [n] a new child by the action in `actions` [n].

        Until now everybody challenged there. These challenges enter the average with the weight
        `remembered`, where 1 stands for all passes so far.

        Raises OutOfMemory and then leaves the tree as it was.
        """
        self._reserve(len(self) + 2 * len(parents), _WRITING)
        _add_children(self.tree, parents, actions, remembered)

    def hold(self, nodes: NDArray[np.int64], hands: NDArray[np.bool_]) -> None:
        """Make best responses play the current strategy at `nodes` [n], which have children, for
        the hands in `hands` [n, hand]."""
        self.tree = self.tree._replace(held=nodes, holds=hands)

    def leave_elsewhere(self, nodes: NDArray[np.int64]) -> None:
        """Mark the leaves `nodes` [n] as places whose subtrees are in other trees."""
        self.tree = self.tree._replace(elsewhere=elsewhere_of(nodes, *self.tree.dealt.shape))

    def reserve(self, actions: int) -> None:
        """Make room to add `actions` actions. Raises OutOfMemory, also if no room would be left to
        write the average."""
        with within_memory(self._complaint()):
            self._reserve(len(self) + 2 * actions, _WRITING)

    def grow(
        self, parents: NDArray[np.int64], actions: NDArray[np.int64], remembered: float
    ) -> None:
        """Add children as `add` does, and arrange the tree if many nodes are out of order.

        Raises OutOfMemory and then leaves the tree as it was, also if no room would be left to
        write the average.
        """
        with within_memory(self._complaint()):
            scratch = np.empty((2, len(self) + 2 * len(parents)), dtype=np.int32)
            self.add(parents, actions, remembered)
        if self._disorder() > DISORDER:
            self._arrange(*scratch[:, : len(self)])

    def _disorder(self) -> float:
        """Return the share of the nodes whose sibling is not the next node."""
        sibling = self.tree.sibling[: len(self)]
        apart = (sibling != NONE) & (sibling != np.arange(1, len(self) + 1))
        return np.count_nonzero(apart) / len(self)

    def arrange(self) -> None:
        """Renumber the nodes so that walks read memory in order, which nearly doubles their speed.
        The root's children then come right after it."""
        self._arrange(*np.empty((2, len(self)), dtype=np.int32))

    def _arrange(self, place: NDArray[np.int32], scratch: NDArray[np.int32]) -> None:
        _depth_first(self.tree, place, scratch)
        for links in (self.tree.parent, self.tree.first_child, self.tree.sibling):
            _renumber(links, place)
        for nodes in (self.tree.held, self.tree.elsewhere.node):
            nodes[:] = place[nodes]
        _move_all(self.tree, place)

    def halve_averages(self, times: int) -> None:
        """Halve all averages of a large tree, and what was dealt, `times` times."""
        if times > 0:
            halve(self.tree.average[: len(self)], times)
            self.tree.dealt[:] /= np.float32(2.0**times)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays in use, by name, for checkpoints. They are views of memory that `add`
        may free."""
        rows = {name: getattr(self.tree, name)[: len(self)] for name in _ROWS}
        return {**rows, "dealt": self.tree.dealt}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the tree by a saved `state`. Raise StateError if it is invalid; the tree must
        then not be used."""
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
        """Replace the tree by a valid `state`, which is not checked."""
        nodes = len(state["action"])
        self._reserve(nodes)
        self.tree.dealt[:] = state["dealt"]
        for name in _ROWS:
            target = getattr(self.tree, name)
            target[:nodes] = state[name]
            target[nodes:] = 0  # `add` expects rows of zeros
        self.tree.used[0] = nodes

    def verify(self) -> None:
        """Raise StateError unless the tree can have grown: see `verify_tree`."""
        verify_tree(self.tree, self._stem, self._starts)

    def _reserve(self, nodes: int, beside: float = 0.0) -> None:
        arrays = [getattr(self.tree, name) for name in _ROWS]
        lengthen(arrays, [nodes] * len(arrays), self._complaint(), beside=beside)

    def _complaint(self) -> ZhaifeiError:
        return ZhaifeiError(
            "a tree of {nodes} nodes fills the memory that may be used", nodes=len(self)
        )
