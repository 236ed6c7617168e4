"""What actions cost against the one that is advised."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.policies.advice.advice import ActionAdvice, Advice, PlayedOut, Source
from zhaifei.policies.advice.costs import Cost, costs_of

ACTIONS = (
    ActionAdvice("f3x2", 0.7, 0.5, 0.1),
    ActionAdvice("f3x3", 0.3, 0.45, 0.02),
    ActionAdvice("challenge", 0.0, -1.0, 0.0),
    ActionAdvice("challenge 2", 0.0, 0.9, 2.0),
)
ADVICE = Advice((1, 2), (), ACTIONS, (), Source.POLICY)
ROUNDS = {"f3x2": [1.0, 0.0, 1.0, 0.0], "f3x3": [1.0, -1.0, 1.0, 0.0], "challenge": [-1.0] * 4}


def never(actions: Sequence[str]) -> NDArray[np.float64]:
    pytest.fail("nothing was played out")


def earned(actions: Sequence[str]) -> NDArray[np.float64]:
    return np.array([ROUNDS[action] for action in actions])


def test_the_error_of_a_cost_is_the_sum_of_both_errors() -> None:
    costs = costs_of(ADVICE, never)
    assert costs.keys() == {"f3x2", "f3x3", "challenge"}, "unclear values have no cost"
    assert costs["f3x2"] == Cost(0.0, 0.0)
    assert costs["f3x3"] == pytest.approx((0.05, 0.12))
    assert costs["challenge"] == pytest.approx((1.5, 0.1))


def test_rounds_that_were_played_out_are_compared_one_by_one() -> None:
    costs = costs_of(replace(ADVICE, ground=PlayedOut(4)), earned)
    assert costs["f3x2"] == Cost(0.0, 0.0)
    assert costs["f3x3"].cost == pytest.approx(0.25)
    assert costs["challenge"].cost == pytest.approx(1.5)
    assert costs["f3x3"].margin > 0.0


def test_nothing_is_compared_with_an_unclear_value() -> None:
    advised = ActionAdvice("challenge 2", 0.9, 0.9, 2.0)
    costs = costs_of(replace(ADVICE, actions=(*ACTIONS[:3], advised)), never)
    assert costs == {"challenge 2": Cost(0.0, 0.0)}
