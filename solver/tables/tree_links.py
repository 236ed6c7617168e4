"""The tree of stored histories of a strategy table with full recall.

Contexts of such tables are sums of the codes of bids (`solver.tables.recall`), from which histories
cannot be read. But longer histories are found from shorter ones, bid by bid. A few stored histories
continue a history that is not stored, since nobody would raise there. If the missing history
continues a stored one, it is a *gap*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.tables.context_filter import context_filter, may_be_known
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable, node_with

Ints = NDArray[np.int64]

_UNLINKED = -2


class Links(NamedTuple):
    """The tree of the stored histories. Places up to the number of nodes are nodes of the table,
    later places are gaps."""

    last: Ints
    """[place] the last bid, or NO_BID at the start of a round."""
    first_child: Ints
    """[place + 1] the children of place p are `child[first_child[p]]` to
    `child[first_child[p + 1]]`, exclusive."""
    child: Ints
    """[place] the children, ascending by their last bids."""


def links_of(bids: BidTables, table: StrategyTable) -> Links | None:
    """Return the tree of a table with full recall that has the start of a round. Return None if the
    histories form no tree: some history continues neither a stored history nor a gap."""
    known, code, nodes = context_filter(table.context), table.recall.code[0], table.context.size
    last, parent = np.full(nodes, _UNLINKED), np.full(nodes, NO_NODE)
    state = np.zeros(nodes, dtype=np.int64)
    last[0] = NO_BID
    gaps = np.zeros((0, 2), dtype=np.int64)
    reached = np.zeros(1, dtype=np.int64)
    while True:
        _follow(bids, table, known, code, reached, (last, parent, state))
        orphans = np.flatnonzero(last == _UNLINKED)
        if not orphans.size:
            break
        found = _behind_gaps(bids, table, known, code, orphans, last, state)
        reached, found = orphans[found[:, 0] >= 0], found[found[:, 0] >= 0]
        if not reached.size:
            return None
        pairs = np.concatenate([gaps, found[:, :2]])
        gaps, place = np.unique(pairs, axis=0, return_inverse=True)
        place = place.ravel()  # numpy 2.0 adds an axis
        last[reached] = found[:, 2]
        state[reached] = bids.after[bids.after[state[found[:, 0]], found[:, 1]], found[:, 2]]
        # Gaps may have moved: those of earlier iterations come first in `place`.
        before = parent < NO_NODE
        parent[before] = -2 - place[: -len(found)][-2 - parent[before]]
        parent[reached] = -2 - place[-len(found) :]
    behind = parent < NO_NODE
    parent[behind] = nodes - 2 - parent[behind]
    parent, last = np.append(parent, gaps[:, 0]), np.append(last, gaps[:, 1])
    child = np.lexsort((last, parent))[1:]  # without the start of a round, whose parent is NO_NODE
    counts = np.bincount(parent[child], minlength=parent.size)
    return Links(last, np.append(0, np.cumsum(counts)), child)


@kernel
def _follow(
    bids: BidTables,
    table: StrategyTable,
    known: NDArray[np.bool_],
    code: Ints,
    reached: Ints,
    linked: tuple[Ints, Ints, Ints],
) -> None:
    """Link all nodes that continue the `reached` nodes: set last bid, parent and state [node] in
    `linked`."""
    last, parent, state = linked
    waiting = np.empty(last.size, dtype=np.int64)
    for place in range(reached.size):  # a slice would compile texts of errors for two seconds
        waiting[place] = reached[place]
    end, place = reached.size, 0
    while place < end:
        node = waiting[place]
        place += 1
        for bid in range(bids.first_raise[state[node]], bids.claimed.size):
            context = table.context[node] + code[bid + 1]
            possible = bids.legal[state[node], bid] and may_be_known(known, context)
            after = node_with(table, context) if possible else NO_NODE
            if after != NO_NODE and last[after] == _UNLINKED:
                last[after], parent[after] = bid, node
                state[after] = bids.after[state[node], bid]
                waiting[end] = after
                end += 1


@kernel
def _behind_gaps(
    bids: BidTables,
    table: StrategyTable,
    known: NDArray[np.bool_],
    code: Ints,
    orphans: Ints,
    last: Ints,
    state: Ints,
) -> Ints:
    """Return [orphan, 3] the linked node two bids before each orphan, and the two bids. The node is
    NO_NODE if there is none."""
    found = np.full((orphans.size, 3), NO_NODE)
    for place in range(orphans.size):
        for bid in range(bids.claimed.size):
            for after in range(bid + 1, bids.claimed.size):
                if after >= bids.plain and after != bid + bids.plain:
                    continue  # a double follows its own bid alone
                context = table.context[orphans[place]] - code[bid + 1] - code[after + 1]
                possible = may_be_known(known, context)
                node = node_with(table, context) if possible else NO_NODE
                if node == NO_NODE or last[node] == _UNLINKED:
                    continue
                between = bids.after[state[node], bid]
                if between >= 0 and bids.legal[between, after]:
                    found[place] = node, bid, after
    return found
