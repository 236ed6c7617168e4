"""What each action is worth to one hand when both players go on with the same table of strategies.

The tree below every action is walked with the opponent's whole range, one own hand and no
sampling. Lines that are less likely than a cut are settled at once, by a challenge; the likelihood
of all lines so cut bounds the error: a cut line is misjudged by at most 2 penalty points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import BidTables
from solver.jit import hot_kernel, kernel
from solver.strategy import NO_NODE, StrategyTable, node_of

_PENDING = 2048
"""Lines that can wait; more are cut."""


class Lines(NamedTuple):
    """A stack of lines of play in which it is the own move, and the line being followed."""

    waiting: NDArray[np.int64]
    """[1] how many there are."""
    followed: NDArray[np.int64]
    """[1] how many have been followed so far: what the work is in proportion to."""
    history: NDArray[np.int64]
    """[line, length]"""
    length: NDArray[np.int64]
    """[line]"""
    reach: NDArray[np.float64]
    """[line] probability that the own hand plays along."""
    range_: NDArray[np.float64]
    """[line, hand] the opponent's range times the probability that they play along."""
    current: NDArray[np.int64]
    """[length] the line being followed,"""
    facing: NDArray[np.float64]
    """[hand] the range in it,"""
    replying: NDArray[np.float64]
    """[hand] and the part of the range that makes one reply."""


def empty_lines(bids: BidTables) -> Lines:
    """Room for lines of `bids`."""
    longest, hands = bids.claimed.size + 1, bids.prior.size
    return Lines(
        waiting=np.zeros(1, dtype=np.int64),
        followed=np.zeros(1, dtype=np.int64),
        history=np.zeros((_PENDING, longest), dtype=np.int64),
        length=np.zeros(_PENDING, dtype=np.int64),
        reach=np.zeros(_PENDING),
        range_=np.zeros((_PENDING, hands)),
        current=np.zeros(longest, dtype=np.int64),
        facing=np.zeros(hands),
        replying=np.zeros(hands),
    )


@hot_kernel
def true_mass(bids: BidTables, bid: int, range_: NDArray[np.float64], hand: int) -> float:
    """The mass of `range_` [hand] with which `bid` is true, given the own `hand`."""
    need = bids.claimed[bid] - bids.matches[bid, hand]
    mass = 0.0
    for theirs in range(range_.size):
        mass += range_[theirs] if bids.matches[bid, theirs] >= need else 0.0
    return mass


@hot_kernel
def push(lines: Lines, length: int, action: int, reach: float) -> None:
    """Adds the current line with the reply `action`, made by `lines.replying`."""
    top = lines.waiting[0]
    for place in range(length):
        lines.history[top, place] = lines.current[place]
    lines.history[top, length] = action
    lines.length[top] = length + 1
    lines.reach[top] = reach
    for theirs in range(lines.replying.size):
        lines.range_[top, theirs] = lines.replying[theirs]
    lines.waiting[0] += 1


@hot_kernel
def pop(lines: Lines) -> tuple[int, float]:
    """Makes the last line the current one; returns its length and own reach."""
    lines.waiting[0] -= 1
    lines.followed[0] += 1
    top = lines.waiting[0]
    for place in range(lines.length[top]):
        lines.current[place] = lines.history[top, place]
    for theirs in range(lines.facing.size):
        lines.facing[theirs] = lines.range_[top, theirs]
    return lines.length[top], lines.reach[top]


@hot_kernel
def raise_value(
    bids: BidTables,
    table: StrategyTable,
    lines: Lines,
    length: int,
    hand: int,
    reach: float,
    cut: float,
) -> tuple[float, float]:
    """The opponent's replies to the own raise that ends the current line of `length` bids.

    Returns what the replies that end the round or are cut earn, and the likelihood cut; the others
    are pushed. All of it is times `reach`.
    """
    bid, range_, replying = lines.current[length - 1], lines.facing, lines.replying
    node = node_of(table, lines.current, length)
    if node == NO_NODE:
        return reach * (2.0 * true_mass(bids, bid, range_, hand) - range_.sum()), 0.0
    value, lost = 0.0, 0.0
    for row in range(table.first_row[node], table.first_row[node + 1]):
        mass = 0.0
        for theirs in range(range_.size):
            part = range_[theirs] * table.probability[row, theirs] * table.unit
            replying[theirs] = part
            mass += part
        action = table.action[row]
        if action == bids.claimed.size:
            value += reach * (2.0 * true_mass(bids, bid, replying, hand) - mass)
        elif reach * mass < cut or lines.waiting[0] == lines.reach.size:
            value += reach * (mass - 2.0 * true_mass(bids, action, replying, hand))
            lost += reach * mass
        else:
            push(lines, length, action, reach)
    return value, lost


@hot_kernel
def challenge_value(bids: BidTables, lines: Lines, length: int, hand: int) -> float:
    """What the own challenge of the last bid of the current line earns."""
    bid = lines.current[length - 1]
    mass: float = lines.facing.sum()
    return mass - 2.0 * true_mass(bids, bid, lines.facing, hand)


@hot_kernel
def follow_lines(
    bids: BidTables, table: StrategyTable, lines: Lines, hand: int, cut: float
) -> tuple[float, float]:
    """What the waiting lines earn when both go on with the table, and the likelihood cut."""
    value, lost = 0.0, 0.0
    while lines.waiting[0] > 0:
        length, reach = pop(lines)
        node = node_of(table, lines.current, length)
        if node == NO_NODE:
            value += reach * challenge_value(bids, lines, length, hand)
            continue
        for row in range(table.first_row[node], table.first_row[node + 1]):
            played = reach * table.probability[row, hand] * table.unit
            if played == 0.0:
                continue
            if table.action[row] == bids.claimed.size:
                value += played * challenge_value(bids, lines, length, hand)
            else:
                lines.current[length] = table.action[row]
                earned, cut_off = raise_value(bids, table, lines, length + 1, hand, played, cut)
                value += earned
                lost += cut_off
    return value, lost


@kernel
def action_values(
    bids: BidTables,
    table: StrategyTable,
    lines: Lines,
    history: NDArray[np.int64],
    range_: NDArray[np.float64],
    hand: int,
    cut: float,
) -> NDArray[np.float64]:
    """[2, action] what each action earns `hand` after `history` [length], in penalty points, and
    a bound of how far that is off; NaN for actions that the rules forbid.

    `range_` [hand] is the opponent's range, summing to 1; lines below an action that are less
    likely than `cut` are not followed.
    """
    result = np.full((2, bids.claimed.size + 1), np.nan)
    values, errors = result[0], result[1]
    length = history.size
    last = history[length - 1] if length > 0 else -1
    for action in range(bids.first_raise[last + 1], bids.claimed.size + 1):
        lines.current[:length] = history
        lines.facing[:] = range_
        if action == bids.claimed.size:
            if length > 0:
                values[action], errors[action] = challenge_value(bids, lines, length, hand), 0.0
            continue
        if length == 0 and not bids.opens[action]:
            continue
        lines.current[length] = action
        value, lost = raise_value(bids, table, lines, length + 1, hand, 1.0, cut)
        later, lost_later = follow_lines(bids, table, lines, hand, cut)
        values[action], errors[action] = value + later, 2.0 * (lost + lost_later)
    return result
