"""While kernels are compiled the person is told so; what is played comes before its values."""

import json

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.command_line import Solved, zhaifei
from tests.policies.small_policies import random_policy
from zhaifei.app.terminal.compiling import Compiling
from zhaifei.game.bids import action_count
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.policies.advice import values as measured
from zhaifei.policies.advice.advising import Question, advise

RULES = Rules.of(players=3, dice=1, faces=2)


def test_each_function_that_is_compiled_is_told_while_somebody_listens() -> None:
    told: list[str] = []
    with Compiling(told.append):
        numba.njit(lambda x: x + 1)(1)
        assert told == ["compiling, on first use only; functions so far: 1"]
        numba.njit(lambda x: x + 2)(1)
    numba.njit(lambda x: x + 3)(1)
    assert len(told) == 2
    assert told[-1].endswith("so far: 2")


def test_what_is_played_is_told_before_values_are_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy, told = random_policy(RULES), list[NDArray[np.float64]]()

    def no_values(*arguments: object) -> None:
        raise RuntimeError("values are computed")

    monkeypatch.setattr(measured, "action_values", no_values)
    hand = hands(RULES)[0]
    answers = advise(policy, hand, Question(), told.append)
    with pytest.raises(RuntimeError, match="values are computed"):
        next(answers)
    (played,) = told
    assert played.shape == (1, action_count(RULES))
    assert played.sum() == pytest.approx(1.0)


def test_query_tells_both_on_stderr_and_its_answer_stays_whole(
    liars_dice: Solved, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = ("query", "--policy", liars_dice.policy, "--hand", "1", "--json")
    plain = zhaifei(*query)
    enter = Compiling.__enter__

    def compiles(self: Compiling) -> Compiling:
        enter(self).tell()
        return self

    monkeypatch.setattr(Compiling, "__enter__", compiles)
    outcome = zhaifei(*query)
    assert outcome.out == plain.out
    answer = json.loads(outcome.out)
    first, second = outcome.err.splitlines()[:2]
    assert first == "0:00  compiling, on first use only; functions so far: 1"
    best = max(answer["actions"], key=lambda one: one["probability"])
    assert second.startswith(f"the policy plays {best['action']} {best['probability']:.1%}")
    assert second.endswith("; values follow")


def test_query_tells_what_is_played_before_it_compiles_for_values(
    liars_dice: Solved, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, entered = measured.action_values, list[Compiling]()
    enter = Compiling.__enter__

    def kept(self: Compiling) -> Compiling:
        entered.append(self)
        return enter(self)

    def compiled(*arguments: object) -> object:
        entered[-1].tell()
        return values(*arguments)

    monkeypatch.setattr(Compiling, "__enter__", kept)
    monkeypatch.setattr(measured, "action_values", compiled)
    outcome = zhaifei("query", "--policy", liars_dice.policy, "--hand", "1", "--json")
    first, second = [line for line in outcome.err.splitlines() if "starting" not in line][-2:]
    assert first.endswith("; values follow")
    assert "compiling, on first use only" in second
