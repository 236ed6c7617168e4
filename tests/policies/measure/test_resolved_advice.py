"""Advice where a position is solved again: strategy and values come from one solution."""

from functools import cache

import numpy as np
import pytest

import zhaifei
from tests.solver.black_boxes import slow_value
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands
from zhaifei.game.notation import format_action
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.advice import Adviser
from zhaifei.policies.measure.advised import DOMINATED, advised
from zhaifei.policies.measure.resolved_advice import ResolvingAdviser, refined_advice
from zhaifei.policies.players.resolving import ResolvingPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.resolving.subgame import Effort
from zhaifei.solver.tables.strategy_table import strategy_after

RULES = Rules(dice=1, faces=3)
BIDS = domain(RULES)


@cache
def blueprint() -> TablePolicy:
    training = TreeCFR(RULES)
    while training.passes < 100:
        training.advance()
    return TablePolicy(RULES, "full", training.average())


@cache
def policy() -> ResolvingPolicy:
    return ResolvingPolicy(blueprint(), effort=Effort(gap=1e-5, passes=300))


def odd_histories() -> list[tuple[int, ...]]:
    """Answers that the policy never gives to its likeliest opening."""
    prior, plain = bid_tables(RULES).prior[0], policy().plain
    opening = int((prior @ plain.strategy(())).argmax())
    answers = prior @ plain.strategy([BIDS[opening]])
    first = bid_tables(RULES).first_raise[opening + 1]
    return [(opening, bid) for bid in range(first, len(BIDS)) if answers[bid] < 1e-9]


class Asked:
    """A solution, as `slow_value` asks it."""

    def __init__(self, history: tuple[int, ...]) -> None:
        self.rules, self._table = RULES, policy().standing(history, 0).known.table(history)

    def strategy(self, history: tuple[int, ...]) -> np.ndarray:
        return strategy_after(self._table, bid_tables(RULES), history)


def test_values_are_those_of_best_play_against_the_solution() -> None:
    adviser, deals = ResolvingAdviser(policy()), len(hands(RULES))
    for history in odd_histories():
        other, asked = policy().standing(history, 0).expected, Asked(history)
        for own, hand in enumerate(hands(RULES)):
            advice = adviser.advise(hand, [BIDS[bid] for bid in history])
            assert advice.solved is not None
            found = {action.action: action.value for action in advice.actions}
            mine = np.zeros((deals, deals))
            mine[own] = other
            for bid in range(history[-1] + 1, len(BIDS)):
                text = format_action(RULES, bid)
                if text in found:
                    value = slow_value(asked, 0, (*history, bid), mine)[own]  # type: ignore[arg-type]
                    assert found[text] == pytest.approx(value, abs=1e-9)
            assert advice.p_true is not None
            assert found["challenge"] == pytest.approx(1.0 - 2.0 * advice.p_true, abs=1e-9)


def test_advice_loses_little_by_the_values_beside_it() -> None:
    adviser = ResolvingAdviser(policy())
    for history in odd_histories():
        for hand in hands(RULES):
            actions = adviser.advise(hand, [BIDS[bid] for bid in history]).actions
            assert sum(one.probability for one in actions) == pytest.approx(1.0)
            got = sum(one.probability * one.value for one in actions)
            assert got >= max(one.value for one in actions) - DOMINATED
            assert all(one.value_error >= 0.0 for one in actions)


def test_what_loses_much_is_not_advised() -> None:
    values = np.array([0.5, 0.499, 0.3, np.nan])
    assert advised(np.array([0.5, 0.25, 0.25, 0.0]), values) == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert advised(np.array([0.0, 0.0, 1.0, 0.0]), values) == pytest.approx([1, 0, 0, 0])


def test_on_its_lines_advice_is_that_of_the_table() -> None:
    opening = odd_histories()[0][:1]
    bids = [BIDS[bid] for bid in opening]
    for hand in hands(RULES):
        found = ResolvingAdviser(policy()).advise(hand, bids)
        assert found == Adviser(policy().plain).advise(hand, bids)


def test_without_time_the_table_answers() -> None:
    history = [BIDS[bid] for bid in odd_histories()[0]]
    for hand in hands(RULES):
        *_, found = refined_advice(policy().plain, hand, None, history, seconds=0.0)
        assert found == Adviser(policy().plain).advise_facing(hand, None, history)
        *_, found = refined_advice(policy().plain, hand, None, history, seconds=5.0)
        assert found.solved is not None


def test_bids_before_an_unknown_one_are_left_to_the_table() -> None:
    hand = hands(RULES)[0]
    for bid in (bid for bid in BIDS if bid.count < RULES.first_count):
        answers = [*ResolvingAdviser(policy()).refine_facing(hand, bid)]
        assert answers == [Adviser(policy().plain).advise_facing(hand, bid)]


def test_answers_get_better() -> None:
    endless = ResolvingPolicy(blueprint(), effort=Effort(gap=0.0, passes=100))
    history = [BIDS[bid] for bid in odd_histories()[0]]
    found = [one.solved for one in ResolvingAdviser(endless).refine(hands(RULES)[0], history)]
    gaps = [one.gap for one in found if one is not None]
    assert len(gaps) > 3
    assert gaps[-1] <= gaps[0]


def test_the_python_api_solves_again_if_it_is_told_to() -> None:
    history = [BIDS[bid] for bid in odd_histories()[0]]
    assert zhaifei.advise(policy().plain, "2", history=history).solved is None
    found = zhaifei.advise(policy().plain, "2", history=history, resolve=5.0, caution="exploiting")
    assert found.solved is not None
    assert found.solved.caution == "exploiting"
