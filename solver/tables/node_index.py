"""Find nodes of a strategy table by hashing, where many contexts are looked up.

`strategy_table.node_with` searches the ascending contexts in about 20 steps, each of which waits
for memory. An index answers in about one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable

_ROOM = 2
"""The number of slots for each node."""


class NodeIndex(NamedTuple):
    """A hash table with linear probing."""

    slot: NDArray[np.int64]
    """[slot] the node that is kept in each slot, or NO_NODE."""
    context: NDArray[np.int64]
    """[node] the context of each node."""


def node_index(table: StrategyTable) -> NodeIndex:
    """Return an index of all nodes of `table`."""
    index = NodeIndex(np.full(_ROOM * table.context.size + 1, NO_NODE), table.context)
    _fill(index)
    return index


@hot_kernel
def indexed_node(index: NodeIndex, context: int) -> int:
    """Return the node with this `context`, or NO_NODE."""
    return int(index.slot[_slot_of(index, context)])


@hot_kernel
def _slot_of(index: NodeIndex, context: int) -> int:
    """Return the slot of the node with this `context`, or the free slot where it would be kept."""
    slot = context % index.slot.size
    while index.slot[slot] != NO_NODE and index.context[index.slot[slot]] != context:
        slot = slot + 1 if slot + 1 < index.slot.size else 0
    return int(slot)


@kernel
def _fill(index: NodeIndex) -> None:
    for node in range(index.context.size):
        index.slot[_slot_of(index, index.context[node])] = node
