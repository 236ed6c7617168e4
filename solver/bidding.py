"""The state of the bidding along a history, and what its endings settle, for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import turn_of
from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.machine.small_calls import small_call
from zhaifei.solver.showdown import ShowdownTables


@hot_kernel
def state_at(game: BidTables | ShowdownTables, history: NDArray[np.int64], length: int) -> int:
    """Return the state of the bidding after the first `length` bids of `history`. Where the last
    bid alone tells what may follow, no other bid is read."""
    if length == 0:
        return 0
    if game.after.shape[0] == game.claimed.size + 1:
        return int(history[length - 1]) + 1
    state = 0
    for place in range(length):
        state = game.after[state, history[place]]
    return state


def state_of_bids(game: BidTables | ShowdownTables, history: Sequence[int]) -> int:
    """Return the state of the bidding after the bids of `history`."""
    return state_at(game, np.array(history, dtype=np.int64), len(history))


@hot_kernel
def double_of(game: BidTables | ShowdownTables, state: int, last: int) -> int:
    """Return the double that may follow the bid `last` in `state`, or NO_BID."""
    double = last + game.plain
    if last == NO_BID or double >= game.claimed.size or not game.legal[state, double]:
        return NO_BID
    return double


@hot_kernel
def turns_on(game: BidTables | ShowdownTables, bid: int) -> int:
    """Return how many turns after the turn of whoever makes `bid` the next turn comes: 1, or -1
    after an odd double, which the player before answers."""
    return 1 - 2 * (bid // game.plain % 2)


@hot_kernel
def turn_at(game: BidTables | ShowdownTables, history: NDArray[np.int64], length: int) -> int:
    """Return the turn of the player who moves after the first `length` bids of `history`."""
    level = int(history[length - 1]) // game.plain if length > 0 else 0
    return length - level - level % 2


def mover_of_bids(game: BidTables, history: Sequence[int]) -> int:
    """Return the player who moves after the bids of `history`, in turn order from the opener."""
    level = history[-1] // game.plain if history else 0
    return turn_of(len(history), level) % game.players


@hot_kernel
def pass_on(
    game: BidTables | ShowdownTables,
    bid: int,
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    written: int,
) -> None:
    """Write into `after` [N + 1] where the ranges of N players are stored once `bid` has been made:
    in turn order from the player who moves then, and last where their move will be `written`.
    `before` [N + 1] holds the same for the bid."""
    players = before.size - 1
    # After an odd double comes the player before the one who made it, N - 1 turns later.
    later = 0 if turns_on(game, bid) == 1 else players - 2
    for place in range(players):
        after[place] = before[1 + (place + later) % players]
    after[players] = written


class Settled(NamedTuple):
    """What an ending of the bidding settles: if at least `claimed` dice count, the challenger pays
    `cost`, otherwise the bidder does. Players are told by their *turns*: turn t comes after t bids
    that are no doubles, and belongs to player t modulo N (`game.bids.turn_of`)."""

    bid: int
    """The settled bid or double, whose kind says which dice count."""
    claimed: int
    """The count from which on the challenger loses; 0 if the challenger gives up."""
    cost: int
    """The penalty points of the loser; 0 if the ending is illegal."""
    challenger: int
    """A turn of the challenger."""
    bidder: int
    """A turn of the bidder."""


@hot_kernel
def settled_if(game: BidTables | ShowdownTables, bid: int, ending: int, turn: int) -> Settled:
    """Return what the `ending`, taken at `turn`, settles if it settles `bid`."""
    other = turn - turns_on(game, bid) * game.back[ending]
    turned = game.turned[bid, ending]
    return Settled(
        bid,
        game.settled[bid, ending],
        game.cost[bid, ending],
        other if turned else turn,
        turn if turned else other,
    )


@hot_kernel
def settled_at(
    game: BidTables | ShowdownTables, history: NDArray[np.int64], length: int, ending: int
) -> Settled:
    """Return what the `ending` settles after the first `length` bids of `history`; the cost is 0 if
    it is illegal."""
    back = game.back[ending] if ending < game.back.size else length + 1
    if back > length:
        return Settled(0, 0, 0, 0, 0)
    bid = int(history[length - back])
    return settled_if(game, bid, ending, turn_at(game, history, length))


@hot_kernel
def stake_of(made: Settled, turn: int) -> float:
    """Return what the player of `turn`, one of two, earns if the challenger of an ending loses."""
    return float(made.cost if (made.bidder - turn) % 2 == 0 else -made.cost)


def legal_endings(game: BidTables | ShowdownTables, history: Sequence[int]) -> NDArray[np.bool_]:
    """Return [ending] whether the ending is legal after the bids of `history`."""
    made = np.array(history, dtype=np.int64)
    endings = range(game.back.size)
    settled = (small_call(settled_at, game, made, made.size, ending) for ending in endings)
    return np.array([one.cost > 0 for one in settled])
