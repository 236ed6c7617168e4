"""Where no policy is named, the shipped one for the number of players answers and plays."""

import json
from pathlib import Path

import pytest

import zhaifei
from tests.command_line import refused, succeeds
from zhaifei.policies.catalogue.shipped import POLICIES, shipped_path
from zhaifei.policies.measure.arena import everybody

SEVERAL = sorted(name for name, rules in POLICIES.items() if rules.players > 2)
several = pytest.mark.parametrize("name", SEVERAL, scope="module")


def options(name: str) -> list[object]:
    rules = POLICIES[name]
    return [
        "--players",
        rules.players,
        *(["--jump-challenge"] if rules.stakes.jump_challenge else []),
    ]


@several
@pytest.mark.usefixtures("places")
def test_it_answers_plays_and_advises(name: str) -> None:
    told = f"policy {name} (shipped): NashConv "
    for command in (
        ("query", "--hand", "11346"),
        ("watch", "--fast", "--rounds", 2, "--seed", 1),
        ("play", "--hints", "--rounds", 1, "--seed", 1),
    ):
        out = succeeds(*command, *options(name), typed="q\n")
        assert out.startswith(told)
        assert "(certified)" in out.splitlines()[0]
    found = json.loads(succeeds("query", "--hand", "11346", "--json", *options(name)))
    assert found["policy"]["name"] == str(shipped_path(POLICIES[name]))
    assert sum(one["probability"] for one in found["actions"]) == pytest.approx(1.0)


@several
@pytest.mark.usefixtures("places")
def test_it_enters_the_arena_and_is_loaded_from_python(name: str) -> None:
    rules = POLICIES[name]
    assert Path(everybody(rules)[-1]) == shipped_path(rules)
    by_rules, by_name = zhaifei.load_policy(rules=rules), zhaifei.load_policy(name)
    assert by_rules.rules == by_name.rules == rules
    actions = zhaifei.advise(by_name, "11346").actions
    assert sum(one.probability for one in actions) == pytest.approx(1.0)


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize(("name", "gain"), [("knockout", "0.028%"), ("classic", "0.738%")])
def test_that_of_matches_answers_and_plays_whole_matches_of_two(name: str, gain: str) -> None:
    of_two = ("--rules", name, "--players", 2)
    told = f"policy {name}-2p (shipped): a best response gains {gain} of matches (certified)"
    for command in (
        ("query", "--hand", "11346"),
        ("watch", "--fast", "--seed", 1),
        ("play", "--seed", 1),
    ):
        assert succeeds(*command, *of_two, typed="q\n").splitlines()[0] == told


@pytest.mark.usefixtures("places")
def test_what_a_round_decides_lies_between_what_winning_and_losing_it_are_worth() -> None:
    asked = ("query", "--rules", "knockout", "--dice", "5,3", "--hand", "113")
    found = json.loads(succeeds(*asked, "--history", "f3x5", "--json"))
    match = found["match"]
    assert match["dice"] == [5, 3]
    won, lost = match["wins_match_after_winning"], match["wins_match_after_losing"]
    assert 0.0 < lost < won < 1.0
    for one in found["actions"]:
        chance = one["wins_round"]
        assert one["wins_match"] == pytest.approx(chance * won + (1.0 - chance) * lost)


@pytest.mark.usefixtures("places")
def test_where_none_is_shipped_the_command_that_makes_one_is_named() -> None:
    asked = ("query", "--hand", "11346", "--players", 8, "--jump-challenge")
    refused(
        *asked, says=("'zhaifei solve --players 8 --jump-challenge'", "makes one, which goes to")
    )
