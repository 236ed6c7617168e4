"""Values of all actions of many hands when all players follow the same strategy table.

Hands are independent given the bids, so a line of play is followed without sampling, with a *range*
for each other player. A range has, for each hand, the probability of having it and bidding like
this with it. The *mass* of a player is the sum of their range. The own hands asked about follow a
line together, each with the probability of playing along. The likelihood of a line for an own hand
is this probability times the masses of all other players. Challenges are settled by the
distribution of how many of the others' dice count: the convolution of the players' distributions.

**Cut.** Lines with a likelihood of at most a cut are not followed. They are guessed, as if the next
player challenged. Each own hand leaves a line where the line becomes too unlikely for this hand, so
hands asked about together get the same values as hands asked about alone. With N players and
endings that cost at most D, a round pays between -D and D / (N - 1). Let the lines left have a
total likelihood of `m` and the guesses add up to `g`. Then the lines left are worth between -D m
and D m / (N - 1), and the value is off by at most

    max(g + D m, D m / (N - 1) - g)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.bidding import (
    Settled,
    pass_on,
    settled_at,
    settled_if,
    state_at,
    turn_at,
    turns_on,
)
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import accumulate, convolve, count_listed, mass_of_at_least, payoffs
from zhaifei.solver.tables.rows import read_row
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable, node_of

_PAID, _GUESSED, _LEFT = 0, 1, 2
"""The parts of `Line.found`."""


class Line(NamedTuple):
    """The line being followed. Axis `turn` counts the bids and doubles made before it. The kept
    part of the range of the player who moves at `turn` is stored at index `turn` + N. The own
    player has no range but a mass of 1: own hands are listed separately. Only hands that play along
    are kept."""

    history: NDArray[np.int64]
    """[turn] the bid made at that turn."""
    indices: NDArray[np.int64]
    """[turn, player] the indices of the players' ranges, in turn order from the player who moves,
    and last the index of the mover's kept part."""
    own: NDArray[np.int64]
    """[turn] the place of the own player in `indices`; 0 where they move."""
    support: NDArray[np.int64]
    """[index] how many hands the player may hold."""
    hand: NDArray[np.int64]
    """[index, place] which hands these are."""
    reach: NDArray[np.float64]
    """[index, place] the range: the probability of each listed hand."""
    mass: NDArray[np.float64]
    """[index] the sum of the range."""
    own_support: NDArray[np.int64]
    """[turn] how many own hands have come to this turn."""
    own_hand: NDArray[np.int64]
    """[turn, place] which own hands have come to this turn."""
    own_reach: NDArray[np.float64]
    """[turn, place] the probability that each own hand plays along."""
    leaving: NDArray[np.int64]
    """[1] how many own hands leave the line with the current move."""
    leaving_hand: NDArray[np.int64]
    """[place] which own hands leave."""
    leaving_reach: NDArray[np.float64]
    """[place] the probability that each has played along, and makes the current move if it is the
    own player's."""
    node: NDArray[np.int64]
    """[turn] the table's node, if it has one there."""
    row: NDArray[np.int64]
    """[turn] the first row of the node that has not been looked at."""
    end: NDArray[np.int64]
    """[turn] the end of the node's rows, exclusive."""
    known: NDArray[np.bool_]
    """[turn, kind] whether `tail` has been computed."""
    tail: NDArray[np.float64]
    """[turn, kind, dice] the mass with which at least `dice` dice count of all players but the
    mover and the own player."""
    counts: NDArray[np.float64]
    """[dice + 1] scratch: the mass of one player's hands by how many dice count."""
    chance: NDArray[np.float64]
    """[dice + 1] the mass with which a bid is true, by how many own dice count."""
    pays: NDArray[np.float64]
    """[dice + 1] what an ending pays, by how many own dice count."""
    found: NDArray[np.float64]
    """[hand, 3] what challenges have paid, the guesses for the lines left, and their likelihood."""
    followed: NDArray[np.int64]
    """[hand] how many lines have been followed so far with each own hand."""
    played: NDArray[np.float64]
    """[hand] scratch: a row of the table."""


def empty_line(bids: BidTables) -> Line:
    """Return arrays with room for the longest line."""
    turns, hands = bids.claimed.size + 1, bids.hands
    places, kinds = turns + bids.players, int(bids.kind.max()) + 1
    return Line(
        history=np.zeros(turns, dtype=np.int64),
        indices=np.zeros((turns, bids.players + 1), dtype=np.int64),
        own=np.zeros(turns, dtype=np.int64),
        support=np.zeros(places, dtype=np.int64),
        hand=np.zeros((places, hands), dtype=np.int64),
        reach=np.zeros((places, hands)),
        mass=np.zeros(places),
        own_support=np.zeros(turns + 1, dtype=np.int64),
        own_hand=np.zeros((turns + 1, hands), dtype=np.int64),
        own_reach=np.zeros((turns + 1, hands)),
        leaving=np.zeros(1, dtype=np.int64),
        leaving_hand=np.zeros(hands, dtype=np.int64),
        leaving_reach=np.zeros(hands),
        node=np.zeros(turns, dtype=np.int64),
        row=np.zeros(turns, dtype=np.int64),
        end=np.zeros(turns, dtype=np.int64),
        known=np.zeros((turns, kinds), dtype=np.bool_),
        tail=np.zeros((turns, kinds, bids.players * bids.dice + 1)),
        counts=np.zeros(bids.dice + 1),
        chance=np.zeros(bids.dice + 1),
        pays=np.zeros(bids.dice + 1),
        found=np.zeros((hands, 3)),
        followed=np.zeros(hands, dtype=np.int64),
        played=np.zeros(hands),
    )


# Ranges


@hot_kernel
def hold_range(line: Line, place: int, range_: NDArray[np.float64]) -> None:
    """Store `range_` [hand] at index `place`."""
    support, mass = 0, 0.0
    for hand in range(range_.size):
        line.hand[place, support] = hand
        line.reach[place, support] = range_[hand]
        mass += range_[hand]
        support += range_[hand] > 0.0  # else the next hand takes its place
    line.support[place] = support
    line.mass[place] = mass


@hot_kernel
def take(bids: BidTables, table: StrategyTable, line: Line, turn: int, row: int) -> None:
    """Keep the part of the mover's range that plays `row`."""
    played, own, kept = line.played, line.indices[turn, 0], turn + bids.players
    read_row(table, line.node[turn], row, played)
    support, mass = 0, 0.0
    for place in range(line.support[own]):
        hand = line.hand[own, place]
        part = line.reach[own, place] * played[hand] * table.unit
        line.hand[kept, support] = hand
        line.reach[kept, support] = part
        mass += part
        support += part > 0.0
    line.support[kept] = support
    line.mass[kept] = mass


@hot_kernel
def take_all(bids: BidTables, line: Line, turn: int) -> None:
    """Keep all of the mover's range."""
    own, kept = line.indices[turn, 0], turn + bids.players
    for place in range(line.support[own]):
        line.hand[kept, place] = line.hand[own, place]
        line.reach[kept, place] = line.reach[own, place]
    line.support[kept] = line.support[own]
    line.mass[kept] = line.mass[own]


@hot_kernel
def others_mass(bids: BidTables, line: Line, turn: int) -> float:
    """Return the likelihood of the line without the own hand's part, given the kept part of the
    mover's range."""
    mass = 1.0
    for index in line.indices[turn, 1:]:
        mass *= line.mass[index]
    return mass


# Own hands


@hot_kernel
def come_along(line: Line, turn: int, hands: NDArray[np.int64]) -> None:
    """Let the own `hands` come to a turn."""
    line.own_support[turn] = hands.size
    for place in range(hands.size):
        line.own_hand[turn, place] = hands[place]
        line.own_reach[turn, place] = 1.0


@hot_kernel
def leave_all(line: Line, turn: int) -> None:
    """Let all own hands leave the line at `turn`."""
    line.leaving[0] = line.own_support[turn]
    for place in range(line.own_support[turn]):
        line.leaving_hand[place] = line.own_hand[turn, place]
        line.leaving_reach[place] = line.own_reach[turn, place]


@hot_kernel
def part_ways(
    table: StrategyTable, line: Line, turn: int, row: int, others: float, cut: float
) -> bool:
    """Let each own hand go on to the next turn if the line is then likelier than the cut for it,
    else let it leave. If the own player moves, only the part that plays `row` is kept. Return
    whether any hand goes on."""
    played, support, leaving, moves = line.played, 0, 0, line.own[turn] == 0
    if moves:
        read_row(table, line.node[turn], row, played)
    for place in range(line.own_support[turn]):
        hand, part = line.own_hand[turn, place], line.own_reach[turn, place]
        if moves:
            part *= played[hand] * table.unit
        if part * others > cut:
            line.own_hand[turn + 1, support] = hand
            line.own_reach[turn + 1, support] = part
            support += 1
        elif part > 0.0:
            line.leaving_hand[leaving] = hand
            line.leaving_reach[leaving] = part
            leaving += 1
    line.own_support[turn + 1] = support
    line.leaving[0] = leaving
    return support > 0


# Endings


@hot_kernel
def count_others(bids: BidTables, line: Line, turn: int, bid: int) -> None:
    """Fill `line.tail` at `turn` for the kind of `bid`."""
    tail, counts, matches = line.tail[turn, bids.kind[bid]], line.counts, bids.matches[bid]
    for dice in range(tail.size):
        tail[dice] = 0.0
    tail[0], most = 1.0, 0
    for place in range(1, bids.players):
        if place == line.own[turn]:
            continue
        index = line.indices[turn, place]
        count_listed(line.hand[index], line.reach[index], line.support[index], matches, counts)
        most += bids.dice
        convolve(tail, most, counts, bids.dice)
    accumulate(tail)
    line.known[turn, bids.kind[bid]] = True


@hot_kernel
def count_true(bids: BidTables, line: Line, turn: int, made: Settled) -> None:
    """Fill `line.chance` for what an ending settles, given the kept part of the mover's range."""
    bid, claimed = made.bid, made.claimed
    kind, kept = bids.kind[bid], turn + bids.players
    if not line.known[turn, kind]:
        count_others(bids, line, turn, bid)
    counts, tail, chance = line.counts, line.tail[turn, kind], line.chance
    if line.own[turn] == 0:
        for dice in range(chance.size):
            chance[dice] = mass_of_at_least(claimed - dice, tail)
        return
    matches = bids.matches[bid]
    count_listed(line.hand[kept], line.reach[kept], line.support[kept], matches, counts)
    for dice in range(chance.size):
        true = 0.0
        for more in range(counts.size):
            true += counts[more] * mass_of_at_least(claimed - dice - more, tail)
        chance[dice] = true


@hot_kernel
def settle(bids: BidTables, line: Line, turn: int, made: Settled, part: int) -> None:
    """Add what an ending pays, given the kept part of the mover's range, to one `part` of
    `line.found`, for the own hands that leave the line."""
    pays, chance, others = line.pays, line.chance, others_mass(bids, line, turn)
    players = bids.players
    seat = (turn_at(bids, line.history, turn) + line.own[turn]) % players
    challenger, bidder = made.challenger % players, made.bidder % players
    if_true, if_false = payoffs(float(made.cost), players, seat, challenger, bidder)
    if seat in (challenger, bidder):
        count_true(bids, line, turn, made)
        for dice in range(pays.size):
            pays[dice] = if_true * chance[dice] + if_false * (others - chance[dice])
    else:
        for dice in range(pays.size):
            pays[dice] = if_true * others  # the same if it is false
    matches = bids.matches[made.bid]
    for place in range(line.leaving[0]):
        hand = line.leaving_hand[place]
        line.found[hand, part] += line.leaving_reach[place] * pays[matches[hand]]


@hot_kernel
def leave_unknown(line: Line, others: float) -> None:
    """Add the likelihood of the line to `_LEFT`, for the own hands that leave the line."""
    for place in range(line.leaving[0]):
        line.found[line.leaving_hand[place], _LEFT] += line.leaving_reach[place] * others


# Lines


@hot_kernel
def enter(bids: BidTables, table: StrategyTable, line: Line, turn: int) -> None:
    """Arrive at a turn after a bid. Where the table has no node, every hand challenges."""
    made, indices = line.history[turn - 1], line.indices
    pass_on(bids, made, indices[turn - 1], indices[turn], turn + bids.players)
    line.own[turn] = (line.own[turn - 1] - turns_on(bids, made)) % bids.players
    moves = line.own[turn] == 0
    for place in range(line.own_support[turn]):
        line.followed[line.own_hand[turn, place]] += 1
    for kind in range(line.known.shape[1]):
        line.known[turn, kind] = False
    if moves:
        line.support[turn + bids.players] = 0
        line.mass[turn + bids.players] = 1.0
    node = node_of(table, line.history, turn)
    if node == NO_NODE:
        line.row[turn] = line.end[turn] = 0
        if not moves:
            take_all(bids, line, turn)
        leave_all(line, turn)
        settle(bids, line, turn, settled_at(bids, line.history, turn, 0), _PAID)
        return
    line.node[turn] = node
    line.row[turn], line.end[turn] = table.first_row[node], table.end_row[node]


@hot_kernel
def next_raise(bids: BidTables, table: StrategyTable, line: Line, turn: int, cut: float) -> bool:
    """Make the next raise that is likelier than the cut for some own hand, and return whether there
    is one. Settle the challenges and guess the raises before it."""
    for row in range(line.row[turn], line.end[turn]):
        if line.own[turn] != 0:
            take(bids, table, line, turn, row)
        bid, others = int(np.int64(table.action[row])), others_mass(bids, line, turn)
        # Check that the action is legal: a file may be damaged, and lines must end.
        ends = bid >= bids.claimed.size
        raises = bid >= 0 and not ends and bids.legal[state_at(bids, line.history, turn), bid]
        least = cut if raises else np.inf
        goes_on = part_ways(table, line, turn, row, others, least)
        if line.leaving[0] > 0:
            if ends:
                made = settled_at(bids, line.history, turn, bid - bids.claimed.size)
            else:
                after = turn_at(bids, line.history, turn) + turns_on(bids, bid)
                made = settled_if(bids, bid, 0, after)
                leave_unknown(line, others)
            settle(bids, line, turn, made, _PAID if ends else _GUESSED)
        if goes_on:
            line.history[turn] = bid
            line.row[turn] = row + 1
            return True
    return False


@hot_kernel
def follow(bids: BidTables, table: StrategyTable, line: Line, first: int, cut: float) -> None:
    """Follow all lines from turn `first` on, after a bid of the own player."""
    turn, raised = first, True
    while turn >= first:
        if raised:
            enter(bids, table, line, turn)
        raised = next_raise(bids, table, line, turn, cut)
        turn += 1 if raised else -1


@kernel
def action_values(
    bids: BidTables,
    table: StrategyTable,
    line: Line,
    history: NDArray[np.int64],
    ranges: NDArray[np.float64],
    hands: NDArray[np.int64],
    cut: float,
) -> NDArray[np.float64]:
    """Return [2, place, action] float64: what each action earns each of the distinct `hands`
    [place] int64 after `history` [length], in penalty points, and a bound of its error. Illegal
    actions have NaN. Add the lines followed to `line.followed`.

    `ranges` [player, hand] are the ranges of the others in turn order, each summing to 1. Lines
    below an action with a likelihood of at most `cut` for a hand are not followed with this hand.
    """
    result = np.full((2, hands.size, bids.claimed.size + bids.endings), np.nan)
    values, errors = result[0], result[1]
    start = history.size
    for turn in range(start):
        line.history[turn] = history[turn]  # copying a slice takes two seconds to compile
    for place in range(bids.players + 1):
        line.indices[start, place] = start + place
    line.own[start], line.mass[start + bids.players] = 0, 1.0
    for player in range(bids.players - 1):
        hold_range(line, start + 1 + player, ranges[player])
    line.known[start] = False
    come_along(line, start, hands)
    for ending in range(bids.endings):
        made = settled_at(bids, line.history, start, ending)
        if made.cost == 0:
            continue
        action = bids.claimed.size + ending
        line.found[:] = 0.0
        leave_all(line, start)
        settle(bids, line, start, made, _PAID)
        for place in range(hands.size):
            values[place, action] = line.found[hands[place], _PAID]
            errors[place, action] = 0.0
    most = bids.most_cost / (bids.players - 1)
    state = state_at(bids, line.history, start)
    for action in range(bids.first_raise[state], bids.claimed.size):
        if not bids.legal[state, action]:
            continue
        line.history[start] = action
        line.found[:] = 0.0
        come_along(line, start + 1, hands)
        follow(bids, table, line, start + 1, cut)
        for place in range(hands.size):
            paid, guessed, left = line.found[hands[place]]
            values[place, action] = paid + guessed
            errors[place, action] = max(guessed + bids.most_cost * left, most * left - guessed)
    return result
