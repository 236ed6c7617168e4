"""Seatings, and statistics that agree with a computation deal by deal."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from zhaifei.policies.measure.comparison import Comparison, matchups, seatings


def test_at_tables_of_two_every_pair_meets() -> None:
    assert matchups(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert seatings((0, 2)) == [(0, 2), (2, 0)]


def test_at_larger_tables_every_combination_meets() -> None:
    assert matchups(4, 3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert matchups(3, 3) == [(0, 1, 2)]


def test_too_few_players_for_a_table_sit_alone_among_copies() -> None:
    assert matchups(2, 3) == [(0, 1, 1), (1, 0, 0)]
    assert matchups(3, 5)[:2] == [(0, 1, 1, 1, 1), (0, 2, 2, 2, 2)]
    assert len(matchups(3, 5)) == 6
    assert sorted(seatings((0, 1, 1))) == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]


def test_three_sit_in_every_order() -> None:
    assert sorted(seatings((0, 1, 2))) == sorted(permutations(range(3)))


@pytest.mark.parametrize("seats", range(2, 9))
def test_everybody_sits_as_often_in_each_seat_and_before_anybody_as_after(seats: int) -> None:
    orders = seatings(tuple(range(seats)))
    taken = Counter((seat, one) for order in orders for seat, one in enumerate(order))
    assert set(taken.values()) == {len(orders) // seats}
    next_to = Counter((order[seat - 1], order[seat]) for order in orders for seat in range(seats))
    assert all(next_to[one, other] == next_to[other, one] for one, other in next_to)


# Statistics over deals


def test_deals_in_batches_give_the_statistics_of_single_deals() -> None:
    """With three players at tables of two, random scores and random decisive results."""
    plan = [seatings(table) for table in matchups(3, 2)]
    random, held = np.random.default_rng(0), np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]])
    deals = 40
    score = random.normal(size=(3, deals, 3)) * held[:, np.newaxis]
    decided = random.integers(0, 3, size=(3, deals, 3)) * held[:, np.newaxis] * 1.0
    found = Comparison(plan, 3)
    for part in (slice(0, 15), slice(15, 16), slice(16, 40)):
        size = score[:, part].shape[1]
        found.add(size, zip(score[:, part], decided[:, part], strict=True))
    assert (found.deals, found.per_deal, found.seats.tolist()) == (40, 6, [4, 4, 4])
    np.testing.assert_array_equal(found.held, held)
    mean, margin = found.better()
    for table, (row, column) in enumerate([(0, 1), (0, 2), (1, 2)]):
        sampled = score[table, :, row] - score[table, :, column]
        assert mean[row, column] == pytest.approx(sampled.mean())
        assert mean[column, row] == pytest.approx(-sampled.mean())
        expected = 1.959964 * sampled.std(ddof=1) / np.sqrt(deals)
        assert margin[row, column] == pytest.approx(expected, rel=1e-6)
    here, margin = found.decided_by_table()
    np.testing.assert_allclose(here, decided.mean(axis=1))
    expected = 1.959964 * decided.std(axis=1, ddof=1) / np.sqrt(deals)
    np.testing.assert_allclose(margin, expected, rtol=1e-6)
    covariance = np.cov(decided.sum(axis=0).T, ddof=1) * deals
    np.testing.assert_allclose(found.covariance(), covariance)


def test_players_who_share_several_tables_are_compared_at_all_of_them() -> None:
    plan = [seatings(table) for table in matchups(4, 3)]
    found = Comparison(plan, 4)
    score = np.array([[[1, 3, 0, 0.0]], [[2, 8, 0, 0]], [[9, 0, 0, 0]], [[0, 9, 0, 0]]])
    for _ in range(2):
        found.add(1, zip(score, np.zeros((4, 1, 4)), strict=True))
    mean, margin = found.better()
    assert mean[0, 1] == pytest.approx(((1 - 3) + (2 - 8)) / 2)  # at the first two tables
    assert margin[0, 1] == 0.0
