"""`zhaifei score`."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Solved, refused, succeeds, zhaifei

CHALLENGES = """
import sys
position, left = [], {answers}
for line in sys.stdin:
    position.append(line)
    if line == chr(10):
        if not left:
            break
        may = 'may answer: challenge' in ''.join(position)
        print('challenge' if may else 'f1x2', flush=True)
        position, left = [], left - 1
"""
"""Challenges wherever it may, and ends after some answers."""


@pytest.fixture
def agent(tmp_path: Path) -> str:
    path = tmp_path / "agent.py"
    path.write_text(CHALLENGES.format(answers=1000), encoding="utf-8")
    return f"'{sys.executable}' '{path}'"


def scored(one_die: Solved, agent: str, *arguments: object) -> dict[str, Any]:
    line = ("score", "--policy", one_die.policy, "--agent", agent, "--seed", 1, "--json")
    found: dict[str, Any] = json.loads(succeeds(*line, *arguments))
    return found


def test_the_result_is_one_json_object(one_die: Solved, agent: str) -> None:
    found = scored(one_die, agent, "--rounds", 40)
    assert found["agent"] == agent
    assert (found["rounds"], found["seed"], found["illegal_answers"]) == (40, 1, 0)
    lost = found["points_lost"]
    assert lost["lower"] < lost["mean"] < lost["upper"]
    assert found["policy"]["name"] == str(one_die.policy)
    assert 0 <= found["penalty_points"] <= 40
    assert found["decisions"] >= 40
    assert found == scored(one_die, agent, "--rounds", 40), "the seed decides everything"


def test_people_read_five_lines(one_die: Solved, agent: str) -> None:
    line = ("score", "--policy", one_die.policy, "--agent", agent, "--seed", 1, "--rounds", 20)
    out = succeeds(*line).splitlines()
    assert len(out) == 5
    assert out[1] == "20 rounds · seed 1"
    assert out[2].startswith("points lost a round, luck taken out: ")
    assert "±" in out[2]
    assert "每局" in succeeds(*line, "--lang", "zh")


def test_what_was_played_is_told_of_a_program_that_ends(
    one_die: Solved, agent: str, tmp_path: Path
) -> None:
    (tmp_path / "agent.py").write_text(CHALLENGES.format(answers=9), encoding="utf-8")
    line = ("score", "--policy", one_die.policy, "--agent", agent, "--seed", 1, "--json")
    outcome = zhaifei(*line)
    assert outcome.code == 2
    assert "ended before the match did" in outcome.err
    assert 1 <= json.loads(outcome.out)["rounds"] <= 8


@pytest.mark.parametrize("command", ["", "/nowhere/agent", "'"])
def test_a_program_that_cannot_be_started_is_refused(one_die: Solved, command: str) -> None:
    says = (repr(command),)
    refused("score", "--policy", one_die.policy, f"--agent={command}", says=says)


def test_rules_in_which_dice_are_lost_are_refused(agent: str) -> None:
    refused("score", "--rules", "knockout", "--players", 2, "--agent", agent, says=("rounds",))
