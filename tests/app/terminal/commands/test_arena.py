"""zhaifei arena and zhaifei players, as a user runs them."""

import csv
import io
import json
import re
import signal
from pathlib import Path

import pytest

from tests.command_line import Running, Solved, succeeds, zhaifei
from zhaifei.policies.measure.evaluation import refine_duel
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.policies.players.table_policy import load_policy

SMALL = ("--dice", 2, "--faces", 3)


def test_a_cross_table_and_what_each_does_are_printed() -> None:
    out = succeeds("arena", "honest", "random", "aggressive", *SMALL, "--rounds", "1e4")
    rules = "zhaifei: 2 players, 2 dice of 3 faces each"
    assert out.startswith(f"{rules} · seed 0 · 30,000 rounds, 0:")
    figure = r"[+-]\d\.\d{4}"
    assert re.search(rf"^1 honest +{figure} +{figure}$", out, re.MULTILINE)
    assert re.search(rf"^2 random +{figure} +{figure}$", out, re.MULTILINE)
    assert len(re.findall(rf"={figure}", out)) == 2
    assert re.search(r"^3 aggressive +\d{4} ±\d+ +0\.\d{4} ", out, re.MULTILINE)


def test_json_is_the_same_for_the_same_seed_and_in_every_language() -> None:
    arguments = ("arena", "honest", "random", *SMALL, "--rounds", 2000, "--json")
    first = succeeds(*arguments, "--seed", 3)
    assert first == succeeds(*arguments, "--seed", 3, "--lang", "zh")
    assert first != succeeds(*arguments, "--seed", 4)
    found = json.loads(first)
    assert found["rounds"] == found["planned"] == 2000
    assert [one["player"] for one in found["players"]] == ["honest", "random"]
    one, other = found["pairs"]
    assert one["saved"] == -other["saved"] > 0.0


def test_csv_has_a_line_for_each_player() -> None:
    out = succeeds("arena", "honest", "random", *SMALL, "--rounds", 100, "--csv")
    lines = list(csv.DictReader(io.StringIO(out)))
    assert [line["player"] for line in lines] == ["honest", "random"]
    assert lines[0]["saved:random"] == lines[1]["saved:honest"].removeprefix("-")


def test_policy_files_meet_rule_based_players_with_exact_values(one_die: Solved) -> None:
    # Compiles what the command needs, where no time is limited.
    policy = load_policy(one_die.policy)
    *_, _ = refine_duel(policy, policy)
    sizes = ("--dice", 1, "--faces", 3)
    arguments = ("arena", one_die.policy, "honest", *sizes, "--rounds", "1e5", "--json")
    pair = json.loads(succeeds(*arguments))["pairs"][0]
    assert pair["row"] == str(one_die.policy)
    # The interval is 1.96 standard deviations wide to each side.
    deviation = (pair["upper"] - pair["lower"]) / 2 / 1.96
    assert abs(pair["saved"] - pair["exact"]["lower"]) <= 4 * deviation
    assert pair["exact"]["upper"] - pair["exact"]["lower"] < 1e-4


def test_without_names_all_rule_based_players_meet_and_the_known_policy(places: Path) -> None:
    known = places / "zhaifei" / "zhaifei-2p-1x2.safetensors"
    succeeds("solve", "--dice", 1, "--faces", 2, "--iterations", 1000)
    assert known.exists()
    sizes = ("--dice", 1, "--faces", 2, "--rounds", 100, "--json")
    found = json.loads(succeeds("arena", *sizes))
    assert [one["player"] for one in found["players"]] == [*NAMES, READER, str(known)]


def test_three_and_more_play_at_tables(tmp_path: Path) -> None:
    options = ("--players", 3, "--jump-challenge", *SMALL, "--rounds", 600, "--json")
    together = json.loads(succeeds("arena", "honest", "random", "aggressive", *options))
    assert together["rounds"] == 600
    jumps = [one["jump_challenges"] for one in together["players"]]
    assert jumps[0] == jumps[2] == 0 < jumps[1]
    copies = json.loads(succeeds("arena", "honest", "random", *options))
    assert copies["rounds"] == 1200  # one among two of the other, both ways


def test_ctrl_c_prints_the_results_so_far() -> None:
    with Running("arena", "honest", "random", "--rounds", "1e12") as running:
        assert running.process.stderr is not None
        assert "of 1,000,000,000,000 rounds" in running.process.stderr.readline()
        outcome = running.send(signal.SIGINT)
    assert outcome.code == 0, outcome
    stopped = re.search(r"stopped early, after ([\d,]+) of 1,000,000,000,000 rounds", outcome.out)
    assert stopped
    assert f"seed 0 · {stopped[1]} rounds" in outcome.out
    assert re.search(r"^1 honest +\+0\.\d{4}$", outcome.out, re.MULTILINE)


# matches


def test_matches_of_knockout_are_played_to_their_ends() -> None:
    names = ("honest", "random", "best-supported", "face-by-face")
    out = succeeds("arena", *names, "--rules", "knockout", "--rounds", 16)
    rules = "knockout: 4 players, 5 dice of 6 faces each"
    assert out.startswith(f"{rules} · seed 0 · 16 matches, 0:")
    share = r"\d+\.\d%"
    assert re.search(rf"^1 honest .* {share} ±{share} +\d\.\d\d +\d\d\.\d$", out, re.MULTILINE)
    assert re.search(rf"^4 face-by-face( +[+-]{share}){{3}}", out, re.MULTILINE)
    assert "out of turn" in out


def test_one_meets_three_of_another_in_increment() -> None:
    """The learner wins more than the quarter that would be fair, by far."""
    arguments = ("q-learner", "random-caller", "--rules", "increment", "--rounds", 100)
    found = json.loads(succeeds("arena", *arguments, "--json"))
    alone = found["pairs"][0]["won_alone"]
    assert 0.3 < alone["lower"] < alone["mean"] < alone["upper"]
    assert found["matches"] == 200


def test_matches_are_the_same_for_the_same_seed_and_in_every_language() -> None:
    arguments = ("arena", "random", "honest", "--rules", "knockout", "--players", 2)
    options = ("--rounds", 20, "--json")
    first = succeeds(*arguments, *options, "--seed", 3)
    assert first == succeeds(*arguments, *options, "--seed", 3, "--lang", "zh")
    assert first != succeeds(*arguments, *options, "--seed", 4)


def test_csv_of_matches_has_a_line_for_each_player() -> None:
    sizes = ("--players", 2, "--dice", 2, "--rounds", 20)
    out = succeeds("arena", "honest", "random", "--rules", "increment", *sizes, "--csv")
    lines = list(csv.DictReader(io.StringIO(out)))
    assert [line["player"] for line in lines] == ["honest", "random"]
    assert float(lines[0]["more:random"]) == -float(lines[1]["more:honest"])


def test_without_names_all_meet_who_play_by_the_rules() -> None:
    sizes = ("--players", 2, "--dice", 1, "--faces", 2, "--rounds", 4, "--json")
    found = json.loads(succeeds("arena", "--rules", "knockout", *sizes))
    assert [one["player"] for one in found["players"]] == [*NAMES]


def test_a_command_for_penalty_points_says_where_dice_are_lost() -> None:
    outcome = zhaifei("drill", "--policy", "honest", "--rules", "knockout", "--players", 2)
    assert outcome.code == 2
    assert "is not played for penalty points: by these rules dice are lost" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("honest", "q-learner", "--rules", "knockout"), "q-learner does not play by these rules"),
        (("honest", "nobody", "--rules", "increment"), "no player is called 'nobody'"),
        (("honest", "--rules", "increment"), "an arena needs at least 2 players, but you named 1"),
        (("honest",), "an arena needs at least 2 players, but you named 1"),
        (("honest", "honest"), "honest is named twice: each player enters once"),
        (("honest", "nobody"), "no player is called 'nobody'"),
        (("honest", "random", "--json", "--csv"), "--json and --csv cannot be combined"),
        (("honest", "random", "--players", 9), "players is 9; it must be 2 to 8"),
        (("honest", "random", "--rounds", 0), "is not a positive whole number"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    arguments: tuple[object, ...], message: str
) -> None:
    outcome = zhaifei("arena", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_policies_for_other_rules_are_refused(one_die: Solved) -> None:
    outcome = zhaifei("arena", "honest", one_die.policy)
    assert outcome.code == 2
    assert "plays by other rules" in outcome.err
