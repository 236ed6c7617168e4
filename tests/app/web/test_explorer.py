"""Positions in addresses, what is known of them, and locks written by a page."""

from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.small_policies import random_policy
from zhaifei.app.web.explorer import (
    Explored,
    LockQuestion,
    Position,
    explore,
    explore_locked,
    parse_position,
    verify_locks,
    with_lock,
)
from zhaifei.game.bids import Bid, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import probabilities
from zhaifei.game.notation import parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.measure.locked_advice import LockAnswer
from zhaifei.policies.measure.range_advice import refined_range
from zhaifei.policies.players.locks import Way

FULL = preset("zhaifei")
SMALL = Rules.of(players=2, dice=2, faces=2)
THREE = Rules.of(players=3, dice=1, faces=2)


def position(**said: str) -> Position:
    return parse_position(said)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    players = draw(st.integers(2, 8))
    rules = preset("zhaifei", players=players, jump_challenge=draw(st.booleans()))
    history: list[Bid] = []
    for _ in range(draw(st.integers(0, 4))):
        raises = legal_bids(rules, history[-1] if history else None)
        if not raises:
            break
        history.append(draw(st.sampled_from(raises)))
    return Position(rules, tuple(history), tuple(draw(st.lists(st.integers(1, 6), max_size=5))))


@given(positions())
def test_an_address_is_read_as_the_position_that_it_was_written_for(one: Position) -> None:
    assert parse_position(dict(parse_qsl(one.address))) == one


def test_what_an_address_looks_like() -> None:
    one = position(players="2", history="f3x6 斋4x3", hand="611")
    assert one.address == "players=2&history=f3x6,z4x3&hand=116"
    assert position().address == "players=2"
    assert one.mover == 0
    assert one.hand is None
    assert one.holding(1, 1, 3, 4, 6).hand == (1, 1, 3, 4, 6)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"players": "1"}, "players is 1"),
        ({"players": "9"}, "players is 9"),
        ({"players": "<script>"}, "must be a number"),
        ({"players": "²"}, "must be a number"),
        ({"players": "9" * 5000}, "too long|must be a number"),
        ({"jump": "yes"}, "must be 0 or 1"),
        ({"history": "f3x6,f3x5"}, "not stronger"),
        ({"history": "f1x6"}, "may not open"),
        ({"history": "DROP TABLE"}, "cannot read"),
        ({"history": "f3x6," * 100_000}, "too long"),
        ({"hand": "117"}, "shows a 7"),
        ({"hand": "111111"}, "at most 5"),
        ({"hand": "../../etc"}, "no dice"),
        ({"hand": "١١"}, "no dice"),
        ({"token": "x" * 1_000_000}, "too long"),
    ],
)
def test_a_hostile_address_is_refused_kindly(said: dict[str, str], why: str) -> None:
    with pytest.raises(ZhaifeiError, match=why) as refused:
        parse_position(said)
    assert len(str(refused.value)) < 500


def test_going_on_and_back() -> None:
    start = position(hand="116")
    bid = Bid(Mode.FEI, 3, 6)
    after = start.after(bid)
    assert (after.history, after.held, after.mover) == ((bid,), (), 1)
    assert after.back(0).history == ()
    assert after.holding(1).back(1).held == (1,)
    assert after.holding(1).back(0).held == ()
    with pytest.raises(ZhaifeiError, match="not stronger"):
        after.after(bid)


@pytest.fixture(scope="module")
def explored() -> Explored:
    return explore(random_policy(SMALL), Position(SMALL, parse_history(SMALL, "f3x2")), 0.0)


def test_the_actions_are_those_of_the_range(explored: Explored) -> None:
    policy = random_policy(SMALL)
    (advice,) = refined_range(policy, None, parse_history(SMALL, "f3x2"), seconds=0.0)
    assert explored.actions() == tuple(advice.ranked)
    assert explored.value() == pytest.approx(advice.value)
    assert dict(explored.chances()) == pytest.approx(dict(advice.true))
    assert sum(one.share for one in explored.actions()) == pytest.approx(1.0)


def test_the_range_of_the_other_is_that_of_the_bids(explored: Explored) -> None:
    policy = random_policy(SMALL)
    (bid,) = policy.actions(parse_history(SMALL, "f3x2"))
    opened = policy.strategy(())[:, bid] * probabilities(SMALL)
    assert explored.ranges.shape == (2, 3)
    assert explored.ranges[1] == pytest.approx(opened / opened.sum())


def test_actions_of_hands_that_hold_some_dice(explored: Explored) -> None:
    held = explored.actions((2, 2))
    strategy = dict(zip(explored.names, explored.strategy[2], strict=True))
    assert {one.action: one.share for one in held} == pytest.approx(strategy)
    assert explored.share((2, 2)) == pytest.approx(explored.ranges[0][2])
    assert explored.value((2, 2)) == pytest.approx(float(explored.strategy[2] @ explored.values[2]))
    assert explored.taking("challenge") == pytest.approx(explored.strategy[:, -1])


def test_hands_that_would_not_have_bid_so_count_as_they_are_dealt(explored: Explored) -> None:
    ranges = explored.ranges.copy()
    ranges[0] = [1.0, 0.0, 0.0]
    without = replace(explored, ranges=ranges)
    assert without.weights((2, 2)) is None
    assert without.share((2, 2)) == 0.0
    assert sum(one.share for one in without.actions((2, 2))) == pytest.approx(1.0)


def test_ranges_of_several_players() -> None:
    found = explore(random_policy(THREE), Position(THREE, parse_history(THREE, "f2x2 f3x2")), 0.0)
    assert found.ranges.shape == (3, 2)
    assert found.ranges.sum(axis=1) == pytest.approx(1.0)


def test_what_is_kept_of_a_position_needs_no_policy(explored: Explored) -> None:
    arrays = [value for value in vars(explored).values() if isinstance(value, np.ndarray)]
    assert sum(array.nbytes for array in arrays) < 2_000


# Locks


def test_a_lock_that_is_added_counts_first() -> None:
    one = with_lock("", position(), "飞3×6", 100)
    assert one == "- after: start\n  play: {飞3×6: 1}\n"
    two = with_lock(one, position(hand="66"), "飞4×6", 50)
    first, second = parse_locks(FULL, two).locks
    assert first.way is Way.MIX
    assert list(first.actions.values()) == [0.5]
    assert len(first.hands) == 56
    assert len(second.hands) == 252


def test_a_lock_of_hands_with_several_faces_names_them() -> None:
    (lock,) = parse_locks(FULL, with_lock("", position(hand="1166"), "飞3×6", 100)).locks
    assert len(lock.hands) == 6
    later = with_lock("", position(history="f3x6"), "challenge", 100)
    assert parse_locks(FULL, later).locks[0].history == parse_history(FULL, "f3x6")


def test_locks_that_cannot_be_are_refused() -> None:
    with pytest.raises(ZhaifeiError, match="never counts"):
        with_lock(with_lock("", position(hand="6"), "飞3×6", 100), position(), "飞3×6", 100)
    with pytest.raises(ZhaifeiError, match="too many"):
        verify_locks(FULL, "#" * 20_000)


def test_an_answer_to_locks() -> None:
    policy = random_policy(SMALL)
    text = with_lock("", Position(SMALL), "飞3×2", 100)
    facing = Position(SMALL, parse_history(SMALL, "f3x2"))
    asked = LockQuestion(facing.holding(1, 1), text, LockAnswer.BEST_RESPONSE)
    found = explore_locked(policy, asked)
    assert found.locked is not None
    assert found.locked.lines == (1,)
    with pytest.raises(ZhaifeiError, match="tap all its dice"):
        explore_locked(policy, LockQuestion(facing.holding(1), text))
