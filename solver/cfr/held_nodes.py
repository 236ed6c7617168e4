"""Nodes of a growing tree where some hands play a strategy that is held fixed.

The game that is then solved is the one in which chance acts in place of the player, for those hands
at those histories: an information set that is held is a chance move with known probabilities, and
all other decisions are as before. So the players' remaining strategies are those of a two-player
zero-sum game of perfect recall, CFR's guarantee holds for it, and the gap is what best responses
gain that leave what is held alone.

**How a strategy is held.** Regret matching plays positive regrets in proportion. A row of regrets
that *is* the strategy is played as it is, so `restore` writes it back whenever a pass has added
regrets to it; averages, which add up reach times what is played, then hold it as well. What a pass
values at such a node is worth what the strategy earns, since regrets are added after the node has
been valued. Only best responses must know which nodes these are (`solver.cfr.tree_respond`):
there neither a better child nor an action that leaves the tree counts for hands that are held, so
the tree does not grow for them either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.cfr.growing_tree import NONE, ROOT, GrowingTree, is_leaf
from solver.cfr.narrow import NEAREST, Stored, narrow
from solver.tables.held import Held


class _Rows(NamedTuple):
    """What is written at one node."""

    place: tuple[NDArray[np.int64], NDArray[np.int64]]
    """[child, 1] and [held hand]: an index into the regrets."""
    regret: Stored
    """[child, held hand]"""


class HeldNodes:
    """The nodes of `grown` where something of `held` is played, which must be below the root and
    have no history twice."""

    def __init__(self, grown: GrowingTree, held: Sequence[Held]) -> None:
        self._grown = grown
        made = grown.tree.root.made.size
        nodes = [(self._grow_to(one.history[made:], one), one) for one in held]
        nodes = [(node, one) for node, one in nodes if not is_leaf(grown.tree, node)]
        self._held = [one for _, one in nodes]
        if nodes:
            hands = np.array([one.hands for one in self._held])
            grown.hold(np.array([node for node, _ in nodes], dtype=np.int64), hands)
        self._rows: list[_Rows] = []
        self.find()
        self.restore()

    def find(self) -> None:
        """Find the nodes' children again, after the tree has grown."""
        nodes = self._grown.tree.held.tolist()
        self._rows = [self._rows_of(*pair) for pair in zip(nodes, self._held, strict=True)]

    def restore(self) -> None:
        """Write the strategies into the regrets, where a pass has changed them."""
        regret = self._grown.tree.regret
        for rows in self._rows:
            regret[rows.place] = rows.regret

    def _rows_of(self, node: int, held: Held) -> _Rows:
        children = np.array([*self._children(node)], dtype=np.int64)
        actions, hands = self._grown.tree.action[children], np.flatnonzero(held.hands)
        played = held.played[np.ix_(hands, actions)].T.astype(np.float32)
        stored = narrow(played, NEAREST, self._grown.tree.regret)
        return _Rows((children[:, np.newaxis], hands), stored)

    def _grow_to(self, bids: Sequence[int], held: Held) -> int:
        """Return the node after `bids` from the root on, made if it was not there, with a child for
        whatever is played there. Where no raise is legal it stays a leaf."""
        node = ROOT
        for bid in bids:
            node = self._child(node, bid)
        bid_tables = self._grown.tree.root.bids
        raises = np.flatnonzero(bid_tables.legal[bids[-1] + 1])
        played = held.played[held.hands][:, raises].any(axis=0)
        # A leaf cannot be held: there all challenge, and growth may find a raise that gains.
        for raised in raises[played].tolist() or raises[:1].tolist():
            self._child(node, raised)
        return node

    def _child(self, node: int, bid: int) -> int:
        """Return the child of `node` by `bid`, made if it was not there."""
        tree = self._grown.tree
        for child in self._children(node):
            if tree.action[child] == bid:
                return child
        self._grown.add(np.array([node]), np.array([bid]), 0.0)
        return self._child(node, bid)

    def _children(self, node: int) -> Iterator[int]:
        tree = self._grown.tree
        child = int(tree.first_child[node])
        while child != NONE:
            yield child
            child = int(tree.sibling[child])
