"""Penalty shares at mixed tables: one player and N - 1 others, all different."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.policies.measure.comparison import seatings
from zhaifei.policies.play.simulation import PenaltyShare, play_orders, share_of
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.plug_in.memory import forget

_LEAST_DEALS = 2
"""The least number of deals for a confidence interval."""


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
    """The largest share that the measured player took in one seat of one table."""


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
    `rounds` rounds are played at each table, in all seatings, with the same dice. If `rounds` is
    too small for all seatings, only the rotations of one order and of its reverse are played. With
    a strategy file at the table, each seating has its own dice. Raise as
    `policies.play.simulation.play_orders` does.
    """
    others = (*featured, *others)
    forget([one, *others])
    orders = _orders(one.rules.players, rounds)
    deals = max(_LEAST_DEALS, math.ceil(rounds / len(orders)))
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
        taken, in_seat, in_all = np.zeros((3, deals, len(table)))
        points_of = play_orders(table, orders, one.rules, deals, seed, (count,))
        for order, points in zip(orders, points_of, strict=True):
            taken[:, order] += points
            seat = [*order].index(0)
            in_seat[:, seat] += points[:, seat]
            in_all[:, seat] += points.sum(axis=1)
        here = _most([*map(str, table[1:])], in_seat, in_all, deals * len(orders) // len(table))
        most = here if most is None or here.share.share > most.share.share else most
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


def _most(
    others: Sequence[str],
    taken: NDArray[np.float64],
    total: NDArray[np.float64],
    rounds: int,
) -> SeatShare:
    """Return the largest share of the measured player in one seat, from the points that it and all
    players took when it sat there, `taken` and `total` [deal, seat], in `rounds` rounds a seat."""
    seats = range(taken.shape[1])
    shares = [share_of(taken[:, seat], total[:, seat], rounds=rounds) for seat in seats]
    seat = max(seats, key=lambda one: shares[one].share)
    return SeatShare(tuple(others), seat, shares[seat])


def _orders(players: int, rounds: int) -> Sequence[Sequence[int]]:
    places = range(players)
    if _LEAST_DEALS * math.factorial(players) <= rounds:
        return [*permutations(places)]
    return seatings((*places,))


def is_clear(taken: NDArray[np.float64]) -> bool:
    """Return whether the first player took fewer points than the best of the others, by more than
    the 95% margin. `taken` [deal, player] are the points."""
    ahead = taken[:, 1 + taken[:, 1:].sum(axis=0).argmin()] - taken[:, 0]
    margin = DEVIATIONS * ahead.std(ddof=1) / math.sqrt(ahead.size)
    return bool(ahead.mean() > margin)
