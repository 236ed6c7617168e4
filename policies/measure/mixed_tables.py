"""Penalty shares at mixed tables: one player and N - 1 others, all different."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.policies.measure.comparison import seatings
from zhaifei.policies.play.simulation import PenaltyShare, play_orders, share_of
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.plug_in.memory import forget, has_memory

Ints = NDArray[np.int64]

_LEAST_DEALS = 2
"""The least number of deals for a confidence interval."""
_STREAM = 2
"""The stream of random numbers that draws orders; `policies.play.simulation.deal` uses 0 and 1."""


class SeatShare(NamedTuple):
    """What the measured player took in one seat of one table."""

    others: tuple[str, ...]
    """The names of the others at the table, who sat in every order."""
    seat: int
    """The seat, counted from 0, the player who opens."""
    share: PenaltyShare


@dataclass(frozen=True)
class MixedTables:
    """Results of the tables played so far."""

    shares: Mapping[str, PenaltyShare]
    """{player: its share of the points at the tables where it sits}, the measured player first.
    1 / N is fair; less is better."""
    least: int
    """The number of tables at which nobody took fewer points than the measured player."""
    clearly: int
    """The number of tables at which the measured player's lead exceeds the 95% interval."""
    tables: int
    most: SeatShare
    """What the measured player took in the seat of a table where the upper end of the share's
    interval is highest."""


def mixed_tables(
    one: BatchPlayer,
    others: Sequence[BatchPlayer],
    rounds: int,
    seed: int,
    featured: Sequence[BatchPlayer] = (),
) -> Iterator[MixedTables]:
    """Yield the results after each table at which `one` meets N - 1 of `others`, for all choices of
    N - 1. Yield nothing if `others` are fewer than N - 1. With `featured`, choose from both, and at
    least one of `featured`.

    The order of seats matters: the player after an aggressive player faces false bids. So about
    `rounds` rounds are played at each table, N with the same dice: each deal has an order of its
    own, drawn at random, and is played in its N rotations. If one of the players is a strategy
    file, which sits still for many rounds, the orders are the rotations of one order and of its
    reverse. At the tables of such a file each order has its own dice. Raise as
    `policies.play.simulation.play_orders` does.
    """
    others = (*featured, *others)
    forget([one, *others])
    orders = _orders(one.rules.players, rounds, seed, still=has_memory([one, *others]))
    deals = orders.shape[1]
    sits = orders.argsort(axis=2)  # [order, deal, player]
    names = [str(player) for player in (one, *others)]
    own, total = ({name: np.zeros(deals) for name in names} for _ in range(2))
    sat = dict.fromkeys(names, 0)
    least = clearly = 0
    most: SeatShare | None = None
    choices = combinations(range(len(others)), one.rules.players - 1)
    # A choice begins with those featured, if it has any.
    tables = (places for places in choices if not featured or places[0] < len(featured))
    for count, places in enumerate(tables, 1):
        table = (one, *(others[place] for place in places))
        points = play_orders(table, orders, one.rules, seed, (count,))
        taken = np.take_along_axis(points, sits, axis=2).sum(axis=0).astype(np.float64)
        here = _most([*map(str, table[1:])], points, sits[:, :, 0])
        most = here if most is None or here.share.upper > most.share.upper else most
        for place, player in enumerate(map(str, table)):
            own[player] += taken[:, place]
            total[player] += taken.sum(axis=1)
            sat[player] += deals * len(orders)
        least += bool(taken[:, 0].sum() == taken.sum(axis=0).min())
        clearly += is_clear(taken)
        shares = {
            name: share_of(own[name], total[name], rounds=sat[name]) for name in names if sat[name]
        }
        yield MixedTables(shares, least, clearly, count, most)


def _most(others: Sequence[str], points: Ints, sits: Ints) -> SeatShare:
    """Return the share of the measured player in the seat where its interval ends highest, from
    `points` [order, deal, seat] and the seat in which it `sits` [order, deal]."""
    shares = []
    for seat in range(points.shape[2]):
        there = sits == seat
        own = np.where(there, points[:, :, seat], 0).sum(axis=0).astype(np.float64)
        total = np.where(there, points.sum(axis=2), 0).sum(axis=0).astype(np.float64)
        shares.append(share_of(own, total, rounds=int(there.sum())))
    seat = max(range(len(shares)), key=lambda one: shares[one].upper)
    return SeatShare(tuple(others), seat, shares[seat])


def _orders(players: int, rounds: int, seed: int, *, still: bool) -> Ints:
    """Return [order, deal, seat] who sits where: rotations of an order drawn for each deal, or, if
    the players sit `still`, the same orders in all deals."""
    if still:
        fixed = np.array(seatings((*range(players),)))[:, np.newaxis]
        deals = max(_LEAST_DEALS, math.ceil(rounds / len(fixed)))
        return fixed.repeat(deals, axis=1)
    deals = max(_LEAST_DEALS, math.ceil(rounds / players))
    random = np.random.default_rng([seed, _STREAM])
    drawn = random.permuted(np.tile(np.arange(players), (deals, 1)), axis=1)
    return np.stack([np.roll(drawn, turn, axis=1) for turn in range(players)])


def is_clear(taken: NDArray[np.float64]) -> bool:
    """Return whether the first player took fewer points than the best of the others, by more than
    the 95% margin. `taken` [deal, player] are the points."""
    ahead = taken[:, 1 + taken[:, 1:].sum(axis=0).argmin()] - taken[:, 0]
    margin = DEVIATIONS * ahead.std(ddof=1) / math.sqrt(ahead.size)
    return bool(ahead.mean() > margin)
