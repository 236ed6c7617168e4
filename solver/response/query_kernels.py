"""Kernels of the search for best responses to a policy that is queried.

`solver.response.query_search` explains what they compute and why it is right. A `hand` is the
responder's in values, and the policy's in reaches and strategies. `own` is how many dice of the
responder's hand count towards a bid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID
from zhaifei.solver.bidding import settled_if, stake_of
from zhaifei.solver.bounds import NEVER
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.showdown import ShowdownTables, accumulate, holds, pay

Vector = NDArray[np.float64]

_NEGLIGIBLE = 1e-3
"""Hands with less than this share of the largest reach are left out of estimates."""


class QueryTables(NamedTuple):
    """The rules by kind of bid, and how many dice of each hand count."""

    game: ShowdownTables
    held: NDArray[np.int8]
    """[hand, bid] how many dice of the hand count towards the bid."""
    stake: Vector
    """[bid, ending] what the ending of this number earns whoever takes it after the bid, if the
    settled count is reached, and costs them otherwise; 0 if the ending is illegal."""


class PolicyHabits(NamedTuple):
    """Statistics of a policy's earlier answers. They guide the search; no bound depends on them."""

    answered: NDArray[np.int64]
    """[bid] how many answers to the bid were seen."""
    worth: NDArray[np.float32]
    """[bid, hand, kind, own] the mean value to the responder of the policy's answers to the bid
    with `hand`. The value is split into parts: challenges and replies of each kind, if `own` of the
    responder's dice count."""
    share: Vector
    """[bid] the expected value of a reply with this bid, as a share of the range from challenging
    it (0) to the upper bound (1)."""


def query_tables(game: ShowdownTables) -> QueryTables:
    """Return the tables of the search, for rules of two players."""
    bids, endings = game.cost.shape
    stake = [
        [stake_of(settled_if(game, bid, ending, 0), 0) for ending in range(endings)]
        for bid in range(bids)
    ]
    held = np.ascontiguousarray(game.matches[game.kind].T)
    return QueryTables(game, held, np.array(stake, dtype=np.float64))


@kernel
def weigh(
    tables: QueryTables,
    reach: Vector,
    strategy: Vector,
    bid: int,
    state: int,
    results: tuple[Vector, Vector, Vector],
) -> None:
    """Compute what follows if the policy, with this `reach` [hand], answers `bid` with `strategy`
    [hand, action] in this `state`. `bid` may be NO_BID, which nobody challenges.

    Write into `results`: [own] what the policy's endings after `bid` pay the responder; [bid] the
    mass of each reply; [bid, own] what the best ending after each reply earns. Entries of bids that
    cannot follow are left unchanged.
    """
    game, (called, mass, paid) = tables.game, results
    bids, dice, endings = game.claimed.size, called.size - 1, game.back.size
    first = game.first_raise[state]
    counted, ends = np.zeros((bids + endings, dice + 1)), np.zeros(dice + 1)
    for hand in range(reach.size):
        if reach[hand] <= 0.0:
            continue
        held, played, part = tables.held[hand], strategy[hand], reach[hand]
        for reply in range(first, bids):
            counted[reply, held[reply]] += part * played[reply]
        if bid != NO_BID:
            for ending in range(endings):
                counted[bids + ending, held[bid]] += part * played[bids + ending]
    called[:] = 0.0
    if bid != NO_BID:
        for ending in range(endings):
            tails = counted[bids + ending]
            accumulate(tails)
            pay(game.settled[bid, ending], tails, -tables.stake[bid, ending], ends)
            called += ends
    for reply in range(first, bids):
        accumulate(counted[reply])
        mass[reply] = counted[reply, 0]
        paid[reply] = NEVER
        for ending in range(endings):
            if tables.stake[reply, ending] != 0.0:
                settled, stake = game.settled[reply, ending], tables.stake[reply, ending]
                pay(settled, counted[reply], stake, ends)
                for own in range(dice + 1):
                    paid[reply, own] = max(paid[reply, own], ends[own])


@kernel
def add_replies(
    tables: QueryTables,
    state: int,
    replies: NDArray[np.int64],
    mass: Vector,
    paid: Vector,
    share: Vector,
    sums: tuple[Vector, Vector, Vector],
) -> None:
    """Add to `sums`, three arrays [hand], the least, the most and the expected value of the
    unopened `replies` [reply] in `state`.

    The best ending after a reply pays `paid` [reply, own]. The most is what `mass` [reply] can
    win, or `paid` if no raise can follow. The expected value is the part `share` [bid] of the
    way from least to most."""
    lower, upper, expected = sums
    game = tables.game
    for place in range(replies.size):
        reply = replies[place]
        last = game.first_raise[game.after[state, reply]] == game.claimed.size
        for hand in range(lower.size):
            least = paid[place, tables.held[hand, reply]]
            most = least if last else game.most_cost * mass[place]
            lower[hand] += least
            upper[hand] += most
            expected[hand] += least + share[reply] * (most - least)


@kernel
def weigh_gaps(
    tables: QueryTables,
    state: int,
    replies: NDArray[np.int64],
    mass: Vector,
    paid: Vector,
    weight: Vector,
    gaps: Vector,
) -> None:
    """Write into `gaps` [reply] the distance between the bounds of each unopened reply in `state`,
    summed over own hands with this `weight` [hand]."""
    game = tables.game
    gaps[:] = 0.0
    for hand in range(weight.size):
        if weight[hand] <= 0.0:
            continue
        for place in range(replies.size):
            least = paid[place, tables.held[hand, replies[place]]]
            gaps[place] += weight[hand] * (game.most_cost * mass[place] - least)
    for place in range(replies.size):
        if game.first_raise[game.after[state, replies[place]]] == game.claimed.size:
            gaps[place] = 0.0


@kernel
def _earned(tables: QueryTables, bid: int, ending: int, counted: int) -> float:
    """Return what the `ending` after `bid` earns whoever takes it if `counted` dice count."""
    reached = holds(tables.game.settled[bid, ending], counted)
    stake: float = tables.stake[bid, ending]
    return stake if reached else -stake


@kernel
def note_answer(
    tables: QueryTables, habits: PolicyHabits, strategy: Vector, state: int, bid: int, weight: float
) -> None:
    """Update the running mean of the value of answers to `bid`, which led to `state`: the
    answer `strategy` [hand, action] enters with this `weight`."""
    game, worth = tables.game, habits.worth[bid]
    bids, dice = game.claimed.size, worth.shape[2] - 1
    parts = np.zeros(worth.shape[1:])
    for hand in range(strategy.shape[0]):
        parts[:] = 0.0
        for own in range(dice + 1):
            parts[game.kind[bid], own] = 0.0
            for ending in range(game.back.size):
                earned = _earned(tables, bid, ending, own + tables.held[hand, bid])
                parts[game.kind[bid], own] -= strategy[hand, bids + ending] * earned
        for reply in range(game.first_raise[state], bids):
            played = strategy[hand, reply]
            if played <= 0.0:
                continue
            share = (
                habits.share[reply] if game.first_raise[game.after[state, reply]] < bids else 0.0
            )
            for own in range(dice + 1):
                earned = _earned(tables, reply, 0, own + tables.held[hand, reply])
                paid = share * game.most_cost + (1.0 - share) * earned
                parts[game.kind[reply], own] += played * paid
        for kind in range(parts.shape[0]):
            for own in range(dice + 1):
                change = np.float32(weight * (parts[kind, own] - worth[hand, kind, own]))
                worth[hand, kind, own] += change


@kernel
def expect(
    tables: QueryTables,
    habits: PolicyHabits,
    reach: Vector,
    ended: Vector,
    left: NDArray[np.bool_],
    hoped: Vector,
    bid: NDArray[np.int64],
) -> None:
    """Write into `hoped` [hand] the expected value of the best raise among `left` [bid], and into
    `bid` [hand] this raise. The policy, with this `reach`, is expected to answer as it usually
    does. A raise that it never answered counts with the largest possible value. `hoped` is NEVER
    where no raise is expected to beat `ended` [hand], what
    the best ending earns."""
    kinds, size = tables.game.matches.shape[0], habits.worth.shape[3]
    parts = np.zeros(kinds * size)
    least = _NEGLIGIBLE * reach.max()
    hoped[:] = NEVER
    for raise_ in range(left.size):
        if not left[raise_]:
            continue
        total = 0.0
        parts[:] = 0.0
        if habits.answered[raise_] == 0:
            total = tables.game.most_cost * reach.sum()
        else:
            worth = habits.worth[raise_].reshape((reach.size, kinds * size))
            for hand in range(reach.size):
                if reach[hand] > least:
                    part, row = reach[hand], worth[hand]
                    for place in range(parts.size):
                        parts[place] += part * row[place]
        for hand in range(hoped.size):
            value = total
            for kind in range(kinds):
                value += parts[kind * size + tables.game.matches[kind, hand]]
            if value > max(hoped[hand], ended[hand]):
                hoped[hand], bid[hand] = value, raise_
