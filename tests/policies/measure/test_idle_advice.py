"""Advice after idle bids, of which a solved match of two has few (`solver.value.idle_bids`)."""

import json

import pytest

from tests.command_line import succeeds
from zhaifei.game.bids import Bid, can_bid, idle_bids
from zhaifei.game.notation import parse_bid, parse_history
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import preset
from zhaifei.policies.measure.advice import MOST_ERROR, ActionAdvice, Advice
from zhaifei.policies.measure.idle_advice import in_the_whole_round
from zhaifei.solver.value.idle_bids import with_idle_bids

WHOLE = round_rules(preset("classic", players=2), (4, 4))
RULES = with_idle_bids(WHOLE)
IDLE = idle_bids(RULES)


def advice(*actions: tuple[str, float], on_path: bool = True) -> Advice:
    listed = tuple(ActionAdvice(name, share, 0.5, 0.0) for name, share in actions)
    return Advice((1, 2, 3, 4), (), False, None, (), listed, on_path, True)


def test_the_rules_have_idle_bids_of_both_kinds() -> None:
    assert [str(bid) for bid in (IDLE.low[0], IDLE.low[-1], IDLE.strongest)] == [
        "飞1×2",
        "飞1×6",
        "飞2×6",
    ]


def test_the_strongest_idle_bid_takes_the_share_of_bids_that_cannot_follow() -> None:
    made = parse_history(WHOLE, "f2x4")
    given = advice(("飞1×6", 0.25), ("飞2×3", 0.125), ("飞2×6", 0.5), ("challenge", 0.125))
    found = in_the_whole_round(RULES, given, made)
    assert {one.action: one.probability for one in found.actions} == {
        "飞2×6": 0.875,
        "challenge": 0.125,
    }


def test_after_idle_bids_that_the_table_never_makes_values_of_raises_are_unknown() -> None:
    made = parse_history(WHOLE, "f1x2 f1x6")
    given = advice(("飞2×6", 1.0), ("challenge", 0.0), on_path=False)
    raised, challenged = in_the_whole_round(RULES, given, made).actions
    assert not raised.is_clear
    assert challenged.value_error == 0.0


def test_nothing_changes_without_idle_bids() -> None:
    rules = round_rules(preset("knockout", players=2), (4, 4))
    given = advice(("飞1×6", 1.0), on_path=False)
    assert in_the_whole_round(rules, given, (Bid(rules.modes[0], 2, 4),)) is given


@pytest.mark.parametrize("bids", ["f1x6", "f1x4", "f1x2 f1x6", "f1x2 f1x3", "f1x3 f1x5 f1x6"])
def test_query_lists_what_can_follow_and_answers_from_the_table(bids: str) -> None:
    """The table of `classic-2p` was solved against all idle bids, so none is solved again."""
    *before, bid = bids.split()
    asked = ("--rules", "classic", "--players", 2, "--dice", 4, "--hand", "1234", "--bid", bid)
    given = ("--history", " ".join(before)) if before else ()
    found = json.loads(succeeds("query", *asked, *given, "--json"))
    assert found["solved_again"] is None
    last = parse_bid(bid, WHOLE)
    listed = [one["action"] for one in found["actions"] if one["action"] != "challenge"]
    assert listed
    legal = [can_bid(WHOLE, parse_bid(name, WHOLE), last) for name in listed]
    assert all(legal), listed
    assert sum(one["probability"] for one in found["actions"]) == pytest.approx(1.0)
    for one in found["actions"]:
        assert (one["wins_match"] is None) == (one["value_error"] > MOST_ERROR)
