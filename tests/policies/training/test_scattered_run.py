"""Runs whose workers, or whose driver, are lost at some moment: the result is always the same."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.legs import SolvedPolicy
from zhaifei.policies.training.run import train
from zhaifei.policies.training.run_paths import checkpoint_path, parts_directory
from zhaifei.policies.training.scattered_run import ScatteredRun
from zhaifei.policies.training.solver_run import (
    SavedRun,
    SolverRun,
    resume_solver_run,
    saved_run,
)
from zhaifei.solver.files.atomic_files import StorageError
from zhaifei.solver.scattered.scattered_tree import Cutting
from zhaifei.solver.scattered.transport import InProcess, WorkerLost
from zhaifei.solver.tables import strategy_table
from zhaifei.solver.tables.packing import PackedTable
from zhaifei.solver.tables.strategy_table import arrays_of

RULES = Rules.of(dice=2, faces=2)
SETUP = Setup(RULES, "tree", "full", 0, 1)
FINE = Cutting(loose=10, share=0.05, least=8, uneven=1.05)
PASSES = 45
GOAL = PASSES * 9


class Driver(Exception):
    """What stands for a driver that is killed."""


class Lossy(InProcess):
    """Workers of which one is lost in some calls: before or after it did what it was asked."""

    def __init__(self, losses: np.random.Generator | None, often: float) -> None:
        workers = 1 if losses is None else int(losses.integers(1, 4))
        super().__init__(RULES, workers, None, large=False)
        self._losses, self._often = losses, often

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        losses = self._losses
        if losses is None or not arguments or losses.random() >= self._often:
            return super().call(method, arguments)
        if losses.random() < 0.5:
            some = dict(list(arguments.items())[: int(losses.integers(len(arguments) + 1))])
            super().call(method, some)
        raise WorkerLost("worker {worker} does not answer any more", worker=0)


def new_run(start: Callable[[Rules], InProcess]) -> ScatteredRun:
    return ScatteredRun(SavedRun(SETUP, GOAL, None), start, FINE)


def result_of(run: SolverRun) -> dict[str, bytes]:
    return essence(run.result())


def essence(policy: SolvedPolicy) -> dict[str, bytes]:
    arrays = {name: array.tobytes() for name, array in arrays_of(policy.table).items()}
    return {**arrays, "value": repr(policy.training["value"]).encode()}


def train_to_the_end(run: SolverRun) -> None:
    while run.done < GOAL:
        run.advance()


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, bytes]:
    run = SolverRun(SETUP, SETUP.build(), GOAL)
    train_to_the_end(run)
    return result_of(run)


@pytest.mark.parametrize("seed", range(15))
def test_whoever_is_lost_the_result_is_the_same(seed, undisturbed, tmp_path, monkeypatch):
    losses = np.random.default_rng(seed)
    path, killed, saved = tmp_path / "run.checkpoint.safetensors", 0, False
    started = 0

    def start(_: Rules = RULES) -> Lossy:
        nonlocal started
        started += 1
        if losses.random() < 0.1:  # before it has begun
            raise WorkerLost("worker {worker} does not answer any more", worker=0)
        return Lossy(losses, 0.03)

    run = new_run(start)
    while run.done < GOAL:
        run.advance()
        if losses.random() < 0.2:
            run.save_checkpoint(path)
            saved = True
        if losses.random() < 0.15:
            killed += 1
            with monkeypatch.context() as patched:
                if losses.random() < 0.5:  # in the middle of a checkpoint
                    patched.setattr("zhaifei.policies.training.scattered_run.save", _killed)
                    with pytest.raises(Driver):
                        run.save_checkpoint(path)
            run = ScatteredRun(saved_run(path), start) if saved else new_run(start)
    assert killed > 0
    assert started > killed + 1  # workers were lost, too
    assert result_of(run) == undisturbed


def _killed(*_: object) -> None:
    raise Driver


def test_a_whole_run_writes_the_files_of_its_last_pass_alone(undisturbed, tmp_path):
    run, out = new_run(lambda _: Lossy(None, 0.0)), tmp_path / "run.safetensors"
    ended = train(run, out, checkpoint_every=0.0, keep_checkpoint=True)
    assert ended.ended == "goal"
    checkpoint = checkpoint_path(out)
    with pytest.raises(StorageError, match="is of a run on a cluster: --cluster goes on"):
        resume_solver_run(checkpoint)
    names = {file.name.partition("-")[0] for file in parts_directory(checkpoint).iterdir()}
    assert names == {str(PASSES)}
    assert result_of(ScatteredRun(saved_run(checkpoint), lambda _: Lossy(None, 0.0))) == undisturbed


def test_a_whole_run_leaves_no_parts_unless_it_keeps_its_checkpoint(undisturbed, tmp_path):
    """Also where workers are lost while the result is made."""
    losses, out = np.random.default_rng(1), tmp_path / "run.safetensors"
    run = new_run(lambda _: Lossy(losses, 0.03))
    ended = train(run, out, checkpoint_every=0.0)
    assert (ended.ended, ended.resumable) == ("goal", False)
    assert [*tmp_path.iterdir()] == [out]
    assert essence(ended.trained) == undisturbed


def test_what_was_lost_is_told_once_each_time(tmp_path):
    losses, told = np.random.default_rng(3), list[str]()
    run = new_run(lambda _: Lossy(losses, 0.03))
    out = tmp_path / "run.safetensors"
    ended = train(
        run, out, checkpoint_every=0.0, on_warning=lambda warning: told.append(str(warning))
    )
    lost = (
        r"worker 0 does not answer any more, after pass \d+: the run goes on after pass \d+, with "
        r"\d workers"
    )
    assert len(told) > 0
    assert all(re.fullmatch(lost, one) for one in told), told
    assert "warning" not in ended.trained.training


def test_figures_tell_how_the_workers_do():
    run = ScatteredRun(
        SavedRun(SETUP, GOAL, None), lambda _: InProcess(RULES, 2, None, large=False), FINE
    )
    assert run.cluster is None
    train_to_the_end(run)
    cluster = run.cluster
    assert cluster is not None
    # After the last pass, whose figures these are, parts may still move from worker to worker.
    assert sum(cluster.nodes) == sum(run._engine.scattered.nodes) > 0
    assert 0.0 < sum(cluster.waited) < cluster.seconds < 60.0
    assert all(memory > 1e7 for memory in cluster.memory)


def test_a_large_table_is_put_together_opening_by_opening(tmp_path, monkeypatch):
    monkeypatch.setattr(strategy_table, "_EXACT_ENTRIES", 0)
    one, other = tmp_path / "one.safetensors", tmp_path / "other.safetensors"
    whole, run = SolverRun(SETUP, SETUP.build(), GOAL), new_run(lambda _: Lossy(None, 0.0))
    for each, path in ((whole, one), (run, other)):
        train_to_the_end(each)
        each.save_result(path, each.result())
    assert isinstance(run.result().source, PackedTable)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("losses", [1, 5])
def test_workers_lost_before_the_first_pass_are_replaced(losses, undisturbed):
    started = 0

    def start(_: Rules) -> Lossy:
        nonlocal started
        started += 1
        if started <= losses:
            raise WorkerLost("worker {worker} does not answer any more", worker=0)
        return Lossy(None, 0.0)

    run = new_run(start)
    train_to_the_end(run)
    assert started == losses + 1
    assert result_of(run) == undisturbed


def test_who_loses_workers_again_and_again_at_the_start_is_told_so():
    def start(_: Rules) -> Lossy:
        raise WorkerLost("worker {worker} does not answer any more", worker=0)

    with pytest.raises(ZhaifeiError, match="lost workers 6 times in a row without"):
        new_run(start)


def test_who_loses_workers_again_and_again_is_told_so():
    run = new_run(lambda _: Lossy(np.random.default_rng(0), 1.0))
    with pytest.raises(ZhaifeiError, match="lost workers 6 times in a row without"):
        train_to_the_end(run)


@pytest.mark.parametrize("fault", ["missing", "other pass", "damaged", "no parts"])
def test_what_cannot_be_resumed_is_refused(fault, tmp_path):
    run, path = new_run(lambda _: Lossy(None, 0.0)), tmp_path / "run.checkpoint.safetensors"
    train_to_the_end(run)
    run.save_checkpoint(path)
    parts = sorted(parts_directory(path).iterdir())
    assert len(parts) > 2
    if fault == "missing":
        parts[0].unlink()
        said = "there is no checkpoint file .*parts"
    elif fault == "other pass":
        run.goal = None
        run.advance()
        run._engine.scattered.save_parts(tmp_path, run._engine.passes)
        other = next(tmp_path.glob(f"*-{parts[0].stem.partition('-')[2]}.safetensors"))
        other.replace(parts[0])
        said = "is not the part that was saved: it belongs to another run"
    elif fault == "damaged":
        content = bytearray(parts[0].read_bytes())
        content[-1] ^= 1
        parts[0].write_bytes(content)
        said = "its compressed contents are damaged"
    else:
        whole = SolverRun(SETUP, SETUP.build(), GOAL)
        whole.advance()
        whole.save_checkpoint(path)
        said = "is not a checkpoint of a run on a cluster"
    with pytest.raises(StorageError, match=said):
        ScatteredRun(saved_run(path), lambda _: Lossy(None, 0.0))


class FullDisk(Lossy):
    """Its workers write some of their parts, and find the disk full."""

    def __init__(self) -> None:
        super().__init__(None, 0.0)
        self.full = False

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        answers = super().call(method, arguments)
        if self.full and method == "save":
            raise StorageError("the disk is full")
        return answers


@pytest.mark.parametrize("fault", ["a part", "the file"])
@pytest.mark.parametrize("before", ["nothing", "this pass", "an earlier pass"])
def test_a_checkpoint_that_fails_leaves_no_parts(fault, before, undisturbed, tmp_path, monkeypatch):
    """And the checkpoint that was there is whole."""
    path, workers = tmp_path / "run.checkpoint.safetensors", FullDisk()
    run = new_run(lambda _: workers)
    while run.done < GOAL // 2:
        run.advance()
    if before != "nothing":
        run.save_checkpoint(path)
    if before == "an earlier pass":
        run.advance()
    files = {*tmp_path.rglob("*")}
    if fault == "a part":
        workers.full = True
        left = parts_directory(path) / ".zhaifei-0123456789abcdef.1-1.tmp"
        left.parent.mkdir(exist_ok=True)
        left.touch()  # by a worker that was killed
    else:

        def fail(*_: object) -> None:
            raise StorageError("the disk is full")

        monkeypatch.setattr("zhaifei.policies.training.scattered_run.save", fail)
    with pytest.raises(StorageError, match="the disk is full"):
        run.save_checkpoint(path)
    assert {*tmp_path.rglob("*")} == files
    if before != "nothing":
        again = ScatteredRun(saved_run(path), lambda _: Lossy(None, 0.0))
        train_to_the_end(again)
        assert result_of(again) == undisturbed
