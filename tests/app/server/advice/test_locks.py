"""Locks asked about over HTTP get the values of the one advice pipeline."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.server.advice.desk import HAND, answered, lock, locked, numbers
from zhaifei.app.server.advice.locks import WORK, lock_file
from zhaifei.app.server.advice.locks import Lock as Asked
from zhaifei.game.bids import challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import with_dice
from zhaifei.game.notation import parse_action, parse_history
from zhaifei.game.rules import preset
from zhaifei.policies.advice.advice import Advice, Locked
from zhaifei.policies.advice.advising import Question, advise
from zhaifei.policies.advice.locked import LockAnswer
from zhaifei.policies.catalogue.known import load_for
from zhaifei.policies.catalogue.lock_file import parse_locks

RULES = preset("zhaifei")
(SIX,) = numbers(RULES, "飞3×6")
CHALLENGE = challenge_action(RULES)
LOCKS = [lock("飞3×6 飞4×6", (), CHALLENGE, percent=50), lock("", (6,), SIX)]
WRITTEN = """\
- after: 飞3×6 飞4×6
  mix: {challenge: 50%}
- after: start
  hands: z1x6
  play: {飞3×6: 1}
"""
LINES = (1, 3)
"""The lines of WRITTEN at which locks begin."""


def test_the_text_is_that_of_a_lock_file(client: TestClient) -> None:
    question = {"rules": "zhaifei", "players": 2, "locks": LOCKS}
    assert answered(client, "/lock-file", question) == {"text": WRITTEN}
    first, second = parse_locks(RULES, WRITTEN).locks
    assert (first.actions, len(first.hands)) == ({CHALLENGE: 0.5}, 252)
    assert (second.actions, len(second.hands)) == ({SIX: 1.0}, 126)


@pytest.mark.parametrize("name", ["zhaifei", "ktv", "southern", "northern"])
@pytest.mark.parametrize("held", [(), (6,), (1, 1), (1, 6), (2, 2, 4, 5, 6)])
def test_a_lock_is_of_the_hands_with_its_dice(name: str, held: tuple[int, ...]) -> None:
    rules = preset(name)
    text = lock_file(rules, (Asked((), held, *numbers(rules, "飞3×6"), 100),))
    (found,) = parse_locks(rules, text).locks
    assert found.hands == tuple(np.flatnonzero(with_dice(rules, held)).tolist())


def test_a_lock_of_dice_that_no_hand_has() -> None:
    rules = preset("ktv")  # straights are rolled again
    with pytest.raises(ZhaifeiError, match="no hand has these dice"):
        lock_file(rules, (Asked((), (2, 3, 4, 5, 6), *numbers(rules, "飞3×6"), 100),))


@pytest.mark.parametrize(
    ("bids", "answer", "used"),
    [
        ("飞3×6", LockAnswer.BEST_RESPONSE, [0, 1]),
        ("飞3×6", LockAnswer.SOLVE, [0, 1]),
        ("飞3×6 飞4×6 飞5×6", LockAnswer.SOLVE, [0, 1]),
        ("飞4×6", LockAnswer.BEST_RESPONSE, [1]),
    ],
)
def test_values_are_those_of_the_advice(
    client: TestClient, bids: str, answer: LockAnswer, used: list[int]
) -> None:
    found = answered(client, "/locked", locked(bids, LOCKS, answer.value))
    advice = advice_on(bids, answer)
    assert [
        (one["action"], one["share"], one["value"], one["error"]) for one in found["actions"]
    ] == [
        (
            parse_action(RULES, one.action, advice.history[-1]),
            one.probability,
            one.value,
            one.value_error,
        )
        for one in advice.ranked
    ]
    assert isinstance(advice.ground, Locked)
    assert found["chance"] == advice.p_true
    assert found["gap"] == advice.ground.gap
    assert found["read"] == advice.ground.read
    assert found["used"] == used == [LINES.index(line) for line in advice.ground.lines]


def advice_on(bids: str, answer: LockAnswer) -> Advice:
    locks = parse_locks(RULES, WRITTEN)
    asked = Question(history=parse_history(RULES, bids), seconds=inf, locks=locks)
    policy = load_for(None, RULES).policy.at(RULES.dice_by_player)
    *_, advice = advise(policy, tuple(HAND), asked._replace(answer=answer, work=WORK))
    return advice
