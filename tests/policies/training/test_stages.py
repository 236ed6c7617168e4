"""Runs of large rounds of two: both players on one tree, then each alone."""

from pathlib import Path

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.training import engines, solver_run
from zhaifei.policies.training.engines import Setup, StagedEngine, TreeEngine
from zhaifei.policies.training.run import train
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.policies.training.solver_run import SolverRun, resume_solver_run, solved_round
from zhaifei.solver.abstraction import abstraction_of, solved_alone
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.response.table_search import best_response

RULES = preset("zhaifei", dice=4)
PASS = 126**2
PASSES = 12


def setup_of(rules: Rules, threads: int = 1) -> Setup:
    return Setup(rules, "tree", "full", 0, threads)


def run_of(passes: int | None = PASSES, threads: int = 1, target: float | None = None) -> SolverRun:
    setup = setup_of(RULES, threads)
    goal = None if passes is None else passes * PASS
    return SolverRun(setup, setup.build(), goal, target=target)


def engine_of(run: SolverRun) -> StagedEngine:
    assert isinstance(run.engine, StagedEngine)
    return run.engine


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "policy.safetensors"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a run that nothing disturbs."""
    out = tmp_path_factory.mktemp("whole") / "policy.safetensors"
    train(run_of(), out)
    return out


def test_only_large_rounds_in_which_both_of_two_players_are_solved_have_stages() -> None:
    assert isinstance(setup_of(RULES).build(), StagedEngine)
    assert isinstance(setup_of(preset("southern", dice=4)).build(), StagedEngine)
    assert isinstance(setup_of(preset("zhaifei", dice=3)).build(), TreeEngine)
    assert isinstance(setup_of(preset("zhaifei", players=3, dice=4)).build(), TreeEngine)
    low = round_rules(preset("classic", players=2, dice=4), (4, 4))
    idle = Setup(low, "tree", "full", 0, 1, solved_alone(abstraction_of(low))[0])
    assert isinstance(idle.build(), TreeEngine)


def test_each_player_is_alone_from_half_of_the_passes_on() -> None:
    run = run_of()
    alone_after = []
    while run.done < PASSES * PASS:
        run.advance()
        if not engine_of(run).may_go_on_alone:
            alone_after.append(engine_of(run).passes)
    assert alone_after == list(range(PASSES // 2 + 1, PASSES + 1))


def test_the_file_is_as_exploitable_as_the_run_says(whole: Path) -> None:
    policy = load_policy(whole)
    assert policy.training["iterations"] == PASSES * PASS
    measured = best_response(policy.tables, policy.table).exploitability
    assert measured.upper == pytest.approx(policy.training["exploitability"], abs=2e-3)


def test_stages_do_more_than_half_as_many_passes_again(whole: Path) -> None:
    both = setup_of(RULES).build()
    for _ in range(PASSES + PASSES // 2):
        both.advance_towards(None)
    assert isinstance(both, StagedEngine)
    both.measure()
    assert load_policy(whole).training["exploitability"] < both.nash_conv


def test_runs_with_stages_end_alike_however_often_they_are_stopped(whole: Path, out: Path) -> None:
    result = train(run_of(), out, time_limit=0.0)
    stops = 0
    while not result.finished:
        stops += 1
        result = train(resume_solver_run(result.checkpoint), out, time_limit=0.0)
    assert stops == PASSES - 1
    assert out.read_bytes() == whole.read_bytes()


def test_two_threads_do_what_one_does(out: Path) -> None:
    one, two = run_of(), run_of(threads=2)
    for _ in range(PASSES):
        one.advance()
        two.advance()
    for name, array in one.engine.state().items():
        np.testing.assert_array_equal(array, two.engine.state()[name])


def test_a_second_stage_goes_on_with_a_higher_goal(out: Path) -> None:
    train(run_of(), out, keep_checkpoint=True)
    run = resume_solver_run(checkpoint_path(out), 2 * PASSES * PASS)
    assert not engine_of(run).may_go_on_alone
    run.advance()
    assert engine_of(run).passes == PASSES + 1


def test_with_a_target_players_are_alone_when_it_is_near_and_play_is_no_longer_rough() -> None:
    run = run_of(passes=None, target=0.06)
    while engine_of(run).may_go_on_alone:
        before = run.measured
        run.advance()
    assert before <= 3 * 0.06
    assert engine_of(run).passes > 30
    while not run.on_target:
        run.advance()
    assert engine_of(run).passes < 90


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Players are alone after so few passes that their supports keep them far from a low target."""
    monkeypatch.setattr(solver_run, "_LEAST_TOGETHER", 16)
    monkeypatch.setattr(engines, "_LOWERED", 1e3)


@pytest.mark.usefixtures("hasty")
def test_a_run_whose_second_stage_stalls_above_its_target_ends(out: Path) -> None:
    result = train(run_of(passes=None, target=0.02), out)
    assert (result.ended, result.finished, result.resumable) == ("stall", False, True)
    stalled = load_policy(out).training
    assert stalled["exploitability"] > 0.02

    again = resume_solver_run(result.checkpoint)
    assert train(again, out).ended == "stall"
    assert again.done == result.progress.done
    more = resume_solver_run(result.checkpoint, result.progress.done + PASS)
    assert train(more, out).ended == "goal"

    train(run_of(result.progress.done // PASS), out)
    assert load_policy(out).training["exploitability"] < stalled["exploitability"] / 2


@pytest.mark.usefixtures("hasty")
def test_a_run_that_stalls_goes_on_to_its_goal(out: Path) -> None:
    run = SolverRun(setup_of(RULES), setup_of(RULES).build(), 100 * PASS, target=0.02)
    while not run.done >= 100 * PASS:
        run.advance()
    assert engine_of(run).outlook / 2 > 0.02
    assert not run.is_stalled


@pytest.mark.usefixtures("hasty")
def test_a_policy_that_misses_its_target_is_not_returned() -> None:
    with pytest.raises(ZhaifeiError, match=r"would not reach the target 0\.02"):
        solved_round(setup_of(RULES), target=0.02)


@pytest.mark.parametrize("is_alone", [False, True])
def test_rounds_that_open_low_resume_in_both_stages(is_alone: bool) -> None:
    setup = setup_of(preset("zhaifei", dice=4, house=["first-count=2"]))
    engine = setup.build()
    assert isinstance(engine, StagedEngine)
    for _ in range(4):
        engine.advance_towards(None)
    if is_alone:
        engine.go_on_alone()
    again = setup.restored({name: array.copy() for name, array in engine.state().items()})
    assert isinstance(again, StagedEngine)
    assert again.may_go_on_alone is not is_alone
    for one in (engine, again):
        for _ in range(2):
            one.advance_towards(None)
    for name, array in engine.state().items():
        np.testing.assert_array_equal(array, again.state()[name])


@pytest.mark.parametrize("house", ["first-count=2", "doubles=2"])
def test_a_second_stage_may_begin_earlier_after_the_largest_trees(house: str) -> None:
    large = setup_of(preset("zhaifei", dice=4, house=[house])).build()
    assert isinstance(large, StagedEngine)
    assert large.lowered_alone > engine_of(run_of()).lowered_alone


def test_without_memory_for_two_trees_training_goes_on_with_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(joint: object) -> None:
        raise OutOfMemory("full")

    monkeypatch.setattr(engines, "each_alone", full)
    run = run_of()
    for _ in range(PASSES):
        run.advance()
    assert engine_of(run).passes == PASSES
    (warning,) = run.warnings
    assert "too small to solve each player alone" in str(warning)
