"""Smaller copies of tables with full recall, without what hardly ever comes up.

A best responder chooses their own bids, so a node matters for how often the player who moves there
comes to it by their own bids, however seldom the others do. `trimmed` leaves out the nodes of small
*weight*: the probability that the mover's own bids come here, times a power of the probability that
the others' do. A node that continues a history without a node is kept only if the policy makes the
last bid of that history: there a best responder may go on where the policy would challenge. Hands
that hardly come to a node challenge there, and small shares go to the hand's other actions. The
rest is rounded again, more coarsely for hands that come seldom.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables, longest_history
from zhaifei.solver.bidding import turns_on
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import showdown_tables
from zhaifei.solver.tables.arrays import Rows, StrategyTable
from zhaifei.solver.tables.context_filter import context_filter, may_be_known
from zhaifei.solver.tables.rows import read_row
from zhaifei.solver.tables.storing import empty_rows, write_row
from zhaifei.solver.tables.strategy_table import NO_NODE, dtype_of, node_with, sparse_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Thresholds(NamedTuple):
    """What is left out of a trimmed table."""

    weight: float
    """Nodes to which the player who moves there comes with a smaller probability, by their own
    bids, are left out."""
    hand: float
    """A hand that the mover brings to a node with a smaller probability challenges there."""
    share: float
    """Smaller shares of a hand go to its other actions."""
    fine: float
    """A hand that comes with this probability or more has all the steps; one that comes with half
    of it has half as many."""
    steps: int
    """The steps of a probability of 1, a power of 2 of at most `STEPS`."""


class _Walk(NamedTuple):
    """Work space of the walk."""

    reach: Floats
    """[depth, player, hand] how often each player comes to the history of this many bids with the
    hand, by their own bids."""
    played: Floats
    """[row, hand] the strategy of a node."""
    chosen: NDArray[np.uint16]
    """[row, hand] the trimmed strategy in steps."""


class _Out(NamedTuple):
    """What has been written."""

    context: Ints
    """[node] the contexts."""
    rows: Rows
    used: Ints
    """[3] how many nodes, rows and entries."""


def trimmed(tables: BidTables, table: StrategyTable, limits: Thresholds) -> StrategyTable:
    """Return a compact copy of a `table` with full recall, without what `limits` leave out."""
    walk, out = _new_walk(tables, table), _new_out(table, limits)
    _walk(tables, table, context_filter(table.context), limits, walk, out)
    nodes, rows, entries = out.used.tolist()
    context = out.context[:nodes].copy()
    kept = Rows(
        out.rows.first_row[: nodes + 1].copy(),
        out.rows.action[:rows].copy(),
        out.rows.first_entry[: rows + 1].copy(),
        out.rows.hand[:entries].copy(),
        out.rows.share[:entries].copy(),
    )
    return sparse_table(
        table.recall,
        context,
        kept,
        hands=table.hands,
        steps=limits.steps,
        order=np.argsort(context),
    )


def _new_walk(tables: BidTables, table: StrategyTable) -> _Walk:
    depths, actions = longest_history(tables.after) + 1, tables.claimed.size + tables.endings
    reach = np.zeros((depths, tables.players, table.hands))
    reach[0] = showdown_tables(tables).prior
    played = np.zeros((actions, table.hands))
    return _Walk(reach, played, np.zeros((actions, table.hands), dtype=np.uint16))


def _new_out(table: StrategyTable, limits: Thresholds) -> _Out:
    """Return room for a copy of the table in which every node has a challenge too."""
    rows = empty_rows(
        table.nodes,
        table.action.size + table.nodes,
        table.hand.size + table.hands,
        dtype_of(limits.steps),
    )
    return _Out(np.zeros(table.nodes, dtype=np.int64), rows, np.zeros(3, dtype=np.int64))


@kernel
def _walk(
    tables: BidTables,
    table: StrategyTable,
    known: NDArray[np.bool_],
    limits: Thresholds,
    walk: _Walk,
    out: _Out,
) -> None:
    """Write the nodes that are kept into `out`, depth first."""
    depths, players, bids = walk.reach.shape[0], tables.players, tables.claimed.size
    context, bid = np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    state, turn = np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    written, depth = np.zeros(depths, np.int64), 0
    written[0] = _write(table, limits, walk, 0, 0, 0, out)
    bid[0] = tables.first_raise[0]
    while depth >= 0:
        this = bid[depth]
        if this >= bids:
            depth -= 1
            continue
        bid[depth] += 1
        after = context[depth] + table.recall.code[0, this + 1]
        node = NO_NODE
        if tables.legal[state[depth], this] and may_be_known(known, after):
            node = node_with(table, after)
        is_gap = node == NO_NODE and _plays(out.rows, written[depth], this)
        if node == NO_NODE and not is_gap:
            continue
        _reach(walk, limits, out.rows, written[depth], this, depth, turn[depth] % players)
        turn[depth + 1] = turn[depth] + turns_on(tables, this)
        mover = turn[depth + 1] % players
        if not is_gap and walk.reach[depth + 1, mover].sum() < limits.weight:
            continue
        state[depth + 1] = tables.after[state[depth], this]
        depth += 1
        context[depth], bid[depth], written[depth] = (
            after,
            tables.first_raise[state[depth]],
            NO_NODE,
        )
        if not is_gap:
            written[depth] = _write(table, limits, walk, depth, node, mover, out)


@hot_kernel
def _plays(rows: Rows, node: int, bid: int) -> bool:
    """Return whether some hand makes the `bid` at the written `node`; at a gap none does."""
    plays = False
    if node != NO_NODE:
        for row in range(rows.first_row[node], rows.first_row[node + 1]):
            plays |= rows.action[row] == bid
    return plays


@hot_kernel
def _reach(
    walk: _Walk, limits: Thresholds, out: Rows, node: int, bid: int, depth: int, mover: int
) -> None:
    """Write how often players come to the history after a `bid` by the mover at `depth`, whose
    trimmed node has the place `node`."""
    for player in range(walk.reach.shape[1]):
        for hand in range(walk.reach.shape[2]):
            kept = 0.0 if player == mover else walk.reach[depth, player, hand]
            walk.reach[depth + 1, player, hand] = kept
    if not _plays(out, node, bid):
        return
    for row in range(out.first_row[node], out.first_row[node + 1]):
        if out.action[row] == bid:
            for entry in range(out.first_entry[row], out.first_entry[row + 1]):
                hand = out.hand[entry]
                walk.reach[depth + 1, mover, hand] = (
                    walk.reach[depth, mover, hand] * out.share[entry] / limits.steps
                )


@hot_kernel
def _write(
    table: StrategyTable,
    limits: Thresholds,
    walk: _Walk,
    depth: int,
    node: int,
    mover: int,
    out: _Out,
) -> int:
    """Write the trimmed copy of `node`; return its place."""
    rows, place = _read(table, walk, node), out.used[0]
    first = table.first_row[node]
    rest = table.recall.code.shape[1] - 1
    goes_to_rest = False
    for hand in range(table.hands):
        goes_to_rest |= _trim(walk, limits, rows, hand, walk.reach[depth, mover, hand], depth == 0)
    has, written = goes_to_rest or _has(table, node, rest), False
    for one in range(rows + 1):
        if one < rows and table.action[first + one] != rest:
            if not _is_played(walk.chosen[one]):
                continue
            if has and not written and table.action[first + one] > rest:
                _write_one(walk, out, rest, one, True)
                written = True
            _write_one(walk, out, int(table.action[first + one]), one, False)
    if has and not written:
        _write_one(walk, out, rest, 0, True)
    out.context[place] = table.context[node]
    out.used[0] += 1
    out.rows.first_row[out.used[0]] = out.used[1]
    return int(place)


@hot_kernel
def _has(table: StrategyTable, node: int, action: int) -> bool:
    """Return whether a node of the table has a row for the `action`."""
    has = False
    for row in range(table.first_row[node], table.end_row[node]):
        has |= table.action[row] == action
    return has


@hot_kernel
def _is_played(row: NDArray[np.uint16]) -> bool:
    """Return whether some hand plays the `row`."""
    played = False
    for share in row:
        played |= share > 0
    return played


@hot_kernel
def _write_one(walk: _Walk, out: _Out, action: int, row: int, rest: bool) -> None:
    """Write a row of the node; `rest` if it is what the others leave."""
    write_row(out.rows, out.used[1], walk.chosen[row], rest)
    out.rows.action[out.used[1]] = action
    out.used[1] += 1
    out.used[2] = out.rows.first_entry[out.used[1]]


@hot_kernel
def _read(table: StrategyTable, walk: _Walk, node: int) -> int:
    """Write the strategy of `node` into `played`; return how many rows it has."""
    first, end = table.first_row[node], table.end_row[node]
    for row in range(first, end):
        read_row(table, node, row, walk.played[row - first])
    return int(end - first)


@hot_kernel
def _trim(walk: _Walk, limits: Thresholds, rows: int, hand: int, reach: float, opens: bool) -> bool:
    """Write the trimmed strategy of a hand into `chosen`; return whether it leaves all to the
    challenge."""
    total, most = 0.0, 0.0
    for row in range(rows):
        total += walk.played[row, hand]
        most = max(most, walk.played[row, hand])
    if not opens and reach < limits.hand:
        for row in range(rows):
            walk.chosen[row, hand] = 0
        return True
    left, last = 0.0, 0
    least = min(limits.share * total, most)
    for row in range(rows):
        if walk.played[row, hand] >= least and walk.played[row, hand] > 0.0:
            left += walk.played[row, hand]
            last = row
    grain = 1
    while grain < limits.steps and 2 * grain * reach < limits.fine:
        grain *= 2
    grains, sums, done = limits.steps // grain, 0.0, 0
    for row in range(rows):
        if walk.played[row, hand] >= least:
            sums += walk.played[row, hand]
        upto = limits.steps if row >= last else int(grains * sums / left + 0.5) * grain
        walk.chosen[row, hand] = upto - done
        done = upto
    return False
