"""Shares at mixed tables, against the points of each round."""

from itertools import combinations, permutations

import numpy as np
import pytest

from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.mixed_tables import MixedTables, is_clear, mixed_tables
from zhaifei.policies.play.simulation import penalty_share, play_rounds
from zhaifei.policies.players.player import BatchPlayer

SMALL = Rules.of(players=3, dice=2, faces=3)
OTHERS = ("random", "conservative", "aggressive")


def seated(rules: Rules, *names: str) -> list[BatchPlayer]:
    return [load_player(name, rules) for name in names]


def results(rules: Rules, rounds: int) -> list[MixedTables]:
    one, *others = seated(rules, "honest", *OTHERS)
    return list(mixed_tables(one, others, rounds, seed=2))


@pytest.mark.parametrize("jump", [False, True])
def test_shares_are_of_the_points_of_all_seatings_of_all_tables(jump: bool) -> None:
    rules = preset("zhaifei", players=3, dice=2, faces=3, jump_challenge=jump)
    found = results(rules, 600)
    own, total = dict.fromkeys(("honest", *OTHERS), 0), dict.fromkeys(("honest", *OTHERS), 0)
    least = 0
    for played, pair in zip(found, combinations(OTHERS, 2), strict=True):
        names = ("honest", *pair)
        here = dict.fromkeys(names, 0)
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (1, 0, 2), (0, 2, 1)):
            around = [names[place] for place in order]
            points = play_rounds(seated(rules, *around), rules, 100, 2)
            for name, taken in zip(around, points.sum(axis=0).tolist(), strict=True):
                here[name] += taken
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


def test_four_players_sit_in_every_order() -> None:
    rules = preset("zhaifei", players=4, dice=1, faces=3)
    one, *others = seated(rules, "honest", *OTHERS)
    (found,) = mixed_tables(one, others, 240, seed=5)
    table, own, total = [one, *others], 0, 0
    for order in permutations(range(4)):
        points = play_rounds([table[place] for place in order], rules, 10, 5)
        own += points[:, order.index(0)].sum()
        total += points.sum()
    assert found.shares["honest"].share == pytest.approx(own / total)
    (few,) = mixed_tables(one, others, 40, seed=5)
    assert few.shares["honest"].rounds == 40


def test_those_featured_sit_at_every_table() -> None:
    """One or both of them, with the others in all choices."""
    one, *others = seated(SMALL, "honest", "random", "conservative")
    featured = seated(SMALL, "aggressive", "face-by-face")
    *_, found = mixed_tables(one, others, 120, 2, featured)
    assert found.tables == 5
    sat = {name: share.rounds // 120 for name, share in found.shares.items()}
    expected = {"honest": 5, "aggressive": 3, "face-by-face": 3, "random": 2, "conservative": 2}
    assert sat == expected


def test_the_largest_share_in_a_seat_is_of_one_table() -> None:
    one, *others = seated(SMALL, "honest", "random", "conservative", "aggressive")
    *_, found = mixed_tables(one, others, 600, seed=2)
    shares = {}
    for pair in combinations(OTHERS, 2):
        names = ("honest", *pair)
        own, total = np.zeros(3), np.zeros(3)
        for order in permutations(range(3)):
            points = play_rounds(seated(SMALL, *(names[one] for one in order)), SMALL, 100, 2)
            seat = order.index(0)
            own[seat] += points[:, seat].sum()
            total[seat] += points.sum()
        shares |= {(pair, seat): own[seat] / total[seat] for seat in range(3)}
    others_there, seat = max(shares, key=lambda place: shares[place])
    assert (found.most.others, found.most.seat) == (others_there, seat)
    assert found.most.share.share == pytest.approx(shares[others_there, seat])
    assert found.most.share.rounds == 200


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
