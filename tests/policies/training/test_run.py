"""Training runs: where they end, what they save on the way, and what they go on from."""

import math
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from game.errors import ZhaifeiError
from game.rules import Rules, preset
from policies.players.table_policy import TablePolicy, load_policy
from policies.training import run as module
from policies.training.engines import (
    ExactEngine,
    SampledEngine,
    Setup,
    choose_engine,
    default_recall,
)
from policies.training.run import Progress, checkpoint_path, resumed_out, train
from policies.training.solver_run import (
    ITERATIONS,
    SolverRun,
    new_solver_run,
    resume_solver_run,
    solver_setup,
)
from solver.memory import OutOfMemory
from solver.storage import StorageError
from solver.tables.recall import recall_tables

RULES = Rules(dice=1, faces=2)
SETUPS = {
    "exact": Setup(RULES, "exact", "full", 0, 1),
    "tree": Setup(RULES, "tree", "full", 0, 2),
    "sampled": Setup(RULES, "mccfr", "bid,bid", 3, 1),
    "single-bid": Setup(RULES, "single-bid", "bid", 0, 1),
}
any_setup = pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)


def new_run(setup: Setup, goal: int) -> SolverRun:
    return SolverRun(setup, setup.build(), goal)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "policy.safetensors"


@any_setup
def test_setups_survive_their_dictionary(setup: Setup) -> None:
    assert Setup.from_dict(setup.to_dict()) == setup
    assert setup.build().recall == setup.recall


def test_two_players_are_solved_without_sampling_unless_a_recall_is_named() -> None:
    assert choose_engine(RULES, None) == "exact"
    assert choose_engine(preset("zhaifei"), None) == "tree"
    assert choose_engine(RULES, "bid,bid") == "mccfr"
    assert choose_engine(preset("zhaifei"), "bid,bid") == "mccfr"
    assert choose_engine(preset("zhaifei", players=3), None) == "mccfr"


def test_what_is_not_named_has_its_default() -> None:
    cores = os.cpu_count() or 1
    full, three = preset("zhaifei"), preset("zhaifei", players=3)
    assert solver_setup(RULES, None, False, None, None) == Setup(RULES, "exact", "full", 0, 1)
    assert solver_setup(RULES, None, False, None, 4).threads == 1  # the engine uses no more
    assert solver_setup(full, None, False, None, None) == Setup(full, "tree", "full", 0, cores)
    assert solver_setup(three, None, False, 7, 2) == Setup(three, "mccfr", "bid,bid,bid", 7, 2)
    assert solver_setup(full, "bid", False, 7, 2) == Setup(full, "mccfr", "bid", 7, 2)
    assert solver_setup(full, None, True, None, 2) == Setup(full, "single-bid", "bid", 0, 1)
    assert new_solver_run(RULES).goal == ITERATIONS
    assert new_solver_run(RULES, iterations=5).goal == 5


def test_single_bid_players_have_no_other_recall() -> None:
    with pytest.raises(ZhaifeiError, match="leave out --recall"):
        new_solver_run(RULES, recall="bid,bid", single_bid=True)


def test_a_resumed_run_writes_where_it_wrote_unless_told_otherwise(tmp_path: Path) -> None:
    for name in ("mine.safetensors", "my.policy.safetensors"):
        assert resumed_out(checkpoint_path(tmp_path / name), None) == tmp_path / name
    checkpoint, other = tmp_path / "mine.checkpoint.safetensors", tmp_path / "other"
    assert resumed_out(checkpoint, other) == other
    with pytest.raises(ZhaifeiError, match="is the checkpoint itself"):
        resumed_out(checkpoint, tmp_path / "x" / ".." / checkpoint.name)


def test_a_resumed_run_keeps_its_goal_unless_another_is_named(out: Path) -> None:
    new_run(SETUPS["exact"], 700).save_checkpoint(out)
    assert resume_solver_run(out).goal == 700
    assert resume_solver_run(out, 900).goal == 900


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("jump_challenge", [False, True])
def test_what_every_other_player_last_bid_is_remembered(players: int, jump_challenge: bool) -> None:
    rules = preset("zhaifei", players=players, jump_challenge=jump_challenge)
    recall = default_recall(rules)
    features = recall.split(",")
    assert len(features) >= players - 1
    assert "-" not in features
    if players > 2:
        assert not any("<" in feature for feature in features)  # whatever the strength is
    assert recall_tables(rules, recall).until.size == len(features)


@any_setup
@pytest.mark.parametrize("pieces", [[1], [7, 100, 1000], [500, 501, 502]])
def test_runs_in_pieces_end_like_runs_in_one(
    setup: Setup, pieces: list[int], tmp_path: Path
) -> None:
    """Bit for bit, whatever was reached before the last goal."""
    whole = train(new_run(setup, 3000), tmp_path / "whole.safetensors")
    pieces_out = tmp_path / "pieces.safetensors"
    train(new_run(setup, pieces[0]), pieces_out)
    for goal in [*pieces[1:], 3000]:
        run = resume_solver_run(checkpoint_path(pieces_out), goal)
        result = train(run, pieces_out)
        assert result.finished
    assert pieces_out.read_bytes() == whole.out.read_bytes()


@any_setup
def test_checkpoints_hold_all_of_the_state(setup: Setup, out: Path) -> None:
    run = new_run(setup, 1000)
    train(run, out)
    loaded = resume_solver_run(checkpoint_path(out))
    assert (loaded.setup, loaded.goal, loaded.seconds) == (setup, 1000, run.seconds)
    assert loaded.engine.iterations == run.engine.iterations
    assert loaded.engine.value == run.engine.value
    for name, array in run.engine.state().items():
        np.testing.assert_array_equal(loaded.engine.state()[name], array, err_msg=name)


def test_the_exact_engine_stops_at_the_goal() -> None:
    engine = ExactEngine(preset("liars_dice", faces=3))
    while engine.iterations < 1000:
        engine.advance_towards(1000)
    assert engine.iterations == 1008  # 9 pairs of hands in each of its own iterations


class Clock:
    """Time that passes only where a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))

    def slow_down(self, run: SolverRun, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """Lets every step of the run take a second; returns the iterations after each, as they are
        made."""
        real, made = run.engine.advance_towards, []

        def advance(goal: int) -> None:
            real(goal)
            self.now += 1.0
            made.append(run.engine.iterations)

        monkeypatch.setattr(run.engine, "advance_towards", advance)
        return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize(
    ("every", "writing", "steps_between"),
    [(0.0, 0.0, 1), (5.0, 0.0, 5), (5.0, 0.5, 5), (5.0, 0.75, 8), (math.inf, 0.0, None)],
)
def test_checkpoints_come_at_intervals(
    every: float,
    writing: float,
    steps_between: int | None,
    out: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Longer ones where writing would take more than a tenth of the time, and one at the end."""
    saved: list[int] = []

    def note(run: SolverRun, path: Path) -> None:
        assert path == checkpoint_path(out)
        saved.append(run.engine.iterations)
        clock.now += writing

    run = new_run(SETUPS["sampled"], 10_000)
    made = clock.slow_down(run, monkeypatch)
    monkeypatch.setattr(SolverRun, "save_checkpoint", note)
    train(run, out, checkpoint_every=every)
    assert saved.pop() == made[-1]
    if steps_between is None:
        assert saved == []
        return
    assert len(saved) > 1
    # The first interval starts when nothing has been written yet.
    first = max(1, int(every)) - 1
    assert saved == made[first::steps_between]


def test_a_checkpoint_that_fails_on_the_way_is_warned_of(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, warnings = SolverRun.save_checkpoint, []

    def fail_early(run: SolverRun, path: Path) -> None:
        if run.done < run.goal:
            raise StorageError("the disk is full")
        real(run, path)

    monkeypatch.setattr(SolverRun, "save_checkpoint", fail_early)
    run = new_run(SETUPS["sampled"], 10_000)
    result = train(run, out, checkpoint_every=0.0, on_warning=warnings.append)
    assert result.finished
    assert set(map(str, warnings)) == {"training goes on without a checkpoint: the disk is full"}
    assert resume_solver_run(result.checkpoint).engine.iterations == run.engine.iterations


def test_a_policy_that_cannot_be_written_leaves_a_checkpoint(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(run: SolverRun, out: Path, result: TablePolicy) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(SolverRun, "save_result", fail)
    with pytest.raises(StorageError, match=f"the disk is full; the run is kept in .*{out.stem}"):
        train(new_run(SETUPS["exact"], 1000), out)
    assert resume_solver_run(checkpoint_path(out)).engine.iterations == 1000


def test_a_run_that_fills_the_memory_ends_with_what_it_has(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(SETUPS["sampled"], 10_000)
    real, warnings = run.engine.advance_towards, []

    def fail_later(goal: int) -> None:
        if run.engine.iterations > 1000:
            raise OutOfMemory("the information sets fill the memory")
        real(goal)

    monkeypatch.setattr(run.engine, "advance_towards", fail_later)
    result = train(run, out, on_warning=warnings.append)
    assert not result.finished
    assert [str(warning) for warning in warnings] == ["the information sets fill the memory"]
    assert load_policy(out).training["iterations"] == run.engine.iterations > 1000


@any_setup
def test_a_run_without_time_still_makes_a_policy(setup: Setup, out: Path) -> None:
    result = train(new_run(setup, 10**9), out, time_limit=0.0)
    assert not result.finished
    assert 0 < result.progress.done < 10**9
    assert math.isfinite(load_policy(out).training["value"])


@any_setup
def test_the_exploitability_is_recorded_where_it_was_measured(setup: Setup, out: Path) -> None:
    measured = train(new_run(setup, 1000), out).progress.exploitability
    assert math.isfinite(measured) == (setup.engine == "tree")
    recorded = load_policy(out).training.get("exploitability")
    assert recorded == (measured if setup.engine == "tree" else None)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_run_and_are_handled_as_before_afterwards(
    out: Path, number: signal.Signals
) -> None:
    run = new_run(SETUPS["sampled"], 10**12)
    before = signal.getsignal(number)
    progress: list[Progress] = []

    def interrupt(last: Progress) -> None:
        if not progress:
            os.kill(os.getpid(), number)
        progress.append(last)

    result = train(run, out, on_progress=interrupt)
    assert not result.finished
    assert signal.getsignal(number) is before
    assert load_policy(out).training["iterations"] == run.engine.iterations


def test_outside_the_main_thread_runs_go_without_signals(out: Path) -> None:
    """Python lets only the main thread handle them."""
    with ThreadPoolExecutor() as threads:
        result = threads.submit(train, new_run(SETUPS["exact"], 1000), out).result()
    assert result.finished


def test_progress_says_where_the_run_stands(
    out: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress: list[Progress] = []
    run = new_run(SETUPS["sampled"], 10**12)
    made = clock.slow_down(run, monkeypatch)
    result = train(run, out, time_limit=10.0, on_progress=progress.append)
    assert len(made) == 10
    # The first step may have compiled for long, and tells nothing of the rate.
    assert [one.done for one in progress] == made[1:]
    last = progress[-1]
    assert last == result.progress
    assert last.goal == 10**12
    assert last.elapsed == 10.0
    assert last.rate == pytest.approx((made[-1] - made[0]) / 9.0)
    assert last.left == pytest.approx((last.goal - last.done) / last.rate)
    engine = SampledEngine(RULES, "bid,bid", seed=3)
    while engine.iterations < last.done:
        engine.advance()
    figures = run.figures()
    assert (figures.information_sets, figures.value) == (engine.information_sets, engine.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda state: state.pop(next(iter(state))), "does not describe a run"),
        (lambda state: state.update(unknown=np.zeros(3)), "does not describe a run"),
    ],
)
def test_states_that_are_none_are_refused(
    out: Path,
    change: Callable[[dict[str, object]], object],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = new_run(SETUPS["sampled"], 100)
    state = dict(run.engine.state())
    change(state)
    monkeypatch.setattr(run.engine, "state", lambda: state)
    run.save_checkpoint(out)
    with pytest.raises(StorageError, match=says):
        resume_solver_run(out)
