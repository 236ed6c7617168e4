"""Advice against plain enumerations of hands, histories and play."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from small_policies import History, Naive, histories, legal_actions, random_policy

from game.bids import Bid, IllegalBid, can_bid, legal_bids
from game.hands import Hand, IllegalHand, hands, probabilities
from game.notation import CHALLENGE, format_action
from game.rules import Mode, Rules, preset
from policies import advice as module
from policies.advice import Advice, Adviser, openings

VARIANTS = {
    "both modes": Rules(dice=1, faces=2),
    "two dice": preset("basic", dice=2, faces=3),
    "liar's dice": preset("liars_dice", faces=3),
}
any_variant = pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
Weights = Mapping[tuple[History, Hand], float]
"""How likely each history and hand of the opponent is."""


def bidder(history: History) -> int:
    """The seat of who bid last."""
    return (len(history) + 1) % 2


def check(advice: Advice, naive: Naive, own: Hand, weights: Weights) -> None:
    """Compares all numbers with averages over `weights`."""
    rules, total = naive.rules, sum(weights.values())

    def mean(of: Callable[[History, Hand], float]) -> float:
        return sum(weight * of(*case) for case, weight in weights.items()) / total

    some = next(iter(weights))[0]
    if some:
        p_true = mean(lambda history, other: naive.is_true(history[-1], own, other))
        assert advice.p_true == pytest.approx(p_true, abs=1e-6)
    else:
        assert advice.p_true is None
    actions = legal_actions(rules, some)
    assert [each.action for each in advice.actions] == [format_action(rules, a) for a in actions]
    for action, each in zip(actions, advice.actions, strict=True):
        played = mean(lambda history, _, a=action: naive.plays(own, history, a))
        assert each.probability == pytest.approx(played, abs=1e-6)
        value = mean(lambda history, other, a=action: naive.earns(history, own, other, a))
        assert abs(each.value - value) <= each.value_error + 1e-5
        assert each.value_error < 0.05


@any_variant
def test_advice_after_any_history_is_what_bayes_says(rules: Rules) -> None:
    naive = Naive(random_policy(rules))
    adviser = Adviser(naive.policy)
    for history in histories(rules):
        for own in hands(rules):
            weights = {
                (history, other): naive.prior(other) * naive.bids(other, history, bidder(history))
                for other in hands(rules)
            }
            advice = adviser.advise(own, history)
            assert advice.on_path
            assert not advice.earlier_unknown
            assert (advice.hand, advice.history) == (own, history)
            check(advice, naive, own, weights)


@any_variant
def test_the_opponents_range_is_what_bayes_says(rules: Rules) -> None:
    naive = Naive(random_policy(rules))
    adviser = Adviser(naive.policy)
    for history in histories(rules):
        weights = [
            naive.prior(hand) * naive.bids(hand, history, bidder(history)) for hand in hands(rules)
        ]
        range_, on_path = adviser.opponent_range(history)
        assert on_path
        np.testing.assert_allclose(range_, np.array(weights) / sum(weights), rtol=1e-6)


@any_variant
def test_unknown_earlier_bids_are_averaged_over(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all histories that end in the bid, in either seat, as likely as both play them."""
    monkeypatch.setattr(module, "_HISTORY_CUT", 1e-12)
    monkeypatch.setattr(module, "_MOST_HISTORIES", 10_000)
    naive = Naive(random_policy(rules))
    adviser = Adviser(naive.policy)
    for bid in {history[-1] for history in histories(rules) if history}:
        for own in hands(rules):
            weights = {
                (history, other): naive.prior(other)
                * naive.bids(other, history, bidder(history))
                * naive.bids(own, history, 1 - bidder(history))
                for history in histories(rules)
                if history[-1:] == (bid,)
                for other in hands(rules)
            }
            advice = adviser.advise_on_last(own, bid)
            assert advice.earlier_unknown
            assert advice.history == (bid,)
            check(advice, naive, own, weights)


def test_leaving_out_unlikely_histories_hardly_matters() -> None:
    naive = Naive(random_policy(VARIANTS["both modes"]))
    adviser = Adviser(naive.policy)
    bid, own = Bid(Mode.ZHAI, 2, 2), (1,)
    weights = {
        history: naive.bids(own, history, 1 - bidder(history))
        * sum(
            naive.prior(other) * naive.bids(other, history, bidder(history))
            for other in hands(naive.rules)
        )
        / 2
        for history in histories(naive.rules)
        if history[-1:] == (bid,)
    }
    total = sum(weights.values())
    left_out = sum(weight for weight in weights.values() if weight < 1e-3) / total
    assert 0 < left_out < 0.1
    exact = sum(
        weight / total * (adviser.advise(own, history).p_true or 0.0)
        for history, weight in weights.items()
    )
    p_true = adviser.advise_on_last(own, bid).p_true
    assert p_true == pytest.approx(exact, abs=left_out)


def test_after_a_bid_that_the_policy_never_makes_the_opponent_may_hold_anything() -> None:
    rules = VARIANTS["both modes"]
    never = legal_bids(rules, None)[1]
    naive = Naive(random_policy(rules, never=never))
    adviser = Adviser(naive.policy)
    range_, on_path = adviser.opponent_range((never,))
    assert not on_path
    np.testing.assert_array_equal(range_, probabilities(rules))
    for own in hands(rules):
        advice = adviser.advise(own, (never,))
        assert not advice.on_path
        check(advice, naive, own, {((never,), h): naive.prior(h) for h in hands(rules)})


def test_a_player_who_does_not_bid_like_the_policy_is_told() -> None:
    rules = VARIANTS["two dice"]
    opening = legal_bids(rules, None)
    policy = random_policy(rules, never=opening[0])
    adviser = Adviser(policy)
    reply, other_reply = (legal_bids(rules, bid)[0] for bid in opening[:2])
    for own in hands(rules):
        assert not adviser.advise(own, (opening[0], reply)).own_on_path
        # Random policies make every other bid with every hand.
        assert adviser.advise(own, (opening[1], other_reply)).own_on_path
        # What the opponent never does is another matter.
        assert adviser.advise(own, (opening[0],)).own_on_path
        assert adviser.advise(own, ()).own_on_path


def test_a_last_bid_that_play_never_comes_to_is_challenged() -> None:
    rules = VARIANTS["two dice"]
    never = legal_bids(rules, None)[0]
    naive = Naive(random_policy(rules, never=never))
    for own in hands(rules):
        advice = Adviser(naive.policy).advise_on_last(own, never)
        assert not advice.on_path
        assert advice.earlier_unknown
        played = {each.action: each.probability for each in advice.actions}
        assert played.pop(CHALLENGE) == 1.0
        assert set(played.values()) == {0.0}
        p_true = sum(naive.prior(h) * naive.is_true(never, own, h) for h in hands(rules))
        assert advice.p_true == pytest.approx(p_true)


def test_openings_are_sorted_by_how_often_all_hands_make_them() -> None:
    naive = Naive(random_policy(VARIANTS["two dice"]))
    found = openings(naive.policy)
    assert [share for _, share in found] == sorted((share for _, share in found), reverse=True)
    assert sum(share for _, share in found) == pytest.approx(1.0)
    for bid, share in found:
        expected = sum(
            naive.prior(hand) * naive.bids(hand, (bid,), 0) for hand in hands(naive.rules)
        )
        assert share == pytest.approx(expected)


def test_what_is_no_hand_or_no_history_is_refused() -> None:
    rules = VARIANTS["two dice"]
    adviser = Adviser(random_policy(rules))
    bids = legal_bids(rules, None)
    with pytest.raises(IllegalHand, match="has 3 dice"):
        adviser.advise((1, 1, 1), ())
    with pytest.raises(IllegalBid, match="is not stronger than"):
        adviser.advise((1, 1), (bids[1], bids[0]))
    weak = Bid(Mode.FEI, 1, 2)
    assert not can_bid(rules, weak, None)
    with pytest.raises(IllegalBid, match="can never be made"):
        adviser.advise_on_last((1, 1), weak)


def test_facing_the_strongest_bid_there_is_only_the_challenge() -> None:
    rules = VARIANTS["both modes"]
    strongest = legal_bids(rules, None)[-1]
    advice = Adviser(random_policy(rules)).advise((1,), (strongest,))
    assert [(each.action, each.probability) for each in advice.actions] == [(CHALLENGE, 1.0)]
