"""Advice of tables that know only few idle bids (`solver.abstraction`), after all idle bids."""

import json
from functools import lru_cache

import numpy as np
import pytest

from tests.command_line import succeeds
from tests.policies.small_policies import poor_match_policy
from zhaifei.game.bids import action_count, can_bid, domain
from zhaifei.game.hands import hands, hands_of
from zhaifei.game.notation import parse_action, parse_bid, parse_history
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import preset
from zhaifei.policies.advice.advice import MOST_ERROR, Advice, Ground, Solved, Source
from zhaifei.policies.advice.advising import Adviser, Question, advise, advise_range
from zhaifei.policies.advice.answering import rows_under
from zhaifei.policies.advice.values import Beliefs, Part, Rest, true_with
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.abstraction import abstraction_of, considered_tables

RULES = round_rules(preset("classic", players=2), (4, 4))
SMALL = preset("classic", dice=(2, 2), faces=3)


ITS, OWN = abstraction_of(RULES), (1, 2, 3, 4)
EVERY = np.full((1, len(hands(RULES))), 1.0 / len(hands(RULES)))


class Listed(Rest):
    """Takes the `listed` actions with these probabilities; all have the value 0.5."""

    def __init__(self, listed: dict[str, float]) -> None:
        self._played = np.full((1, action_count(RULES)), np.nan)
        for name, share in listed.items():
            self._played[0, parse_action(RULES, name)] = share

    def strategy(self, held, own):
        return np.nan_to_num(self._played)

    def values(self, held, own, positions):
        legal = np.where(np.isnan(self._played), np.nan, 1.0)
        return 0.5 * legal, 0.0 * legal


def heard(read: str, listed: dict[str, float], said: str, ground: Ground = Source.POLICY) -> Advice:
    """What is advised after the bids `said`, which are read as others."""
    beliefs = Beliefs(parse_history(RULES, read), EVERY, ground, Listed(listed))
    own = np.array([hands(RULES).index(OWN)])
    return rows_under(RULES, Part(own, [beliefs]), parse_history(RULES, said), ITS).row(0)


def test_the_rules_have_idle_bids_of_both_kinds() -> None:
    bids = domain(RULES)
    assert [str(bids[bid]) for bid in (0, ITS.low - 1, ITS.idle - 1)] == [
        "飞1×2",
        "飞1×6",
        "飞2×6",
    ]


def test_the_strongest_idle_bid_takes_the_share_of_bids_that_cannot_follow() -> None:
    listed = {"飞1×6": 0.25, "飞2×3": 0.125, "飞2×6": 0.5, "challenge": 0.125}
    found = heard("f1x2", listed, "f1x6")
    assert {one.action: one.probability for one in found.actions} == {
        "飞2×3": 0.125,
        "飞2×6": 0.75,
        "challenge": 0.125,
    }


def test_a_challenge_is_worth_what_the_bid_is_that_was_made() -> None:
    found = heard("f1x2", {"飞2×6": 0.5, "challenge": 0.5}, "f1x6")
    assert found.history == parse_history(RULES, "f1x6")
    assert found.taken_for == parse_history(RULES, "f1x2")
    place = domain(RULES).index(found.history[-1])
    tables = considered_tables(RULES, ITS)
    true = true_with(tables, place, EVERY)[hands(RULES).index(OWN)]
    assert found.p_true == pytest.approx(true)
    raised, challenged = found.actions
    assert raised.value == 0.5
    assert challenged.value == pytest.approx(1.0 - 2.0 * true)


def test_bids_that_are_taken_for_themselves_keep_their_values() -> None:
    found = heard("f1x2", {"飞2×6": 0.5, "challenge": 0.5}, "f1x2")
    assert [(one.probability, one.value, one.value_error) for one in found.actions] == [
        (0.5, 0.5, 0.0),
        (0.5, 0.5, 0.0),
    ]
    assert found.taken_for is None


LISTED = {"飞2×6": 1.0, "challenge": 0.0}


def test_after_idle_bids_that_the_table_never_makes_values_of_raises_are_unknown() -> None:
    raised, challenged = heard("f1x2 f1x6", LISTED, "f1x2 f1x6", Source.UNREACHED).actions
    assert not raised.is_clear
    assert challenged.value_error == 0.0


def test_values_of_a_solution_are_known_wherever_the_table_goes() -> None:
    found = heard("f1x2 f1x6", LISTED, "f1x2 f1x6", Solved(0.001, "normal"))
    assert [one.value_error for one in found.actions] == [0.0, 0.0]


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
        *_, found = advise(one, own, Question(history=said, seconds=seconds))
        assert found.history == said
        assert found.taken_for == (one.read(said) if one.read(said) != said else None)
        assert sum(action.probability for action in found.actions) == pytest.approx(1.0)
        names = [action.action for action in found.actions if action.action != "challenge"]
        assert all(can_bid(one.rules, parse_bid(name, one.rules), said[-1]) for name in names)
        *_, every = advise_range(one, Question(history=said, seconds=seconds))
        assert every.history == said
        assert every.taken_for == found.taken_for


def test_the_strategy_that_is_advised_is_the_one_that_plays() -> None:
    one, bids = small(), domain(small().rules)
    names = {str(bid): place for place, bid in enumerate(bids)}
    for said in [bids[1:2], (bids[0], bids[1]), bids[:3], (bids[1], bids[4])]:
        played = one.strategy(said)
        for own, found in zip(played, Adviser(one).advise_range(said).hands, strict=True):
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
