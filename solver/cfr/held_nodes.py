"""Nodes of a growing tree where some hands play a fixed, *held* strategy.

In the game that is solved, chance acts for the player with a held hand at a held history. So a held
information set is a chance move with known probabilities, and all other decisions are as before.
The players' remaining strategies are therefore those of a two-player zero-sum game of perfect
recall, and CFR's guarantee holds for it. The gap is what best responses gain that leave held
strategies alone.

**How a strategy is held.** Regret matching plays positive regrets in proportion. So a row of
regrets that *equals* a strategy makes the hand play that strategy, and `restore` writes the row
back whenever a pass has added regrets to it. Averages add up reach times the current strategy,
so they hold it as well. A pass adds regrets only after it has valued the node, so a held node's
value is what the held strategy earns. Only best responses must know the held nodes
(`solver.cfr.tree_respond`): for held hands they consider neither a better child nor an action that
leaves the tree, so the tree does not grow for held hands either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.bidding import legal_endings
from zhaifei.solver.cfr.growing_tree import NONE, ROOT, GrowingTree, is_leaf, state_of
from zhaifei.solver.cfr.row_precision import NEAREST, Stored, narrow
from zhaifei.solver.tables.held import Held


class _Rows(NamedTuple):
    """The regrets to write at one held node."""

    place: NDArray[np.int64]
    """[child, held hand] where in the regrets the numbers are."""
    regret: Stored
    """[child, held hand] the held strategy, as regrets."""


class HeldNodes:
    """The nodes of `grown` where strategies of `held` are played. They must be below the root, and
    no history may occur twice."""

    def __init__(self, grown: GrowingTree, held: Sequence[Held]) -> None:
        self._grown = grown
        made = grown.tree.root.made.size
        for one in held:
            self._grow_to(one.history[made:], one)
        nodes = [(self._node(one.history[made:]), one) for one in held]
        nodes = [(node, one) for node, one in nodes if not is_leaf(grown.tree, node)]
        self._held = [one for _, one in nodes]
        if nodes:
            hands = np.array([one.hands for one in self._held])
            grown.hold(np.array([node for node, _ in nodes], dtype=np.int64), hands)
        self._rows: list[_Rows] = []
        self.find()
        self.restore()

    def find(self) -> None:
        """Find the children of the held nodes again, after the tree has grown."""
        nodes = self._grown.tree.held.tolist()
        self._rows = [self._rows_of(*pair) for pair in zip(nodes, self._held, strict=True)]

    def restore(self) -> None:
        """Write the held strategies back into the regrets that a pass has changed."""
        regret = self._grown.tree.regret
        for rows in self._rows:
            regret[rows.place] = rows.regret

    def _rows_of(self, node: int, held: Held) -> _Rows:
        children = np.array([*self._children(node)], dtype=np.int64)
        actions, hands = self._grown.tree.action[children], np.flatnonzero(held.hands)
        played = held.played[np.ix_(hands, actions)].T.astype(np.float32)
        stored = narrow(played, NEAREST, self._grown.tree.regret)
        return _Rows(self._grown.tree.row[children][:, np.newaxis] + hands, stored)

    def _node(self, bids: Sequence[int]) -> int:
        """Return the node after `bids` from the root; create what is missing."""
        node = ROOT
        for bid in bids:
            node = self._child(node, bid)
        return node

    def _grow_to(self, bids: Sequence[int], held: Held) -> None:
        """Create a node after `bids` from the root, with a child for every action that is played
        there, as far as they are missing. Where only one action is legal the node stays a leaf."""
        node = self._node(bids)
        tree = self._grown.tree
        tables = tree.root.bids
        legal = np.append(tables.legal[state_of(tree, node)], legal_endings(tables, held.history))
        legal[tables.claimed.size] = False  # the challenge of the last bid, which each node has
        actions = np.flatnonzero(legal)
        played = held.played[held.hands][:, actions].any(axis=0)
        # A leaf cannot be held: everybody challenges there, and growth may find an action that
        # gains.
        for action in actions[played].tolist() or actions[:1].tolist():
            self._child(node, action)

    def _child(self, node: int, action: int) -> int:
        """Return the child of `node` by `action`, created if it is missing."""
        tree = self._grown.tree
        for child in self._children(node):
            if tree.action[child] == action:
                return child
        self._grown.grow(np.array([node]), np.array([action]), 0.0)
        return self._child(node, action)

    def _children(self, node: int) -> Iterator[int]:
        tree = self._grown.tree
        child = int(tree.first_child[node])
        while child != NONE:
            yield child
            child = int(tree.sibling[child])
