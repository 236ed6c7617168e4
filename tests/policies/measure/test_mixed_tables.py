"""Shares at mixed tables, against the points of each round."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.mixed_tables import MixedTables, _orders, is_clear, mixed_tables
from zhaifei.policies.play.simulation import penalty_share, play_rounds, share_of
from zhaifei.policies.players.player import BatchPlayer

Seatings = dict[tuple[int, ...], NDArray[np.int64]]
SMALL = Rules.of(players=3, dice=2, faces=3)
OTHERS = ("random", "conservative", "aggressive")


def seated(rules: Rules, *names: str) -> list[BatchPlayer]:
    return [load_player(name, rules) for name in names]


def results(rules: Rules, rounds: int) -> list[MixedTables]:
    one, *others = seated(rules, "honest", *OTHERS)
    return list(mixed_tables(one, others, rounds, seed=2))


def every_seating(rules: Rules, names: Sequence[str], deals: int, seed: int) -> Seatings:
    """The points of `play_rounds` [deal, seat], by who sits where: the dice and the random numbers
    of a deal are the same in all of them."""
    return {
        order: play_rounds(seated(rules, *(names[one] for one in order)), rules, deals, seed)
        for order in permutations(range(len(names)))
    }


@pytest.mark.parametrize("jump", [False, True])
def test_shares_are_of_the_points_of_all_rotations_at_all_tables(jump: bool) -> None:
    rules = preset("zhaifei", players=3, dice=2, faces=3, jump_challenge=jump)
    found = results(rules, 600)
    own, total = dict.fromkeys(("honest", *OTHERS), 0), dict.fromkeys(("honest", *OTHERS), 0)
    least = 0
    orders = _orders(3, 600, 2, still=False)
    for played, pair in zip(found, combinations(OTHERS, 2), strict=True):
        names = ("honest", *pair)
        here = dict.fromkeys(names, 0)
        points = every_seating(rules, names, 200, 2)
        for deal in range(200):
            for order in orders[:, deal].tolist():
                taken = points[tuple(order)][deal].tolist()
                for place, one in zip(order, taken, strict=True):
                    here[names[place]] += one
        for name in names:
            own[name] += here[name]
            total[name] += sum(here.values())
        least += here["honest"] == min(here.values())
        assert played.clearly <= played.least
        assert (played.least, next(iter(played.shares))) == (least, "honest")
    assert [one.tables for one in found] == [1, 2, 3]
    for name, share in found[-1].shares.items():
        assert share.share == pytest.approx(own[name] / total[name])
        assert share.rounds == (1800 if name == "honest" else 1200)


@pytest.mark.parametrize(("ahead", "clear"), [(0.05, False), (0.2, False), (0.4, True)])
def test_a_player_is_clearly_the_least_beyond_the_interval(ahead: float, clear: bool) -> None:
    """Of 100 deals: the standard error is 0.15."""
    taken = np.tile([[0.0, 3.0, 9.0], [3.0, 3.0, 9.0]], (50, 1))
    taken[:, 1] += ahead - 1.5
    assert is_clear(taken) == clear


def test_each_deal_is_played_in_all_rotations_of_an_order_drawn_for_it() -> None:
    orders = _orders(4, 4 * 1200, 5, still=False)
    assert orders.shape == (4, 1200, 4)
    for deal in range(1200):
        first = orders[0, deal].tolist()
        rotations = {tuple(first[turn:] + first[:turn]) for turn in range(4)}
        assert {*map(tuple, orders[:, deal].tolist())} == rotations
    around = Counter(tuple(np.roll(one, -one.argmin()).tolist()) for one in orders[0])
    assert len(around) == 6
    # 200 each, with a standard deviation of 13.
    assert all(140 < number < 260 for number in around.values())


def test_strategy_files_sit_still() -> None:
    orders = _orders(4, 80, 5, still=True)
    assert orders.shape == (8, 10, 4)
    assert (orders == orders[:, :1]).all()
    assert len({*map(tuple, orders[:, 0].tolist())}) == 8


def test_four_players_share_all_points() -> None:
    rules = preset("zhaifei", players=4, dice=1, faces=3)
    one, *others = seated(rules, "honest", *OTHERS)
    (found,) = mixed_tables(one, others, 240, seed=5)
    points = every_seating(rules, ("honest", *OTHERS), 60, 5)
    own, total = 0, 0
    for deal, orders in enumerate(_orders(4, 240, 5, still=False).swapaxes(0, 1).tolist()):
        for order in orders:
            own += int(points[tuple(order)][deal, order.index(0)])
            total += int(points[tuple(order)][deal].sum())
    assert found.shares["honest"].share == pytest.approx(own / total)
    assert found.shares["honest"].rounds == 240


def test_those_featured_sit_at_every_table() -> None:
    """One or both of them, with the others in all choices."""
    one, *others = seated(SMALL, "honest", "random", "conservative")
    featured = seated(SMALL, "aggressive", "face-by-face")
    *_, found = mixed_tables(one, others, 120, 2, featured)
    assert found.tables == 5
    sat = {name: share.rounds // 120 for name, share in found.shares.items()}
    expected = {"honest": 5, "aggressive": 3, "face-by-face": 3, "random": 2, "conservative": 2}
    assert sat == expected


def test_the_highest_interval_is_of_one_seat_of_one_table() -> None:
    one, *others = seated(SMALL, "honest", "random", "conservative", "aggressive")
    *_, found = mixed_tables(one, others, 600, seed=2)
    shares = {}
    orders = _orders(3, 600, 2, still=False)
    for pair in combinations(OTHERS, 2):
        points = every_seating(SMALL, ("honest", *pair), 200, 2)
        own, total = np.zeros((2, 3, 200))
        for deal in range(200):
            for order in orders[:, deal].tolist():
                seat = order.index(0)
                own[seat, deal] = points[tuple(order)][deal, seat]
                total[seat, deal] = points[tuple(order)][deal].sum()
        for seat in range(3):
            shares[pair, seat] = share_of(own[seat], total[seat], rounds=200)
    pair, seat = max(shares, key=lambda place: shares[place].upper)
    assert (found.most.others, found.most.seat) == (pair, seat)
    assert found.most.share == shares[pair, seat]


def test_with_two_players_a_table_is_a_duel() -> None:
    rules = Rules.of(dice=2, faces=3)
    one, other = seated(rules, "honest", "aggressive")
    (found,) = mixed_tables(one, [other], 500, seed=4)
    assert found.shares["honest"] == penalty_share(one, other, rules, 500, 4)
    assert found.shares["aggressive"] == penalty_share(other, one, rules, 500, 4)


def test_intervals_are_as_wide_as_results_scatter() -> None:
    """Over 60 seeds, of how many rounds a share is measured in decides how it scatters."""
    one, *others = seated(SMALL, "honest", *OTHERS)
    runs = [[*mixed_tables(one, others, 120, seed)][-1].shares for seed in range(60)]
    for name in runs[0]:
        scatter = np.std([run[name].share for run in runs], ddof=1)
        margin = np.mean([run[name].margin for run in runs]) / 1.96
        # A standard deviation over 60 runs is off by 1 in sqrt(118), about, times 4.
        assert margin == pytest.approx(scatter, rel=0.4)


def test_without_enough_others_there_is_no_table() -> None:
    one, *others = seated(SMALL, "honest", "random")
    assert list(mixed_tables(one, others, 100, seed=0)) == []
