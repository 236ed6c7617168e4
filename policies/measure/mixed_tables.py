"""Penalty shares at mixed tables: one player and N - 1 others, all different."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from policies.measure.comparison import seatings
from policies.play.simulation import PenaltyShare, play_rounds, share_of
from policies.players.player import Player


@dataclass(frozen=True)
class MixedTables:
    """Results of the tables played so far."""

    shares: Mapping[str, PenaltyShare]
    """{player: its share of the points at the tables where it sits}, the measured player first.
    1 / N is fair; less is better."""
    least: int
    """The number of tables at which nobody took fewer points than the measured player."""
    tables: int


def mixed_tables(
    one: Player, others: Sequence[Player], rounds: int, seed: int
) -> Iterator[MixedTables]:
    """Yield the results after each table at which `one` meets N - 1 of `others`, over all choices
    of these; nothing if there are fewer.

    About `rounds` rounds are played at each table, in every rotation of its order and of the
    reversed order, all tables with the same dice. Raise as `policies.play.simulation.play_rounds`
    does.
    """
    orders = seatings((*range(one.rules.players),))
    deals = max(2, math.ceil(rounds / len(orders)))
    names = [str(player) for player in (one, *others)]
    own, total = ({name: np.zeros(deals) for name in names} for _ in range(2))
    sat = dict.fromkeys(names, 0)
    least = 0
    tables = combinations(others, one.rules.players - 1)
    for count, chosen in enumerate(tables, 1):
        table = (one, *chosen)
        taken = np.zeros((deals, len(table)))
        for order in orders:
            seated = [table[place] for place in order]
            taken[:, order] += play_rounds(seated, one.rules, deals, seed)
        for place, player in enumerate(map(str, table)):
            own[player] += taken[:, place]
            total[player] += taken.sum(axis=1)
            sat[player] += deals * len(orders)
        points = taken.sum(axis=0)
        least += bool(points[0] == points.min())
        shares = {
            name: share_of(own[name], total[name], rounds=sat[name]) for name in names if sat[name]
        }
        yield MixedTables(shares, least, count)
