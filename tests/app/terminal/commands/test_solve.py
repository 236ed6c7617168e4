"""`zhaifei solve`: what it prints, writes and repeats."""

import json
import re
from pathlib import Path

import pytest

from tests.command_line import LONG, Solved, solve, succeeds, zhaifei
from zhaifei.game.bids import domain, legal_bids
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.shipped import shipped_path
from zhaifei.policies.players.table_policy import load_policy

TINY = ("--dice", 1, "--faces", 2)
SHIPPED_FULL_GAME = shipped_path(preset("zhaifei"))
PATIENT = ("--time-limit", f"{LONG}s")


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
    found = re.search(r"\nexploitable (0\.\d{4,}) points per round", done.outcome.out)
    assert found
    assert re.search(r"value [-+]0\.\d{4} · exploitability 0\.\d{4,}\n", done.outcome.out)
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


def test_sampling_that_is_named_forgets_nothing_unless_a_recall_is_named(tmp_path: Path) -> None:
    engine = (*TINY, "--threads", 1, "--iterations", 2000, "--engine", "mccfr")
    full = load_policy(solve(tmp_path / "full.safetensors", *engine).policy)
    assert (full.training["engine"], full.recall) == ("mccfr", "full")
    named = solve(tmp_path / "bid.safetensors", *engine, "--recall", "bid,bid").policy
    plain = (*TINY, "--threads", 1, "--iterations", 2000, "--recall", "bid,bid")
    assert named.read_bytes() == solve(tmp_path / "plain.safetensors", *plain).policy.read_bytes()


def test_the_tree_that_is_named_is_the_default(tmp_path: Path) -> None:
    done = [
        solve(tmp_path / f"{name}.safetensors", *TINY, "--iterations", 2000, *options).policy
        for name, options in (("named", ("--engine", "tree")), ("default", ()))
    ]
    assert done[0].read_bytes() == done[1].read_bytes()


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
    assert "stopped early, after " in done.outcome.out
    assert ": the time limit has passed\n" in done.outcome.out
    assert load_policy(done.policy).training["iterations"] > 0


@pytest.mark.parametrize(
    ("variant", "measure"),
    [
        (("--dice", 1, "--faces", 3), "exploitability"),
        (("--players", 3, "--dice", 1, "--faces", 3), "NashConv"),
    ],
)
def test_a_target_ends_a_run_and_is_recorded(
    tmp_path: Path, variant: tuple[object, ...], measure: str
) -> None:
    done = solve(tmp_path / "policy.safetensors", *variant, "--target", 0.02)
    said = rf"\nfinished after [\d,]+ iterations: {measure} 0\.0\d+, the target is 0\.0200\n"
    assert re.search(said, done.outcome.out)
    assert " of " not in done.outcome.out.split("information sets")[0].splitlines()[-1]
    assert f"{measure} 0.0" in done.outcome.out
    assert " · target 0.0200\n" in done.outcome.out
    training = load_policy(done.policy).training
    assert training["target"] == 0.02
    assert training["nash_conv" if measure == "NashConv" else measure] <= 0.02
    again = f"for a lower target: zhaifei solve --resume {done.checkpoint} --target POINTS\n"
    assert done.outcome.out.endswith(again)
    resumed = succeeds("solve", "--resume", done.checkpoint, "--keep-checkpoint")
    assert f"\nfinished after {training['iterations']:,} iterations: {measure}" in resumed
    lower = succeeds("solve", "--resume", done.checkpoint, "--target", 0.01)
    assert "the target is 0.0100" in lower
    assert load_policy(done.policy).training["iterations"] > training["iterations"]


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        (("--target", 1e-7, "--iterations", 500), "finished: all 504 iterations are done"),
        (("--target", 0.9, "--iterations", "1e12"), "finished after "),
        (("--target", 1e-7, "--time-limit", "0.000001s"), ": the time limit has passed"),
    ],
)
def test_what_is_met_first_ends_a_run(tmp_path: Path, ends: tuple[object, ...], said: str) -> None:
    done = solve(tmp_path / "policy.safetensors", "--dice", 1, "--faces", 3, *ends)
    assert said in done.outcome.out
    assert load_policy(done.policy).training["target"] == ends[1]


def test_a_time_limit_of_next_to_nothing_still_leaves_a_policy(tmp_path: Path) -> None:
    done = solve(tmp_path / "tiny.safetensors", *TINY, "--time-limit", "0.000001s")
    assert load_policy(done.policy).training["value"] == pytest.approx(0, abs=1)


def test_policies_go_into_the_users_data_and_are_found_there(places: Path) -> None:
    out = succeeds("solve", "--dice", 1, "--rules", "basic", "--iterations", 100)
    written = next(places.rglob("basic*[!t].safetensors"))
    assert f"policy      {written}" in out
    # What the other commands read by default is the full game.
    shipped = succeeds("query", "--hand", "11346", "--json")
    assert shipped == succeeds("query", "--hand", "11346", "--json", "--policy", SHIPPED_FULL_GAME)
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
