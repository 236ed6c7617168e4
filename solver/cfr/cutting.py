"""Cut growing trees into parts and remainders; rows are copied unchanged.

Trees must not be merged, so the rows of a state are [node, hand].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.growing_tree import NONE, ROOT, GrowingTree, renumbered
from zhaifei.solver.machine.jit import kernel

State = dict[str, NDArray[Any]]
"""The state of a tree, as `GrowingTree.state` returns it."""


@kernel
def mark_below(parent: NDArray[np.int32], marked: NDArray[np.bool_]) -> None:
    """Mark, in `marked` [node], all nodes below marked nodes. Parents must come before their
    children."""
    for node in range(1, marked.size):
        marked[node] |= marked[parent[node]]


def part_of(grown: GrowingTree, starts: NDArray[np.int64]) -> State:
    """Return the state of the part with the nodes `starts` [n], which must be siblings."""
    parent = grown.tree.parent[: len(grown)]
    kept = np.zeros(len(grown), dtype=np.bool_)
    kept[starts] = True
    mark_below(parent, kept)
    node = int(parent[starts[0]])
    while node != NONE:
        kept[node] = True
        node = int(parent[node])
    return _kept(grown.state(), kept)


def rest_of(grown: GrowingTree, nodes: NDArray[np.int64]) -> State:
    """Return the state of `grown` without the nodes below these `nodes` [n]."""
    state, below = grown.state(), np.zeros(len(grown), dtype=np.bool_)
    below[nodes] = True
    mark_below(grown.tree.parent[: len(grown)], below)
    below[nodes] = False
    return _kept(state, ~below)


def with_children(grown: GrowingTree, node: int, rows: Mapping[str, NDArray[Any]]) -> State:
    """Return the state of the tree in which the leaf `node` has children with these `rows`, their
    `action`, `regret` and `average` by name."""
    state, size = grown.state(), len(grown)
    number = len(rows["action"])
    links = {
        "parent": np.full(number, node),
        "first_child": np.full(number, NONE),
        "sibling": np.append(np.arange(size + 1, size + number), NONE),
    }
    added = {name: array.astype(state[name].dtype) for name, array in {**rows, **links}.items()}
    longer = {name: np.concatenate([state[name], array]) for name, array in added.items()}
    longer["first_child"][node] = size
    return {**renumbered(grown.tree, longer), "dealt": state["dealt"]}


def children_of(grown: GrowingTree, node: int) -> NDArray[np.int64]:
    """Return the children of `node` in their order."""
    found, child = [], int(grown.tree.first_child[node])
    while child != NONE:
        found.append(child)
        child = int(grown.tree.sibling[child])
    return np.array(found, dtype=np.int64)


def _kept(state: Mapping[str, NDArray[Any]], kept: NDArray[np.bool_]) -> State:
    """Return the state of the nodes that are `kept` [node], with the links among them."""
    place = np.cumsum(kept) - 1
    rows = {name: array[kept] for name, array in state.items() if name != "dealt"}
    parent = rows["parent"]
    parent[ROOT + 1 :] = place[parent[ROOT + 1 :]]
    numbers = np.arange(parent.size, dtype=np.int32)
    sibling = np.append(numbers[1:], NONE).astype(np.int32)
    sibling[:-1][parent[1:] != parent[:-1]] = NONE
    first_child = np.full(parent.size, NONE, dtype=np.int32)
    first_child[parent[:ROOT:-1]] = numbers[:ROOT:-1]
    return {**rows, "sibling": sibling, "first_child": first_child, "dealt": state["dealt"].copy()}
