"""Conversion of a tree's average into a table of strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.bidding import turns_on
from zhaifei.solver.cfr.growing_tree import NONE, ROOT, Tree, came_by, is_challenge
from zhaifei.solver.cfr.row_precision import widen
from zhaifei.solver.cfr.tree_walk import is_fallback
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.machine.threads import CALLER, Caller, Threads, pieces, share
from zhaifei.solver.showdown import ZERO
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.recall import RecallTables
from zhaifei.solver.tables.storing import empty_rows, store, write_row
from zhaifei.solver.tables.strategy_table import (
    STEPS,
    StrategyTable,
    dtype_of,
    rows_of,
    sparse_table,
    steps_for,
)

_TINY = np.finfo(np.float32).tiny
"""No strategy divides by a smaller average."""


def average_strategy(
    tree: Tree,
    recall: RecallTables,
    least: float,
    *,
    compact: bool = False,
    player: int | None = None,
    threads: Threads | Caller = CALLER,
) -> StrategyTable:
    """Return the average strategy of `tree` with full `recall`, as `average_of_part` defines it.
    Small tables are stored unrounded, unless `compact` is set."""
    nodes, hands = int(tree.used[0]), tree.dealt.shape[1]
    steps = STEPS if compact else steps_for(nodes, hands)
    part = average_of_part(tree, recall, least, steps, player=player, threads=threads)
    return table_of_parts(recall, [part], hands, steps)


def joined_by_player(recall: RecallTables, tables: Sequence[StrategyTable]) -> StrategyTable:
    """Return the table in which each player follows their own table; `tables` are in turn order.
    Each table has the nodes of its player, and the start of a round."""
    parts = [PartOfTable(table.context, rows_of(table)) for table in tables]
    own = [parts[0], *(_without_start(part) for part in parts[1:])]
    return table_of_parts(recall, own, tables[0].hands, tables[0].steps)


def _without_start(part: PartOfTable) -> PartOfTable:
    """Return `part` without its first node, which is the start of a round."""
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
    """Some nodes of a table, with their rows."""

    context: NDArray[np.int64]
    """[node] the context of the node, ascending."""
    rows: Rows


def table_of_parts(
    recall: RecallTables, parts: Sequence[PartOfTable], hands: int, steps: int
) -> StrategyTable:
    """Return the table with all nodes of the `parts`, which must have no node in common."""
    context = np.concatenate([part.context for part in parts])
    rows = parts[0].rows if len(parts) == 1 else _joined([part.rows for part in parts])
    order = None if len(parts) == 1 else np.argsort(context)
    return sparse_table(recall, context, rows, hands=hands, steps=steps, order=order)


def _joined(rows: Sequence[Rows]) -> Rows:
    """Return the rows of all nodes, in the order of `rows`."""
    action, hand, share = (
        np.concatenate([getattr(one, name) for one in rows]) for name in ("action", "hand", "share")
    )
    firsts = [_ends([getattr(one, name) for one in rows]) for name in ("first_row", "first_entry")]
    return Rows(firsts[0], action, firsts[1], hand, share)


def _ends(firsts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return where each group of all parts begins, and where the last ends; `firsts` holds the same
    for each part alone."""
    sizes = np.concatenate([np.diff(first) for first in firsts])
    return np.append(0, np.cumsum(sizes))


class Cut(NamedTuple):
    """Where a tree is cut off from other trees, whose nodes are in the same table."""

    stem: int = 0
    """The number of first nodes of the tree, some of whose children are in other trees."""
    leading: Sequence[int] = ()
    """Nodes that lead to nodes in other trees."""


_WHOLE = Cut()


def average_of_part(
    tree: Tree,
    recall: RecallTables,
    least: float,
    steps: int,
    cut: Cut = _WHOLE,
    player: int | None = None,
    threads: Threads | Caller = CALLER,
) -> PartOfTable:
    """Return the average strategy at the nodes of `tree`, but for the stem of the `cut`. What the
    players did on the stem counts. With a `player`, in turn order from the root, return only the
    nodes at which this player moves, and the root. The `threads` share the work.

    Compact tables leave out the actions that a hand takes with an average below `least_averages` of
    `least`; the hand's other actions take over their share. A hand without any action left
    challenges the last bid. So histories that are hardly ever reached have no node, except the root
    and what leads to other nodes. Shares are rounded to multiples of a power of two of steps; the
    power is larger for hands that come there less often. Rounding changes an average by no more
    than `least`.
    """
    choice = _chosen(tree, least_averages(tree, 0.0 if steps == 1 else least), cut, threads)
    choice.rows[: cut.stem] = 0
    if player is not None:
        choice.rows[1:][turns(tree)[1:] != player] = 0
    context = _contexts(tree, recall.code[0, 1:])
    inner = np.flatnonzero(choice.rows)
    inner = inner[np.argsort(context[inner])]
    return PartOfTable(context[inner], _written(tree, inner, choice, steps, threads))


def least_averages(tree: Tree, least: float) -> NDArray[np.float32]:
    """Return [partition, class] the averages from which an action of a class counts as played. It
    is `least`, which includes the class's deal and reach. A class that is dealt more rarely than
    the average hand needs less in proportion. Otherwise such hands, five alike for instance, would
    lose most of what they play."""
    dealt, class_of = tree.root.ranges.mean(axis=0, dtype=np.float64), tree.classes.class_of
    of_class = np.array([np.bincount(one, dealt, dealt.size) for one in class_of])
    found: NDArray[np.float32] = (least * np.minimum(1.0, of_class / dealt.mean())).astype(
        np.float32
    )
    return found


class Choice(NamedTuple):
    """The nodes and actions of a tree that go into the table."""

    least: NDArray[np.float32]
    """[partition, class] the average below which an action of a class is left out."""
    kept: NDArray[np.bool_]
    """[node] whether the action that leads to the node has a row."""
    rows: NDArray[np.int64]
    """[node] how many rows the node has for its actions."""
    takers: NDArray[np.int64]
    """[node] how many hands take the kept actions of the node in total, without challenges."""


def _chosen(tree: Tree, least: NDArray[np.float32], cut: Cut, threads: Threads | Caller) -> Choice:
    """Return what goes into the table, with averages from `least` [partition, class] on."""
    nodes = int(tree.used[0])
    rows, takers = np.zeros((2, nodes), dtype=np.int64)
    choice = Choice(np.maximum(least, _TINY), np.zeros(nodes, dtype=np.bool_), rows, takers)

    def choose_some(_: int, piece: range) -> None:
        _choose(tree, choice, piece.start, piece.stop)

    share(threads, pieces(0, nodes), choose_some)
    needed = rows > 0
    needed[[ROOT, *cut.leading]] = True
    _keep_challenges(tree, choice, needed)
    return choice


def _written(
    tree: Tree, inner: NDArray[np.int64], choice: Choice, steps: int, threads: Threads | Caller
) -> Rows:
    """Return the rows of the nodes `inner` [n], in units of 1/`steps`."""
    # Hands without an action challenge, and compact tables store this at the root only.
    unasked = np.where((inner == ROOT) | (steps == 1), tree.dealt.shape[1], 0)
    first_entry = np.append(0, np.cumsum(choice.takers[inner] + unasked))
    rows = empty_rows(
        inner.size, int(choice.rows[inner].sum()), int(first_entry[-1]), dtype_of(steps)
    )
    np.cumsum(choice.rows[inner], out=rows.first_row[1:])
    places = pieces(0, inner.size)
    views = [_view(rows, piece, first_entry) for piece in places]

    def write_some(_: int, job: tuple[range, Rows]) -> None:
        piece, view = job
        _write(tree, inner[piece.start : piece.stop], choice, view, steps)

    share(threads, [*zip(places, views, strict=True)], write_some)
    _close_up(rows, views)
    views.clear()
    for array in (rows.hand, rows.share):
        array.resize(int(rows.first_entry[-1]), refcheck=False)
    return rows


def _view(rows: Rows, piece: range, first_entry: NDArray[np.int64]) -> Rows:
    """Return the `rows` of the nodes in `piece`, with room for the entries from `first_entry` of
    the first node to that of the node after the last."""
    first_row = rows.first_row[piece.start : piece.stop + 1]
    own, room = slice(*first_row[[0, -1]]), slice(*first_entry[[piece.start, piece.stop]])
    first = np.zeros(own.stop - own.start + 1, dtype=np.int64)
    return Rows(first_row - own.start, rows.action[own], first, rows.hand[room], rows.share[room])


def _close_up(rows: Rows, views: Sequence[Rows]) -> None:
    """Move the entries of the `views` of `rows` together, and note where those of each row are."""
    row = entry = 0
    for view in views:
        ends = entry + view.first_entry[1:]
        rows.first_entry[row + 1 : row + 1 + ends.size] = ends
        used = int(view.first_entry[-1])
        rows.hand[entry : entry + used] = view.hand[:used]
        rows.share[entry : entry + used] = view.share[:used]
        row, entry = row + ends.size, entry + used


@hot_kernel
def _move_before(tree: Tree, child: int) -> int:
    """Return the node to which the player who moves to `child` moved the time before, or `child`
    itself if this is their first move."""
    came = came_by(tree, int(tree.parent[child]))[0]
    return child if came == ROOT else came


@hot_kernel
def _takes(tree: Tree, child: int, hand: int, least: NDArray[np.float32]) -> bool:
    """Return whether the class of a `hand` takes the action that leads to `child`."""
    partition = tree.partition[max(tree.parent[child], ROOT)]
    group = tree.classes.class_of[partition, hand]
    return bool(widen(tree.average[tree.row[child] + group]) >= least[partition, group])


@hot_kernel
def _comes(tree: Tree, child: int, hand: int, least: NDArray[np.float32]) -> bool:
    """Return whether a `hand` takes all moves that the player who moves to `child` made before."""
    move, before = child, _move_before(tree, child)
    while before != move:
        if not _takes(tree, before, hand, least):
            return False
        move, before = before, _move_before(tree, before)
    return True


@hot_kernel
def _takers(tree: Tree, child: int, least: NDArray[np.float32]) -> int:
    """Return how many hands take the action that leads to `child`. Rounding may lift an average
    above that of the player's move before; a hand that does not take the latter takes no other."""
    number = 0
    for hand in range(tree.dealt.shape[1]):
        number += _takes(tree, child, hand, least) and _comes(tree, child, hand, least)
    return number


@kernel
def turns(tree: Tree) -> NDArray[np.int64]:
    """Return [node] the player who moves there, in turn order from the root. Parents must come
    before their children."""
    turn, bids = np.zeros(tree.used[0], dtype=np.int64), tree.root.bids
    for node in range(1, turn.size):
        step = turns_on(bids, int(tree.action[node]))
        turn[node] = (turn[tree.parent[node]] + step) % bids.players
    return turn


@kernel
def _contexts(tree: Tree, code: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return [node] the context of each node. `code` [bid] is what each bid adds to a context.
    Parents must come before their children."""
    found = np.zeros(tree.used[0], dtype=np.int64)
    for bid in tree.root.made:
        found[ROOT] += code[bid]
    for node in range(1, found.size):
        if not is_challenge(tree, node):
            found[node] = found[tree.parent[node]] + code[tree.action[node]]
    return found


@kernel
def _choose(tree: Tree, choice: Choice, first: int, stop: int) -> None:
    """Fill `choice` for the nodes from `first` to `stop`, except for challenges."""
    for node in range(first, stop):
        child = tree.first_child[node]
        while child != NONE:
            if not is_fallback(tree, child):
                takers = _takers(tree, child, choice.least)
                choice.kept[child] = takers > 0
                choice.rows[node] += choice.kept[child]
                choice.takers[node] += takers
            child = tree.sibling[child]


@kernel
def _keep_challenges(tree: Tree, choice: Choice, needed: NDArray[np.bool_]) -> None:
    """Keep the challenges at all nodes that are `needed` [node], and at all nodes that lead to such
    nodes, so that the stored histories form a tree. Mark the latter as needed, too."""
    kept, rows = choice.kept, choice.rows
    for node in range(rows.size - 1, ROOT - 1, -1):
        if needed[node]:
            needed[max(tree.parent[node], ROOT)] = True
            child = tree.first_child[node]
            while child != NONE:
                if is_fallback(tree, child):
                    kept[child] = True
                    rows[node] += 1
                child = tree.sibling[child]


@hot_kernel
def _children_in_order(
    tree: Tree, node: int, kept: NDArray[np.bool_], children: NDArray[np.int64]
) -> int:
    """Write the kept children of `node` in the order of their actions, challenges last; return
    their number."""
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
    """Return the largest power of two, from 1 to `steps`, that is at most `least` in steps of
    1/`steps` of a hand's average `total`; 1 if none is."""
    grain = 1
    while 2 * grain <= steps and 2 * grain * total <= least * steps:
        grain *= 2
    return grain


@kernel
def _write(tree: Tree, inner: NDArray[np.int64], choice: Choice, out: Rows, steps: int) -> None:
    """Write the rows of the nodes `inner` [n], in units of 1/`steps`."""
    bids, hands = tree.root.bids, tree.dealt.shape[1]
    actions = bids.claimed.size + bids.endings
    children = np.zeros(actions, dtype=np.int64)
    shares = np.zeros((actions, hands), dtype=np.float32)
    stored = np.zeros((actions, hands), dtype=out.share.dtype)
    total = np.zeros(hands, dtype=np.float32)
    grain = np.ones(hands, dtype=np.int64)
    for place in range(inner.size):
        first, partition = out.first_row[place], tree.partition[inner[place]]
        groups = tree.classes.size[partition]
        found = _children_in_order(tree, inner[place], choice.kept, children)
        total[:] = ZERO
        fallback = 0
        for row in range(found):
            if is_fallback(tree, children[row]):
                fallback = row
            start = tree.row[children[row]]
            for group in range(groups):
                share = widen(tree.average[start + group])
                shares[row, group] = share if share >= choice.least[partition, group] else ZERO
                total[group] += shares[row, group]
            out.action[first + row] = tree.action[children[row]]
        for group in range(groups):
            if total[group] > ZERO:
                grain[group] = _grain(total[group], choice.least[partition, group], steps)
                for row in range(found):
                    shares[row, group] /= total[group]
            else:
                shares[fallback, group] = 1.0
        store(shares[:found, :groups], steps, grain[:groups], stored[:found, :groups])
        spread = stored[:found]
        _spread_classes(tree, children[fallback], spread)
        for hand in range(hands):
            if not _comes(tree, children[fallback], hand, choice.least):
                for row in range(found):
                    spread[row, hand] = steps if row == fallback else 0
        for row in range(found):
            rest = steps > 1 and out.action[first + row] == bids.claimed.size
            write_row(out, first + row, stored[row], rest)


@hot_kernel
def _spread_classes(
    tree: Tree, child: int, stored: NDArray[np.float32] | NDArray[np.uint16]
) -> None:
    """Give each hand in `stored` [row, hand] what its class has at the parent of `child`. No hand
    comes before the first hand of its class, so classes spread in place."""
    class_of = tree.classes.class_of[tree.partition[tree.parent[child]]]
    for row in range(stored.shape[0]):
        for hand in range(class_of.size - 1, -1, -1):
            stored[row, hand] = stored[row, class_of[hand]]
