"""Beliefs about every seat, updated bid by bid in compiled code.

Given the bids, hands are independent, and all players hear the same bids. So everybody who reads
bids believes the same about a seat, and a round needs one set of beliefs.

The beliefs are those of `policies.players.table_reading`, whose numpy form computes them for many
histories of one length at once. `policies.players.playing_out` makes the model.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ShowdownTables
from zhaifei.solver.tables.node_index import NodeIndex, indexed_node
from zhaifei.solver.tables.rows import read_row
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BY_HAND, BY_STATE, FROM_WEAKEST, FROM_STRONGEST = 0, 1, 2, 3
"""The forms of styles (`policies.players.styles`): weighted, fixed, and the first raise that is
likely enough, from the weakest up or from the strongest down."""
PLAUSIBLE = 0
"""The way of bidding by weights that stands in where a style has none."""
LIMITS = 8
"""The number of limits, with limits that nobody has so that loops over all of them vectorise."""
NOBODY = -1


class At(NamedTuple):
    """The state of the bidding."""

    state: int
    """The state of the automaton (`game.bidding`)."""
    last: int
    """The last bid, or NO_BID."""
    context: int
    """What the table remembers of all bids (`solver.tables.recall`)."""


class Styles(NamedTuple):
    """How players bid who follow no table (`policies.players.styles`)."""

    form: Ints
    """[style] the form: BY_HAND, BY_STATE, FROM_WEAKEST or FROM_STRONGEST."""
    place: Ints
    """[style] the place of the style in the arrays of its form."""
    opens: NDArray[np.bool_]
    """[style] whether a round is opened by the PLAUSIBLE way."""
    weight: Floats
    """[way, bid, hand] the weight of each bid in each way of bidding by weights."""
    share: Floats
    """[way, state, hand] 1 divided by the sum of the weights of all raises that are legal in a
    state; 0 if there is no raise."""
    fixed: Floats
    """[place, state, bid] the probability of each raise, whatever the hand is."""
    enough: NDArray[np.bool_]
    """[place, bid, hand] whether each bid is likely enough to be made."""
    going_on: Floats
    """[number] the probability that a player goes on past this number of raises."""
    stop: float
    """The probability that a player stops at a raise that is likely enough."""
    slip: float
    """The share of the PLAUSIBLE way in the bids of players who make the first raise that is likely
    enough."""


class Model(NamedTuple):
    """What is known before a round: its rules, a table that players may follow, and the kinds of
    players who do not."""

    game: ShowdownTables
    table: StrategyTable
    nodes: NodeIndex
    """The nodes of the table."""
    prior: Floats
    """[hand] the probability of each hand."""
    styles: Styles
    """How players bid who follow no table."""
    true: Floats
    """[bid, dice] the probability that the bid is true for a player who knows no other dice, if
    `dice` of theirs count towards it."""
    raises: Floats
    """[bid, dice, limit] the probability that a player with each limit does not challenge the bid
    if `dice` of their dice count towards it."""
    shares: Floats
    """[player, style] the probability of each style before the round."""
    limits: Floats
    """[player, limit] the probability of each limit before the round."""
    limit_shares: Floats
    """[limit] the probability of each limit of a player who has never bid."""
    odds: Floats
    """[player] the logarithm of the odds that a player follows the table, before they bid."""
    surprise: float
    """The share of surprises in the bids of players who follow the table."""
    trust: Floats
    """[player] the least evidence for which each player who follows the table still plays it."""
    own: float
    """The least probability of the own bids, according to the table, for which a player who follows
    the table still plays it."""
    tie: float
    """Risks that differ by less are equal."""
    players: int
    acts: NDArray[np.int16]
    """[rule, state, hand] the action of each rule by which somebody at the table may decide."""
    giving_up: int
    """The ending that gives up after a double, or NOBODY."""


class Seats(NamedTuple):
    """The beliefs about all seats. Axis `player` is in the order of turns from the opener."""

    following: Floats
    """[player, hand] the range of a player who follows the table, summing to 1."""
    style: Floats
    """[player, hand, style] the share of each style times the likelihood of the player's bids."""
    limit: Floats
    """[player, hand, limit] the share of each limit times the likelihood of not challenging."""
    followed: Floats
    """[player] the logarithm of the probability of the bids of a player who follows the table."""
    evidence: Floats
    """[player] `followed` minus the same logarithm for a player who does not."""
    follows: Floats
    """[player] the probability that the player follows the table."""
    other: Floats
    """[player, hand] the range of a player who follows no table, summing to 1."""
    is_counted: NDArray[np.bool_]
    """[player, 2] whether each of the next two holds the figures of the ranges."""
    counts: Floats
    """[player, kind, dice] the probability that exactly `dice` dice of the player count."""
    limit_counts: Floats
    """[player, kind, dice, limit] the same, with each limit, of a player who follows no table,
    times the probability that they follow none."""


class Scratch(NamedTuple):
    """Memory for intermediate figures."""

    likely: Floats
    """[hand]"""
    plausible: Floats
    """[hand]"""
    limited: Floats
    """[hand, limit]"""
    every: Ints
    """[hand]"""
    before: Ints
    """[hand]"""


def seats_before(model: Model) -> Seats:
    """Return the beliefs before the first bid."""
    players, hands = model.players, model.prior.size
    kinds, dice = len(model.game.matches), model.raises.shape[1]
    return Seats(
        following=np.tile(model.prior, (players, 1)),
        style=model.shares[:, np.newaxis].repeat(hands, axis=1),
        limit=model.limits[:, np.newaxis].repeat(hands, axis=1),
        followed=np.zeros(players),
        evidence=np.zeros(players),
        follows=1.0 / (1.0 + np.exp(-model.odds)),
        other=np.tile(model.prior, (players, 1)),
        is_counted=np.zeros((players, 2), dtype=np.bool_),
        counts=np.zeros((players, kinds, dice)),
        limit_counts=np.zeros((players, kinds, dice, model.limit_shares.size)),
    )


def scratch_for(model: Model) -> Scratch:
    """Return scratch memory for beliefs of `model`."""
    hands = model.prior.size
    floats, ints = np.empty((2, hands)), np.empty((2, hands), dtype=np.int64)
    return Scratch(floats[0], floats[1], np.empty((hands, LIMITS)), ints[0], ints[1])


# Beliefs


@hot_kernel
def copy_seat(seats: Seats, player: int, into: Seats, place: int) -> None:
    """Copy the beliefs about one player to a `place` of other beliefs."""
    for hand in range(seats.following.shape[1]):
        into.following[place, hand] = seats.following[player, hand]
        into.other[place, hand] = seats.other[player, hand]
        for style in range(seats.style.shape[2]):
            into.style[place, hand, style] = seats.style[player, hand, style]
        for limit in range(LIMITS):
            into.limit[place, hand, limit] = seats.limit[player, hand, limit]
    for kind in range(seats.counts.shape[1]):
        for dice in range(seats.counts.shape[2]):
            into.counts[place, kind, dice] = seats.counts[player, kind, dice]
            for limit in range(LIMITS):
                mass = seats.limit_counts[player, kind, dice, limit]
                into.limit_counts[place, kind, dice, limit] = mass
    into.followed[place] = seats.followed[player]
    into.evidence[place] = seats.evidence[player]
    into.follows[place] = seats.follows[player]
    for figures in range(2):
        into.is_counted[place, figures] = seats.is_counted[player, figures]


@hot_kernel
def hear(
    model: Model,
    seats: Seats,
    scratch: Scratch,
    player: int,
    after: At,
    bid: int,
) -> None:
    """Update the beliefs about `player`, who makes the `bid` at the place `after` others."""
    styles = model.styles
    for hand in range(model.prior.size):
        share = styles.share[PLAUSIBLE, after.state, hand]
        scratch.plausible[hand] = styles.weight[PLAUSIBLE, bid, hand] * share
    _hear_follower(model, seats, scratch, player, after, bid)
    _hear_styles(model, seats, scratch, player, after, bid)
    if after.last != NO_BID:
        _hear_limits(model, seats.limit[player], after.last)
    seen = 0.0
    for hand in range(model.prior.size):
        styled, limited = 0.0, 0.0
        for style in range(seats.style.shape[2]):
            styled += seats.style[player, hand, style]
        for limit in range(LIMITS):
            limited += seats.limit[player, hand, limit]
        mass = model.prior[hand] * styled * limited
        seats.other[player, hand] = mass
        seen += mass
    for hand in range(model.prior.size):
        seats.other[player, hand] /= seen
    seats.evidence[player] = seats.followed[player] - math.log(seen)
    odds = model.odds[player] + seats.evidence[player]
    seats.follows[player] = 1.0 / (1.0 + math.exp(-odds))
    seats.is_counted[player, 0] = seats.is_counted[player, 1] = False


@hot_kernel
def _hear_follower(
    model: Model, seats: Seats, scratch: Scratch, player: int, after: At, bid: int
) -> None:
    """Update the range of a player who follows the table."""
    likely, last = scratch.likely, after.last
    node = indexed_node(model.nodes, after.context)
    if node != NO_NODE:
        _read(model.table, node, bid, likely)
        for hand in range(likely.size):
            likely[hand] *= (1.0 - model.surprise) * model.table.unit
            likely[hand] += model.surprise * scratch.plausible[hand]
    else:
        for hand in range(likely.size):
            raised = 1.0
            if last != NO_BID:
                raised = 0.0
                dice = model.game.matches[model.game.kind[last], hand]
                for limit in range(LIMITS):
                    raised += model.limit_shares[limit] * model.raises[last, dice, limit]
            likely[hand] = raised * scratch.plausible[hand]
    seen = 0.0
    for hand in range(likely.size):
        seats.following[player, hand] *= likely[hand]
        seen += seats.following[player, hand]
    for hand in range(likely.size):
        seats.following[player, hand] /= seen
    seats.followed[player] += math.log(seen)


@hot_kernel
def _read(table: StrategyTable, node: int, action: int, played: Floats) -> None:
    """Write into `played` [hand] how much each hand takes the action at the node, in multiples of
    the table's unit."""
    for hand in range(played.size):
        played[hand] = 0.0
    for row in range(table.first_row[node], table.end_row[node]):
        if table.action[row] == action:
            read_row(table, node, row, played)


@hot_kernel
def _hear_styles(
    model: Model, seats: Seats, scratch: Scratch, player: int, after: At, bid: int
) -> None:
    """Update the styles of a player who follows no table."""
    styles, mass = model.styles, seats.style[player]
    for style in range(styles.form.size):
        form, place = styles.form[style], styles.place[style]
        if model.shares[player, style] == 0.0:
            continue
        if styles.opens[style] and after.last == NO_BID:
            form, place = BY_HAND, PLAUSIBLE
        if form == BY_STATE:
            for hand in range(len(mass)):
                mass[hand, style] *= styles.fixed[place, after.state, bid]
        elif form == BY_HAND:
            for hand in range(len(mass)):
                share = styles.share[place, after.state, hand]
                mass[hand, style] *= styles.weight[place, bid, hand] * share
        else:
            _count_enough(model, styles.enough[place], scratch, after.state, bid)
            for hand in range(len(mass)):
                every, before = scratch.every[hand], scratch.before[hand]
                if form == FROM_STRONGEST:
                    before = max(every - before - styles.enough[place, bid, hand], 0)
                is_enough, plausible = styles.enough[place, bid, hand], scratch.plausible[hand]
                mass[hand, style] *= first_share(styles, is_enough, plausible, before, every)


@hot_kernel
def _count_enough(
    model: Model, enough: NDArray[np.bool_], scratch: Scratch, state: int, bid: int
) -> None:
    """Write how many legal raises are `enough` [bid, hand]: all, and those weaker than `bid`."""
    for hand in range(scratch.every.size):
        scratch.every[hand] = 0
    for other in range(model.game.first_raise[state], model.game.claimed.size):
        if other == bid:
            for hand in range(scratch.every.size):
                scratch.before[hand] = scratch.every[hand]
        if model.game.legal[state, other]:
            for hand in range(scratch.every.size):
                scratch.every[hand] += enough[other, hand]


@hot_kernel
def first_share(
    styles: Styles, is_enough: bool, plausible: float, before: int, every: int
) -> float:
    """Return the probability of a raise of a player who makes the first of `every` raise that is
    likely enough, `before` of which come before it; `plausible` is its probability in the PLAUSIBLE
    way."""
    chosen = plausible
    if every > 0:
        chosen = 0.0
        if is_enough:
            chosen = styles.going_on[before] * styles.stop / (1.0 - styles.going_on[every])
    return float((1.0 - styles.slip) * chosen + styles.slip * plausible)


@hot_kernel
def _hear_limits(model: Model, mass: Floats, last: int) -> None:
    """Update the limits `mass` [hand, limit] of a player who did not challenge the `last` bid."""
    for hand in range(len(mass)):
        dice = model.game.matches[model.game.kind[last], hand]
        for limit in range(LIMITS):
            mass[hand, limit] *= model.raises[last, dice, limit]


@hot_kernel
def count(model: Model, seats: Seats, mass: Floats, player: int) -> None:
    """Write how many dice of `player` may count, unless it has been written. `mass` [hand] is
    scratch memory."""
    if seats.is_counted[player, 0]:
        return
    seats.is_counted[player, 0] = True
    follows = seats.follows[player]
    for hand in range(mass.size):
        mass[hand] = follows * seats.following[player, hand]
        mass[hand] += (1.0 - follows) * seats.other[player, hand]
    for kind in range(seats.counts.shape[1]):
        places = model.game.sorted_hands[kind]
        for dice in range(seats.counts.shape[2]):
            total = 0.0
            for place in range(model.game.first_place[kind, dice], _end(model, kind, dice)):
                total += mass[places[place]]
            seats.counts[player, kind, dice] = total


@hot_kernel
def _end(model: Model, kind: int, dice: int) -> int:
    """Return where the hands end of which exactly `dice` dice count."""
    return int(model.game.first_place[kind, dice + 1])


@hot_kernel
def count_limits(model: Model, seats: Seats, mass: Floats, player: int) -> None:
    """Write how many dice of `player` may count with each limit, unless it has been written. `mass`
    [hand, limit] is scratch memory."""
    if seats.is_counted[player, 1]:
        return
    seats.is_counted[player, 1] = True
    follows = seats.follows[player]
    for hand in range(len(mass)):
        limited = 0.0
        for limit in range(LIMITS):
            mass[hand, limit] = seats.limit[player, hand, limit]
            limited += mass[hand, limit]
        share = (1.0 - follows) * seats.other[player, hand] / limited
        for limit in range(LIMITS):
            mass[hand, limit] *= share
    for kind in range(seats.limit_counts.shape[1]):
        places = model.game.sorted_hands[kind]
        for dice in range(seats.limit_counts.shape[2]):
            # Written out so that the sums stay in registers: four times as fast.
            a = b = c = d = e = f = g = h = 0.0
            for place in range(model.game.first_place[kind, dice], _end(model, kind, dice)):
                of_hand = mass[places[place]]
                a += of_hand[0]
                b += of_hand[1]
                c += of_hand[2]
                d += of_hand[3]
                e += of_hand[4]
                f += of_hand[5]
                g += of_hand[6]
                h += of_hand[7]
            sums = seats.limit_counts[player, kind, dice]
            sums[0], sums[1], sums[2], sums[3] = a, b, c, d
            sums[4], sums[5], sums[6], sums[7] = e, f, g, h
