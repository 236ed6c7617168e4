"""Advice agrees with brute-force enumeration of hands, histories and continuations."""

from collections.abc import Callable, Mapping
from itertools import product
from math import prod

import numpy as np
import pytest

from tests.policies.small_policies import (
    History,
    Naive,
    histories,
    legal_actions,
    mover,
    random_policy,
)
from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    action_count,
    action_of,
    can_bid,
    challengeable,
    legal_bids,
)
from zhaifei.game.hands import Hand, IllegalHand, hands, probabilities
from zhaifei.game.notation import CHALLENGE, format_action, parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice import beliefs as module
from zhaifei.policies.advice.advice import Advice, Source
from zhaifei.policies.advice.advising import Adviser, Question
from zhaifei.solver.value.expected_value import expected_values, table_strategies

VARIANTS = {
    "both modes": Rules.of(dice=1, faces=2),
    "two dice": preset("basic", dice=2, faces=3),
    "liar's dice": preset("liars_dice", faces=3),
    "3 players": preset("basic", players=3, dice=1, faces=3),
    "3 players, jump": preset("liars_dice", players=3, faces=2, jump_challenge=True),
    "4 players, jump": preset("basic", players=4, dice=1, faces=2, jump_challenge=True),
    "doubled": preset("basic", dice=1, faces=3).changed(doubled=(2, 4)),
    "3 players, doubled": preset("basic", players=3, dice=1, faces=2).changed(doubled=(2, 4)),
}
any_variant = pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)
Others = tuple[Hand, ...]
"""The hands of the other players, in the order of their turns."""
Weights = Mapping[tuple[History, Others], float]
"""How likely each history is with each hands of the others."""


def all_others(rules: Rules) -> list[Others]:
    return list(product(hands(rules), repeat=rules.players - 1))


def seats_of_others(rules: Rules, history: History) -> list[int]:
    """Return the other players' seats in the order of their turns."""
    return [(mover(rules, history) + place) % rules.players for place in range(1, rules.players)]


def by_seat(rules: Rules, history: History, own: Hand, others: Others) -> tuple[Hand, ...]:
    dealt = dict(zip(seats_of_others(rules, history), others, strict=True))
    return tuple(dealt.get(seat, own) for seat in range(rules.players))


def likelihood(naive: Naive, history: History, others: Others) -> float:
    """Return the probability that the others hold these hands and bid as they did."""
    seats = seats_of_others(naive.rules, history)
    return naive.prior(*others) * prod(
        naive.bids(hand, history, seat) for hand, seat in zip(others, seats, strict=True)
    )


def check(advice: Advice, naive: Naive, own: Hand, weights: Weights) -> None:
    """Compare all figures of `advice` with averages over `weights`."""
    rules = naive.rules

    def mean(of: Callable[[History, Others], float], where: Callable[[History], bool]) -> float:
        cases = {case: weight for case, weight in weights.items() if where(case[0])}
        return sum(w * of(*case) for case, w in cases.items()) / sum(cases.values())

    longest = max((history for history, _ in weights), key=len)
    known = 1 if advice.earlier_unknown else len(longest)
    said = [chance for _, chance in advice.true]
    assert len(said) == len(challengeable(rules, known if longest else 0))
    for distance, p_true in enumerate(said, start=1):
        right = mean(
            lambda history, others, d=distance: naive.is_true(history[-d], own, *others),
            lambda _: True,
        )
        assert p_true == pytest.approx(right, abs=1e-6)
    actions = legal_actions(rules, longest)
    assert [each.action for each in advice.actions] == [format_action(rules, a) for a in actions]
    for action, each in zip(actions, advice.actions, strict=True):
        played = mean(lambda history, _, a=action: naive.plays(own, history, a), lambda _: True)
        assert each.probability == pytest.approx(played, abs=1e-6)
        value = mean(
            lambda history, others, a=action: naive.earns(
                history, by_seat(rules, history, own, others), a
            )[mover(rules, history)],
            lambda history, a=action: a in legal_actions(rules, history),
        )
        assert abs(each.value - value) <= each.value_error + 1e-5
        assert each.value_error < 0.05


@any_variant
def test_advice_after_any_history_follows_bayes_rule(rules: Rules) -> None:
    naive = Naive(random_policy(rules))
    adviser = Adviser(naive.policy)
    for history in histories(rules):
        for own in hands(rules):
            weights = {
                (history, others): likelihood(naive, history, others)
                for others in all_others(rules)
            }
            advice = adviser.advise(own, history)
            assert advice.ground is Source.POLICY
            assert not advice.earlier_unknown
            assert (advice.hand, advice.history) == (own, history)
            check(advice, naive, own, weights)


@any_variant
def test_ranges_follow_bayes_rule(rules: Rules) -> None:
    naive = Naive(random_policy(rules))
    adviser = Adviser(naive.policy)
    for history in histories(rules):
        found = adviser.beliefs.followed(history)
        assert found.ground is Source.POLICY
        for range_, seat in zip(found.ranges, seats_of_others(rules, history), strict=True):
            weights = [naive.prior(hand) * naive.bids(hand, history, seat) for hand in hands(rules)]
            np.testing.assert_allclose(range_, np.array(weights) / sum(weights), rtol=1e-6)


@any_variant
def test_unknown_earlier_bids_are_averaged_over(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all histories that end in the bid, in any seat, weighted by their probability."""
    monkeypatch.setattr(module, "_HISTORY_CUT", 1e-12)
    monkeypatch.setattr(module, "_MOST_HISTORIES", 10_000)
    naive = Naive(random_policy(rules))
    adviser = Adviser(naive.policy)
    for bid in {history[-1] for history in histories(rules) if history}:
        for own in hands(rules):
            weights = {
                (history, others): likelihood(naive, history, others)
                * naive.bids(own, history, mover(rules, history))
                for history in histories(rules)
                if history[-1:] == (bid,)
                for others in all_others(rules)
            }
            advice = adviser.advise_on_last(own, bid)
            assert advice.earlier_unknown
            assert advice.history == (bid,)
            check(advice, naive, own, weights)


def test_ignoring_improbable_histories_changes_little() -> None:
    naive = Naive(random_policy(VARIANTS["both modes"]))
    adviser = Adviser(naive.policy)
    bid, own = Bid(Mode.ZHAI, 2, 2), (1,)
    weights = {
        history: naive.bids(own, history, len(history) % 2)
        * sum(likelihood(naive, history, others) for others in all_others(naive.rules))
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


def test_after_a_bid_that_the_policy_never_makes_the_range_is_the_prior() -> None:
    rules = VARIANTS["both modes"]
    never = legal_bids(rules, None)[1]
    naive = Naive(random_policy(rules, never=never))
    adviser = Adviser(naive.policy)
    found = adviser.beliefs.followed((never,))
    assert found.ground is Source.UNREACHED
    np.testing.assert_array_equal(found.ranges, [probabilities(rules)])
    for own in hands(rules):
        advice = adviser.advise(own, (never,))
        assert advice.ground is Source.UNREACHED
        check(advice, naive, own, {((never,), (h,)): naive.prior(h) for h in hands(rules)})


def test_only_a_player_who_bids_unlike_the_policy_has_the_prior_as_range() -> None:
    rules = VARIANTS["3 players"]
    usual, never, reply = legal_bids(rules, None)[:3]
    naive = Naive(random_policy(rules, never=never))
    adviser = Adviser(naive.policy)
    for history in ((usual, never), (never, reply)):
        found = adviser.beliefs.followed(history)
        assert found.ground is Source.UNREACHED
        for seat, range_ in enumerate(found.ranges):
            weights = np.array(
                [naive.prior(hand) * naive.bids(hand, history, seat) for hand in hands(rules)]
            )
            if history[seat] == never:
                np.testing.assert_array_equal(range_, probabilities(rules))
            else:
                np.testing.assert_allclose(range_, weights / weights.sum(), rtol=1e-6)
                assert not np.allclose(range_, probabilities(rules))
        assert adviser.advise((1,), history).ground is Source.UNREACHED


@pytest.mark.parametrize("variant", ["3 players", "3 players, jump", "4 players, jump"])
def test_values_over_all_hands_are_what_the_opener_earns(variant: str) -> None:
    """Compare with a walk over all hands at once, in which every hand opens with the same bid."""
    rules = VARIANTS[variant]
    policy, tables = random_policy(rules), bid_tables(rules)
    adviser, seat = Adviser(policy), table_strategies(tables, policy.table)
    advices = [adviser.advise(hand, ()) for hand in hands(rules)]
    for place, bid in enumerate(legal_bids(rules, None)):
        opens = np.zeros((len(hands(rules)), action_count(rules)))
        opens[:, action_of(rules, bid)] = 1.0

        def opener(asked, opens=opens):
            return [opens if history == () else seat([history])[0] for history in asked]

        exact = expected_values(tables, [opener, *[seat] * (rules.players - 1)], 0.0)[0]
        found = [advice.actions[place] for advice in advices]
        mean, error = (
            probabilities(rules) @ [getattr(each, name) for each in found]
            for name in ("value", "value_error")
        )
        assert exact.lower - error - 1e-6 <= mean <= exact.upper + error + 1e-6
        assert error < 0.01


def test_own_bids_unlike_the_policy_are_reported() -> None:
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


def test_an_unreached_last_bid_is_challenged() -> None:
    rules = VARIANTS["two dice"]
    never = legal_bids(rules, None)[0]
    naive = Naive(random_policy(rules, never=never))
    for own in hands(rules):
        advice = Adviser(naive.policy).advise_on_last(own, never)
        assert advice.ground is Source.UNREACHED
        assert advice.earlier_unknown
        played = {each.action: each.probability for each in advice.actions}
        assert played.pop(CHALLENGE) == 1.0
        assert set(played.values()) == {0.0}
        p_true = sum(naive.prior(h) * naive.is_true(never, own, h) for h in hands(rules))
        assert advice.p_true == pytest.approx(p_true)


def test_invalid_hands_and_histories_are_refused() -> None:
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


def test_the_bids_faced_are_as_they_were_made_where_ones_end_fei() -> None:
    rules = preset("zhaifei", dice=2, faces=3, house=["ones-end-fei"])
    said = tuple(map(parse_bid, ("f3x3", "z2x1", "z2x3")))
    for faced in (
        Question(None, said).bids(rules),
        Question(said[-1], said[:-1]).bids(rules),
        Question(said[-1], said).bids(rules),
    ):
        assert faced == said
    assert Question(said[-1]).bids(rules) is None, "the bids before it are unknown"


def test_a_bid_faced_alone_comes_before_ones() -> None:
    rules = preset("zhaifei", dice=2, faces=3, house=["ones-end-fei", "first-count=1"])
    adviser = Adviser(random_policy(rules))
    actions = adviser.advise_on_last((1, 3), parse_bid("z1x3")).actions
    assert {action.action[0] for action in actions} == {"飞", "斋", "c"}
