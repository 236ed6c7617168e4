"""The commands as a user runs them: what they print, write and read."""

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest

from game.bids import domain, legal_bids
from game.hands import hands, probabilities
from game.notation import parse_bid, parse_history
from game.rules import preset
from policies.catalogue.shipped import shipped_path
from policies.players.rule_based import NAMES, rule_based
from policies.players.table_policy import TablePolicy, load_policy, save_policy
from solver.cfr.exact import ExactSolver
from tests.command_line import LONG, Running, Solved, solve, succeeds, zhaifei

TINY = ("--dice", 1, "--faces", 2)
SHIPPED = shipped_path(preset("zhaifei"))
PATIENT = ("--time-limit", f"{LONG}s")


def query(policy: Path, *arguments: object) -> dict[str, Any]:
    answer = json.loads(succeeds("query", "--policy", policy, "--json", *arguments))
    assert set(answer) >= {"hand", "history", "p_true", "actions"}
    for action in answer["actions"]:
        assert set(action) >= {"action", "probability", "value"}
        assert 0 <= action["probability"] <= 1
        assert -1 - 1e-9 <= action["value"] <= 1 + 1e-9
    assert sum(action["probability"] for action in answer["actions"]) == pytest.approx(1)
    return dict(answer)


def actions_of(answer: dict[str, Any]) -> list[str]:
    return [action["action"] for action in answer["actions"]]


# solve


def test_solve_reports_what_it_wrote(liars_dice: Solved) -> None:
    out = liars_dice.outcome.out
    assert "liars_dice: 2 players, 1 die of 6 faces each" in out
    assert f"policy      {liars_dice.policy}" in out
    assert f"checkpoint  {liars_dice.checkpoint}" in out
    assert re.search(r"policy .* \(\d+\.\d MB\)", out)
    assert re.search(r"value +[-+]0\.\d{4} points for the opener", out)
    assert re.search(r"openings +(飞\d×\d \d+\.\d% *){1,5}\n", out)
    assert f"zhaifei solve --resume {liars_dice.checkpoint}" in out
    assert liars_dice.outcome.err == ""


def test_solve_shows_its_progress_where_there_is_no_terminal(one_die: Solved) -> None:
    progress = (
        r"\d+:\d\d  [\d,]+ of 20,000 iterations · [\d,]+/s · \d+:\d\d left · "
        r"[\d,]+ information sets · value [-+]\d\.\d{4}\n"
    )
    assert re.search(progress, one_die.outcome.out)


def test_solve_says_how_exploitable_the_average_is_where_it_knows(tmp_path: Path) -> None:
    done = solve(tmp_path / "two_dice.safetensors", "--dice", 2, "--iterations", 100_000)
    assert " · tree · recall full · " in done.outcome.out
    found = re.search(r"\nexploitable (0\.\d{4}) points per round", done.outcome.out)
    assert found
    assert re.search(r"value [-+]0\.\d{4} · exploitability 0\.\d{4}\n", done.outcome.out)
    evaluated = json.loads(succeeds("evaluate", done.policy, "--json", *PATIENT))["exploitability"]
    # Nothing is rounded in so small a file.
    assert evaluated["lower"] - 1e-4 <= float(found[1]) <= evaluated["upper"] + 1e-4
    assert evaluated["upper"] < 0.05


def test_solve_finds_the_value_of_liars_dice(liars_dice: Solved) -> None:
    assert load_policy(liars_dice.policy).training["value"] == pytest.approx(-7 / 258, abs=1e-3)


def test_small_games_are_solved_exactly_unless_something_is_to_be_forgotten(
    liars_dice: Solved, one_die: Solved
) -> None:
    assert load_policy(liars_dice.policy).training["engine"] == "exact"
    assert load_policy(one_die.policy).training["engine"] == "mccfr"
    assert load_policy(one_die.policy).recall == "bid,bid"


def test_who_remembers_a_single_bid_keeps_to_its_mode(tmp_path: Path) -> None:
    sizes = ("--dice", 2, "--faces", 3)
    done = solve(tmp_path / "forgetful.safetensors", *sizes, "--single-bid", "--iterations", 2000)
    assert " · single-bid · recall bid · 1 thread\n" in done.outcome.out
    policy, raises = load_policy(done.policy), 0
    bids = domain(policy.rules)
    for bid in legal_bids(policy.rules, None):
        played = policy.strategy([bid])[:, : len(bids)].any(axis=0).nonzero()[0]
        assert all(bids[action].mode == bid.mode for action in played)
        raises += played.size
    assert raises


@pytest.mark.parametrize("spelling", ["2e3", "2_000", "2000", "2.0e3"])
def test_iterations_may_be_spelled_in_any_usual_way(tmp_path: Path, spelling: str) -> None:
    done = solve(tmp_path / "tiny.safetensors", *TINY, "--iterations", spelling)
    assert " of 2,000 iterations" in done.outcome.out
    assert load_policy(done.policy).training["iterations"] == 2000


@pytest.mark.parametrize("spelling", ["0.2", "0.2s", "0m0.2s", ".003m"])
def test_the_time_limit_ends_a_run(tmp_path: Path, spelling: str) -> None:
    done = solve(
        tmp_path / "tiny.safetensors", *TINY, "--iterations", "1e12", "--time-limit", spelling
    )
    assert "stopped early" in done.outcome.out
    assert load_policy(done.policy).training["iterations"] > 0


def test_a_time_limit_of_next_to_nothing_still_leaves_a_policy(tmp_path: Path) -> None:
    done = solve(tmp_path / "tiny.safetensors", *TINY, "--time-limit", "0.000001s")
    assert load_policy(done.policy).training["value"] == pytest.approx(0, abs=1)


def test_policies_go_into_the_users_data_and_are_found_there(places: Path) -> None:
    out = succeeds("solve", "--dice", 1, "--rules", "basic", "--iterations", 100)
    written = next(places.rglob("basic*[!t].safetensors"))
    assert f"policy      {written}" in out
    # What the other commands read by default is the full game.
    shipped = succeeds("query", "--hand", "11346", "--json")
    assert shipped == succeeds("query", "--hand", "11346", "--json", "--policy", SHIPPED)
    # Nothing is recorded of how exploitable this one is, so the shipped one still answers.
    succeeds("solve", "--recall", "bid", "--iterations", 300, "--threads", 1)
    solved = next(places.rglob("zhaifei-2p.safetensors"))
    assert succeeds("query", "--hand", "11346", "--json") == shipped
    assert succeeds("query", "--hand", "11346", "--json", "--policy", solved) != shipped


def test_the_data_directory_that_cannot_be_made_is_named(places: Path) -> None:
    places.write_text("in the way")
    outcome = zhaifei("solve", *TINY, "--iterations", 100)
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1
    assert str(places) in outcome.err


@pytest.mark.parametrize(
    "variant",
    [TINY, (*TINY, "--recall", "bid,bid", "--threads", 1), (*TINY, "--single-bid"), ("--dice", 2)],
)
def test_equal_runs_write_equal_files(tmp_path: Path, variant: tuple[object, ...]) -> None:
    """Bit for bit, with one thread and a seed."""
    done = [
        solve(tmp_path / f"{name}.safetensors", *variant, "--iterations", 3000, "--seed", 7)
        for name in "ab"
    ]
    assert done[0].policy.read_bytes() == done[1].policy.read_bytes()


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    sampled = (*TINY, "--recall", "bid,bid", "--threads", 1, "--iterations", 3000)
    done = [solve(tmp_path / f"{n}.safetensors", *sampled, "--seed", n) for n in (1, 2)]
    assert done[0].policy.read_bytes() != done[1].policy.read_bytes()


def test_threads_share_one_run(tmp_path: Path) -> None:
    sampled = (*TINY, "--recall", "bid,bid", "--threads", 2, "--iterations", 3000)
    done = solve(tmp_path / "two.safetensors", *sampled)
    assert "2 threads" in done.outcome.out


def test_files_may_be_read_by_whom_the_user_lets(liars_dice: Solved, tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    assert liars_dice.policy.stat().st_mode == usual.stat().st_mode


# query


def test_query_with_a_hand_alone_is_the_opening(full_game: Solved) -> None:
    answer = query(full_game.policy, "--hand", "61143")
    assert answer["hand"] == "11346"
    assert answer["history"] == ""
    assert answer["p_true"] is None
    assert actions_of(answer) == [str(bid) for bid in legal_bids(preset("zhaifei"), None)]


def test_query_takes_a_bid_that_can_open_for_the_first(full_game: Solved) -> None:
    answer = query(full_game.policy, "--hand", "11346", "--bid", "飞4x6")
    assert answer["history"] == "飞4×6"
    assert not answer["earlier_bids_unknown"]
    # By hand: three of the own dice count, so one of the opener's must, and they open like this.
    rules = preset("zhaifei")
    opens = load_policy(full_game.policy).strategy(())[:, domain(rules).index(parse_bid("飞4x6"))]
    likely = dict(zip(hands(rules), opens * probabilities(rules), strict=True))
    true = sum(share for hand, share in likely.items() if 1 in hand or 6 in hand)
    assert answer["p_true"] == pytest.approx(true / sum(likely.values()))
    after = legal_bids(preset("zhaifei"), parse_bid("飞4x6"))
    assert actions_of(answer) == [*map(str, after), "challenge"]
    shown = succeeds("query", "--policy", full_game.policy, "--hand", "11346", "--bid", "飞4x6")
    assert "hand 11346, facing 飞4×6, which opened the round" in shown


def test_query_takes_other_bids_for_later_ones(full_game: Solved) -> None:
    """斋2×5 has too low a count to open; which bids came before it is not known."""
    answer = query(full_game.policy, "--hand", "11346", "--bid", "z2x5")
    assert answer["history"] == "斋2×5"
    assert answer["earlier_bids_unknown"]
    assert "challenge" in actions_of(answer)
    shown = succeeds("query", "--policy", full_game.policy, "--hand", "11346", "--bid", "z2x5")
    assert "hand 11346, facing 斋2×5; the bids before it are unknown" in shown


def test_query_with_a_whole_history(full_game: Solved) -> None:
    history = "飞3x4 斋2x5 飞5x2"
    answer = query(full_game.policy, "--hand", "11346", "--history", history)
    assert answer["history"] == "飞3×4 斋2×5 飞5×2"
    assert not answer["earlier_bids_unknown"]
    shown = succeeds("query", "--policy", full_game.policy, "--hand", "11346", "--history", history)
    assert "after 飞3×4 斋2×5 飞5×2" in shown


@pytest.mark.parametrize("history", ["飞3x4 斋2x5", "飞3x4 斋2x5 飞5x2"])
def test_the_bid_faced_may_be_named_apart_from_the_history(full_game: Solved, history: str) -> None:
    answer = query(full_game.policy, "--hand", "11346", "--history", history, "--bid", "飞5x2")
    assert answer["history"] == "飞3×4 斋2×5 飞5×2"


@pytest.mark.parametrize("bid", ["f4x6", "fei 4 6", "F4*6", "飞 4×6", "fei4x6"])
def test_bids_may_be_spelled_in_ascii(full_game: Solved, bid: str) -> None:
    assert query(full_game.policy, "--hand", "1 1 3 4 6", "--bid", bid)["history"] == "飞4×6"


@pytest.mark.parametrize("bid", ["46", "4 6", "四个六", "４x６", "4个6飞"])
def test_bids_may_be_typed_as_they_are_said(full_game: Solved, bid: str) -> None:
    asked = ("--policy", full_game.policy, "--hand", "11346")
    assert query(*asked[1:], "--bid", bid)["history"] == "飞4×6"
    shown = succeeds("query", *asked, "--bid", bid)
    read_back = "" if "飞" in bid else "no mode given: read as 飞4×6\n"
    assert shown.startswith(f"{read_back}hand 11346, facing 飞4×6, which opened the round\n")


def test_histories_may_be_typed_as_they_are_said(full_game: Solved) -> None:
    asked = ("--policy", full_game.policy, "--hand", "11346", "--history", "三个四、斋25，5 2")
    shown = succeeds("query", *asked, "--bid", "七个三")
    assert shown.startswith(
        "no mode given: read as 飞3×4 斋2×5 飞5×2\nno mode given: read as 飞7×3\n"
        "hand 11346, after 飞3×4 斋2×5 飞5×2 飞7×3\n"
    )
    assert "没说飞还是斋，当作 飞7×3" in succeeds("--lang", "zh", "query", *asked, "--bid", "73")


def test_the_strongest_bid_can_only_be_challenged(full_game: Solved) -> None:
    strongest = domain(preset("zhaifei"))[-1]
    answer = query(full_game.policy, "--hand", "11346", "--bid", strongest)
    assert [(a["action"], a["probability"]) for a in answer["actions"]] == [("challenge", 1.0)]


def test_query_prints_what_the_policy_says(one_die: Solved) -> None:
    policy = load_policy(one_die.policy)
    history = parse_history(policy.rules, "f1x2 f1x3")
    answer = query(one_die.policy, "--hand", "3", "--history", "f1x2 f1x3")
    played = policy.strategy(history)[2]
    expected = [float(played[domain(policy.rules).index(bid)])
                for bid in legal_bids(policy.rules, history[-1])]  # fmt: skip
    assert [a["probability"] for a in answer["actions"]] == [*expected, float(played[-1])]


def test_query_draws_bars(liars_dice: Solved) -> None:
    out = succeeds("query", "--policy", liars_dice.policy, "--hand", "3", "--bid", "f1x4")
    assert re.search(r"is true with probability \d+\.\d%", out)
    lines = re.findall(r"^(challenge|飞\d×\d) +(\d+\.\d)% +(█*) +([-+]\d\.\d{3})", out, re.M)
    shares = [float(share) for _, share, _, _ in lines]
    assert sum(shares) == pytest.approx(100, abs=1)
    assert shares == sorted(shares, reverse=True)
    for _, share, bar, _ in lines:
        assert len(bar) == pytest.approx(24 * float(share) / 100, abs=0.6)


def test_query_lists_what_is_not_played_with_its_value(liars_dice: Solved) -> None:
    asked = ("--hand", "3", "--bid", "f1x4")
    shown = succeeds("query", "--policy", liars_dice.policy, *asked)
    played, rest = shown.split("not played, best first:")
    listed = re.findall(r"(challenge|飞\d×\d) +([-+]\d\.\d{3})", rest)
    unplayed = [a for a in query(liars_dice.policy, *asked)["actions"] if a["probability"] == 0]
    assert sorted(listed) == sorted((a["action"], f"{a['value']:+.3f}") for a in unplayed)
    assert [float(value) for _, value in listed] != []
    assert not any(re.search(rf"^{action} ", played, re.M) for action, _ in listed)


def test_query_says_when_the_policy_never_bids_like_that(one_die: Solved) -> None:
    arguments = ("--policy", one_die.policy, "--hand", "1", "--history", "z2x1 z2x2 z2x3")
    assert "the policy never bids like this" in succeeds("query", *arguments)


# evaluate


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


def test_evaluate_takes_players_by_name() -> None:
    small = ("--dice", 1, "--faces", 3)
    for name in ("honest", "random"):
        result = evaluate(name, *small)
        assert result["exact"] is True
        assert result["rules"]["faces"] == 3
        assert result["penalty_share"][name]["share"] == 0.5
        unnamed = json.loads(succeeds("evaluate", name, "--json", *PATIENT, *small))
        assert unnamed["best_response"] == result["best_response"]
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
            "query", "--policy", three_dice.policy,
            "--hand", "123", "--history", decision["history"],
        )  # fmt: skip
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


# the rest


def test_help_says_what_an_iteration_is() -> None:
    out = " ".join(succeeds("solve", "--help").split())
    assert "traverses one (own hand, opponent hand) pair for each player" in out
    assert "a pass over all 252 hands of both counts as 252 * 252" in out


def test_without_a_command_there_is_help() -> None:
    outcome = zhaifei()
    assert outcome.code == 2
    for command in ("solve", "query", "evaluate"):
        assert command in outcome.out


def test_the_command_is_installed() -> None:
    try:
        scripts = distribution("zhaifei").entry_points.select(group="console_scripts")
    except PackageNotFoundError:
        pytest.skip("not installed")
    assert [(script.name, script.value) for script in scripts] == [("zhaifei", "cli:main")]


def test_a_reader_that_goes_away_is_no_error_worth_telling(one_die: Solved) -> None:
    with Running("query", "--policy", one_die.policy, "--hand", "1") as running:
        assert running.process.stdout is not None
        running.process.stdout.close()
        assert running.process.stderr is not None
        assert running.process.stderr.read() == ""
