"""Runs of solvers: defaults, checkpoints, and how they go on."""

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.research.single_bid_engine import single_bid_setup
from zhaifei.policies.training import run as run_module
from zhaifei.policies.training.engines import MEASURING, Setup, most_nash_conv
from zhaifei.policies.training.forked_write import CAN_FORK
from zhaifei.policies.training.run import train
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.policies.training.solver_run import (
    ITERATIONS,
    JUMP_ITERATIONS,
    MORE_ITERATIONS,
    SMALL_PASSES,
    SavedRun,
    SolverRun,
    default_iterations,
    measured,
    planned_run,
    resume_solver_run,
    solver_setup,
    verify_target,
)
from zhaifei.policies.training.staging import Stage
from zhaifei.solver.files.state import StateError
from zhaifei.solver.files.storage import StorageError, save
from zhaifei.solver.tables.strategy_table import dense

RULES = Rules.of(dice=1, faces=2)
SETUPS = {
    "exact": Setup(RULES, "exact", "full", 0, 1),
    "tree": Setup(RULES, "tree", "full", 0, 2),
    "sampled": Setup(RULES, "mccfr", "bid,bid", 3, 1),
    "single-bid": single_bid_setup(RULES),
}
MEASURED = ("earned", "nash_conv")
"""What is NaN until it is measured."""
any_setup = pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)


def new_run(setup: Setup, goal: int) -> SolverRun:
    return SolverRun(setup, setup.build(), goal)


def planned(iterations: int | None = None, target: float | None = None) -> SavedRun:
    return planned_run(solver_setup(RULES), iterations, target)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "policy.safetensors"


def test_what_is_not_named_has_its_default() -> None:
    cores = os.cpu_count() or 1
    full, three = preset("zhaifei"), preset("zhaifei", players=3)
    assert solver_setup(RULES) == Setup(RULES, "exact", "full", 0, 1)
    assert solver_setup(RULES, threads=4).threads == 1  # the engine uses no more
    assert solver_setup(full) == solver_setup(full, "tree") == Setup(full, "tree", "full", 0, cores)
    assert solver_setup(three, seed=7, threads=2) == Setup(three, "tree", "full", 7, 2)
    assert solver_setup(full, None, "bid", 7, 2) == Setup(full, "mccfr", "bid", 7, 2)
    assert solver_setup(full, "mccfr", "bid", 7, 2) == Setup(full, "mccfr", "bid", 7, 2)
    assert solver_setup(RULES, "mccfr", None, 7, 2) == Setup(RULES, "mccfr", "full", 7, 2)
    assert single_bid_setup(full) == Setup(full, "single-bid", "bid", 0, 1)
    assert planned().goal == ITERATIONS[2]
    assert planned(iterations=5).goal == 5
    tables = [preset("zhaifei", players=players) for players in range(2, 9)]
    goals = [default_iterations(rules) for rules in tables]
    assert goals == [ITERATIONS[2], ITERATIONS[3], *[MORE_ITERATIONS] * 5]
    goals = [default_iterations(rules.changed(jump_challenge=True)) for rules in tables[1:]]
    assert goals == [JUMP_ITERATIONS] * 6
    assert default_iterations(RULES.changed(players=3)) == SMALL_PASSES * len(hands(RULES)) ** 2


def test_the_tree_has_no_other_recall() -> None:
    with pytest.raises(ZhaifeiError, match="--recall is for --engine mccfr"):
        solver_setup(RULES, engine="tree", recall="bid,bid")


def test_a_resumed_run_keeps_its_goal_unless_another_is_named(out: Path) -> None:
    new_run(SETUPS["exact"], 700).save_checkpoint(out)
    assert resume_solver_run(out).goal == 700
    assert resume_solver_run(out, 900).goal == 900


@any_setup
@pytest.mark.parametrize("pieces", [[1], [7, 100, 1000], [500, 501, 502]])
def test_runs_in_pieces_end_like_runs_in_one(
    setup: Setup, pieces: list[int], tmp_path: Path
) -> None:
    """Bit for bit, whatever was reached before the last goal."""
    whole = train(new_run(setup, 3000), tmp_path / "whole.safetensors")
    pieces_out = tmp_path / "pieces.safetensors"
    train(new_run(setup, pieces[0]), pieces_out, keep_checkpoint=True)
    for goal in [*pieces[1:], 3000]:
        run = resume_solver_run(checkpoint_path(pieces_out), goal)
        result = train(run, pieces_out, keep_checkpoint=True)
        assert result.finished
    assert pieces_out.read_bytes() == whole.out.read_bytes()


RULES_OF_TARGETS = {
    "exact": (Setup(RULES, "exact", "full", 0, 1), 0.03),
    "exact, more dice": (Setup(Rules.of(dice=2, faces=2), "exact", "full", 0, 1), 1e-4),
    "tree": (Setup(Rules.of(dice=1, faces=3), "tree", "full", 0, 1), 0.02),
    "tree of three": (Setup(RULES.changed(players=3), "tree", "full", 0, 1), 0.02),
}
any_target = pytest.mark.parametrize(
    ("setup", "target"), RULES_OF_TARGETS.values(), ids=RULES_OF_TARGETS
)


def to_target(setup: Setup, target: float, goal: int | None = None) -> SolverRun:
    return SolverRun(setup, setup.build(), goal, target=target)


@any_target
def test_a_target_alone_ends_a_run_where_it_is_reached(
    setup: Setup, target: float, tmp_path: Path
) -> None:
    """At the first measurement that is as good, and the file says what the target was."""
    run = to_target(setup, target)
    result = train(run, tmp_path / "policy.safetensors")
    training = load_policy(result.out).training
    assert (result.ended, training["target"]) == ("target", target)
    measure = "exploitability" if setup.rules.players == 2 else "nash_conv"
    assert training[measure] <= target * (1 + 1e-9)
    watched, earlier = setup.build(), []
    while watched.iterations < run.done:
        earlier.append(measured(watched.nash_conv, setup.rules.players))
        watched.advance_towards(None)
    assert watched.iterations == run.done
    assert not any(before <= target for before in earlier)


@any_target
def test_runs_to_a_target_end_alike_whatever_happens_on_the_way(
    setup: Setup, target: float, tmp_path: Path
) -> None:
    """Bit for bit: one that is stopped again and again, and one with two threads."""
    whole = train(to_target(setup, target), tmp_path / "whole.safetensors")
    pieces = tmp_path / "pieces.safetensors"
    result = train(to_target(setup, target), pieces, time_limit=0.0)
    stops = 0
    while not result.finished:
        stops += 1
        result = train(resume_solver_run(result.checkpoint), pieces, time_limit=0.0)
    assert stops > 2
    assert pieces.read_bytes() == whole.out.read_bytes()
    if setup.engine == "tree":
        run = to_target(replace(setup, threads=2), target)
        train(run, tmp_path / "threads.safetensors")
        run.setup = setup
        run.save_result(pieces, run.result())
        assert pieces.read_bytes() == whole.out.read_bytes()


@any_target
def test_a_resumed_run_that_has_reached_its_target_stops_at_once(
    setup: Setup, target: float, tmp_path: Path
) -> None:
    out = tmp_path / "policy.safetensors"
    result = train(to_target(setup, target), out, keep_checkpoint=True)
    before = result.out.read_bytes()
    for named in (None, target, min(1.0, 10 * target)):
        again = resume_solver_run(result.checkpoint, target=named)
        assert again.goal is None
        done = again.done
        assert train(again, tmp_path / "again.safetensors").ended == "target"
        assert again.done == done
        same = (tmp_path / "again.safetensors").read_bytes() == before
        assert same == (named in (None, target))


def test_what_is_named_replaces_goal_and_target(out: Path) -> None:
    setup, target = RULES_OF_TARGETS["exact"]
    to_target(setup, target, 700).save_checkpoint(out)
    ends = {(run.goal, run.target) for run in (resume_solver_run(out),)}
    assert ends == {(700, target)}
    for iterations, other in ((900, None), (None, 0.5), (900, 0.5)):
        run = resume_solver_run(out, iterations, other)
        assert (run.goal, run.target) == (iterations, other)


def test_a_target_has_no_default_and_stands_for_no_goal() -> None:
    assert planned().target is None
    run = planned(target=0.1)
    assert (run.goal, run.target) == (None, 0.1)
    run = planned(target=0.1, iterations=7)
    assert (run.goal, run.target) == (7, 0.1)


@pytest.mark.parametrize("target", [0.0, -1.0, math.nan, math.inf, -math.inf, 1.001])
def test_targets_that_no_strategy_can_miss_or_reach_are_refused(target: float, out: Path) -> None:
    with pytest.raises(ZhaifeiError, match=r"must be above 0 and at most 1 points"):
        planned(target=target)
    assert planned(target=1.0).target == 1.0
    new_run(SETUPS["tree"], 10).save_checkpoint(out)
    with pytest.raises(ZhaifeiError, match=r"must be above 0 and at most 1 points"):
        resume_solver_run(out, target=target)


@pytest.mark.parametrize(
    ("players", "jump", "most"),
    [(3, False, 1.5), (3, True, 3.0), (4, True, 4.0), (8, False, 8 / 7)],
)
def test_no_strategy_exceeds_the_largest_target(players: int, jump: bool, most: float) -> None:
    rules = RULES.changed(players=players, jump_challenge=jump)
    assert most_nash_conv(rules) == pytest.approx(most)
    verify_target(Setup(rules, "tree", "full", 0, 1), most)
    with pytest.raises(ZhaifeiError, match="at most"):
        verify_target(Setup(rules, "tree", "full", 0, 1), most * 1.001)


@pytest.mark.parametrize("name", ["sampled", "single-bid"])
def test_engines_that_do_not_measure_take_no_target(name: str, out: Path) -> None:
    setup = SETUPS[name]
    says = "does not measure exploitability, so --target cannot be used; use exact, tree"
    with pytest.raises(ZhaifeiError, match=says):
        verify_target(setup, 0.1)
    new_run(setup, 100).save_checkpoint(out)
    with pytest.raises(ZhaifeiError, match=says):
        resume_solver_run(out, target=0.1)
    assert math.isnan(setup.build().nash_conv)


@pytest.mark.skipif(not CAN_FORK, reason="children are forked on Linux only")
@any_setup
def test_checkpoints_written_by_children_are_resumed_bit_for_bit(
    setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on meanwhile, and each is a state that it had."""
    monkeypatch.setattr(run_module, "_LARGE", 0)
    # A short run would be over before the thread that touches memory has had a turn.
    monkeypatch.setattr(Stage, "ready", property(lambda stage: stage._thread.join() is None))
    run, had = new_run(setup, 3000), []
    kept = tmp_path / "kept.safetensors"
    save_now = run.save_checkpoint

    def save_and_keep(path: Path) -> None:
        save_now(path)
        if not kept.exists() and os.getpid() != parent:
            path.replace(kept)

    parent = os.getpid()
    run.save_checkpoint = save_and_keep  # type: ignore[method-assign]
    advance = run.advance

    def note() -> None:
        had.append(run.done)
        advance()

    run.advance = note  # type: ignore[method-assign]
    whole = train(run, tmp_path / "whole.safetensors", checkpoint_every=0.0)
    resumed = resume_solver_run(kept)
    assert resumed.done in had
    assert resumed.done < run.done
    rest = train(resumed, tmp_path / "rest.safetensors")
    assert rest.out.read_bytes() == whole.out.read_bytes()


@any_setup
def test_checkpoints_hold_all_of_the_state(setup: Setup, out: Path) -> None:
    run = new_run(setup, 1000)
    train(run, out)
    run.save_checkpoint(checkpoint_path(out))  # with what was measured at the end
    loaded = resume_solver_run(checkpoint_path(out))
    assert (loaded.setup, loaded.goal, loaded.seconds) == (setup, 1000, run.seconds)
    assert loaded.engine.iterations == run.engine.iterations
    assert loaded.engine.value == run.engine.value
    np.testing.assert_equal(loaded.engine.nash_conv, run.engine.nash_conv)
    for name, array in run.engine.state().items():
        np.testing.assert_array_equal(loaded.engine.state()[name], array, err_msg=name)


def test_a_run_with_fewer_hands_since_straights_are_rolled_again_is_resumed(out: Path) -> None:
    rules = Rules.of(dice=3, faces=3, first_count=5, modes=(0,), straight="rolled_again")
    train(new_run(Setup(rules, "exact", "full", 0, 1), 1), out, keep_checkpoint=True)
    assert resume_solver_run(checkpoint_path(out)).setup.rules == rules


@any_setup
def test_a_run_without_time_still_makes_a_policy(setup: Setup, out: Path) -> None:
    result = train(new_run(setup, 10**9), out, time_limit=0.0)
    assert not result.finished
    assert 0 < result.progress.done < 10**9
    assert math.isfinite(load_policy(out).training["value"])


@any_setup
def test_arrays_of_another_type_or_shape_are_refused(setup: Setup) -> None:
    run = new_run(setup, 100)
    for _ in range(8):
        run.advance()
    state = {name: array.copy() for name, array in run.engine.state().items()}
    assert setup.restored(state).iterations == run.engine.iterations
    for name, array in state.items():
        others: list[NDArray[Any] | None] = [
            array.astype(np.int8),
            array.astype(np.float16),
            array[np.newaxis],
            np.zeros(0, dtype=array.dtype),
        ]
        others.append(None)
        if array.ndim:
            others += [array[:-1], np.concatenate([array, array[-1:]])]
        for other in others:
            changed = {**state, name: other}
            with pytest.raises(StateError):
                setup.restored({key: one for key, one in changed.items() if one is not None})
    with pytest.raises(StateError, match="'unknown', which is unknown"):
        setup.restored({**state, "unknown": np.zeros(3)})


@any_setup
def test_numbers_out_of_range_are_refused(setup: Setup) -> None:
    run = new_run(setup, 100)
    for _ in range(8):
        run.advance()
    state = {name: array.copy() for name, array in run.engine.state().items()}
    for name, array in state.items():
        entries = [-5, 2**40] if array.dtype.kind == "i" else [np.nan, np.inf, -1e38]
        if name in MEASURED:
            entries = [np.inf, 3.0, -3.0]
        if array.dtype.itemsize < 8 and array.dtype.kind == "i":
            entries = [-5, 2**15 - 1]
        for entry in entries:
            if name == "top" and np.isinf(entry):
                continue
            changed = array.copy()
            changed.flat[-1] = entry
            with pytest.raises(StateError):
                setup.restored({**state, name: changed})


@any_setup
def test_regrets_too_small_for_a_reciprocal_do_no_harm(setup: Setup) -> None:
    """A flipped bit makes one out of 0, and 1 over it is infinite."""
    run = new_run(setup, 10**9)
    for _ in range(8):
        run.advance()
    state = {name: array.copy() for name, array in run.engine.state().items()}
    regret = state["regret"]
    regret[regret > 0.0] = np.nextafter(regret.dtype.type(0.0), regret.dtype.type(1.0))
    engine = setup.restored(state)
    for _ in range(8):
        engine.advance_towards(10**9)
    for name in ("regret", "average"):
        assert np.isfinite(engine.state()[name]).all(), name
    assert np.isfinite(dense(engine.strategy())).all()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("goal", 0),
        ("goal", "7"),
        ("goal", 1.5),
        ("goal", None),
        ("seconds", -1.0),
        ("seconds", "x"),
        ("seconds", 1e300),
        ("setup", 3),
        ("rules", {}),
        ("engine", "magic"),
        ("engine", ["tree"]),
        ("target", 0.1),
        ("target", "x"),
        ("target", None),
        ("recall", 3),
        ("recall", "everything"),
        ("seed", -1),
        ("seed", 2**64),
        ("threads", 0),
        ("threads", 10**9),
        ("threads", True),
    ],
)
def test_headers_that_describe_no_run_are_refused(out: Path, field: str, value: object) -> None:
    run = new_run(SETUPS["sampled"], 100)
    described = {**run.setup.to_dict(), **({field: value} if field in run.setup.to_dict() else {})}
    header = {"setup": described, "goal": 100, "seconds": 1.0}
    save(
        out,
        "checkpoint",
        header if field in described else {**header, field: value},
        run.engine.state(),
    )
    with pytest.raises(StorageError, match="does not describe a run: ") as caught:
        resume_solver_run(out)
    assert len(str(caught.value).splitlines()) == 1


def test_a_header_cannot_ask_for_more_hands_than_there_are_numbers(out: Path) -> None:
    """Tables for 24,310 hands take minutes."""
    run = new_run(SETUPS["tree"], 100)
    setup = replace(run.setup, rules=Rules.of(players=8, dice=9, faces=9))
    save(
        out, "checkpoint", {"setup": setup.to_dict(), "goal": 9, "seconds": 1.0}, run.engine.state()
    )
    with pytest.raises(StorageError, match="the saved regrets are not for 24310 hands"):
        resume_solver_run(out)


def test_the_last_figures_are_those_of_the_engine(out: Path) -> None:
    run = new_run(SETUPS["sampled"], 10_000)
    result = train(run, out)
    assert result.progress.done == run.engine.iterations >= 10_000
    assert run.information_sets == run.engine.information_sets
    assert math.isnan(run.measured)
    assert result.trained.training["information_sets"] == run.information_sets
    tree = new_run(SETUPS["tree"], 100)
    train(tree, out)
    assert tree.measured >= 0.0


def test_an_equilibrium_is_recorded_as_one_in_which_nobody_gains() -> None:
    """Three players come so near one that the sum of their gains may be rounded below 0. A policy
    without a figure of at least 0 would count as one that was never measured."""
    run = new_run(
        Setup(
            preset("zhaifei", players=3, dice=2, faces=2, jump_challenge=True), "tree", "full", 0, 1
        ),
        90 * 9,
    )
    while run.done < 90 * 9:
        run.advance()
    assert 0.0 <= run.result().training["nash_conv"] < 1e-3
    assert measured(-3e-8, 3) == measured(-3e-8, 2) == 0.0
    assert (measured(0.5, 2), measured(0.5, 3)) == (0.25, 0.5)
    assert math.isnan(measured(math.nan, 2))


@any_setup
def test_the_exploitability_is_recorded_where_it_was_measured(setup: Setup, out: Path) -> None:
    run = new_run(setup, 1000)
    recorded = train(run, out).trained.training.get("exploitability")
    measured = run.measured
    assert math.isfinite(measured) == (setup.engine in MEASURING)
    assert recorded == (measured if setup.engine in MEASURING else None)
    assert load_policy(out).training.get("exploitability") == recorded
