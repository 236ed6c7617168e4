"""Rounds reviewed over HTTP get the costs of the one review."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.app.server.advice.desk import answered, ended
from zhaifei.app.server.site import ADVICE
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.known import load_for
from zhaifei.policies.play.played import played_round
from zhaifei.policies.review.decisions import reviewer_of
from zhaifei.policies.review.reviewing import review_round

ROUNDS = [
    ("zhaifei", 2, "飞3×6 飞4×6", 0),
    ("zhaifei", 2, "飞3×6 飞4×6", 1),
    ("zhaifei", 3, "飞5×6 飞6×6 飞7×6", 1),
    ("southern", 2, "飞3×6 劈", 1),
]


@pytest.mark.parametrize(("name", "players", "bids", "seat"), ROUNDS)
def test_costs_are_those_of_the_review(
    client: TestClient, name: str, players: int, bids: str, seat: int
) -> None:
    rules = preset(name, players=players)
    question = ended(name, players, bids, seat=seat)
    hands = [tuple(hand) for hand in question["hands"]]
    played = played_round(rules, 0, hands, [*question["history"], question["ending"]])
    found = review_round(reviewer_of(load_for(None, rules).policy), played, seat, known={})
    answer = answered(client, "/review", question)
    assert len(answer["decisions"]) == len(found.decisions) > 0
    for one, own in zip(answer["decisions"], found.decisions, strict=True):
        last = own.history[-1] if own.history else None
        assert one == {
            "place": len(own.history),
            "action": parse_action(rules, own.done, last),
            "value": own.value,
            "best": parse_action(rules, own.best, last),
            "best_value": own.best_value,
            "cost": own.cost,
            "margin": own.margin,
            "grade": own.grade.value,
        }
    assert found.luck is not None
    assert answer["luck"] == {
        "dice": found.luck.dice,
        "luck": found.luck.luck,
        "skill": found.luck.skill,
        "earned": found.luck.earned,
    }


def test_a_seat_that_had_nothing_to_decide(client: TestClient) -> None:
    assert answered(client, "/review", ended("zhaifei", 3, "飞5×6", seat=2))["decisions"] == []


def test_without_a_policy_nothing_says_what_decisions_cost(client: TestClient) -> None:
    answer = client.post(f"{ADVICE}/review", json=ended("ktv", 3, "飞5×6"))
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("no policy is known for these rules")
