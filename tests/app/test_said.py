"""What the terminal and the page both say: figures show no more than is known."""

import numpy as np
import pytest

from tests.policies.review.test_decisions import FEI_1X2, RULES, advice
from zhaifei.app.said import digits_of, say_cost, say_costs, say_estimate, say_figure
from zhaifei.game.parts import Mode
from zhaifei.policies.review.decisions import Kind, ReviewedDecision
from zhaifei.policies.review.grades import Grade, grade_of
from zhaifei.policies.review.reviewing import Estimate, ReviewedMatch, ReviewedRound, summarise


def decided(cost: float, margin: float) -> ReviewedDecision:
    return ReviewedDecision(
        seat=0,
        hand=(2,),
        history=(FEI_1X2,),
        done="challenge",
        played=0.0,
        value=-cost,
        best="飞2×3",
        best_played=1.0,
        best_value=0.0,
        cost=max(cost, 0.0),
        margin=margin,
        grade=grade_of(cost, margin),
        kind=Kind.CHALLENGE,
        mode=Mode.FEI,
        p_true=0.5,
        advice=advice((FEI_1X2,), raising=(1.0, 0.0, 0.0)),
    )


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (0.1234, 0.0, ("+0.123", "±0.000")),
        (-0.0001, 0.0, ("+0.000", "±0.000")),
        (-0.1944, 0.0017, ("-0.194", "±0.002")),
        (0.1234, 0.012, ("+0.12", "±0.01")),
        (0.332, 0.12, ("+0.3", "±0.1")),
        (0.4, 0.5, ("+0.4", "±0.5")),
        (0.081, 2.046, ("unclear", "")),
    ],
)
def test_a_figure_has_as_many_digits_as_its_error_supports(
    value: float, error: float, said: tuple[str, str]
) -> None:
    assert say_figure(value, error) == said


def test_the_last_digit_shown_is_the_first_of_the_error() -> None:
    for error in np.geomspace(1e-3, 0.5, 200).tolist():
        unit = 10.0 ** -digits_of(error)
        assert unit * 0.999 <= error < 10.0 * unit


def test_costs() -> None:
    assert say_cost(decided(0.0, 0.0)) == "0.000"
    assert say_cost(decided(0.123, 0.0001)) == "0.123"
    assert say_cost(decided(0.2134, 0.04)) == "0.21 ±0.04"
    assert say_cost(decided(0.01, 0.04)) == "at most 0.05"
    assert say_cost(decided(0.332, 0.661)) == "unclear"


def test_sums_over_rounds_are_unclear_while_they_may_be_anything() -> None:
    assert say_estimate(Estimate(0.31, 3.18)) == "unclear (±3.2)"
    assert say_estimate(Estimate(5.31, 3.18)) == "+5 ±3"
    assert say_estimate(Estimate(-0.31, 0.04)) == "-0.31 ±0.04"
    assert say_estimate(Estimate(0.5, None)) == "+0.50"


def test_the_total_is_the_sum_of_the_costs_shown() -> None:
    random = np.random.default_rng(1)
    found = [decided(*one) for one in random.exponential((0.1, 0.03), size=(60, 2)).tolist()]
    shown = [say_cost(one).split()[0] for one in found]
    numbers = [float(one) for one in shown if one[0].isdigit()]
    assert "unclear" in shown
    assert len(numbers) < len(found) - shown.count("unclear")
    rounds = ReviewedRound(1, 0, 0, tuple(found), None, None, 0.0)
    summary = summarise([ReviewedMatch("", RULES, 0, ("you",) * 3, (rounds,), 0.0)])
    off = sum(0.5 * 10.0 ** -digits_of(one.margin) for one in found)
    assert summary.cost == pytest.approx(sum(numbers), abs=off)
    digits = digits_of(summary.cost_margin, 2)
    said = say_costs(summary)
    assert f"cost {summary.cost:.{digits}f} ±" in said
    assert said.endswith(f"not counted: {summary.grades[Grade.UNCLEAR]}")
