"""What decisions cost, worked out by hand from advice."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.policies.small_policies import Naive, legal_actions, random_policy
from zhaifei.app.said import say_cost, say_graded
from zhaifei.game.bids import Bid
from zhaifei.game.notation import parse_action, parse_bid, parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import ActionAdvice, Advice, Source
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.decisions import Kind, ReviewedDecision, Reviewer, reviewer_of
from zhaifei.policies.review.grades import BEST_COSTS, LIMITS, Grade, grade_of

RULES = Rules.of(players=3, dice=1, faces=3, jump_challenge=True)
TWO = Rules.of(dice=1, faces=3, modes=(Mode.FEI,))
FEI_1X2, FEI_1X3 = parse_bid("f1x2"), parse_bid("f1x3")


@cache
def reviewer(rules: Rules = RULES) -> Reviewer:
    policy = rule_based("honest", rules)
    assert isinstance(policy, TablePolicy)
    return reviewer_of(policy, seconds=0.0)


def advice(history: tuple[Bid, ...], **actions: tuple[float, float, float]) -> Advice:
    """Advice in which each action has this probability, value and error."""
    listed = tuple(ActionAdvice(ACTIONS[name], *one) for name, one in actions.items())
    true = tuple((bid, 0.5) for bid in history[-1:])
    return Advice((2,), history, listed, true, Source.POLICY)


ACTIONS = {
    "opening": "飞1×2",
    "raising": "飞2×3",
    "zhai": "斋1×3",
    "challenge": "challenge",
    "jump": "challenge 2",
}


def judged(given: Advice, done: str) -> ReviewedDecision:
    return reviewer().judged(0, given, parse_action(RULES, ACTIONS[done]))


def test_a_decision_costs_what_it_earns_less_than_the_best() -> None:
    given = advice((FEI_1X2,), raising=(0.7, 0.1, 0.01), challenge=(0.3, -0.3, 0.0))
    found = judged(given, "challenge")
    assert found.cost == pytest.approx(0.4)
    assert found.margin == pytest.approx(0.01)
    assert (found.best, found.best_played, found.played) == ("飞2×3", 0.7, 0.3)
    assert (found.kind, found.mode, found.grade) == (Kind.CHALLENGE, Mode.FEI, Grade.BLUNDER)
    assert found.charged == found.cost
    best = judged(given, "raising")
    assert (best.cost, best.margin, best.grade) == (0.0, 0.0, Grade.BEST)


def test_a_loss_within_the_error_is_unclear() -> None:
    given = advice((FEI_1X2,), raising=(0.7, 0.1, 0.3), challenge=(0.3, -0.3, 0.2))
    found = judged(given, "challenge")
    assert found.cost == pytest.approx(0.4)
    assert found.margin == pytest.approx(0.5)
    assert (found.grade, found.charged) == (Grade.UNCLEAR, 0.0)
    assert say_cost(found) == say_graded(found) == "unclear"
    # A small one is fine, and counts for nothing; how large it may be is said.
    small = judged(
        advice((FEI_1X2,), raising=(1.0, 0.1, 0.0), challenge=(0.0, 0.08, 0.03)), "challenge"
    )
    assert (small.grade, small.charged) == (Grade.FINE, 0.0)
    assert say_cost(small) == "at most 0.05"
    assert say_graded(small) == "fine, cost at most 0.05"


def test_the_best_action_is_the_one_that_is_sure_to_earn_most() -> None:
    given = advice(
        (FEI_1X2,), raising=(0.0, 0.2, 0.5), zhai=(0.9, 0.1, 0.0), challenge=(0.1, -0.3, 0.0)
    )
    assert judged(given, "challenge").best == "斋1×3"
    # What may earn more than what is sure to be best costs nothing, and may cost much.
    found = judged(given, "raising")
    assert (found.cost, found.best, found.grade) == (0.0, "飞2×3", Grade.UNCLEAR)


def test_what_a_policy_that_reads_hands_opens_with_is_best() -> None:
    reading = reviewer_of(random_policy(Rules.of(players=3, dice=1, faces=3, modes=(Mode.ZHAI,))))
    costs = set()
    for hand in ((1,), (2,), (3,)):
        given = reading.adviser.advise(hand, ())
        for one in given.actions:
            found = reading.judged(0, given, parse_action(reading.rules, one.action))
            costs.add(found.cost)
            if one.probability > 0.0:
                assert (found.cost, found.margin, found.grade) == (0.0, 0.0, Grade.BEST)
    assert max(costs) > 0.1


def test_kinds_of_decisions() -> None:
    opening = advice((), opening=(1.0, 0.0, 0.0), zhai=(0.0, -0.5, 0.0))
    assert judged(opening, "zhai").kind is Kind.OPENING
    assert judged(opening, "zhai").mode is Mode.ZHAI
    facing = advice(
        (FEI_1X2, parse_bid("z1x2")),
        raising=(0.0, -0.5, 0.0),
        zhai=(0.0, 0.1, 0.0),
        challenge=(1.0, 0.2, 0.0),
        jump=(0.0, 0.1, 0.0),
    )
    assert judged(facing, "raising").kind is Kind.MISSED_CHALLENGE
    assert judged(facing, "challenge").kind is Kind.CHALLENGE
    assert judged(facing, "challenge").mode is Mode.ZHAI
    assert judged(facing, "jump").kind is Kind.JUMP
    assert judged(facing, "jump").mode is Mode.FEI
    close = advice((FEI_1X2,), raising=(0.0, 0.19, 0.0), challenge=(1.0, 0.2, 0.05))
    assert judged(close, "raising").kind is Kind.RAISE


def test_grades() -> None:
    fine, inaccuracy, mistake = LIMITS.values()
    assert grade_of(0.0, 0.0) is Grade.BEST
    assert grade_of(BEST_COSTS, 0.0) is Grade.BEST
    assert grade_of(fine, 0.0) is Grade.FINE
    assert grade_of(inaccuracy, 0.0) is Grade.INACCURACY
    assert grade_of(mistake, 0.0) is Grade.MISTAKE
    assert grade_of(mistake + 0.01, 0.0) is Grade.BLUNDER
    assert grade_of(0.332, 0.661) is Grade.UNCLEAR  # "fine: it cost 0.332 ±0.661"
    assert [one for one in Grade if one.is_error] == list(Grade)[2:5]


def test_a_grade_says_only_what_every_cost_in_the_interval_allows() -> None:
    fine, inaccuracy, mistake = LIMITS.values()
    least = {Grade.INACCURACY: fine, Grade.MISTAKE: inaccuracy, Grade.BLUNDER: mistake}
    most = {
        Grade.BEST: BEST_COSTS,
        Grade.FINE: inaccuracy,
        Grade.INACCURACY: mistake,
    }
    random, seen = np.random.default_rng(0), set()
    for cost, margin in random.exponential((0.1, 0.05), size=(5000, 2)).tolist():
        grade = grade_of(cost, margin)
        seen.add(grade)
        if grade is not Grade.UNCLEAR:
            assert cost - margin > least.get(grade, -1.0)
            assert cost + margin <= most.get(grade, 10.0)
        # Every exact cost has a grade, and never a milder one.
        exact = grade_of(cost, 0.0)
        assert exact is not Grade.UNCLEAR
        assert list(Grade).index(exact) >= list(Grade).index(grade) or grade in (
            Grade.FINE,
            Grade.UNCLEAR,
        )
    assert seen == set(Grade)


def test_values_are_those_of_the_advice_of_the_policy() -> None:
    policy = random_policy(TWO, seed=0)
    by_table, naive = reviewer_of(policy, seconds=0.0), Naive(policy)
    history, hand = (parse_bid("f1x2"),), (1,)
    weights = {
        other: naive.prior(other) * naive.bids(other, history, 0) for other in ((1,), (2,), (3,))
    }
    values = {
        action: sum(
            share * naive.earns(history, (other, hand), action)[1]
            for other, share in weights.items()
        )
        / sum(weights.values())
        for action in legal_actions(TWO, history)
    }
    for action, value in values.items():
        found = by_table.decision(1, hand, history, action)
        assert found.value == pytest.approx(value, abs=1e-5)
        assert found.cost == pytest.approx(max(values.values()) - value, abs=1e-5)
        assert found.played == pytest.approx(naive.plays(hand, history, action), abs=1e-6)


def test_what_is_played_out_after_ones_is_the_bid_that_is_legal_there() -> None:
    rules = preset("zhaifei", players=3, dice=1, faces=3, house=["ones-end-fei"])
    reading, history = reviewer_of(random_policy(rules)), parse_history(rules, "f1x3 z1x1 z1x2")
    given = replace(
        advice(history),
        actions=(ActionAdvice("斋1×3", 1.0, -0.1, 0.0), ActionAdvice("斋2×2", 0.0, 0.2, 0.0)),
    )
    done = parse_action(rules, "斋2×2")
    assert reading.judged(0, given, done).done == "斋2×2"
