"""The value of each action of one hand when all players continue with the same strategy table.

Hands are independent given the bids, so a line of play is followed with a *range* for each of the
others, one own hand, and no sampling: for each hand, the probability of having it and bidding like
this with it. The *mass* of a player is the sum of their range, for the own one the probability
that the own hand plays along; the likelihood of a line is the product of all masses. Challenges
are settled by the distribution of how many dice of the others count, the convolution of those of
the players.

**Cut.** Lines that are no likelier than a cut are not followed but guessed, as if the next player
challenged. N players, furthest challenge D (1 without 跳开): a round pays between -D and
D / (N - 1). So if the lines left have a likelihood of `m` in total and the guesses add up to `g`,
what they are worth lies between -D m and D m / (N - 1), and the value is off by at most

    max(g + D m, D m / (N - 1) - g)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.jit import hot_kernel, kernel
from solver.showdown import accumulate, convolve, count_listed, mass_of_at_least, payoffs
from solver.tables.strategy_table import NO_NODE, StrategyTable, node_of


class Line(NamedTuple):
    """The line being followed. Axis `turn` counts the bids made before it: the range of who moves
    at a turn is at that place, so those of N players are at as many places in a row, and what is
    left of the mover's range goes N places on. Only the hands that play along are kept."""

    history: NDArray[np.int64]
    """[turn] the bid made at that turn."""
    support: NDArray[np.int64]
    """[turn] how many hands the player may hold."""
    hand: NDArray[np.int64]
    """[turn, place] which hands these are; of the own player there is one."""
    reach: NDArray[np.float64]
    """[turn, place] the range."""
    mass: NDArray[np.float64]
    """[turn] its sum."""
    row: NDArray[np.int64]
    """[turn] the first row of the table that has not been looked at,"""
    end: NDArray[np.int64]
    """[turn] and the one after the last that is a raise."""
    known: NDArray[np.bool_]
    """[turn, kind] whether the next is:"""
    tail: NDArray[np.float64]
    """[turn, kind, dice] the mass with which the other players, all but the mover and the own one,
    have at least so many dice that count."""
    counts: NDArray[np.float64]
    """[dice + 1] scratch: the mass of one player's hands by how many dice count,"""
    chance: NDArray[np.float64]
    """[dice + 1] and the mass with which a bid is true if so many of the mover's dice count."""
    found: NDArray[np.float64]
    """[3] what challenges have paid, what is guessed of the lines left, and their likelihood."""
    followed: NDArray[np.int64]
    """[1] how many lines have been followed so far: what the work is in proportion to."""


def empty_line(bids: BidTables) -> Line:
    """Return arrays with room for the longest line."""
    turns, hands = bids.claimed.size + 1, bids.prior.size
    places, kinds = turns + bids.players, int(bids.kind.max()) + 1
    return Line(
        history=np.zeros(turns, dtype=np.int64),
        support=np.zeros(places, dtype=np.int64),
        hand=np.zeros((places, hands), dtype=np.int64),
        reach=np.zeros((places, hands)),
        mass=np.zeros(places),
        row=np.zeros(turns, dtype=np.int64),
        end=np.zeros(turns, dtype=np.int64),
        known=np.zeros((turns, kinds), dtype=np.bool_),
        tail=np.zeros((turns, kinds, bids.players * bids.dice + 1)),
        counts=np.zeros(bids.dice + 1),
        chance=np.zeros(bids.dice + 1),
        found=np.zeros(3),
        followed=np.zeros(1, dtype=np.int64),
    )


# Ranges


@hot_kernel
def hold(line: Line, place: int, hand: int) -> None:
    """Give a place one hand only."""
    line.support[place] = 1
    line.hand[place, 0] = hand
    line.reach[place, 0] = 1.0
    line.mass[place] = 1.0


@hot_kernel
def hold_range(line: Line, place: int, range_: NDArray[np.float64]) -> None:
    """Give a place the hands of `range_` [hand]."""
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
    probability, kept = table.probability[row], turn + bids.players
    support, mass = 0, 0.0
    for place in range(line.support[turn]):
        hand = line.hand[turn, place]
        part = line.reach[turn, place] * probability[hand] * table.unit
        line.hand[kept, support] = hand
        line.reach[kept, support] = part
        mass += part
        support += part > 0.0
    line.support[kept] = support
    line.mass[kept] = mass


@hot_kernel
def take_all(bids: BidTables, line: Line, turn: int) -> None:
    """Keep all of the mover's range."""
    kept = turn + bids.players
    for place in range(line.support[turn]):
        line.hand[kept, place] = line.hand[turn, place]
        line.reach[kept, place] = line.reach[turn, place]
    line.support[kept] = line.support[turn]
    line.mass[kept] = line.mass[turn]


@hot_kernel
def others_mass(bids: BidTables, line: Line, turn: int) -> float:
    """Return the likelihood of the line, without the mover's part."""
    mass = 1.0
    for place in range(turn + 1, turn + bids.players):
        mass *= line.mass[place]
    return mass


# Challenges


@hot_kernel
def own_place(bids: BidTables, start: int, turn: int) -> int:
    """Return the place of the own hand at `turn`, if it moves at `start`."""
    return turn + (start - turn) % bids.players


@hot_kernel
def count_others(bids: BidTables, line: Line, turn: int, own: int, bid: int) -> None:
    """Fill `line.tail` for the kind of `bid`."""
    tail, counts, matches = line.tail[turn, bids.kind[bid]], line.counts, bids.matches[bid]
    for dice in range(tail.size):
        tail[dice] = 0.0
    tail[0], most = 1.0, 0
    for place in range(turn + 1, turn + bids.players):
        if place == own:
            continue
        count_listed(line.hand[place], line.reach[place], line.support[place], matches, counts)
        most += bids.dice
        convolve(tail, most, counts, bids.dice)
    accumulate(tail)
    line.known[turn, bids.kind[bid]] = True


@hot_kernel
def true_mass(bids: BidTables, line: Line, turn: int, own: int, bid: int) -> float:
    """Return the mass with which `bid` is true, given the part of the mover's range that was
    kept."""
    kind, kept = bids.kind[bid], turn + bids.players
    if not line.known[turn, kind]:
        count_others(bids, line, turn, own, bid)
    matches, tail, chance = bids.matches[bid], line.tail[turn, kind], line.chance
    missing, mass = bids.claimed[bid], 1.0
    if own != turn:
        missing -= matches[line.hand[own, 0]]
        mass = line.reach[own, 0]
    for dice in range(chance.size):
        chance[dice] = mass * mass_of_at_least(missing - dice, tail)
    true = 0.0
    for place in range(line.support[kept]):
        true += line.reach[kept, place] * chance[matches[line.hand[kept, place]]]
    return true


@hot_kernel
def paid(
    bids: BidTables, line: Line, turn: int, own: int, bid: int, challenger: int, bidder: int
) -> float:
    """Return what a challenge of `bid` pays for each bid that it goes back, given the part of the
    mover's range that was kept. Players are identified by their places."""
    mass = line.mass[turn + bids.players] * others_mass(bids, line, turn)
    if_true, if_false = payoffs(1.0, bids.players, own, challenger, bidder)
    if own not in (challenger, bidder):
        in_any_case: float = if_true * mass
        return in_any_case
    true = true_mass(bids, line, turn, own, bid)
    paid_in_all: float = if_true * true + if_false * (mass - true)
    return paid_in_all


# Lines


@hot_kernel
def enter(bids: BidTables, table: StrategyTable, line: Line, turn: int, own: int) -> None:
    """Arrive at a turn. Where the table has no node, every hand challenges."""
    line.followed[0] += 1
    for kind in range(line.known.shape[1]):
        line.known[turn, kind] = False
    node = node_of(table, line.history, turn)
    if node == NO_NODE:
        line.row[turn] = line.end[turn] = 0
        take_all(bids, line, turn)
        bidder, bid = turn + bids.players - 1, line.history[turn - 1]
        line.found[0] += paid(bids, line, turn, own, bid, turn, bidder)
        return
    line.row[turn], line.end[turn] = table.first_row[node], table.first_row[node + 1]


@hot_kernel
def next_raise(
    bids: BidTables, table: StrategyTable, line: Line, turn: int, own: int, cut: float
) -> bool:
    """Make the next raise that is likelier than the cut, and return whether there is one. Settle
    the challenges and guess the raises before it."""
    others = others_mass(bids, line, turn)
    for row in range(line.row[turn], line.end[turn]):
        take(bids, table, line, turn, row)
        bid, mass = int(table.action[row]), line.mass[turn + bids.players] * others
        # That both are legal is looked at, since a file may be damaged, and lines must end.
        distance = min(bid - bids.claimed.size + 1, turn)
        if distance < 1 and mass > cut and bid >= bids.first_raise[line.history[turn - 1] + 1]:
            line.history[turn] = bid
            line.row[turn] = row + 1
            return True
        challenger, bidder = turn + 1, turn
        if distance >= 1:
            challenger, bidder = turn, turn + bids.players - distance
            bid = line.history[turn - distance]
        pays = paid(bids, line, turn, own, bid, challenger, bidder)
        if distance >= 1:
            line.found[0] += distance * pays
        else:
            line.found[1] += pays
            line.found[2] += mass
    return False


@hot_kernel
def follow(
    bids: BidTables, table: StrategyTable, line: Line, start: int, first: int, cut: float
) -> None:
    """Follow all lines from the turn `first` on; the own hand moves at `start`."""
    turn = first
    enter(bids, table, line, turn, own_place(bids, start, turn))
    while turn >= first:
        if next_raise(bids, table, line, turn, own_place(bids, start, turn), cut):
            turn += 1
            enter(bids, table, line, turn, own_place(bids, start, turn))
        else:
            turn -= 1


@kernel
def action_values(
    bids: BidTables,
    table: StrategyTable,
    line: Line,
    history: NDArray[np.int64],
    ranges: NDArray[np.float64],
    hand: int,
    cut: float,
) -> NDArray[np.float64]:
    """Return [2, action] what each action earns `hand` after `history` [length], in penalty points,
    and how far that may be off; NaN for illegal actions.

    `ranges` [player, hand] are those of the others in the order of their turns, each summing to 1.
    Lines below an action that are no likelier than `cut` are not followed.
    """
    result = np.full((2, bids.claimed.size + bids.challenges), np.nan)
    values, errors = result[0], result[1]
    start, last = history.size, history[-1] if history.size > 0 else -1
    line.history[:start] = history
    hold(line, start + bids.players, hand)
    for player in range(bids.players - 1):
        hold_range(line, start + 1 + player, ranges[player])
    line.known[start] = False
    for distance in range(1, min(bids.challenges, start) + 1):
        action = bids.claimed.size + distance - 1
        bid, bidder = history[start - distance], start + bids.players - distance
        values[action] = distance * paid(bids, line, start, start, bid, start, bidder)
        errors[action] = 0.0
    most = bids.challenges / (bids.players - 1)
    for action in range(bids.first_raise[last + 1], bids.claimed.size):
        if start == 0 and not bids.opens[action]:
            continue
        line.history[start] = action
        line.found[:] = 0.0
        follow(bids, table, line, start, start + 1, cut)
        settled, guessed, left = line.found
        values[action] = settled + guessed
        errors[action] = max(guessed + bids.challenges * left, most * left - guessed)
    return result
