"""`zhaifei query --seen`."""

import json
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.play.played import PlayedMatch, played_round
from zhaifei.policies.play.records import write_match
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.cfr.tree_cfr import TreeCFR

RULES = Rules.of(players=3, dice=2, faces=3)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    training, path = TreeCFR(RULES), tmp_path_factory.mktemp("seen") / "small.safetensors"
    while training.passes < 20:
        training.advance()
    save_policy(path, TablePolicy(RULES, "full", training.average()))
    return path


def record(path: Path, rules: Rules, bids: str, you: int | None = 0) -> Path:
    """Six times the same round, in which everybody holds two threes."""
    actions = [action_of(rules, bid) for bid in parse_history(rules, bids)]
    hands = ((3,) * rules.dice,) * rules.players
    played = played_round(rules, 0, hands, [*actions, challenge_action(rules)])
    names = ("you", "阿明", "阿芳")[: rules.players]
    write_match(path, PlayedMatch(rules, names, you, None, None, "0.1.0", (played,) * 6))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return record(tmp_path / "晚上.jsonl", RULES, "f4x2 f4x3 f5x3")


def asked(policy: Path, file: Path, *more: object) -> list[object]:
    return ["query", "--policy", policy, "--hand", "13", "--seen", file, *more]


def test_the_answer_says_who_sits_there_by_the_seats_of_the_question(
    policy: Path, file: Path
) -> None:
    shown = succeeds(*asked(policy, file, "--history", "f4x2"))
    assert "seat 3 (阿明): " in shown
    assert "seat 1 (阿芳): " in shown
    assert shown.count("rounds seen: 6") == 2
    assert "among players who play as these have played" in shown
    chinese = succeeds(*asked(policy, file, "--history", "f4x2", "--lang", "zh"))
    assert "3 号位（阿明）：" in chinese
    assert "看过 6 局" in chinese


def test_what_is_played_and_what_stands_beside_it_agree(policy: Path, file: Path) -> None:
    found = json.loads(succeeds(*asked(policy, file, "--history", "f4x2", "--json")))
    assert [(one["seat"], one["name"]) for one in found["seen"]] == [(3, "阿明"), (1, "阿芳")]
    for one in found["seen"]:
        assert 0.0 < one["probability"] <= 1.0
        assert one["rounds"] == 6
    assert found["played_out"]["known"] is True
    best = max(one["value"] - one["value_error"] for one in found["actions"])
    played = max(found["actions"], key=lambda one: one["probability"])
    assert played["value"] + played["value_error"] >= best


def test_records_add_up(policy: Path, file: Path) -> None:
    arguments = asked(policy, file, "--seen", file, "--history", "f4x2", "--json")
    assert [one["rounds"] for one in json.loads(succeeds(*arguments))["seen"]] == [12, 12]


def test_another_seat_may_ask(policy: Path, file: Path) -> None:
    shown = succeeds(*asked(policy, file, "--seat", 2))
    assert "seat 2 (阿芳): " in shown
    assert "seat 3 (you): " in shown


def test_options_that_contradict_each_other(policy: Path, file: Path) -> None:
    whole = ("query", "--policy", policy)
    refused(*whole, "--seen", file, says=("add --hand",))
    refused(*whole, "--hand", "13", "--seat", 2, says=("the records of --seen",))
    refused(*asked(policy, file, "--lock", file), says=("cannot be combined",))
    refused(*asked(policy, file, "--seat", 4), says=("seats are 1 to 3",))
    refused(*asked(policy, file, "--bid", "z3x3"), says=("give all bids as the history",))


def test_records_that_do_not_fit(policy: Path, tmp_path: Path) -> None:
    other = record(tmp_path / "other.jsonl", preset("zhaifei"), "f4x2 f4x3")
    refused(*asked(policy, other), says=(f"{other} is a match by zhaifei: 2 players",))
    refused(*asked(policy, other), says=("the question is about",))
    nobody = record(tmp_path / "nobody.jsonl", RULES, "f4x2 f4x3", you=None)
    refused(*asked(policy, nobody), says=("give --seat",))
    refused(*asked(policy, tmp_path / "missing.jsonl"), says=("cannot read",))
