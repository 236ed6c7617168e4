"""Which policy answers if none is named, and that commands tell."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command_line import succeeds
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.known import default_path
from zhaifei.policies.players.rule_based import NAMES, rule_based
from zhaifei.policies.players.table_policy import TablePolicy, save_policy

RULES = preset("zhaifei", dice=1, faces=3)
SMALL = ("--dice", 1, "--faces", 3)
LINE = "policy {path}: exploitability {figure} (measured in training)\n"
ZH_LINE = "策略 {path}：可剥削度 {figure}（求解时测得）\n"


@pytest.fixture
def solved(places: Path) -> dict[str, Path]:
    """What `solve` wrote by default, and a better one beside it."""
    policy = rule_based("honest", RULES)
    assert isinstance(policy, TablePolicy)
    hasty = default_path(RULES, make=True)
    better = hasty.with_name("better.safetensors")
    for path, figure in ((hasty, 0.5), (better, 0.25)):
        save_policy(path, replace(policy, training={"exploitability": figure}))
    assert hasty.is_relative_to(places)
    return {"hasty": hasty, "better": better}


def command(*arguments: object) -> str:
    return succeeds(*arguments)


def answers(path: Path, figure: float) -> dict[str, object]:
    return {"name": str(path), "measure": "exploitability", "figure": figure, "source": "training"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("query", "--hand", 2, *SMALL),
        ("evaluate", *SMALL),
        ("evaluate", "--against", "random", *SMALL),
        ("play", *SMALL),
        ("watch", *SMALL, "--fast", "--rounds", 2),
        ("arena", *SMALL, "--rounds", 100),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:2])),
)
def test_the_policy_that_answers_is_named(
    solved: dict[str, Path], arguments: tuple[object, ...]
) -> None:
    better = solved["better"]
    assert LINE.format(path=better, figure="0.2500") in command(*arguments)
    assert ZH_LINE.format(path=better, figure="0.2500") in command("--lang", "zh", *arguments)
    if arguments[0] in ("play", "watch"):
        return
    assert json.loads(command(*arguments, "--json"))["policy"] == answers(better, 0.25)
    if arguments[0] != "arena":
        hasty = solved["hasty"]
        named = (*arguments, "--policy", hasty)
        assert LINE.format(path=hasty, figure="0.5000") in command(*named)
        assert json.loads(command(*named, "--json"))["policy"] == answers(hasty, 0.5)


def test_a_policy_plays_if_it_is_named(solved: dict[str, Path]) -> None:
    for verb in (("play",), ("watch", "--fast", "--rounds", 2)):
        said = command(*verb, *SMALL, "--policy", solved["hasty"])
        assert LINE.format(path=solved["hasty"], figure="0.5000") in said


def test_who_does_not_answer_is_not_named(solved: dict[str, Path]) -> None:
    """Others sit at the table."""
    assert "policy " not in command("play", *SMALL, "--opponent", "honest")
    assert "policy" not in json.loads(command("arena", *NAMES[:2], *SMALL, "--json"))
    hints = command("play", *SMALL, "--opponent", "honest", "--hints")
    assert LINE.format(path=solved["better"], figure="0.2500") in hints


def test_the_shipped_policy_is_certified(places: Path) -> None:
    asked = ("query", "--hand", "11346", "--bid", "f4x6")
    said = "policy zhaifei-2p (shipped): exploitability 0.0050 (certified)"
    assert command(*asked).splitlines()[0] == said
    said = "策略 zhaifei-2p（自带）：可剥削度 0.0050（已证明）"
    assert command(*asked, "--lang", "zh").splitlines()[0] == said
    found = json.loads(command(*asked, "--json"))["policy"]
    assert (found["figure"], found["source"]) == (0.004972, "certified")


def test_that_nothing_is_recorded_is_said_too() -> None:
    asked = ("query", "--hand", 2, *SMALL, "--policy", "honest")
    assert command(*asked).splitlines()[0] == "policy honest: exploitability unknown"
    assert json.loads(command(*asked, "--json"))["policy"]["figure"] is None
    three = ("query", "--players", 3, *asked[1:])
    assert command(*three).splitlines()[0] == "policy honest: NashConv unknown"
