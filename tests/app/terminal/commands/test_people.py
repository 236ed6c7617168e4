"""`zhaifei people`, and `zhaifei query --among`."""

import json
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules
from zhaifei.policies.play.played import PlayedMatch, played_round
from zhaifei.policies.play.records import new_record, write_match
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.cfr.tree_cfr import TreeCFR

RULES = Rules.of(players=3, dice=2, faces=3)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    training, path = TreeCFR(RULES), tmp_path_factory.mktemp("people") / "small.safetensors"
    while training.passes < 20:
        training.advance()
    save_policy(path, TablePolicy(RULES, "full", training.average()))
    return path


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kept record of six rounds with 阿明, and with 阿芳, who bids once in each."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    actions = [action_of(RULES, bid) for bid in parse_history(RULES, "f4x2 f4x3 f5x3")]
    hands = ((3, 3),) * 3
    played = played_round(RULES, 0, hands, [*actions, challenge_action(RULES)])
    path = new_record()
    names = ("you", "阿明", "阿芳")
    write_match(path, PlayedMatch(RULES, names, 0, None, None, "0.1.0", (played,) * 6))
    return path


def test_people_are_told_with_what_their_dice_have_shown(kept: Path) -> None:
    shown = succeeds("people")
    assert "阿明: " in shown
    assert shown.count("rounds seen: 6") == 2
    assert succeeds("people", "阿芳").count("rounds seen: 6") == 1
    assert "阿芳这个人：" in succeeds("people", "阿芳", "--lang", "zh")
    found = json.loads(succeeds("people", "--json"))["people"]
    assert {one["name"]: one["rounds"] for one in found} == {"阿明": 6, "阿芳": 6}


def test_somebody_can_be_forgotten(kept: Path) -> None:
    assert succeeds("people", "--forget", "阿明") == "forgotten: 阿明\n"
    shown = succeeds("people")
    assert "阿明" not in shown
    assert "阿芳" in shown
    refused("people", "--forget", "阿明", says=("no kept record has 阿明",))
    refused("people", "--forget", says=("needs the names",))


def test_without_records_nobody_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert succeeds("people") == "no kept record has anybody with a name\n"
    assert json.loads(succeeds("people", "--json")) == {"people": []}


def test_records_that_cannot_be_read_are_left_out(kept: Path) -> None:
    (kept.parent / "bad.jsonl").write_text("no\n")
    assert "阿明: " in succeeds("people")


def test_query_answers_against_people_by_name(policy: Path, kept: Path) -> None:
    asked = ("query", "--policy", policy, "--hand", "13", "--history", "f4x2")
    found = json.loads(succeeds(*asked, "--among", "阿芳", "--among", "?", "--json"))
    assert [(one["seat"], one["name"], one["rounds"]) for one in found["seen"]] == [
        (3, "阿芳", 6),
        (1, "?", 0),
    ]
    assert found["played_out"]["known"] is True
    refused(*asked, "--among", "阿芳", says=("there are 2 others",))
    refused(*asked, "--among", "阿芳", "--among", "老王", says=("known are 阿明, 阿芳",))
    refused(*asked, "--among", "阿芳", "--seen", kept, says=("cannot be combined",))
