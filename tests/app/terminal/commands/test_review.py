"""`zhaifei review` and `zhaifei drill`, with a policy of two dice with three faces."""

import csv
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds, zhaifei
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.notation import parse_bid
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.play.played import PlayedMatch, played_round
from zhaifei.policies.play.records import write_match
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.policies.review.decisions import ReviewedDecision, Reviewer
from zhaifei.policies.review.deck import read_deck
from zhaifei.solver.cfr.tree_cfr import TreeCFR

RULES = Rules.of(dice=2, faces=3)
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
    assert shown.count("round 1: penalty points 1, lost by a mistake") == 1
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


@pytest.fixture
def against(tmp_path: Path) -> Path:
    """Seat 1 opens as high as its dice let, ten times, and twice a little lower, as none of the
    program's players would; then seat 0 challenges a true bid."""

    def actions(*bids: str) -> tuple[int, ...]:
        made = (action_of(RULES, parse_bid(one)) for one in bids)
        return (*made, challenge_action(RULES))

    before = played_round(RULES, 1, ((2, 2), (3, 3)), actions("z3x3", "z4x3"))
    lower = played_round(RULES, 1, ((2, 2), (3, 3)), actions("f4x3", "z4x3"))
    last = played_round(RULES, 1, ((1, 3), (3, 3)), actions("f4x3"))
    rounds = (*[before] * 10, *[lower] * 2, last)
    match = PlayedMatch(RULES, ("you", "阿明"), 0, None, None, "0.0.1", rounds)
    path = tmp_path / "against.jsonl"
    write_match(path, match)
    return path


def test_people_are_told_where_more_could_be_earned(policy: Path, against: Path) -> None:
    asked = ("review", against, "--policy", policy, "--time-limit", 0, "--people")
    shown = succeeds(*asked)
    assert "against these people, as their dice had shown by then, more would have earned" in shown
    assert "round 13, 13, 飞4×3: 斋3×3 instead of challenge, +0." in shown
    assert "阿明: bids as high as they dare (99%) · rounds seen: 12" in shown
    (match,) = json.loads(succeeds(*asked, "--json"))["matches"]
    one = next(one for one in match["against_people"] if one["round"] == 13)
    assert one["gain"] > one["margin"] > 0.0
    assert one["better"] == "斋3×3"
    assert one["because_of"]["name"] == "阿明"
    assert "against_people" not in succeeds(*asked[:-1], "--json")
    chinese = succeeds(*asked, "--lang", "zh")
    assert "第 13 局，13，飞4×3：不该开，斋3×3 多得 +0." in chinese


def test_where_nobody_is_known_nothing_is_told(policy: Path, record: Path) -> None:
    shown = succeeds("review", record, "--policy", policy, "--time-limit", 0, "--people")
    assert "against these people" in shown
    refused("review", record, "--people", "--csv", says=("cannot be combined",))


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


def test_ctrl_c_prints_what_has_been_reviewed(
    policy: Path, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = Reviewer.decision, []

    def decision(*arguments: object) -> ReviewedDecision:
        asked.append(arguments)
        if len(asked) == 3:  # in the second round
            raise KeyboardInterrupt
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Reviewer, "decision", decision)
    command = ("review", record, record, "--policy", policy, "--time-limit", 0)
    done = zhaifei(*command)
    assert done.code == 0, "as for the other commands that print what they have"
    assert "1 rounds, 1 penalty points taken" in done.out
    assert done.err.splitlines()[-1] == "interrupted: 1 of 6 rounds were reviewed"
    del asked[:]
    told = json.loads(succeeds(*command, "--json"))
    assert [len(match["rounds"]) for match in told["matches"]] == [1]
    del asked[1:]
    asked.append(())
    done = zhaifei(*command)
    assert (done.code, done.out) == (130, "")


def test_of_a_record_with_a_bad_line_the_rest_is_reviewed(
    policy: Path, record: Path, tmp_path: Path
) -> None:
    lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[3] = "spilt coffee\n"
    path = tmp_path / "bad.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    done = zhaifei("review", path, "--policy", policy, "--time-limit", 0)
    assert done.code == 0
    assert "bad.jsonl, line 4: this is not a JSON object" in " ".join(done.err.split())
    assert "lines 4 to 4 are left out" not in done.err
    assert "2 rounds, 1 penalty points taken" in done.out


def test_a_record_may_be_called_anything(policy: Path, record: Path, places: Path) -> None:
    kept = places / "zhaifei" / "matches"
    kept.mkdir(parents=True)
    path = kept / os.fsdecode(b"caf\xe9.jsonl")
    shutil.copy(record, path)
    asked = ("--policy", policy, "--time-limit", 0)
    assert "3 rounds" in succeeds("review", *asked)
    assert "3 rounds" in succeeds("review", path, *asked)
    told = json.loads(succeeds("review", path, *asked, "--json"))
    assert told["matches"][0]["source"].endswith(r"caf\xdce9.jsonl")
    path.write_text("no record")
    refused("review", path, *asked, says=(r"caf\xdce9.jsonl, line 1: this is not a JSON object",))
    shutil.copy(record, path)
    assert "0 of 1 right" in succeeds("drill", *asked, "--count", 1, *SIZES, typed="z4x3\n")
    assert "0 of 0 right" in succeeds("drill", *asked, "--count", 1, *SIZES, typed="q\n")


def test_of_the_kept_matches_those_without_a_policy_are_told_and_left_out(
    policy: Path, record: Path, places: Path
) -> None:
    kept = places / "zhaifei" / "matches"
    kept.mkdir(parents=True)
    unsolved = preset("knockout", players=3, dice=1)
    other = PlayedMatch(unsolved, ("you", "honest", "honest"), 0, 3, None, "0.0.1", ())
    write_match(kept / "other.jsonl", other)
    asked = ("review", "--policy", policy, "--time-limit", 0)
    why = "matches for 3 players are not solved, only those for two"
    none = zhaifei(*asked)
    assert (none.code, none.out) == (2, "")
    assert none.err.endswith(f"other.jsonl is not reviewed: {why}\n")
    shutil.copy(record, kept / "one.jsonl")
    done = zhaifei(*asked)
    assert (done.code, "3 rounds" in done.out) == (0, True)
    assert why in " ".join(done.err.split())


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
