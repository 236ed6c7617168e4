"""`zhaifei evaluate`."""

import json
import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import altered_files
from tests.command_line import LONG, Running, Solved, refused, solve, succeeds
from tests.policies.small_policies import random_policy
from zhaifei.game.bids import action_of, challenge_action, domain, legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.rules import preset
from zhaifei.policies.players.rule_based import NAMES, rule_based
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, save_policy
from zhaifei.solver.cfr.exact import ExactSolver
from zhaifei.solver.tables.recall import context_of, recall_tables
from zhaifei.solver.tables.strategy_table import strategy_table

PATIENT = ("--time-limit", f"{LONG}s")


def evaluate(policy: Path, *arguments: object) -> dict[str, Any]:
    """Without a limit of time that a slow machine could reach, unless `arguments` name one."""
    asked = ("evaluate", "--policy", policy, "--json", *PATIENT, *arguments)
    result = json.loads(succeeds(*asked))
    assert {"exploitability", "nash_conv", "best_response", "exact"} <= set(result)
    for end in ("lower", "upper"):
        total = sum(seat[end] for seat in result["best_response"])
        assert result["nash_conv"][end] == pytest.approx(total)
        assert result["exploitability"][end] == pytest.approx(total / 2)
    for bounds in (*result["best_response"], result["exploitability"]):
        assert bounds["lower"] <= bounds["upper"]
    return dict(result)


def test_evaluate_is_exact_for_small_games(liars_dice: Solved) -> None:
    result = evaluate(liars_dice.policy)
    solver = ExactSolver(preset("liars_dice"))
    solver.run(result["training"]["iterations"] // 36)  # 6 hands of either player
    expected = solver.exploitability()
    assert result["exact"] is True
    # Files hold single precision.
    for end in ("lower", "upper"):
        opener, responder = (seat[end] for seat in result["best_response"])
        assert opener == pytest.approx(expected.opener, abs=1e-6)
        assert responder == pytest.approx(expected.responder, abs=1e-6)
        assert result["exploitability"][end] == pytest.approx(expected.exploitability, abs=1e-6)


def test_evaluate_gives_an_interval_for_what_is_larger(full_game: Solved) -> None:
    result = evaluate(full_game.policy, "--time-limit", "0.5s")
    assert result["exact"] is False
    assert 0 < result["exploitability"]["upper"] <= 1


def test_evaluate_stops_at_the_gap_asked_for(three_dice: Solved) -> None:
    wide, narrow = (
        evaluate(three_dice.policy, "--gap", gap)["exploitability"] for gap in (0.2, 0.05)
    )
    assert narrow["upper"] - narrow["lower"] <= 0.05
    assert wide["lower"] <= narrow["lower"] <= narrow["upper"] <= wide["upper"]


def test_evaluate_prints_a_table(liars_dice: Solved, full_game: Solved) -> None:
    out = succeeds("evaluate", "--policy", liars_dice.policy, *PATIENT)
    assert "exact" in out
    assert re.search(r"exploitability +\+0\.00\d{4}$", out, re.M)
    out = succeeds("evaluate", "--policy", full_game.policy, "--time-limit", "0.5s")
    assert "lower bound" in out
    assert re.search(r"exploitability +[-+]\d\.\d{6} +\+\d\.\d{6}$", out, re.M)


def test_evaluate_tells_the_penalty_share_among_rule_based_players(liars_dice: Solved) -> None:
    shares = evaluate(liars_dice.policy)["penalty_share"]
    assert tuple(shares) == NAMES
    for share in shares.values():
        assert share["lower"] <= share["share"] <= share["upper"] <= share["lower"] + 0.01
        assert share["rounds"] >= 100_000
        assert share["theirs"]["share"] == pytest.approx(1.0 - share["share"])
    # Of an equilibrium nobody takes the better half.
    assert max(share["lower"] for share in shares.values()) < 0.5
    assert shares["random"]["upper"] < 0.2
    assert evaluate(liars_dice.policy)["penalty_share"] == shares


def test_evaluate_tells_penalty_shares_of_more_players(tmp_path: Path) -> None:
    path = tmp_path / "honest.safetensors"
    rules = preset("zhaifei", players=3, dice=1, faces=2, jump_challenge=True)
    honest = rule_based("honest", rules)
    assert isinstance(honest, TablePolicy)
    save_policy(path, honest)
    out = succeeds("evaluate", path, "--time-limit", "1s")
    assert "penalty share (33.3% is fair, ± 95% CI)" in out
    assert re.search(r"^honest +33\.3% ±0\.0% +33\.3% ±0\.0%$", out, re.M)
    assert all(re.search(rf"^{name} +\d+\.\d% ", out, re.M) for name in NAMES)


def test_evaluate_prints_exact_gains_of_three_players(tmp_path: Path) -> None:
    path = tmp_path / "three.safetensors"
    save_policy(path, random_policy(preset("zhaifei", players=3, dice=1, faces=2)))
    out = succeeds("evaluate", path, *PATIENT)
    heading, *rows = out[out.index("penalty points per round") :].splitlines()[:8]
    assert heading.split()[-1] == "exact"
    gains = [float(row.split()[-1]) for row in rows if row.startswith("  gain in seat")]
    (nash_conv,) = (float(row.split()[-1]) for row in rows if row.startswith("NashConv"))
    assert len(gains) == 3
    assert sum(gains) == pytest.approx(nash_conv, abs=2e-6)
    assert "learned best response" not in out


def test_evaluate_tells_apart_what_is_gained_where_the_policy_reads_hands(tmp_path: Path) -> None:
    """The table is measured exactly, what plays is sampled: a random table can be beaten too."""
    path = tmp_path / "three.safetensors"
    save_policy(path, random_policy(preset("zhaifei", players=3, dice=1, faces=2)))
    out = succeeds("evaluate", path, *PATIENT)
    table, reading = out.split("gain of the best known player, where the policy reads hands")
    assert table.index("exact") < table.index("NashConv, over all seats")
    rows = reading[: reading.index("penalty share")].splitlines()[1:]
    lower, *sampled = zip(*(row.split()[-3:] for row in rows[:3]), strict=True)
    assert [row.split()[:4] for row in rows[:3]] == [
        ["gain", "in", "seat", str(n)] for n in (1, 2, 3)
    ]
    assert all(mean.startswith(("+", "-")) for mean in sampled[0])
    found = json.loads(succeeds("evaluate", path, "--json", *PATIENT))
    assert [f"{gain['lower']:+.4f}" for gain in found["reading_gain"]] == [*lower]
    assert found["known_gain"] == []
    assert evaluate("honest", "--dice", 1, "--faces", 2)["reading_gain"] == []


def test_evaluate_takes_players_by_name() -> None:
    small = ("--dice", 1, "--faces", 3)
    for name in ("honest", "random"):
        result = evaluate(name, *small)
        assert result["exact"] is True
        assert result["rules"]["faces"] == 3
        assert result["penalty_share"][name]["share"] == 0.5
    unnamed = json.loads(succeeds("evaluate", name, "--json", *PATIENT, *small))
    # How far apart the ends of what is called exact are depends on when the search looked last.
    for one, other in zip(unnamed["best_response"], result["best_response"], strict=True):
        assert one == pytest.approx(other, abs=1e-8)
    out = succeeds("evaluate", "random", "--against", "honest", *PATIENT, *small)
    assert "as responder" in out


@pytest.mark.parametrize("threads", [1, 2])
def test_evaluate_may_use_threads(three_dice: Solved, threads: int) -> None:
    found = evaluate(three_dice.policy, "--gap", 0.02, "--threads", threads)["exploitability"]
    assert found["upper"] - found["lower"] <= 0.02


def test_the_file_may_be_named_without_an_option(liars_dice: Solved) -> None:
    named = json.loads(succeeds("evaluate", liars_dice.policy, "--json", "--threads", 1, *PATIENT))
    # How far apart the ends of what is called exact are depends on when the search looked last.
    for one, other in zip(
        named["best_response"],
        evaluate(liars_dice.policy, "--threads", 1)["best_response"],
        strict=True,
    ):
        assert one == pytest.approx(other, abs=1e-8)


def test_evaluate_shows_where_the_response_gains(three_dice: Solved) -> None:
    limits = ("--gap", 0.05, "--show-response", 3)
    decisions = evaluate(three_dice.policy, *limits)["response"]
    assert len(decisions) == 3
    gains = [decision["gain"]["lower"] for decision in decisions]
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] > 0
    for decision in decisions:
        assert decision["seat"] == len(decision["history"].split()) % 2
        assert 0 < decision["probability"] <= 1
        for player in ("response", "policy"):
            assert sum(decision[player].values()) == pytest.approx(1)
        # What is shown can be asked about.
        succeeds(
            "query",
            "--policy",
            three_dice.policy,
            "--hand",
            "123",
            "--history",
            decision["history"],
        )
    out = succeeds("evaluate", three_dice.policy, *PATIENT, *limits)
    assert "decisions by which a best response gains most" in out
    assert len(re.findall(r"^\+0\.\d{4} ±0\.\d{4}  (opener|responder), ", out, re.M)) == 3


def test_a_policy_against_itself_earns_nothing_on_average(one_die: Solved) -> None:
    duel = ("evaluate", one_die.policy, "--against", one_die.policy, "--json", *PATIENT)
    found = json.loads(succeeds(*duel))
    for end in ("lower", "upper"):
        assert found["mean"][end] == pytest.approx(0, abs=1e-9)
        assert found["as opener"][end] == pytest.approx(-found["as responder"][end], abs=1e-9)
    assert found["sampled_rounds"] > 1e12


def test_what_one_earns_the_other_loses(one_die: Solved, tmp_path: Path) -> None:
    sizes = ("--dice", 1, "--faces", 3, "--recall", "bid", "--threads", 1)
    weak = solve(tmp_path / "weak.safetensors", *sizes, "--iterations", 300).policy
    ours, theirs = (
        json.loads(succeeds("evaluate", one, "--against", other, "--json", *PATIENT))
        for one, other in ((one_die.policy, weak), (weak, one_die.policy))
    )
    assert ours["as opener"]["lower"] == pytest.approx(-theirs["as responder"]["lower"], abs=1e-9)
    assert ours["mean"]["lower"] == pytest.approx(-theirs["mean"]["upper"], abs=1e-9)
    assert ours["mean"]["lower"] > 0
    out = succeeds("evaluate", one_die.policy, "--against", weak, *PATIENT)
    assert re.search(r"^mean +\+0\.\d{6} +\+0\.\d{6}$", out, re.M)
    assert re.search(r"^sampling would need [\d,]+ rounds", out, re.M)


# interrupted


def uniform_policy() -> TablePolicy:
    """Every hand does anything at any time: far too much to search to the end."""
    rules = preset("zhaifei")
    bids, recall = domain(rules), recall_tables(rules, "bid")
    actions = [[action_of(rules, bid) for bid in legal_bids(rules, last)] for last in (None, *bids)]
    for played in actions[1:]:
        played.append(challenge_action(rules))
    context = [0, *(context_of(recall, np.array([bid]), 1) for bid in range(len(bids)))]
    shares = [1 / len(played) for played in actions for _ in played]
    table = strategy_table(
        recall,
        np.array(context),
        np.cumsum([0, *map(len, actions)]),
        np.array([action for played in actions for action in played], dtype=np.int16),
        np.repeat(np.array(shares, dtype=np.float32)[:, np.newaxis], len(hands(rules)), axis=1),
    )
    return TablePolicy(rules, "bid", table)


def test_evaluate_stopped_early_gives_the_best_interval_so_far(tmp_path: Path) -> None:
    save_policy(tmp_path / "uniform.safetensors", uniform_policy())
    arguments = (tmp_path / "uniform.safetensors", "--time-limit", "1h")
    with Running("evaluate", *arguments) as running:
        assert running.process.stderr is not None
        first = running.process.stderr.readline()
        assert "exploitability in [" in first
        outcome = running.send(signal.SIGINT)
    assert outcome.code == 0, outcome
    ends = re.search(r"exploitability +(\S+) +(\S+)$", outcome.out, re.MULTILINE)
    assert ends, outcome
    before = [float(end) for end in re.findall(r"-?\d\.\d+", first)]
    assert before[0] - 1e-4 <= float(ends[1]) <= float(ends[2]) <= before[1] + 1e-4


# refused


@pytest.mark.parametrize(
    "arguments",
    [("--gap", "-1"), ("--time-limit", "soon"), ("--threads", "0"), ("--show-response", "0")],
)
def test_options_of_evaluate(one_die: Solved, arguments: tuple[str, str]) -> None:
    refused("evaluate", "--policy", one_die.policy, *arguments, says=(arguments[0],))


def test_evaluate_takes_one_policy_and_one_question(one_die: Solved, liars_dice: Solved) -> None:
    one, other = one_die.policy, liars_dice.policy
    refused("evaluate", one, "--policy", other, says=("give one policy", str(one), str(other)))
    refused("evaluate", one, "--against", other, says=("but you asked for", str(other)))
    refused(
        "evaluate",
        one,
        "--against",
        one,
        "--show-response",
        3,
        says=("cannot be combined with --against",),
    )


def test_evaluate_reads_policies_as_query_does(one_die: Solved, tmp_path: Path) -> None:
    bad = tmp_path / "bad.safetensors"
    refused("evaluate", "--policy", bad, says=("there is no policy file", str(bad)))
    altered_files.truncated(one_die, bad)
    refused("evaluate", "--policy", bad, says=("not a whole safetensors file", str(bad)))


def test_a_policy_whose_rules_were_altered_is_found_out(one_die: Solved, tmp_path: Path) -> None:
    """The header says that only higher counts may open; the policy opens with 1."""
    bad = tmp_path / "bad.safetensors"
    policy = load_policy(one_die.policy)
    save_policy(bad, replace(policy, rules=policy.rules.changed(first_count=2)))
    refused("query", "--policy", bad, "--hand", "1", says=("takes illegal actions",))
    refused("evaluate", "--policy", bad, says=("not a legal first bid",))
