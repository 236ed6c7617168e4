"""`zhaifei query --lock`."""

import json
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds
from zhaifei.game.rules import Rules
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.cfr.tree_cfr import TreeCFR

BLUFFS = "# 一半时间\n- after: f3x3\n  hands: f1x3\n  mix: {z2x3: 1/2}\n"


def asked(policy: Path, file: Path, *more: object) -> list[object]:
    return ["query", "--policy", policy, "--hand", "13", "--lock", file, *more]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of two dice with three faces."""
    rules = Rules.of(dice=2, faces=3)
    training, path = TreeCFR(rules), tmp_path_factory.mktemp("lock") / "small.safetensors"
    while training.passes < 30:
        training.advance()
    save_policy(path, TablePolicy(rules, "full", training.average()))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "锁定.yaml"
    path.write_text(BLUFFS, encoding="utf-8")
    return path


def test_the_answer_says_which_locks_hold_and_that_it_is_a_best_response(
    policy: Path, file: Path
) -> None:
    shown = succeeds(*asked(policy, file, "--history", "f3x3 z2x3"))
    assert f"locks of {file}, by line: 2" in shown
    assert "the best response: the opponent otherwise plays the policy's table" in shown
    assert "±0.000" in shown
    chinese = succeeds(*asked(policy, file, "--history", "f3x3 z2x3", "--lang", "zh"))
    assert f"{file} 中的锁定，所在行：2" in chinese


def test_a_solution_says_its_gap(policy: Path, file: Path) -> None:
    more = ("--lock-answer", "solve", "--history", "f3x3 z2x3")
    shown = succeeds(*asked(policy, file, *more))
    assert "solved from here with the locks, to a gap of" in shown
    assert "both players adapt" in shown


@pytest.mark.parametrize("answer", ["best-response", "solve"])
def test_json_has_the_locks(policy: Path, file: Path, answer: str) -> None:
    arguments = asked(policy, file, "--history", "f3x3 z2x3", "--lock-answer", answer, "--json")
    found = json.loads(succeeds(*arguments))
    assert found["locked"]["source"] == str(file)
    assert found["locked"]["lines"] == [2]
    assert found["locked"]["answer"] == answer
    assert (found["locked"]["gap"] is None) == (answer == "best-response")
    assert sum(one["probability"] for one in found["actions"]) == pytest.approx(1)
    plain = ["query", "--policy", policy, "--hand", "13", "--json"]
    assert json.loads(succeeds(*plain))["locked"] is None


def test_locks_about_other_bids_are_said_to_be(policy: Path, file: Path) -> None:
    shown = succeeds(*asked(policy, file, "--history", "f4x3"))
    assert "锁定.yaml locks nothing on the way here or from here on" in shown


def test_bids_that_locks_rule_out_are_said_to_be(policy: Path, file: Path) -> None:
    file.write_text("- after: f3x3\n  times: {z2x3: 0}", encoding="utf-8")
    shown = succeeds(*asked(policy, file, "--history", "f3x3 z2x3"))
    assert "with these locks the opponent never bids like this" in shown


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- after: f9x3\n  play: {c: 1}", "line 1: 飞9×3 is not a bid in these rules"),
        ("\n- after: f3x3\n  play: {c: 0.9}", "line 3: these probabilities add up to 0.9"),
        ("", "line 1: there are no locks"),
        ("- after: f3x3 z2x3\n  play: {c: 1}", "line 1: a lock after the very bids"),
        ("- after: start\n  play: {f3x3: 1}", "line 1: after these bids it is your own turn"),
        ("- &a [*a]", "line 1: a lock file may not have aliases"),
    ],
)
def test_files_that_are_refused(policy: Path, file: Path, text: str, says: str) -> None:
    file.write_text(text, encoding="utf-8")
    refused(*asked(policy, file, "--history", "f3x3 z2x3"), says=(str(file), says))


def test_a_lock_of_other_rules_is_refused_with_the_rules_of_the_policy(
    policy: Path, file: Path
) -> None:
    file.write_text("- after: f3x3 pi\n  play: {c: 1}", encoding="utf-8")
    why = (
        "they do not let players double the stakes; a challenge is 开; the policy is for zhaifei: 2"
    )
    refused(*asked(policy, file, "--history", "f3x3 z2x3"), says=(str(file), why))


def test_options_that_contradict_each_other(policy: Path, file: Path) -> None:
    solving = asked(policy, file, "--lock-answer", "solve")
    refused(*solving, "--no-resolve", says=("--lock-answer solve takes time",))
    refused(*solving, "--time-limit", "0", says=("--lock-answer solve takes time",))
    plain = ["query", "--policy", policy, "--hand", "13", "--lock-answer", "solve"]
    refused(*plain, says=("--lock-answer says what to do with the file of --lock",))
    refused(*asked(policy, file.parent), says=("cannot read", str(file.parent)))
    refused(*asked(policy, file.parent / "absent"), says=("cannot read", "absent"))
    refused(*asked(policy, file, "--bid", "z1x3"), says=("are unknown", "give all bids"))
