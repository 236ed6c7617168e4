"""`zhaifei review` and `zhaifei drill`, with a policy of two dice with three faces."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from game.bids import action_of, challenge_action
from game.notation import parse_bid
from game.rules import Rules
from policies.play.played import PlayedMatch, played_round
from policies.play.records import write_match
from policies.players.table_policy import TablePolicy, save_policy
from policies.review.deck import read_deck
from solver.cfr.tree_cfr import TreeCFR
from tests.command_line import refused, succeeds

RULES = Rules(dice=2, faces=3)
SIZES = ("--dice", 2, "--faces", 3)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    training, path = TreeCFR(RULES), tmp_path_factory.mktemp("review") / "small.safetensors"
    while training.passes < 30:
        training.advance()
    save_policy(path, TablePolicy(RULES, "full", training.average()))
    return path


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seat 0 opens with the strongest bid, which is false; then it challenges one that is sure to
    be true."""

    def number(text: str) -> int:
        return action_of(RULES, parse_bid(text))

    challenge = challenge_action(RULES)
    rounds = (
        played_round(RULES, 0, ((2, 2), (2, 3)), (number("z4x3"), challenge)),
        played_round(RULES, 0, ((2, 2), (2, 3)), (number("f3x2"), number("f3x3"), challenge)),
        played_round(RULES, 1, ((1, 1), (2, 2)), (number("f3x2"), challenge)),
    )
    match = PlayedMatch(RULES, ("you", "honest"), 0, 3, None, "0.0.1", rounds)
    path = tmp_path_factory.mktemp("record") / "match.jsonl"
    write_match(path, match)
    return path


def test_every_decision_is_shown_with_its_cost(policy: Path, record: Path) -> None:
    shown = succeeds("review", record, "--policy", policy, "--time-limit", 0)
    assert "zhaifei: 2 players, 2 dice of 3 faces each: you (you), honest" in shown
    assert shown.count("round 1: penalty points 1, lost by a decision") == 1
    assert "斋4×3 0%" in shown
    assert "blunder" in shown
    assert "3 rounds, 2 penalty points taken" in shown
    assert "the costliest decisions:" in shown
    assert shown.index("round 1, 22, opening the round: 斋4×3") > shown.index("costliest")


def test_the_other_seat_and_chinese(policy: Path, record: Path) -> None:
    shown = succeeds(
        "review", record, "--policy", policy, "--time-limit", 0, "--seat", 2, "--lang", "zh"
    )
    assert "第 3 局" in shown
    assert "运气" in shown


def test_json_and_csv_tell_the_same(policy: Path, record: Path) -> None:
    asked = ("review", record, "--policy", policy, "--time-limit", 0)
    found = json.loads(succeeds(*asked, "--json"))
    (match,) = found["matches"]
    assert match["source"] == str(record)
    assert match["seat"] == 1
    decisions = [one for round_ in match["rounds"] for one in round_["decisions"]]
    assert [one["done"] for one in decisions] == ["斋4×3", "飞3×2", "challenge", "challenge"]
    assert decisions[0]["grade"] == "blunder"
    assert decisions[0]["kind"] == "opening"
    assert all(one["cost"] >= 0.0 for one in decisions)
    assert sum(found["summary"]["grades"].values()) == 4
    lines = list(csv.DictReader(io.StringIO(succeeds(*asked, "--csv"))))
    assert [one["done"] for one in lines] == [one["done"] for one in decisions]
    assert [float(one["cost"]) for one in lines] == [one["cost"] for one in decisions]


def test_kept_matches_are_reviewed_and_drilled(policy: Path, record: Path, places: Path) -> None:
    asked = ("--policy", policy, "--time-limit", 0)
    refused("review", *asked, says=("no match is kept: play one, or name a file",))
    kept = places / "zhaifei" / "matches"
    kept.mkdir(parents=True)
    for name in ("2026-01-01T00-00-00.000000Z.jsonl", "2026-01-02T00-00-00.000000Z.jsonl"):
        shutil.copy(record, kept / name)
    shown = succeeds("review", *asked)
    assert "2 matches" in shown
    assert "6 rounds, 4 penalty points taken" in shown

    drill = ("drill", *asked, "--count", 1, "--seed", 3, *SIZES)
    first = succeeds(*drill, typed="z4x3\n")
    assert "1 of 1: hand 22, opening the round" in first
    before, after = first.split("what do you do?")
    assert "probability" not in before
    assert "斋4×3: blunder, cost" in after
    assert "probability" in after
    assert "0 of 1 right" in first
    deck = read_deck(places / "zhaifei" / "drill.json")
    assert deck.session == 1
    assert next(iter(deck.cards.values())).wrong == 1

    again = succeeds(*drill, typed="hello\nz1x1\nq\n")
    assert "'hello' is neither a bid" in again
    assert "0 of 0 right" in again


def test_what_cannot_be_reviewed_is_said(policy: Path, record: Path, tmp_path: Path) -> None:
    asked = ("review", record, "--policy", policy)
    refused(*asked, "--seat", 3, says=("there is no seat 3: seats are 1 to 2",))
    other = tmp_path / "other.jsonl"
    write_match(other, PlayedMatch(Rules(), ("you", "honest"), 0, 3, None, "0.0.1", ()))
    refused("review", other, "--policy", policy, says=("you asked for",))


def test_a_deck_that_is_none_is_said(policy: Path, places: Path) -> None:
    deck = places / "zhaifei" / "drill.json"
    deck.parent.mkdir(parents=True)
    deck.write_text("[]", encoding="utf-8")
    refused("drill", "--policy", policy, *SIZES, says=(f"{deck} is not a drill deck",))
