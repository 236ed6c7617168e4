"""The average of a tree as a table of strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.cfr.growing_tree import NONE, ROOT, Tree, is_challenge
from solver.cfr.narrow import Stored, widen
from solver.cfr.tree_walk import is_fallback
from solver.jit import hot_kernel, kernel
from solver.showdown import ZERO
from solver.tables.arrays import Rows
from solver.tables.recall import RecallTables
from solver.tables.storing import empty_rows, store, write_row
from solver.tables.strategy_table import (
    STEPS,
    StrategyTable,
    dtype_of,
    rows_of,
    sparse_table,
    steps_for,
)


def average_strategy(
    tree: Tree,
    recall: RecallTables,
    least: float,
    *,
    compact: bool = False,
    player: int | None = None,
) -> StrategyTable:
    """Return the average strategy of `tree` with full `recall`, as `average_of_part` has it. Small
    tables are stored as they are, unless they are to be `compact`."""
    nodes, hands = int(tree.used[0]), tree.regret.shape[1]
    steps = STEPS if compact else steps_for(nodes, hands)
    part = average_of_part(tree, recall, least, steps, player=player)
    return table_of_parts(recall, [part], hands, steps)


def joined_by_player(recall: RecallTables, tables: Sequence[StrategyTable]) -> StrategyTable:
    """Return the table by which each player does what they do in their own table, of those in turn
    order. Each table has the nodes of that player, and the start of a round."""
    parts = [PartOfTable(table.context, rows_of(table)) for table in tables]
    own = [parts[0], *(_without_start(part) for part in parts[1:])]
    return table_of_parts(recall, own, tables[0].hands, tables[0].steps)


def _without_start(part: PartOfTable) -> PartOfTable:
    """Return a part of a table without its first node, which is the start of a round."""
    rows, entries = part.rows.first_row[1], part.rows.first_entry[part.rows.first_row[1]]
    return PartOfTable(
        part.context[1:],
        Rows(
            part.rows.first_row[1:] - rows,
            part.rows.action[rows:],
            part.rows.first_entry[rows:] - entries,
            part.rows.hand[entries:],
            part.rows.share[entries:],
        ),
    )


class PartOfTable(NamedTuple):
    """Some nodes of a table."""

    context: NDArray[np.int64]
    """[node] ascending."""
    rows: Rows


def table_of_parts(
    recall: RecallTables, parts: Sequence[PartOfTable], hands: int, steps: int
) -> StrategyTable:
    """Return the table that has all nodes of the `parts`, no two of which have the same."""
    context = np.concatenate([part.context for part in parts])
    rows = parts[0].rows if len(parts) == 1 else _joined([part.rows for part in parts])
    order = None if len(parts) == 1 else np.argsort(context)
    return sparse_table(recall, context, rows, hands=hands, steps=steps, order=order)


def _joined(rows: Sequence[Rows]) -> Rows:
    """Return the rows of all nodes, in this order."""
    action, hand, share = (
        np.concatenate([getattr(one, name) for one in rows]) for name in ("action", "hand", "share")
    )
    firsts = [_ends([getattr(one, name) for one in rows]) for name in ("first_row", "first_entry")]
    return Rows(firsts[0], action, firsts[1], hand, share)


def _ends(firsts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return where each group of all parts begins, and where the last ends, from the same of each
    part."""
    sizes = np.concatenate([np.diff(first) for first in firsts])
    return np.append(0, np.cumsum(sizes))


def average_of_part(
    tree: Tree,
    recall: RecallTables,
    least: float,
    steps: int,
    stem: int = 0,
    player: int | None = None,
) -> PartOfTable:
    """Return the average strategy at the nodes of `tree` but for the first, the `stem`, which may
    hold part of their children only. What the players did on the stem counts. With a `player`, in
    turn order from the root, only the nodes at which this player moves, and the root.

    In compact tables, actions that a hand takes with an average below `least` (which includes its
    prior and its reach) are left out, and its other actions take their share. A hand that is left
    without an action challenges the last bid. So histories that are hardly ever reached have no
    node. The root has one. What a hand does is rounded, the more the less it comes there: to a
    power of two of steps, by no more than `least` of the average.
    """
    nodes, hands = int(tree.used[0]), tree.regret.shape[1]
    choice = Choice(
        least=float(np.finfo(np.float32).tiny) if steps == 1 else least,
        kept=np.zeros(nodes, dtype=np.bool_),
        rows=np.zeros(nodes, dtype=np.int64),
        context=np.zeros(nodes, dtype=np.int64),
    )
    entries = _choose(tree, choice, recall.code[0, 1:])
    choice.rows[:stem] = 0
    if player is not None:
        choice.rows[1:][turns(tree)[1:] != player] = 0
    inner = np.flatnonzero(choice.rows)
    inner = inner[np.argsort(choice.context[inner])]
    # Hands without an action challenge, which compact tables do not store, but not at the root.
    entries += hands * (inner.size if steps == 1 else 1)
    rows = empty_rows(inner.size, int(choice.rows.sum()), entries, dtype_of(steps))
    np.cumsum(choice.rows[inner], out=rows.first_row[1:])
    _write(tree, inner, choice, rows, steps)
    for array in (rows.hand, rows.share):
        array.resize(int(rows.first_entry[-1]), refcheck=False)
    return PartOfTable(choice.context[inner], rows)


class Choice(NamedTuple):
    """What of a tree goes into the table."""

    least: float
    """What a hand does less is left out."""
    kept: NDArray[np.bool_]
    """[node] whether it has a row as an action."""
    rows: NDArray[np.int64]
    """[node] how many rows it has as a node."""
    context: NDArray[np.int64]
    """[node]"""


@hot_kernel
def _move_before(tree: Tree, child: int) -> int:
    """Return the node to which the player who moves to `child` moved before, or `child` itself if
    that is the player's first move."""
    node = child
    for _ in range(tree.root.bids.players):
        node = tree.parent[node]
        if node in (ROOT, NONE):
            return child
    return int(node)


@hot_kernel
def _players(average: Stored, before: Stored, least: float) -> int:
    """Return how many hands take the action whose `average` [hand] this is; `before` is that of the
    player's move before."""
    number = 0
    for hand in range(average.size):
        number += _takes(average[hand], before[hand], least)
    return number


@hot_kernel
def _takes(average: float, before: float, least: float) -> bool:
    """Return whether a hand takes an action. An average may be above that of the move before, by
    how they are rounded; where the latter is too small, nothing follows it."""
    return bool(min(widen(average), widen(before)) >= least)


@kernel
def turns(tree: Tree) -> NDArray[np.int64]:
    """Return [node] who moves there, in turn order from the root. Relies on parents coming before
    their children."""
    turn = np.zeros(tree.used[0], dtype=np.int64)
    for node in range(1, turn.size):
        turn[node] = (turn[tree.parent[node]] + 1) % tree.root.bids.players
    return turn


@kernel
def _choose(tree: Tree, choice: Choice, code: NDArray[np.int64]) -> int:
    """Fill `choice`; `code` [bid] is what each bid adds to a context. Relies on parents coming
    before their children. Return how many hands take the actions that are kept, in all."""
    kept, rows, context = choice.kept, choice.rows, choice.context
    entries = 0
    for bid in tree.root.made:
        context[ROOT] += code[bid]
    for node in range(rows.size):
        challenge, others = NONE, 0
        child = tree.first_child[node]
        while child != NONE:
            if is_fallback(tree, child):
                challenge = child
            else:
                if not is_challenge(tree, child):
                    context[child] = context[node] + code[tree.action[child]]
                before = _move_before(tree, child)
                if before == child or kept[before]:
                    players = _players(tree.average[child], tree.average[before], choice.least)
                    kept[child] = players > 0
                    others += kept[child]
                    entries += players
            child = tree.sibling[child]
        if others > 0 or (node == ROOT and challenge != NONE):
            rows[node] = others
            if challenge != NONE:
                kept[challenge] = True
                rows[node] += 1
    return entries


@hot_kernel
def _children_in_order(
    tree: Tree, node: int, kept: NDArray[np.bool_], children: NDArray[np.int64]
) -> int:
    """Write the kept children of `node` in order of actions, challenges last; return how
    many."""
    found = 0
    child = tree.first_child[node]
    while child != NONE:
        if kept[child]:
            place = found
            while place > 0 and tree.action[children[place - 1]] > tree.action[child]:
                children[place] = children[place - 1]
                place -= 1
            children[place] = child
            found += 1
        child = tree.sibling[child]
    return found


@hot_kernel
def _grain(total: float, least: float, steps: int) -> int:
    """Return the largest power of two of `steps` that is no more than `least` of a hand's average,
    which is `total` here, but a step at least and all at most."""
    grain = 1
    while 2 * grain <= steps and 2 * grain * total <= least * steps:
        grain *= 2
    return grain


@kernel
def _write(tree: Tree, inner: NDArray[np.int64], choice: Choice, out: Rows, steps: int) -> None:
    """Write the rows of the nodes `inner` [n], in units of 1/`steps`."""
    bids, hands = tree.root.bids, tree.regret.shape[1]
    actions = bids.claimed.size + bids.challenges
    children = np.zeros(actions, dtype=np.int64)
    shares = np.zeros((actions, hands), dtype=np.float32)
    stored = np.zeros((actions, hands), dtype=out.share.dtype)
    total = np.zeros(hands, dtype=np.float32)
    grain = np.ones(hands, dtype=np.int64)
    for place in range(inner.size):
        first = out.first_row[place]
        found = _children_in_order(tree, inner[place], choice.kept, children)
        total[:] = ZERO
        fallback = 0
        for row in range(found):
            if is_fallback(tree, children[row]):
                fallback = row
            average = tree.average[children[row]]
            before = tree.average[_move_before(tree, children[row])]
            for hand in range(hands):
                takes = _takes(average[hand], before[hand], choice.least)
                shares[row, hand] = widen(average[hand]) if takes else ZERO
                total[hand] += shares[row, hand]
            out.action[first + row] = tree.action[children[row]]
        for hand in range(hands):
            if total[hand] > ZERO:
                grain[hand] = _grain(total[hand], choice.least, steps)
                for row in range(found):
                    shares[row, hand] /= total[hand]
            else:
                shares[fallback, hand] = 1.0
        store(shares[:found], steps, grain, stored[:found])
        for row in range(found):
            rest = steps > 1 and out.action[first + row] == bids.claimed.size
            write_row(out, first + row, stored[row], rest)
