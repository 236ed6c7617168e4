"""Ranges asked about over HTTP get the values of the one advice pipeline."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.server.advice.desk import HAND, answered, decision, explored
from zhaifei.app.server.site import ADVICE
from zhaifei.game.hands import with_dice
from zhaifei.game.notation import parse_action, parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import RangeAdvice
from zhaifei.policies.advice.hints import Advisers
from zhaifei.policies.catalogue.known import load_for
from zhaifei.policies.review.decisions import reviewer_of

UNREACHED = "飞3×6 飞9×2"
"""Bids that the policy of two players does not make: it solves again after them."""
POSITIONS = [
    ("zhaifei", 2, "", (1, 6)),
    ("zhaifei", 2, "飞4×6", ()),
    ("zhaifei", 2, "飞4×6", (1, 1)),
    ("zhaifei", 2, UNREACHED, (6,)),
    ("zhaifei", 3, "飞5×6 飞6×6", (6,)),
    ("southern", 2, "飞3×6 劈", ()),
]


def verify(rules: Rules, answer: Any, advice: RangeAdvice) -> None:
    """The answer says of every legal action what the advice says, in its order."""
    last = advice.history[-1] if advice.history else None
    assert [
        (one["action"], one["share"], one["value"], one["error"], one["value_of_all"])
        for one in answer["actions"]
    ] == [
        (
            parse_action(rules, one.action, last),
            one.share,
            one.value,
            one.value_error,
            one.value_of_all if one.is_clear else None,
        )
        for one in advice.ranked
    ]
    assert (answer["value"], answer["error"]) == (advice.value, advice.value_error)
    assert answer["chance"] == (advice.true[0][1] if advice.true else None)
    assert answer["believed"] == advice.believed.value


@pytest.mark.parametrize(("name", "players", "bids", "held"), POSITIONS)
def test_values_are_those_of_the_adviser(
    client: TestClient, name: str, players: int, bids: str, held: tuple[int, ...]
) -> None:
    rules = preset(name, players=players)
    answer = answered(client, "/range", explored(name, players, bids, held))
    adviser = reviewer_of(load_for(None, rules).policy).adviser
    found, chosen = adviser.advise_range(parse_history(rules, bids)), with_dice(rules, held)
    verify(rules, answer, found.among(chosen))
    assert answer["selected"] == found.share(chosen)
    assert sum(one["share"] for one in answer["actions"]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("players", "bids"), [(2, "飞4×6"), (2, UNREACHED), (3, "飞5×6 飞6×6"), (3, "")]
)
def test_a_whole_hand_gets_what_a_hint_says_of_it(
    client: TestClient, players: int, bids: str
) -> None:
    answer = answered(client, "/range", explored("zhaifei", players, bids, tuple(HAND)))
    hint = answered(client, "/decision", decision("zhaifei", players, bids))
    shares = {one["action"]: pytest.approx(one["share"]) for one in hint["actions"]}
    assert {one["action"]: one["share"] for one in answer["actions"]} == shares
    values = {one["action"]: one["value"] for one in hint["actions"]}
    for one in answer["actions"]:
        if one["share"] > 0.0 and values[one["action"]] is not None:
            assert one["value"] == pytest.approx(values[one["action"]])
    assert answer["ground"] == hint["ground"]


def test_what_the_policy_does_not_reach_is_solved_again(client: TestClient) -> None:
    rules = preset("zhaifei")
    solved = answered(client, "/range", explored("zhaifei", 2, UNREACHED, ()))
    assert solved["ground"]["kind"] == "solved"
    alone = Advisers(load_for(None, rules).policy, None).at(rules.dice_by_player)
    stored = alone.advise_range(parse_history(rules, UNREACHED))
    shares = {one["action"]: one["share"] for one in solved["actions"]}
    last = stored.history[-1]
    assert shares != {parse_action(rules, one.action, last): one.share for one in stored.actions}


def test_without_a_policy_nothing_is_known_of_a_range(client: TestClient) -> None:
    answer = client.post(f"{ADVICE}/range", json=explored("ktv", 4, "飞6×6", ()))
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("no policy is known for these rules")
