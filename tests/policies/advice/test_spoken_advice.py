"""Advice of tables that know only few idle bids (`solver.abstraction`), after all idle bids."""

import json
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from tests.command_line import succeeds
from tests.policies.small_policies import poor_match_policy, random_policy
from zhaifei.game.bids import can_bid, domain
from zhaifei.game.hands import hands, hands_of
from zhaifei.game.notation import parse_bid, parse_history
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import preset
from zhaifei.policies.advice.advice import (
    MOST_ERROR,
    ActionAdvice,
    Advice,
    Adviser,
    Solved,
    spoken,
    true_with,
)
from zhaifei.policies.advice.range_advice import refined_range
from zhaifei.policies.advice.resolved_advice import refined_advice
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.abstraction import WHOLE, abstraction_of

RULES = round_rules(preset("classic", players=2), (4, 4))
SMALL = preset("classic", dice=(2, 2), faces=3)


def policy() -> TablePolicy:
    """Its table is not asked."""
    table = random_policy(round_rules(preset("knockout", dice=(1, 1), faces=2), (1, 1))).table
    return TablePolicy(RULES, "full", table, abstraction=abstraction_of(RULES))


def advice(after: str, *actions: tuple[str, float], on_path: bool = True) -> Advice:
    listed = tuple(ActionAdvice(name, share, 0.5, 0.0) for name, share in actions)
    read = parse_history(RULES, after)
    return Advice((1, 2, 3, 4), read, False, 1.0, (), listed, on_path, True)


def heard(given: Advice, said: str) -> Advice:
    every = np.full((1, len(hands(RULES))), 1.0 / len(hands(RULES)))
    return spoken(policy(), given, parse_history(RULES, said), every)


def test_the_rules_have_idle_bids_of_both_kinds() -> None:
    its, bids = policy().abstraction, domain(RULES)
    assert [str(bids[bid]) for bid in (0, its.low - 1, its.idle - 1)] == [
        "飞1×2",
        "飞1×6",
        "飞2×6",
    ]


def test_the_strongest_idle_bid_takes_the_share_of_bids_that_cannot_follow() -> None:
    given = advice("f1x2", ("飞1×6", 0.25), ("飞2×3", 0.125), ("飞2×6", 0.5), ("challenge", 0.125))
    found = heard(given, "f1x6")
    assert {one.action: one.probability for one in found.actions} == {
        "飞2×3": 0.125,
        "飞2×6": 0.75,
        "challenge": 0.125,
    }


def test_a_challenge_is_worth_what_the_bid_is_that_was_made() -> None:
    given = advice("f1x2", ("飞2×6", 0.5), ("challenge", 0.5))
    found = heard(given, "f1x6")
    assert found.history == parse_history(RULES, "f1x6")
    assert found.taken_for == parse_history(RULES, "f1x2")
    every = np.full((1, len(hands(RULES))), 1.0 / len(hands(RULES)))
    place = domain(RULES).index(found.history[-1])
    true = true_with(policy().tables, place, every)[hands(RULES).index((1, 2, 3, 4))]
    assert found.p_true == pytest.approx(true)
    raised, challenged = found.actions
    assert raised.value == 0.5
    assert challenged.value == pytest.approx(1.0 - 2.0 * true)


def test_bids_that_are_taken_for_themselves_keep_their_values() -> None:
    given = advice("f1x2", ("飞2×6", 0.5), ("challenge", 0.5))
    assert heard(given, "f1x2") == given


def test_after_idle_bids_that_the_table_never_makes_values_of_raises_are_unknown() -> None:
    given = advice("f1x2 f1x6", ("飞2×6", 1.0), ("challenge", 0.0), on_path=False)
    raised, challenged = heard(given, "f1x2 f1x6").actions
    assert not raised.is_clear
    assert challenged.value_error == 0.0


def test_values_of_a_solution_are_known_wherever_the_table_goes() -> None:
    given = advice("f1x2 f1x6", ("飞2×6", 1.0), ("challenge", 0.0), on_path=False)
    solved = replace(given, solved=Solved(0.001, "normal"))
    raised, challenged = heard(solved, "f1x2 f1x6").actions
    assert (raised.value_error, challenged.value_error) == (0.0, 0.0)


def test_nothing_changes_without_idle_bids() -> None:
    rules = round_rules(preset("knockout", dice=(2, 2), faces=2), (2, 2))
    one, bids = random_policy(rules), domain(rules)
    assert one.abstraction == WHOLE
    given = advice("", ("飞1×2", 1.0), on_path=False)
    assert spoken(one, given, (bids[0],), np.ones((1, 3))) is given


@lru_cache
def small() -> TablePolicy:
    return poor_match_policy(SMALL, 30).at((2, 2))


@pytest.mark.parametrize("seconds", [0.0, 0.2], ids=["table", "solved again"])
def test_advice_is_about_the_bids_that_were_made(seconds: float) -> None:
    """Whatever the table takes them for, and for the range as for each of its hands."""
    one, bids = small(), domain(small().rules)
    assert one.abstraction.low > 1
    for said in [bids[1:2], (bids[0], bids[1]), bids[:3], (bids[1], bids[4])]:
        own = hands_of(one.rules, 2)[0]
        *_, found = refined_advice(one, own, None, said, seconds=seconds)
        assert found.history == said
        assert found.taken_for == (one.read(said) if one.read(said) != said else None)
        assert sum(action.probability for action in found.actions) == pytest.approx(1.0)
        names = [action.action for action in found.actions if action.action != "challenge"]
        assert all(can_bid(one.rules, parse_bid(name, one.rules), said[-1]) for name in names)
        *_, every = refined_range(one, None, said, seconds=seconds)
        assert every.history == said
        assert every.taken_for == found.taken_for


def test_the_strategy_that_is_advised_is_the_one_that_plays() -> None:
    one, bids = small(), domain(small().rules)
    names = {str(bid): place for place, bid in enumerate(bids)}
    for said in [bids[1:2], (bids[0], bids[1]), bids[:3], (bids[1], bids[4])]:
        played = one.strategy(said)
        for own, found in zip(
            played, Adviser(one).advise_hands(np.arange(len(played)), said), strict=True
        ):
            for action in found.actions:
                place = names.get(action.action, len(bids))
                assert action.probability == pytest.approx(own[place], abs=1e-9)


@pytest.mark.parametrize("bids", ["f1x6", "f1x4", "f1x2 f1x6", "f1x2 f1x3", "f1x3 f1x5 f1x6"])
def test_query_lists_what_can_follow_and_answers_from_the_table(bids: str) -> None:
    """The table of `classic-2p` was solved against all idle bids, so none is solved again."""
    *before, bid = bids.split()
    asked = ("--rules", "classic", "--players", 2, "--dice", 4, "--hand", "1234", "--bid", bid)
    given = ("--history", " ".join(before)) if before else ()
    found = json.loads(succeeds("query", *asked, *given, "--json"))
    assert found["solved_again"] is None
    assert found["history"] == " ".join(str(parse_bid(one, RULES)) for one in bids.split())
    last = parse_bid(bid, RULES)
    listed = [one["action"] for one in found["actions"] if one["action"] != "challenge"]
    assert listed
    legal = [can_bid(RULES, parse_bid(name, RULES), last) for name in listed]
    assert all(legal), listed
    assert sum(one["probability"] for one in found["actions"]) == pytest.approx(1.0)
    for one in found["actions"]:
        assert (one["wins_match"] is None) == (one["value_error"] > MOST_ERROR)
