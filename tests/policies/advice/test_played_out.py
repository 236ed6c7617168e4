"""Advice for several players, whose values are those of rounds that were played out."""

from dataclasses import replace

import numpy as np
import pytest

from tests.policies.advice.test_advice_agrees import agrees
from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import histories
from zhaifei.game.bids import Bid, action_of, mover_of
from zhaifei.game.hands import Hand, hand_index, hands
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import Advice, PlayedOut, RangeAdvice
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.played_out import LEAST_SHARE, RANGE_ROUNDS
from zhaifei.policies.players import playing_out
from zhaifei.policies.players.intervals import DEVIATIONS, margin_of
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rollouts import STEPS, Rollouts

each = pytest.mark.parametrize("rules", VARIANTS, ids=str)


def questions(policy: ReadingPolicy, number: int) -> list[tuple[Hand, tuple[Bid, ...]]]:
    """Some hands after some histories, the beginning of a round among them."""
    asked = [(hand, history) for history in histories(policy.rules) for hand in hands(policy.rules)]
    return asked[:: max(1, len(asked) // number)]


def actions_of(rules: Rules, advice: Advice) -> list[int]:
    last = advice.history[-1] if advice.history else None
    return [parse_action(rules, one.action, last) for one in advice.actions]


@each
def test_values_and_intervals_are_those_of_the_rounds(rules: Rules) -> None:
    policy = policy_for(rules)
    adviser, rollouts = Adviser(policy), Rollouts(policy)
    for hand, history in questions(policy, 8):
        advice = adviser.advise(hand, history)
        rounds, most = STEPS[-1]
        assert advice.ground == PlayedOut(rounds)
        bids = [action_of(rules, bid) for bid in history]
        actions = actions_of(rules, advice)
        earned = rollouts.earned(hand_index(rules, hand), bids, actions, rounds)
        clear = [one.value_error <= 1.0 for one in advice.actions]
        assert sum(clear) == min(most, len(actions))
        for one, found, is_clear in zip(advice.actions, earned, clear, strict=True):
            if is_clear:
                assert one.value == pytest.approx(found.mean())
                sampling = DEVIATIONS * found.std(ddof=1) / rounds**0.5
                assert sampling <= one.value_error <= sampling + 0.01


@each
def test_no_action_surely_beats_the_one_that_is_advised(rules: Rules) -> None:
    policy = policy_for(rules)
    adviser, overruled = Adviser(policy), []
    for hand, history in questions(policy, 25):
        at_once, *others = adviser.refine(hand, history)
        assert len(others) == len(STEPS)
        for advice in others:
            assert agrees(advice), (hand, history)
            assert sum(one.probability for one in advice.actions) == pytest.approx(1.0)
            usual = policy.strategy(history)[hand_index(rules, hand)].argmax()
            kept = dict(zip(actions_of(rules, advice), advice.actions, strict=True))
            assert advice.overruled == (kept[int(usual)].probability == 0.0)
            overruled.append(advice.overruled)
        same = replace(others[-1], actions=(), ground=at_once.ground, overruled=at_once.overruled)
        assert same == replace(at_once, actions=())
    assert {*overruled} == {False, True}  # a random table is often wrong


def test_equal_questions_get_equal_answers() -> None:
    policy = policy_for(VARIANTS[0])
    for hand, history in questions(policy, 5):
        one, other = (Adviser(policy).advise(hand, history) for _ in range(2))
        assert one == other


def test_intervals_hold_the_value_as_often_as_they_claim() -> None:
    policy = policy_for(VARIANTS[2])
    rules, holds = policy.rules, []
    for hand, history in questions(policy, 60):
        place, bids = hand_index(rules, hand), [action_of(rules, bid) for bid in history]
        actions = actions_of(rules, next(Adviser(policy).refine(hand, history)))[:2]
        earned = Rollouts(policy).earned(place, bids, actions, 256)
        judged = Rollouts(policy, playing_out.SEED + 1).earned(place, bids, actions, 20_000)
        margins = np.hypot(margin_of(earned), margin_of(judged))
        holds += (abs(earned.mean(axis=1) - judged.mean(axis=1)) <= margins + 1e-12).tolist()
    # Actions of a question share their rounds: half of the intervals count as independent.
    spread = 4.0 * (0.95 * 0.05 / (len(holds) / 2)) ** 0.5
    assert np.mean(holds) >= 0.95 - spread


# Ranges


def ranges(policy: ReadingPolicy) -> list[tuple[tuple[Bid, ...], list[RangeAdvice]]]:
    """Some histories, and the answers for the range after each."""
    adviser, every = Adviser(policy), histories(policy.rules)
    return [(one, [*adviser.refine_range(one)]) for one in [(), *every[2 :: len(every) // 4]]]


@each
def test_a_range_earns_what_its_hands_earn_with_what_they_do(rules: Rules) -> None:
    policy = policy_for(rules)
    judge, off = Rollouts(policy, playing_out.SEED + 1), []
    for history, (at_once, *played_out) in ranges(policy):
        assert [one.ground for one in played_out] == [PlayedOut(one) for one in RANGE_ROUNDS]
        assert at_once.played is None
        bids, found = [action_of(rules, bid) for bid in history], played_out[-1]
        np.testing.assert_array_equal(found.strategy, at_once.strategy)
        total, taken = 0.0, at_once.weights[:, np.newaxis] * at_once.strategy
        for place, action in enumerate(found.actions):
            assert action.share == pytest.approx(taken[:, place].sum())
            assert (action.value is None) == (action.share < LEAST_SHARE)
            assert not action.is_clear
            if action.value is not None and action.value_error is not None:
                its = [int(found.legal[place])]
                means = [
                    judge.earned(hand, bids, its, 4000).mean() if one else 0.0
                    for hand, one in enumerate(taken[:, place])
                ]
                expected = taken[:, place] @ means / action.share
                off.append((action.value - expected) / max(action.value_error, 1e-9))
                total += action.share * action.value
        shares = sum(one.share for one in found.actions if one.value is not None)
        assert found.value == pytest.approx(total / shares)
    assert np.mean(np.abs(off) <= 1.1) >= 0.9  # the judged values are off, too
    assert np.mean(off) == pytest.approx(0.0, abs=4.0 / DEVIATIONS / len(off) ** 0.5)


def test_chosen_hands_earn_what_they_did_in_the_rounds() -> None:
    rules = VARIANTS[0]
    for _, (*_, found) in ranges(policy_for(rules)):
        chosen = np.arange(found.weights.size) % 3 == 0
        among = found.among(chosen)
        assert found.played is not None
        for place, own, earned in zip(*found.played, strict=True):
            its = earned[chosen[own] & (among.weights[own] > 0.0)]
            value = among.actions[place].value
            if its.size > 1:
                assert value == pytest.approx(its.mean())
            else:
                assert value is None


@each
def test_a_hand_is_told_what_it_is_told_alone(rules: Rules) -> None:
    policy = policy_for(rules)
    adviser = Adviser(policy)
    for history, (*_, found) in ranges(policy):
        for place in (0, len(hands(rules)) - 1):
            alone = adviser.advise(hands(rules)[place], history)
            told = found.told(alone)
            one = told.among(np.arange(told.weights.size) == place)
            assert one.row(place) == alone
            assert (one.ground, one.overruled) == (alone.ground, alone.overruled)
            for action, its in zip(one.actions, alone.actions, strict=True):
                assert action.share == pytest.approx(its.probability)
                if its.probability:
                    assert action.value == pytest.approx(its.value)
                    assert action.value_error == pytest.approx(its.value_error)
            assert told.is_alone == (found.weights[place] == 1.0)
            assert told.is_alone or told.ground == found.ground


def test_equal_questions_about_ranges_get_equal_answers() -> None:
    policy = policy_for(VARIANTS[1])
    for (_, (*_, one)), (_, (*_, other)) in zip(ranges(policy), ranges(policy), strict=True):
        assert one.actions == other.actions


def test_utilities_add_up_to_nothing() -> None:
    policy = policy_for(VARIANTS[1])
    playing = playing_out.PlayingOut(policy)
    played = playing.play(playing.deal([0], (), 100), (), [0, 1])
    players = policy.rules.players
    total = sum(played.utilities(player, players) for player in range(players))
    np.testing.assert_allclose(total, 0.0, atol=1e-12)
    assert mover_of(policy.rules, ()) == 0
