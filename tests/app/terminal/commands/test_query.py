"""`zhaifei query`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Solved, succeeds
from zhaifei.game.bids import domain, legal_bids
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import parse_bid, parse_history
from zhaifei.game.rules import preset
from zhaifei.policies.players.table_policy import load_policy


def query(policy: Path, *arguments: object) -> dict[str, Any]:
    answer = json.loads(succeeds("query", "--policy", policy, "--json", *arguments))
    assert set(answer) >= {"hand", "history", "p_true", "actions"}
    for action in answer["actions"]:
        assert set(action) >= {"action", "probability", "value"}
        assert 0 <= action["probability"] <= 1
        assert -1 - 1e-9 <= action["value"] <= 1 + 1e-9
    assert sum(action["probability"] for action in answer["actions"]) == pytest.approx(1)
    return dict(answer)


def actions_of(answer: dict[str, Any]) -> list[str]:
    return [action["action"] for action in answer["actions"]]


def test_query_with_a_hand_alone_is_the_opening(full_game: Solved) -> None:
    answer = query(full_game.policy, "--hand", "61143")
    assert answer["hand"] == "11346"
    assert answer["history"] == ""
    assert answer["p_true"] is None
    assert actions_of(answer) == [str(bid) for bid in legal_bids(preset("zhaifei"), None)]


def test_query_takes_a_bid_that_can_open_for_the_first(full_game: Solved) -> None:
    answer = query(full_game.policy, "--hand", "11346", "--bid", "飞4x6")
    assert answer["history"] == "飞4×6"
    assert not answer["earlier_bids_unknown"]
    # By hand: three of the own dice count, so one of the opener's must, and they open like this.
    rules = preset("zhaifei")
    opens = load_policy(full_game.policy).strategy(())[:, domain(rules).index(parse_bid("飞4x6"))]
    likely = dict(zip(hands(rules), opens * probabilities(rules), strict=True))
    true = sum(share for hand, share in likely.items() if 1 in hand or 6 in hand)
    assert answer["p_true"] == pytest.approx(true / sum(likely.values()))
    after = legal_bids(preset("zhaifei"), parse_bid("飞4x6"))
    assert actions_of(answer) == [*map(str, after), "challenge"]
    shown = succeeds("query", "--policy", full_game.policy, "--hand", "11346", "--bid", "飞4x6")
    assert "hand 11346, facing 飞4×6, which opened the round" in shown


def test_query_takes_other_bids_for_later_ones(full_game: Solved) -> None:
    """斋2×5 has too low a count to open; which bids came before it is not known."""
    answer = query(full_game.policy, "--hand", "11346", "--bid", "z2x5")
    assert answer["history"] == "斋2×5"
    assert answer["earlier_bids_unknown"]
    assert "challenge" in actions_of(answer)
    shown = succeeds("query", "--policy", full_game.policy, "--hand", "11346", "--bid", "z2x5")
    assert "hand 11346, facing 斋2×5; the bids before it are unknown" in shown


def test_query_with_a_whole_history(full_game: Solved) -> None:
    history = "飞3x4 斋2x5 飞5x2"
    answer = query(full_game.policy, "--hand", "11346", "--history", history)
    assert answer["history"] == "飞3×4 斋2×5 飞5×2"
    assert not answer["earlier_bids_unknown"]
    shown = succeeds("query", "--policy", full_game.policy, "--hand", "11346", "--history", history)
    assert "after 飞3×4 斋2×5 飞5×2" in shown


@pytest.mark.parametrize("history", ["飞3x4 斋2x5", "飞3x4 斋2x5 飞5x2"])
def test_the_bid_faced_may_be_named_apart_from_the_history(full_game: Solved, history: str) -> None:
    answer = query(full_game.policy, "--hand", "11346", "--history", history, "--bid", "飞5x2")
    assert answer["history"] == "飞3×4 斋2×5 飞5×2"


@pytest.mark.parametrize("bid", ["f4x6", "fei 4 6", "F4*6", "飞 4×6", "fei4x6"])
def test_bids_may_be_spelled_in_ascii(full_game: Solved, bid: str) -> None:
    assert query(full_game.policy, "--hand", "1 1 3 4 6", "--bid", bid)["history"] == "飞4×6"


@pytest.mark.parametrize("bid", ["46", "4 6", "四个六", "４x６", "4个6飞"])
def test_bids_may_be_typed_as_they_are_said(full_game: Solved, bid: str) -> None:
    asked = ("--policy", full_game.policy, "--hand", "11346")
    assert query(*asked[1:], "--bid", bid)["history"] == "飞4×6"
    lines = succeeds("query", *asked, "--bid", bid).splitlines()
    if "飞" not in bid:
        assert lines.pop(0) == "no mode given: read as 飞4×6"
    assert lines[0] == f"policy {full_game.policy}: exploitability unknown"
    assert lines[1] == "hand 11346, facing 飞4×6, which opened the round"


def test_histories_may_be_typed_as_they_are_said(full_game: Solved) -> None:
    asked = ("--policy", full_game.policy, "--hand", "11346", "--history", "三个四、斋25，5 2")
    lines = succeeds("query", *asked, "--bid", "七个三").splitlines()
    assert lines[:4] == [
        "no mode given: read as 飞3×4 斋2×5 飞5×2",
        "no mode given: read as 飞7×3",
        f"policy {full_game.policy}: exploitability unknown",
        "hand 11346, after 飞3×4 斋2×5 飞5×2 飞7×3",
    ]
    assert "没说飞还是斋，当作 飞7×3" in succeeds("--lang", "zh", "query", *asked, "--bid", "73")


def test_the_strongest_bid_can_only_be_challenged(full_game: Solved) -> None:
    strongest = domain(preset("zhaifei"))[-1]
    answer = query(full_game.policy, "--hand", "11346", "--bid", strongest)
    assert [(a["action"], a["probability"]) for a in answer["actions"]] == [("challenge", 1.0)]


def test_query_prints_what_the_policy_says(one_die: Solved) -> None:
    policy = load_policy(one_die.policy)
    history = parse_history(policy.rules, "f1x2 f1x3")
    answer = query(one_die.policy, "--hand", "3", "--history", "f1x2 f1x3")
    played = policy.strategy(history)[2]
    expected = [
        float(played[domain(policy.rules).index(bid)])
        for bid in legal_bids(policy.rules, history[-1])
    ]
    assert [a["probability"] for a in answer["actions"]] == [*expected, float(played[-1])]


def test_query_draws_bars(liars_dice: Solved) -> None:
    out = succeeds("query", "--policy", liars_dice.policy, "--hand", "3", "--bid", "f1x4")
    assert re.search(r"is true with probability \d+\.\d%", out)
    lines = re.findall(r"^(challenge|飞\d×\d) +(\d+\.\d)% +(█*) +([-+]\d\.\d{3})", out, re.M)
    shares = [float(share) for _, share, _, _ in lines]
    assert sum(shares) == pytest.approx(100, abs=1)
    assert shares == sorted(shares, reverse=True)
    for _, share, bar, _ in lines:
        assert len(bar) == pytest.approx(24 * float(share) / 100, abs=0.6)


def test_query_lists_what_is_not_played_with_its_value(liars_dice: Solved) -> None:
    asked = ("--hand", "3", "--bid", "f1x4")
    shown = succeeds("query", "--policy", liars_dice.policy, *asked)
    played, rest = shown.split("not played, best first:")
    listed = re.findall(r"(challenge|飞\d×\d) +([-+]\d\.\d{3})", rest)
    unplayed = [a for a in query(liars_dice.policy, *asked)["actions"] if a["probability"] == 0]
    worth = [a for a in unplayed if a["value"] > -0.99]
    assert sorted(listed) == sorted((a["action"], f"{a['value']:+.3f}") for a in worth)
    lost = len(unplayed) - len(worth)
    assert lost > 0
    assert f"{lost} other actions earn -0.99 or less" in rest
    assert [float(value) for _, value in listed] != []
    assert not any(re.search(rf"^{action} ", played, re.M) for action, _ in listed)


def test_query_says_when_the_policy_never_bids_like_that(one_die: Solved) -> None:
    arguments = ("--policy", one_die.policy, "--hand", "1", "--history", "z2x1 z2x2 z2x3")
    assert "the policy never bids like this" in succeeds("query", *arguments)
