"""Intervals of what best responses earn."""

import pytest

from zhaifei.solver.bounds import BestResponse, Bounds


@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_exploitability_is_the_mean_over_all_seats(players: int) -> None:
    seats = tuple(Bounds(0.1 * seat, 0.1 * seat + 0.01) for seat in range(players))
    result = BestResponse(seats, nodes=1, seconds=0.0)
    lower = sum(0.1 * seat for seat in range(players))
    assert tuple(vars(result.nash_conv).values()) == pytest.approx((lower, lower + 0.01 * players))
    mean = result.exploitability
    assert (mean.lower, mean.upper) == pytest.approx((lower / players, lower / players + 0.01))
    assert result.gap == pytest.approx(0.01)
    assert not result.exact
