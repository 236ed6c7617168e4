"""Coalitions of two against one, by seat."""

import pytest

from tests.policies.small_policies import random_policy
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.research.coalition import coalitions, solved_game
from zhaifei.policies.research.coalition_search import CoalitionError, Silent, Talking

SMALL = Rules.of(players=3, dice=1, faces=2)


def test_each_seat_is_measured_in_turn() -> None:
    policy, tables = random_policy(SMALL), bid_tables(SMALL)
    steps = list(coalitions(policy, starts=1))
    assert [len(step) for step in steps] == [0, 1, 2, 3]
    for seat, found in enumerate(steps[-1]):
        talked = Talking(tables, policy.table).value(seat).value
        assert found.talking.lower == found.talking.upper == found.silent.lower == talked
        assert found.silent.upper == pytest.approx(Silent(tables, policy.table).value(seat, 1))
        assert talked <= found.silent.upper <= found.alone.upper
    assert sum(one.alone.lower for one in steps[-1]) == pytest.approx(0.0, abs=1e-9)


def test_without_a_search_for_silent_pairs_both_bounds_still_hold() -> None:
    policy = random_policy(SMALL)
    exact, quick = list(coalitions(policy))[-1], list(coalitions(policy, cut=0.2, starts=0))[-1]
    for one, other in zip(exact, quick, strict=True):
        assert other.talking.lower <= one.talking.lower <= other.talking.upper
        assert other.silent.lower <= one.silent.lower <= one.silent.upper <= other.silent.upper
        assert other.silent.upper == other.alone.upper


def test_in_a_solved_game_a_coalition_takes_from_every_seat() -> None:
    game = solved_game(SMALL)
    assert game.dice == 1
    assert abs(game.nash_conv) < 1e-4
    for seat in game.seats:
        assert seat.talking.upper <= seat.silent.upper <= seat.alone.lower - 0.01


def test_coalitions_are_for_three_players() -> None:
    with pytest.raises(CoalitionError, match="for three players"):
        list(coalitions(random_policy(Rules.of(players=4, dice=1, faces=2))))
