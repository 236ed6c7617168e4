"""Positions in addresses, what is known of them, and locks written by a page."""

from dataclasses import replace
from urllib.parse import parse_qsl, quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.small_policies import random_policy
from zhaifei.app.web.explorer import (
    LockQuestion,
    Position,
    explore,
    explore_locked,
    of_players,
    parse_position,
    verify_locks,
    with_lock,
)
from zhaifei.game.bids import (
    Bid,
    action_of,
    challenge_action,
    gives_up_action,
    legal_bids,
    state_after,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import probabilities, with_dice
from zhaifei.game.notation import parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import Believed, Locked, RangeAdvice
from zhaifei.policies.advice.advising import Question, advise_range
from zhaifei.policies.advice.locked import LockAnswer
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.players.locks import Way

FULL = preset("zhaifei")
SMALL = Rules.of(players=2, dice=2, faces=2)
THREE = Rules.of(players=3, dice=1, faces=2)


def position(**said: str) -> Position:
    return parse_position(said)


@st.composite
def position_rules(draw: st.DrawFn) -> Rules:
    """Named rules, or rules with house rules: with 跳开, with doubles, or with neither."""
    players = draw(st.integers(2, 8))
    if draw(st.booleans()):
        return preset("zhaifei", players=players, jump_challenge=draw(st.booleans()))
    house = draw(st.sampled_from([[], ["straight=nothing"], ["giving-up=forbidden"]]))
    name = draw(st.sampled_from(["ktv", "southern", "northern"]))
    if house == ["giving-up=forbidden"] and name == "ktv":
        house = ["doubles=2-4-8", *house]
    return preset(name, players=players, house=house)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    rules = draw(position_rules())
    history: list[Bid] = []
    for _ in range(draw(st.integers(0, 4))):
        raises = legal_bids(rules, *state_after(rules, history))
        if not raises:
            break
        doubles = [bid for bid in raises if bid.doubled]
        history.append(draw(st.sampled_from(doubles or raises) | st.sampled_from(raises)))
    return Position(rules, tuple(history), tuple(draw(st.lists(st.integers(1, 6), max_size=5))))


@given(positions())
def test_an_address_is_read_as_the_position_that_it_was_written_for(one: Position) -> None:
    assert parse_position(dict(parse_qsl(one.address))) == one


def test_what_an_address_looks_like() -> None:
    one = position(players="2", history="f3x6 斋4x3", hand="611")
    assert one.address == "players=2&history=f3x6,z4x3&hand=116"
    assert position().address == "players=2"
    southern = position(rules="southern", history="f3x6 pi redouble")
    assert southern.address == f"rules=southern&players=2&history=f3x6,{quote('劈,反劈', safe=',')}"
    own = position(house="fei-to-zhai=flat,doubles=2", history="f3x6,劈")
    assert own.rules == Rules.of(fei_to_zhai="flat", doubled=(2,))
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
        ({"rules": "classic"}, "must be one of zhaifei, ktv"),
        ({"rules": "../../etc"}, "must be one of zhaifei, ktv"),
        ({"house": "doubles=4-2"}, "ascending stakes"),
        ({"house": "nothing"}, "not a house rule"),
        ({"rules": "southern", "players": "3", "jump": "1"}, "cannot be combined"),
        ({"history": "f3x6,劈"}, "do not let players double"),
        ({"rules": "southern", "history": "f3x6,劈,f4x6"}, "no bid follows a double"),
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


def test_actions_lead_on_by_their_names() -> None:
    bid = position(rules="southern", history="f3x6")
    doubled = bid.after_action("劈")
    assert doubled is not None
    assert doubled == position(rules="southern", history="f3x6,劈")
    assert doubled.mover == 0
    assert doubled.after_action("反劈") == position(rules="southern", history="f3x6,劈,反劈")
    assert bid.after_action("飞4×6") == position(rules="southern", history="f3x6,f4x6")
    assert doubled.after_action("give up") is None
    assert doubled.after_action("challenge") is None


def test_other_numbers_of_players_have_the_same_rules() -> None:
    assert of_players(preset("southern"), 4) == preset("southern", players=4)
    flat = preset("zhaifei", house=["fei-to-zhai=flat"])
    assert of_players(flat, 3) == flat.changed(players=3, first_count=4)
    jumps = preset("zhaifei", players=4, jump_challenge=True, house=["jump-cost=one"])
    assert of_players(jumps, 5) == jumps.changed(players=5, first_count=6)
    assert of_players(jumps, 2) is None


@pytest.fixture(scope="module")
def explored() -> RangeAdvice:
    return explore(random_policy(SMALL), Position(SMALL, parse_history(SMALL, "f3x2")), 0.0)


def test_the_actions_are_those_of_the_range(explored: RangeAdvice) -> None:
    policy = random_policy(SMALL)
    (advice,) = advise_range(policy, Question(history=parse_history(SMALL, "f3x2")))
    assert explored.ranked == advice.ranked
    assert explored.value == advice.value
    assert explored.true == advice.true
    assert sum(one.share for one in explored.actions) == pytest.approx(1.0)


def test_the_range_of_the_other_is_that_of_the_bids(explored: RangeAdvice) -> None:
    policy = random_policy(SMALL)
    (bid,) = policy.actions(parse_history(SMALL, "f3x2"))
    opened = policy.strategy(())[:, bid] * probabilities(SMALL)
    assert explored.others.shape == (1, 3)
    assert explored.others[0] == pytest.approx(opened / opened.sum())


def test_actions_of_hands_that_hold_some_dice(explored: RangeAdvice) -> None:
    chosen = with_dice(SMALL, (2, 2))
    held = explored.among(chosen)
    strategy = dict(zip(explored.names, explored.strategy[2], strict=True))
    assert {one.action: one.share for one in held.actions} == pytest.approx(strategy)
    assert explored.share(chosen) == pytest.approx(explored.weights[2])
    assert held.value == pytest.approx(float(explored.strategy[2] @ explored.values[2]))


def test_hands_that_would_not_have_bid_so_count_as_they_are_dealt(explored: RangeAdvice) -> None:
    without = replace(explored, weights=np.array([1.0, 0.0, 0.0]))
    assert without.share(with_dice(SMALL, (2, 2))) == 0.0
    with_a_2 = without.among(np.array([False, True, True]))
    assert with_a_2.believed is Believed.UNKNOWN
    assert with_a_2.weights == pytest.approx([0.0, 2 / 3, 1 / 3])
    assert sum(one.share for one in with_a_2.actions) == pytest.approx(1.0)


def test_ranges_of_several_players() -> None:
    found = explore(random_policy(THREE), Position(THREE, parse_history(THREE, "f2x2 f3x2")), 0.0)
    assert found.others.shape == (2, 2)
    assert found.others.sum(axis=1) == pytest.approx(1.0)


def test_what_is_kept_of_a_position_needs_no_policy(explored: RangeAdvice) -> None:
    arrays = [value for value in vars(explored).values() if isinstance(value, np.ndarray)]
    assert sum(array.nbytes for array in arrays) < 2_000


# Locks

DOUBLES = SMALL.changed(doubled=(2, 4))


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


DOUBLES = SMALL.changed(doubled=(2, 4))


def test_locks_name_doubles_and_what_answers_them() -> None:
    bid = Position(DOUBLES, parse_history(DOUBLES, "f3x2"))
    doubled = Position(DOUBLES, parse_history(DOUBLES, "f3x2 劈"))
    text = with_lock("", bid, "劈", 50)
    assert text == "- after: 飞3×2\n  mix: {劈: 50%}\n"
    for held, action in (((), "give up"), ((1, 1), "反劈")):
        text = with_lock(text, doubled.holding(*held), action, 100)
    again, gives_up, doubles = parse_locks(DOUBLES, text).locks
    assert gives_up.history == again.history == doubled.history
    assert [*gives_up.actions] == [gives_up_action(DOUBLES)]
    assert [*again.actions] == [action_of(DOUBLES, replace(doubled.history[-1], doubled=2))]
    assert [*doubles.actions] == [action_of(DOUBLES, doubled.history[-1])]
    with pytest.raises(ZhaifeiError, match="not legal after"):
        with_lock("", doubled, "飞4×2", 100)
    with pytest.raises(ZhaifeiError, match="do not let"):
        verify_locks(SMALL, text)


def test_a_locked_double_is_answered() -> None:
    """Every die counts towards the bid, so whoever doubled it with any hand has lost 2 points, 4
    if the bidder doubles again and the other shows, and 1 if the other gives up."""
    policy = random_policy(DOUBLES)
    doubled = parse_history(DOUBLES, "f3x2 劈")
    again = (*doubled, replace(doubled[-1], doubled=2))
    text = with_lock("", Position(DOUBLES, doubled[:1]), "劈", 100)
    found = explore_locked(policy, LockQuestion(Position(DOUBLES, doubled, (1, 1)), text))
    shows = probabilities(DOUBLES) @ policy.strategy(again)[:, challenge_action(DOUBLES)]
    values = {one.action: one.value for one in found.actions}
    assert found.p_true == 1.0
    assert isinstance(found.ground, Locked)
    assert found.ground.lines == (1,)
    assert values == pytest.approx(
        {"反劈": 4.0 * shows + 1.0 - shows, "challenge": 2.0, "give up": -1.0}
    )


def test_an_answer_to_locks() -> None:
    policy = random_policy(SMALL)
    text = with_lock("", Position(SMALL), "飞3×2", 100)
    facing = Position(SMALL, parse_history(SMALL, "f3x2"))
    asked = LockQuestion(facing.holding(1, 1), text, LockAnswer.BEST_RESPONSE)
    found = explore_locked(policy, asked)
    assert isinstance(found.ground, Locked)
    assert found.ground.lines == (1,)
    with pytest.raises(ZhaifeiError, match="tap all its dice"):
        explore_locked(policy, LockQuestion(facing.holding(1), text))
