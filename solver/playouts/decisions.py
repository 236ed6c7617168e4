"""The action of least risk for one player after another, in compiled code.

The risks are those of `policies.players.table_reading`: how likely a challenge finds the bid true,
and how likely a raise is false and challenged by the next player. What does not depend on the hand
is prepared once for each history.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.playouts.beliefs import (
    LIMITS,
    NOBODY,
    At,
    Model,
    Scratch,
    Seats,
    count,
    count_limits,
)
from zhaifei.solver.showdown import ShowdownTables
from zhaifei.solver.tables.node_index import indexed_node
from zhaifei.solver.tables.rows import is_rest
from zhaifei.solver.tables.strategy_table import NO_NODE

Floats = NDArray[np.float64]


class Others(NamedTuple):
    """What the player to move expects of the others."""

    tails: Floats
    """[kind, dice] the probability that at least `dice` dice of all others count."""
    rest: Floats
    """[kind, dice] the same without the next player."""
    passing: Floats
    """[bid, dice] the probability that the next player lets the bid pass and holds `dice` dice that
    count; only of legal raises."""


def others_of(model: Model) -> Others:
    """Return memory for `expect`."""
    kinds, dice = len(model.game.matches), model.raises.shape[1]
    together = (dice - 1) * (model.players - 1) + 2
    all_tails, rest = np.empty((2, kinds, together))
    return Others(all_tails, rest, np.empty((model.game.claimed.size, dice)))


@hot_kernel
def expect(
    model: Model, seats: Seats, scratch: Scratch, others: Others, player: int, after: At
) -> None:
    """Write what `player`, who is to move, expects of the others."""
    game, next_ = model.game, (player + 1) % model.players
    for other in range(model.players):
        if other != player:
            count(model, seats, scratch.likely, other)
    count_limits(model, seats, scratch.limited, next_)
    for kind in range(seats.counts.shape[1]):
        most = _add_rest(seats.counts, player, next_, kind, others.rest[kind])
        for dice in range(others.tails.shape[1]):
            others.tails[kind, dice] = others.rest[kind, dice]
        _add(seats.counts[next_, kind], most, others.tails[kind])
        _accumulate(others.rest[kind])
        _accumulate(others.tails[kind])
    for bid in range(game.first_raise[after.state], game.plain):
        if game.legal[after.state, bid]:
            _expect_passing(model, seats, scratch.likely, others.passing[bid], next_, after, bid)


@hot_kernel
def _add_rest(counts: Floats, player: int, next_: int, kind: int, total: Floats) -> int:
    """Write into `total` [dice] the distribution of the dice of all players except two. Return the
    most dice that they may hold."""
    for dice in range(total.size):
        total[dice] = 0.0
    total[0], most = 1.0, 0
    for other in range(counts.shape[0]):
        if other not in (player, next_):
            most = _add(counts[other, kind], most, total)
    return most


@hot_kernel
def _add(counts: Floats, most: int, total: Floats) -> int:
    """Add a player with the distribution `counts` [dice] to a distribution of up to `most` dice.
    Return the most dice that they may hold together."""
    size = counts.size - 1
    for dice in range(most + size, -1, -1):
        mass = 0.0
        for added in range(max(0, dice - most), min(size, dice) + 1):
            mass += counts[added] * total[dice - added]
        total[dice] = mass
    return most + size


@hot_kernel
def _accumulate(total: Floats) -> None:
    """Turn an exact distribution into tails."""
    for dice in range(total.size - 2, -1, -1):
        total[dice] += total[dice + 1]


@hot_kernel
def _expect_passing(
    model: Model, seats: Seats, likely: Floats, passing: Floats, next_: int, after: At, bid: int
) -> None:
    """Write into `passing` [dice] how likely the next player lets the `bid` pass."""
    kind = model.game.kind[bid]
    for dice in range(passing.size):
        passing[dice] = 0.0
        for limit in range(LIMITS):
            mass = seats.limit_counts[next_, kind, dice, limit]
            passing[dice] += mass * model.raises[bid, dice, limit]
    code = model.table.recall.code[0, bid + 1]
    node = indexed_node(model.nodes, after.context + code)
    if node == NO_NODE:
        return
    _read_passing(model, likely, node, bid)
    follows = seats.follows[next_]
    for hand in range(likely.size):
        mass = follows * seats.following[next_, hand]
        passing[model.game.matches[kind, hand]] += mass * likely[hand]


@hot_kernel
def _read_passing(model: Model, passing: Floats, node: int, bid: int) -> None:
    """Write into `passing` [hand] the probability that a player who follows the table neither
    challenges nor doubles the `bid` that led to `node`."""
    table, challenge = model.table, model.game.claimed.size
    double = bid + model.game.plain
    for hand in range(passing.size):
        passing[hand] = 1.0
    for row in range(table.first_row[node], table.end_row[node]):
        if is_rest(table, row):
            for hand in range(passing.size):
                passing[hand] -= 1.0
            first = table.first_entry[table.first_row[node]]
            for entry in range(first, table.first_entry[table.end_row[node]]):
                passing[table.hand[entry]] += table.share[entry] * table.unit
        elif table.action[row] == challenge or table.action[row] == double:
            for entry in range(table.first_entry[row], table.first_entry[row + 1]):
                passing[table.hand[entry]] -= table.share[entry] * table.unit


@hot_kernel
def least_risk(model: Model, others: Others, hand: int, after: At) -> int:
    """Return the action of least risk with `hand`: see `policies.players.reading`."""
    game, challenge = model.game, model.game.claimed.size
    true = _true(game, others.tails, after.last, hand)
    least, best = true, challenge
    for bid in range(game.first_raise[after.state], game.plain):
        if game.legal[after.state, bid]:
            risk = _risk_of_raise(model, others, hand, bid)
            if risk < least - model.tie or (best == challenge and risk <= least + model.tie):
                least, best = risk, bid
    if best == challenge and after.last >= game.plain and gives_up(model, after.last, true):
        return int(challenge + model.giving_up)
    return int(best)


@hot_kernel
def _risk_of_raise(model: Model, others: Others, hand: int, bid: int) -> float:
    """Return the probability that the raise is false and the next player challenges it."""
    game, kind = model.game, model.game.kind[bid]
    missing = game.claimed[bid] - game.matches[kind, hand]
    risk = 1.0 - _true(game, others.tails, bid, hand)
    for dice in range(others.passing.shape[1]):
        still = min(max(missing - dice, 0), others.rest.shape[1] - 1)
        risk -= (1.0 - others.rest[kind, still]) * others.passing[bid, dice]
    return float(risk)


@hot_kernel
def _true(game: ShowdownTables, tails: Floats, bid: int, hand: int) -> float:
    """Return the probability that the bid is true with this hand, if all others have these
    `tails` [kind, dice]."""
    kind = game.kind[bid]
    missing = game.claimed[bid] - game.matches[kind, hand]
    missing = min(max(missing, 0), tails.shape[1] - 1)
    return float(tails[kind, missing] / tails[kind, 0])


@hot_kernel
def gives_up(model: Model, last: int, true: float) -> bool:
    """Return whether a player gives up on the double `last` of a bid that is `true` with this
    probability (`policies.players.rule_based.gives_up_on`)."""
    game = model.game
    if model.giving_up == NOBODY or game.cost[last, model.giving_up] == 0:
        return False
    loses = 1.0 - true if game.turned[last, 0] else true
    win = 1.0 / (model.players - 1)
    expected = game.cost[last, 0] * ((1.0 + win) * loses - win)
    return bool(expected > game.cost[last, model.giving_up])
