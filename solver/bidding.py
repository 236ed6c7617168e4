"""The state of the bidding along a history, and what its endings settle, for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.machine.jit import hot_kernel
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


class Settled(NamedTuple):
    """What an ending of the bidding settles: if at least `claimed` dice count, the challenger pays
    `cost`, otherwise the bidder does. Players are told by their *turns*: turn t comes after t bids
    and belongs to player t modulo N."""

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
    back = game.back[ending]
    turned = back * game.turned[bid, ending]
    return Settled(
        bid,
        game.settled[bid, ending],
        game.cost[bid, ending],
        turn - turned,
        turn - back + turned,
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
    return settled_if(game, int(history[length - back]), ending, length)


@hot_kernel
def stake_of(made: Settled, turn: int) -> float:
    """Return what the player of `turn`, one of two, earns if the challenger of an ending loses."""
    return float(made.cost if (made.bidder - turn) % 2 == 0 else -made.cost)


def legal_endings(game: BidTables | ShowdownTables, history: Sequence[int]) -> NDArray[np.bool_]:
    """Return [ending] whether the ending is legal after the bids of `history`."""
    made = np.array(history, dtype=np.int64)
    endings = range(game.back.size)
    return np.array([settled_at(game, made, made.size, ending).cost > 0 for ending in endings])
