"""Decisions asked about over HTTP get the values of the one advice pipeline."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.server.advice.desk import HAND, answered, decision
from zhaifei.app.locale import speaking
from zhaifei.app.said import say_portrait
from zhaifei.game.notation import parse_action, parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import Advice
from zhaifei.policies.advice.hints import Advisers
from zhaifei.policies.advice.people import Character, learned, person_of, portrait_of
from zhaifei.policies.advice.seen import Record, advisers_of, people_seen
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.catalogue.known import load_for
from zhaifei.policies.play.played import PlayedMatch, played_round

HAND_OF = tuple(HAND)
POSITIONS = [
    ("zhaifei", 2, ""),
    ("zhaifei", 2, "飞4×6"),
    ("zhaifei", 2, "飞3×6 飞9×2"),
    ("zhaifei", 3, "飞5×6 飞6×6"),
    ("southern", 2, "飞3×6 劈"),
]
UNKNOWN = [("ktv", 4, "飞6×6 飞7×6"), ("southern", 3, "飞5×6 劈")]
"""Positions by rules without a policy."""


def verify(rules: Rules, answer: Any, advice: Advice) -> None:
    """The answer says of every legal action what the advice says, the best first."""
    last = advice.history[-1] if advice.history else None
    said = [(one["action"], one["share"], one["value"], one["error"]) for one in answer["actions"]]
    assert said == [
        (
            parse_action(rules, one.action, last),
            one.probability,
            one.value if one.is_clear else None,
            one.value_error if one.is_clear else None,
        )
        for one in advice.ranked
    ]
    assert answer["best"] == said[0][0]
    assert answer["chance"] == advice.p_true


@pytest.mark.parametrize(("name", "players", "bids"), POSITIONS)
def test_values_are_those_of_the_adviser(
    client: TestClient, name: str, players: int, bids: str
) -> None:
    rules = preset(name, players=players)
    answer = answered(client, "/decision", decision(name, players, bids))
    adviser = Advisers(load_for(None, rules).policy).at(rules.dice_by_player)
    verify(rules, answer, adviser.advise(HAND_OF, parse_history(rules, bids)))


@pytest.mark.parametrize(("name", "players", "bids"), UNKNOWN)
def test_without_a_policy_values_are_those_among_people(
    client: TestClient, name: str, players: int, bids: str
) -> None:
    rules = preset(name, players=players)
    answer = answered(client, "/decision", decision(name, players, bids))
    others = [person_of(rules)] * (players - 1)
    *_, advice = PeopleAdviser(rules, None).refine(HAND_OF, parse_history(rules, bids), others)
    verify(rules, answer, advice)
    assert answer["ground"] == {"kind": "played", "rounds": 4096, "known": False}


def test_the_named_players_of_a_match_are_taken_for_what_they_are(client: TestClient) -> None:
    rules, bids = preset("zhaifei", players=3), "飞5×6 飞6×6"
    question = decision("zhaifei", 3, bids, others=["conservative", "aggressive"])
    answer = answered(client, "/decision", question)
    others = [person_of(rules, one) for one in (Character.CAREFUL, Character.BLUFFS)]
    among = PeopleAdviser(rules, load_for(None, rules).policy.at(rules.dice_by_player))
    *_, advice = among.refine(HAND_OF, parse_history(rules, bids), others)
    verify(rules, answer, advice)
    assert answer["ground"]["known"]
    of_nobody = answered(client, "/decision", decision("zhaifei", 3, bids))
    assert (
        answered(client, "/decision", {**question, "others": ["policy", ""]}) == of_nobody != answer
    )


SEEN = [
    {"opener": 1, "hands": [[], [1, 1, 6, 6, 6], []], "history": [36, 40, 46], "ending": 165},
    {
        "opener": 2,
        "hands": [[], [1, 2, 6, 6, 6], [2, 3, 4, 5, 5]],
        "history": [36, 41],
        "ending": 165,
    },
]
"""Rounds of three, in which the next player held what they bid."""


def record_of(rules: Rules, rounds: list[dict[str, Any]]) -> PlayedMatch:
    """Return rounds that are sent as a record has them."""
    played = [
        played_round(
            rules,
            one["opener"],
            [tuple(hand) or None for hand in one["hands"]],
            [*one["history"], one["ending"]],
        )
        for one in rounds
    ]
    return PlayedMatch(rules, ("you", "?", "?"), 0, None, None, "", tuple(played))


def test_rounds_that_were_seen_teach_as_query_seen_does(client: TestClient) -> None:
    rules, bids = preset("zhaifei", players=3), "飞5×6 飞6×6"
    answer = answered(client, "/decision", decision("zhaifei", 3, bids, seen=SEEN, language="en"))
    policy = load_for(None, rules).policy
    people = people_seen(advisers_of(policy), rules, [Record("", record_of(rules, SEEN), 0)])
    among = PeopleAdviser(rules, policy.at(rules.dice_by_player))
    persons = [one.person for one in people]
    *_, advice = among.refine(HAND_OF, parse_history(rules, bids), persons)
    verify(rules, answer, advice)
    assert answer["ground"]["known"]
    with speaking("en"):
        assert answer["people"] == [say_portrait(portrait_of(one)) for one in persons]
    assert answer["people"][0].endswith("rounds seen: 2")
    assert answer["people"][1].endswith("rounds seen: 1")


def test_what_somebody_says_comes_before_what_rounds_show(client: TestClient) -> None:
    rules, bids = preset("zhaifei", players=3), "飞5×6 飞6×6"
    fields = {"others": ["bluffs", "careful"], "seen": SEEN[:1], "language": "zh"}
    answer = answered(client, "/decision", decision("zhaifei", 3, bids, **fields))
    among = PeopleAdviser(rules, load_for(None, rules).policy.at(rules.dice_by_player))
    (played,) = record_of(rules, SEEN[:1]).rounds
    bluffs = learned(person_of(rules, Character.BLUFFS), [among.shown(rules, played)[1]])
    persons = [bluffs, person_of(rules, Character.CAREFUL)]
    *_, advice = among.refine(HAND_OF, parse_history(rules, bids), persons)
    verify(rules, answer, advice)
    assert answer["people"][0].endswith("看过 1 局")
    assert answer["people"][1] == "", "their dice were never shown"


@pytest.mark.parametrize(("name", "players", "bids"), POSITIONS)
def test_what_is_as_good_costs_no_more_than_its_interval(
    client: TestClient, name: str, players: int, bids: str
) -> None:
    answer = answered(client, "/decision", decision(name, players, bids))
    best, *others = answer["actions"]
    assert best["action"] not in answer["equal"]
    for one in others:
        if one["action"] in answer["equal"]:
            assert best["value"] - one["value"] <= best["error"] + one["error"] + 0.003
        elif one["value"] is not None:
            assert one["value"] < best["value"]


def test_equal_questions_get_equal_answers_whatever_was_asked_between(client: TestClient) -> None:
    questions = [decision(*position) for position in POSITIONS]
    first = [answered(client, "/decision", question) for question in questions]
    assert [answered(client, "/decision", question) for question in reversed(questions)] == first[
        ::-1
    ]
