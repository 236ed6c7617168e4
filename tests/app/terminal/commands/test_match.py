"""`zhaifei solve`, `evaluate` and `query` of whole matches of two in which dice are lost."""

import json
import re
from pathlib import Path

import pytest

from tests.command_line import succeeds, zhaifei
from zhaifei.policies.catalogue.shipped import SOLVED

KNOCKOUT = ("--rules", "knockout")


def fails(*arguments: object) -> str:
    """What a command that is refused says."""
    outcome = zhaifei(*arguments)
    assert outcome.code == 2
    return outcome.err


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("match") / "match.safetensors"
    shown = succeeds(
        "solve", *KNOCKOUT, "--dice", "2,1", "--faces", 3, "--iterations", 50_000, "--out", out
    )
    assert "finished: all" in shown
    assert "value       who opens with 2 against 1 dice wins" in shown
    return out


def test_evaluate_bounds_what_a_best_response_gains(solved: Path) -> None:
    found = json.loads(succeeds("evaluate", solved, "--json"))
    gain = found["match_gain"]
    assert 0.0 <= gain["lower"] <= gain["upper"] < 0.01
    assert found["exact"] is True
    assert [one["dice"] for one in found["rounds"]] == [[1, 1], [1, 2], [2, 1]]
    shown = succeeds("evaluate", solved)
    assert "2 against 1" in shown
    assert "of matches over the half that two equal players win" in shown


@pytest.mark.parametrize("option", ["--against", "--show-response"])
def test_evaluate_compares_and_shows_decisions_in_rounds_for_penalty_points(
    solved: Path, option: str
) -> None:
    value = solved if option == "--against" else 2
    refused = fails("evaluate", solved, option, value)
    assert "is not played for penalty points: by these rules dice are lost" in refused


def test_query_tells_the_probabilities_of_winning_the_round_and_the_match(solved: Path) -> None:
    named = ("query", "--policy", solved, *KNOCKOUT, "--faces", 3)
    asked = (*named, "--dice", "2,1", "--hand", 23)
    found = json.loads(succeeds(*asked, "--json"))
    match = found["match"]
    assert match["dice"] == [2, 1]
    assert match["wins_match_after_winning"] == 1.0  # the other had one die
    lost = match["wins_match_after_losing"]
    for action in found["actions"]:
        chance = (1.0 + action["value"]) / 2.0
        assert action["wins_round"] == pytest.approx(chance)
        assert action["wins_match"] == pytest.approx(chance + (1.0 - chance) * lost)
    shown = succeeds(*asked)
    assert "you open, with 2 dice against 1" in shown
    assert (
        f"after winning this round you win 100.0% of matches, after losing it {lost:.1%}" in shown
    )
    assert re.search(r"^action +probability +wins round +wins match$", shown, re.MULTILINE)


def test_who_has_fewer_dice_answers_with_their_own_number(solved: Path) -> None:
    named = ("query", "--policy", solved, *KNOCKOUT, "--faces", 3, "--dice", "2,1")
    shown = succeeds(*named, "--hand", 2, "--history", "1x2")
    assert "the opponent opened, you have 1 dice against 2" in shown
    refused = fails(*named, "--hand", 23, "--history", "1x2")
    assert "hand 23 has 2 dice; it must have 1" in refused


def test_without_a_hand_the_whole_range_is_shown(solved: Path) -> None:
    named = ("query", "--policy", solved, *KNOCKOUT, "--faces", 3, "--dice", "2,1")
    found = json.loads(succeeds(*named, "--history", "1x2", "--json"))
    weights = {one["hand"]: one["weight"] for one in found["hands"]}
    assert sum(weights.values()) == pytest.approx(1.0)
    assert {hand for hand, weight in weights.items() if weight > 0.0} == {"1", "2", "3"}


def test_a_round_that_no_match_comes_to_is_refused(solved: Path) -> None:
    refused = fails("query", "--policy", solved, *KNOCKOUT, "--faces", 3, "--dice", "3,1")
    assert "is for knockout: 2 players, 2 against 1 dice of 3 faces, but you asked" in refused


def test_questions_by_other_rules_name_those_of_the_match() -> None:
    asked = ("query", *KNOCKOUT, "--dice", "5,3", "--hand", "33451")
    game = "the policy is for knockout: 2 players, 5 against 3 dice of 6 faces"
    said = fails(*asked, "--bid", "f9x3")
    assert "the count must be 1 to 8" in said
    assert said.endswith(f"{game}\n")


def test_the_shipped_policy_answers_for_every_number_of_dice() -> None:
    for dice in ("5", "5,3", "1,2", "2,5"):
        own = int(dice[0])
        shown = succeeds("query", *KNOCKOUT, "--players", 2, "--dice", dice, "--hand", "2" * own)
        share = SOLVED["knockout-2p"].figure
        assert f"a best response gains {share:.3%} of matches (certified)" in shown


def test_where_no_policy_comes_to_the_dice_the_command_that_solves_from_there_is_told() -> None:
    refused = fails("query", *KNOCKOUT, "--players", 2, "--dice", "2,6", "--hand", 23)
    assert "'zhaifei solve --rules knockout --players 2 --dice 2,6' makes one" in refused


@pytest.mark.parametrize(
    "option",
    [
        ("--recall", "bid"),
        ("--engine", "mccfr"),
        ("--single-bid",),
        ("--target", 0.1),
        ("--seed", 1),
        ("--cluster",),
    ],
    ids=str,
)
def test_solve_refuses_what_is_for_penalty_points(option: tuple[object, ...]) -> None:
    refused = fails("solve", *KNOCKOUT, "--players", 2, *option)
    assert f"{option[0]} is for rounds for penalty points" in refused


def test_matches_of_three_are_not_solved() -> None:
    for command in ("solve", "evaluate", "query"):
        assert "matches for 3 players are not solved" in fails(command, *KNOCKOUT, "--players", 3)


def test_a_round_of_uneven_dice_is_solved_evaluated_and_answered(tmp_path: Path) -> None:
    """For penalty points, like any other."""
    out, sizes = tmp_path / "uneven.safetensors", ("--dice", "2,1", "--faces", 3)
    succeeds("solve", *sizes, "--iterations", 20_000, "--out", out)
    found = json.loads(succeeds("evaluate", out, "--json"))
    assert found["exploitability"]["upper"] < 0.02
    shown = succeeds("query", "--policy", out, *sizes, "--hand", 3, "--history", "f3x2")
    assert "hand 3" in shown
    assert "must have 2" in fails("query", "--policy", out, *sizes, "--hand", 3)
