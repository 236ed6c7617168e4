"""Walks of the histories that a strategy table with full recall stores: lines, ranges, challenges.

A walk goes depth first along the public histories. At each of them it knows the range of every
player: for each hand, its probability times the probability of bidding like this with it. Ranges
are stored by *level*. Levels 0 to N - 1 are the priors of the players, and the move after `depth`
bids writes level `depth + N`. Unless bids are doubled, level j belongs to player j mod N, and after
`depth` bids the current ranges are at levels `depth` to `depth + N - 1`. `Line.levels` tells which
they are in any case.

With full recall contexts add up: the context of a history and one more bid is the context of the
history plus the code of the bid. A table may lack a history and have a longer one that begins with
it. So a walk looks each history up, and never follows links.

`solver.value.self_play` follows all players, `solver.response.full_recall` all but a responder.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables, longest_history
from zhaifei.solver.bidding import pass_on, settled_at, state_at, turns_on
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import (
    ShowdownTables,
    accumulate,
    convolve,
    count_listed,
    showdown_tables,
)
from zhaifei.solver.tables.context_filter import context_filter, may_be_known
from zhaifei.solver.tables.rows import read_row, sum_rows
from zhaifei.solver.tables.strategy_table import (
    NO_NODE,
    StrategyTable,
    StrategyTableError,
    node_with,
    verify_strategy,
)

NO_LEVEL = -1
LEGAL = -1
"""Stands for "no illegal action" in `Line.illegal`."""


class Stored(NamedTuple):
    """A table with full recall and its rules, in the form that walks read."""

    game: ShowdownTables
    table: StrategyTable
    code: NDArray[np.int64]
    """[bid + 1] what each bid adds to the context."""
    known: NDArray[np.bool_]
    """[slot] see `solver.tables.context_filter`."""
    players: int
    dice: int


class Line(NamedTuple):
    """The stack of one walk. The frame at `depth` is the history of the first `depth` bids."""

    depth: NDArray[np.int64]
    """[1] the top frame; -1 when the walk is over."""
    deepest: NDArray[np.int64]
    """[1] the largest depth so far."""
    illegal: NDArray[np.int64]
    """[1] the illegal action that the table has after the line, or LEGAL."""
    mover: NDArray[np.int64]
    """[depth] the player who moves."""
    levels: NDArray[np.int64]
    """[depth, place] the levels of the current ranges, in turn order from the player who moves, and
    at place N the level that the move writes."""
    bid: NDArray[np.int64]
    """[depth] the bid that leads from this frame to the next."""
    context: NDArray[np.int64]
    """[depth] the context of the history, by which the table is searched."""
    node: NDArray[np.int64]
    """[depth] the node of the history, or NO_NODE."""
    row: NDArray[np.int64]
    """[depth] the next row to look at."""
    end: NDArray[np.int64]
    """[depth] the end of the rows to look at, exclusive."""
    scale: NDArray[np.float64]
    """[depth, hand] 1 over the sum of the hand's stored probabilities."""
    support: NDArray[np.int64]
    """[level] how many hands are in the range."""
    hand: NDArray[np.int64]
    """[level, place] which hands these are."""
    reach: NDArray[np.float64]
    """[level, place] the range: the mass of each listed hand."""
    mass: NDArray[np.float64]
    """[level] the sum of the range."""
    counts: NDArray[np.float64]
    """[level, kind, dice + 1] the range by how many dice of the hand count."""
    counted: NDArray[np.int64]
    """[level] the kinds for which `counts` is written, as bits."""
    tails: NDArray[np.float64]
    """[players * dice + 1] the mass with which some players together hold at least 0, 1, ... dice
    that count."""
    played: NDArray[np.float64]
    """[hand] scratch: a row of the table."""


def stored(tables: BidTables, table: StrategyTable) -> Stored:
    """Return the table in the form that walks read.

    Raises StrategyTableError if the table does not hold a strategy for the rules, or not with full
    recall.
    """
    if table.recall.code.shape[1] != tables.claimed.size + 1:
        raise StrategyTableError("the policy is for different rules")
    if not table.recall.is_full:
        raise StrategyTableError("the policy does not remember all bids")
    verify_strategy(tables, table)
    return unverified(tables, table)


def unverified(tables: BidTables, table: StrategyTable) -> Stored:
    """Return `stored(tables, table)` for a table already known to have full recall and to fit the
    rules. It need not contain the start of a round."""
    return Stored(
        showdown_tables(tables),
        table,
        table.recall.code[0],
        context_filter(table.context),
        tables.players,
        tables.dice,
    )


def new_line(tables: BidTables) -> Line:
    """Return an empty stack with the priors in place."""
    game = showdown_tables(tables)
    depths, hands = longest_history(tables.after) + 1, tables.hands
    levels = depths + tables.players
    line = Line(
        depth=np.full(1, -1, dtype=np.int64),
        deepest=np.zeros(1, dtype=np.int64),
        illegal=np.full(1, LEGAL, dtype=np.int64),
        mover=np.zeros(depths, dtype=np.int64),
        levels=np.tile(np.arange(tables.players + 1), (depths, 1)),
        bid=np.zeros(depths, dtype=np.int64),
        context=np.zeros(depths, dtype=np.int64),
        node=np.zeros(depths, dtype=np.int64),
        row=np.zeros(depths, dtype=np.int64),
        end=np.zeros(depths, dtype=np.int64),
        scale=np.zeros((depths, hands)),
        support=np.zeros(levels, dtype=np.int64),
        hand=np.zeros((levels, hands), dtype=np.int64),
        reach=np.zeros((levels, hands)),
        mass=np.zeros(levels),
        counts=np.zeros((levels, game.matches.shape[0], tables.dice + 1)),
        counted=np.zeros(levels, dtype=np.int64),
        tails=np.zeros(tables.players * tables.dice + 1),
        played=np.zeros(hands),
    )
    for player in range(tables.players):
        line.support[player] = hands
        line.hand[player] = np.arange(hands)
        line.reach[player] = game.prior[player]
        line.mass[player] = game.prior[player].sum()
    return line


def verify_legal(line: Line) -> None:
    """Raise StrategyTableError if the walk has met an illegal action."""
    if line.illegal[0] == LEGAL:
        return
    raise StrategyTableError(
        "after the bids {history} the policy takes action {action}, which is not legal",
        history=line.bid[: line.depth[0]].tolist(),
        action=int(line.illegal[0]),
    )


# Kernels: histories


@hot_kernel
def find(stored: Stored, context: int) -> int:
    """Return the node with this `context`, or NO_NODE."""
    if not may_be_known(stored.known, context):
        return NO_NODE
    return node_with(stored.table, context)


@hot_kernel
def bid_now(stored: Stored, line: Line, depth: int, bid: int) -> int:
    """Make `bid` after the frame at `depth`; return the node of the new history, or NO_NODE."""
    line.bid[depth] = bid
    line.context[depth + 1] = line.context[depth] + stored.code[bid + 1]
    line.node[depth + 1] = find(stored, line.context[depth + 1])
    return int(line.node[depth + 1])


@hot_kernel
def mover_after(stored: Stored, line: Line, depth: int, bid: int) -> int:
    """Return the player who moves after `bid` is made in the frame at `depth`."""
    return int((line.mover[depth] + turns_on(stored.game, bid)) % stored.players)


@hot_kernel
def arrive(stored: Stored, line: Line, depth: int) -> None:
    """Write whose turn it is in the frame at `depth`, and at which levels the ranges are."""
    if depth == 0:
        return
    bid, levels = line.bid[depth - 1], line.levels
    line.mover[depth] = mover_after(stored, line, depth - 1, bid)
    pass_on(stored.game, bid, levels[depth - 1], levels[depth], depth + stored.players)


@hot_kernel
def is_legal(stored: Stored, line: Line, depth: int, action: int) -> bool:
    """Return whether the player to move in the frame at `depth` may take `action`."""
    bids = stored.game.claimed.size
    if action >= bids:
        return settled_at(stored.game, line.bid, depth, action - bids).cost > 0
    legal: bool = action >= 0 and stored.game.legal[state_at(stored.game, line.bid, depth), action]
    return legal


@hot_kernel
def open_rows(stored: Stored, line: Line, depth: int, first: int, end: int) -> None:
    """Prepare the frame at `depth`, which has a node, for its rows `first` to `end`, exclusive."""
    table, scale, node = stored.table, line.scale[depth], line.node[depth]
    line.row[depth], line.end[depth] = first, end
    sum_rows(table, node, scale)
    for hand in range(scale.size):
        scale[hand] = 1.0 / scale[hand]


@hot_kernel
def take_row(stored: Stored, line: Line, depth: int) -> int:
    """Move on to the next row of the frame at `depth` that some hand in the mover's range plays.
    Write the part of the range that plays it, and return its action. Return NO_BID if there is no
    such row, or after entering an illegal action into `line.illegal`."""
    while line.row[depth] < line.end[depth]:
        row = line.row[depth]
        line.row[depth] += 1
        action = int(stored.table.action[row])
        if not is_legal(stored, line, depth, action):
            line.illegal[0] = action
            return NO_BID
        if take_part(stored, line, depth, row) > 0.0:
            return action
    return NO_BID


# Kernels: ranges


@hot_kernel
def take_part(stored: Stored, line: Line, depth: int, row: int) -> float:
    """Write the part of the mover's range that plays `row`, and return its mass."""
    own, level = line.levels[depth, 0], depth + stored.players
    hands, reach, scale = line.hand[own], line.reach[own], line.scale[depth]
    part_hands, part_reach = line.hand[level], line.reach[level]
    played = line.played
    read_row(stored.table, line.node[depth], row, played)
    support, mass = 0, 0.0
    for place in range(line.support[own]):
        hand = hands[place]
        part = reach[place] * (played[hand] * scale[hand])
        if part > 0.0:
            part_hands[support] = hand
            part_reach[support] = part
            support += 1
            mass += part
    line.support[level], line.mass[level], line.counted[level] = support, mass, 0
    return mass


@hot_kernel
def mass_of(line: Line, depth: int, first: int, end: int, but: int) -> float:
    """Return the probability that the players at the places `first` to `end`, exclusive, of the
    levels at `depth` bid as they did. The player at level `but` is left out."""
    mass = 1.0
    for level in line.levels[depth, first:end]:
        mass *= 1.0 if level == but else line.mass[level]
    return mass


@hot_kernel
def add_up_dice(
    stored: Stored, line: Line, kind: int, depth: int, first: int, end: int, but: int
) -> None:
    """Write into `line.tails` the mass with which some players together hold at least 0, 1, ...
    dice that count towards bids of this `kind`. The players are those at the places `first` to
    `end`, exclusive, of the levels at `depth`, without the one at level `but`."""
    game, tails = stored.game, line.tails
    for count in range(tails.size):
        tails[count] = 0.0
    tails[0] = 1.0
    most = 0
    for level in line.levels[depth, first:end]:
        if level == but:
            continue
        counts = line.counts[level, kind]
        if not line.counted[level] >> kind & 1:
            line.counted[level] |= 1 << kind
            count_listed(
                line.hand[level],
                line.reach[level],
                line.support[level],
                game.matches[kind],
                counts,
            )
        most += stored.dice
        convolve(tails, most, counts, stored.dice)
    accumulate(tails)
