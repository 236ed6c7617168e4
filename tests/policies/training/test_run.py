"""The driver of runs: where they end, what they save on the way, and what signals do."""

import errno
import json
import math
import os
import signal
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.altered_files import contents
from tests.policies.training.test_forked_write import Gate
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.replacing import Content, Product
from zhaifei.policies.training import run as module
from zhaifei.policies.training.forked_write import CAN_FORK, ForkedWrite
from zhaifei.policies.training.run import Progress, train
from zhaifei.policies.training.run_files import Kept, RunFiles
from zhaifei.policies.training.run_paths import checkpoint_path, parts_directory, resumed_out
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.files.atomic_files import write_atomically
from zhaifei.solver.files.storage import StorageError
from zhaifei.solver.machine.memory import OutOfMemory


@dataclass
class Counting:
    """A Run that counts, seven at a time."""

    goal: int | None
    done: int = 0
    seconds: float = 0.0
    warnings: list[ZhaifeiError] = field(default_factory=list)
    on_target = is_stalled = False
    staging = Staging(dict)
    made: list[int] = field(default_factory=list)
    """[step] `done` after it."""
    saved: list[int] = field(default_factory=list)
    """[checkpoint] `done` when it was written."""

    def advance(self) -> None:
        self.done += 7
        self.made.append(self.done)

    def result(self) -> int:
        return self.done

    def training(self, result: int) -> dict[str, int]:
        return {"done": result}

    def save_result(self, out: Path, result: int) -> None:
        out.write_text(str(result))

    def save_checkpoint(self, path: Path) -> None:
        self.saved.append(self.done)
        path.write_text(json.dumps([self.done, self.seconds]))


class Ready(Staging):
    """Stages `size` bytes, and needs no preparation."""

    size = 0

    def __init__(self, size: int) -> None:
        super().__init__(dict)
        self.size = size  # type: ignore[misc]

    def is_ready(self) -> bool:
        return True


class FullDisk(Counting):
    """Its result cannot be written."""

    def save_result(self, out: Path, result: int) -> None:
        raise StorageError("the disk is full")


class FullerDisk(FullDisk):
    """Nor can its checkpoint."""

    def save_checkpoint(self, path: Path) -> None:
        raise StorageError("the disk is fuller")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "counted.safetensors"


class Clock:
    """Time that passes only where a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))

    def slow(self, goal: int | None, writing: float = 0.0) -> Counting:
        """A run whose steps take a second each, and whose checkpoints take `writing` seconds."""
        clock = self

        class Slow(Counting):
            def advance(self) -> None:
                super().advance()
                clock.now += 1.0

            def save_checkpoint(self, path: Path) -> None:
                super().save_checkpoint(path)
                clock.now += writing

        return Slow(goal)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_run_goes_on_to_its_goal_and_writes_result_and_checkpoint(out: Path) -> None:
    run = Counting(20)
    result = train(run, out, keep_checkpoint=True)
    assert (result.finished, result.trained, result.progress.done) == (True, 21, 21)
    assert (result.out, result.checkpoint, result.resumable) == (out, checkpoint_path(out), True)
    assert out.read_text() == "21"
    assert json.loads(result.checkpoint.read_text()) == [21, run.seconds]


class Aiming(Counting):
    """It reaches its target at 21."""

    @property
    def on_target(self) -> bool:
        return self.done >= 21


@pytest.mark.parametrize("run", [Counting(20), Aiming(None), Counting(20, done=21)])
@pytest.mark.parametrize("every", [0.0, math.inf])
def test_a_finished_run_leaves_its_result_alone(
    run: Counting, every: float, out: Path, clock: Clock
) -> None:
    """Its checkpoints on the way, or the one from which it was resumed, go."""
    run = replace(run, made=[], saved=[])
    if run.done:
        checkpoint_path(out).write_text("before")
    result = train(run, out, checkpoint_every=every)
    assert (result.finished, result.resumable, result.checkpoint_kept) == (True, False, False)
    assert contents(out.parent) == {out.name: b"21"}
    assert run.saved == (run.made if every == 0.0 else [])


def test_a_finished_run_removes_the_parts_of_its_checkpoint(out: Path) -> None:
    """And leaves other files beside them."""
    for names in (["8-0.safetensors"], ["8-0.safetensors", "notes.txt"]):
        parts = parts_directory(checkpoint_path(out))
        parts.mkdir()
        for name in names:
            (parts / name).touch()
        assert not train(Counting(20), out).resumable
        left = {*out.parent.rglob("*")} - {out}
        assert left == ({parts, parts / "notes.txt"} if len(names) > 1 else set())


def test_a_link_in_place_of_the_checkpoint_stays(out: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    checkpoint_path(out).symlink_to(elsewhere)
    run = Counting(20)
    run.save_checkpoint(checkpoint_path(out))
    assert elsewhere.exists()
    assert not train(run, out).resumable
    assert {*tmp_path.iterdir()} == {out, checkpoint_path(out)}


def test_a_checkpoint_that_cannot_be_removed_is_warned_of(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Path.unlink

    def fails(path: Path, missing_ok: bool = False) -> None:
        if path == checkpoint_path(out):
            raise PermissionError(errno.EACCES, "Permission denied")
        plain(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", fails)
    warnings: list[ZhaifeiError] = []
    result = train(Counting(20), out, on_warning=warnings.append)
    assert (result.finished, out.read_text()) == (True, "21")
    denied = f"cannot remove {checkpoint_path(out)}: Permission denied"
    assert [str(one) for one in warnings] == [denied]


@pytest.mark.parametrize("limit", ["time", "signal", "memory"])
def test_an_interrupted_run_leaves_its_checkpoint(limit: str, out: Path) -> None:
    class Interrupted(Counting):
        def advance(self) -> None:
            super().advance()
            if limit == "signal" and self.done > 14:
                os.kill(os.getpid(), signal.SIGINT)
            if limit == "memory" and self.done > 14:
                raise OutOfMemory("the information sets fill the memory")

    run = Interrupted(10**9)
    result = train(run, out, time_limit=0.0 if limit == "time" else math.inf)
    assert (result.ended, result.resumable) == (limit, True)
    assert json.loads(checkpoint_path(out).read_text()) == [run.done, run.seconds]


def test_a_finished_run_is_written_again_but_not_continued(out: Path) -> None:
    run = Counting(20, done=21)
    assert train(run, out).finished
    assert (run.made, out.read_text()) == ([], "21")


@pytest.mark.parametrize(
    ("every", "writing", "steps_between"),
    [(0.0, 0.0, 1), (5.0, 0.0, 5), (5.0, 0.5, 5), (5.0, 0.75, 8), (math.inf, 0.0, None)],
)
def test_checkpoints_come_at_intervals(
    every: float, writing: float, steps_between: int | None, out: Path, clock: Clock
) -> None:
    """Longer ones where writing would take more than a tenth of the time, and one at the end."""
    run = clock.slow(7 * 40, writing)
    train(run, out, checkpoint_every=every, keep_checkpoint=True)
    assert run.saved.pop() == run.made[-1]
    if steps_between is None:
        assert run.saved == []
        return
    assert len(run.saved) > 1
    # The first interval starts when nothing has been written yet.
    first = max(1, int(every)) - 1
    # A checkpoint due at the last step is written on the way and at the end.
    assert run.saved == run.made[first::steps_between]


def test_a_checkpoint_that_fails_on_the_way_is_warned_of(out: Path) -> None:
    class FullForATime(Counting):
        def save_checkpoint(self, path: Path) -> None:
            if self.done < self.goal:
                raise StorageError("the disk is full")
            super().save_checkpoint(path)

    warnings: list[ZhaifeiError] = []
    run = FullForATime(30)
    assert train(run, out, checkpoint_every=0.0, on_warning=warnings.append).finished
    assert run.saved == []
    expected = "training goes on without a checkpoint: the disk is full"
    assert {str(warning) for warning in warnings} == {expected}


def test_a_result_that_cannot_be_written_leaves_a_checkpoint(out: Path) -> None:
    run = FullDisk(20)
    kept = f"the run is kept in {checkpoint_path(out)}, and --resume goes on from there"
    with pytest.raises(StorageError, match=f"^the disk is full; {kept}$"):
        train(run, out)
    assert run.saved == [21]


def test_where_nothing_can_be_written_the_first_error_is_told(out: Path) -> None:
    with pytest.raises(StorageError, match=r"^the disk is full$"):
        train(FullerDisk(20), out, checkpoint_every=math.inf)


def test_a_place_that_cannot_be_written_is_refused_before_the_start(tmp_path: Path) -> None:
    run = Counting(20)
    with pytest.raises(StorageError, match="there is no directory"):
        train(run, tmp_path / "no" / "such.safetensors")
    assert run.made == []


def test_a_run_that_fills_the_memory_ends_with_what_it_has(out: Path) -> None:
    class Filling(Counting):
        def advance(self) -> None:
            if self.done > 20:
                raise OutOfMemory("the information sets fill the memory")
            super().advance()

    warnings: list[ZhaifeiError] = []
    result = train(Filling(100), out, on_warning=warnings.append)
    assert (result.ended, result.finished) == ("memory", False)
    assert [str(warning) for warning in warnings] == ["the information sets fill the memory"]
    assert out.read_text() == "21"


# checkpoints that a forked child writes

forks = pytest.mark.skipif(not CAN_FORK, reason="children are forked on Linux only")


class Large(Counting):
    """Its checkpoints are written by a child, which waits at a gate; this process opens it after
    five more steps. The state is what counts: `saved` has only what this process writes."""

    staging = Ready(10**12)

    def __init__(self, goal: int | None) -> None:
        super().__init__(goal)
        self.gate, self.forked_at = Gate(), 0

    def advance(self) -> None:
        super().advance()
        if self.forked_at and self.done == self.forked_at + 35:
            self.let_through()

    def let_through(self) -> None:
        self.gate.open()
        self.forked_at = 0

    def save_checkpoint(self, path: Path) -> None:
        if self.forked_at:
            self.gate.wait()
        super().save_checkpoint(path)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """More of it than there is."""
    monkeypatch.setattr(module, "spare", lambda: 1e15)


class Noting(ForkedWrite):
    """Notes in its run when it was forked."""

    def __init__(self, write: Callable[[], object]) -> None:
        run = write.__closure__[-1].cell_contents._run
        self.at = run.forked_at = run.done
        super().__init__(write)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch, memory: None) -> list[Noting]:
    """All that are forked."""
    found: list[Noting] = []

    def fork(write: Callable[[], object]) -> Noting:
        found.append(Noting(write))
        return found[-1]

    monkeypatch.setattr(module, "ForkedWrite", fork)
    return found


@forks
def test_training_goes_on_while_a_large_checkpoint_is_written(
    out: Path, forked: list[Noting], clock: Clock
) -> None:
    """One after the other, each as the run was when it began; the last is written by the run."""
    checkpoint, seen = checkpoint_path(out), set()
    run = Large(7 * 100)

    def look(progress: Progress) -> None:
        if checkpoint.exists():
            seen.add(json.loads(checkpoint.read_text())[0])

    advance = run.advance

    def slow() -> None:
        waited = run.forked_at
        advance()
        clock.now += 1.0
        while waited and not run.forked_at and not forked[-1].ended:
            os.sched_yield()

    run.advance = slow  # type: ignore[method-assign]
    assert train(run, out, checkpoint_every=10.0, keep_checkpoint=True, on_progress=look).finished
    # The first took five seconds: those after it are ten times as far apart.
    assert [one.at for one in forked] == [70, 455]
    assert seen == {70, 455, 700}
    assert run.saved == [run.done] == [json.loads(checkpoint.read_text())[0]]


@forks
def test_the_last_checkpoint_waits_for_the_one_before(out: Path, forked: list[Noting]) -> None:
    run = Large(7 * 3)
    run.save_checkpoint = lambda path: (  # type: ignore[method-assign]
        path.write_text(f"{run.done} after {path.read_text() if path.exists() else 'none'}")
    )
    assert train(run, out, checkpoint_every=0.0, keep_checkpoint=True).finished
    last = checkpoint_path(out).read_text()
    assert last.startswith("21 after ")
    assert "none" in last
    assert "21 after 7" in last or "14 after 7" in last or "21 after 14" in last


@pytest.mark.parametrize(
    "why", ["no fork", "no memory", "small", "another system", "other threads"]
)
def test_what_cannot_be_written_by_a_child_is_written_by_the_run(
    why: str, out: Path, forked: list[Noting], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Large(7 * 3)
    if why == "no fork":

        def refuse(write: object) -> ForkedWrite:
            raise OSError(errno.ENOMEM, "no memory")

        monkeypatch.setattr(module, "ForkedWrite", refuse)
    if why == "no memory":
        monkeypatch.setattr(module, "spare", lambda: 1.4e12)
    if why == "small":
        run.staging = Ready(module._LARGE - 1)
    if why == "another system":
        monkeypatch.setattr(module, "CAN_FORK", False)
    if why == "other threads":
        run.staging = Ready(0)
    warnings: list[ZhaifeiError] = []
    train(run, out, checkpoint_every=0.0, keep_checkpoint=True, on_warning=warnings.append)
    assert (run.saved, forked, warnings) == ([7, 14, 21, 21], [], [])


@forks
@pytest.mark.parametrize(
    ("error", "says"),
    [
        (StorageError("the disk is full"), "the disk is full"),
        (MemoryError(), "cannot write {path}: memory is full"),
        (None, "cannot write {path}: the process that wrote it was killed"),
    ],
)
def test_a_child_that_cannot_write_is_warned_of(
    out: Path, memory: None, clock: Clock, error: Exception | None, says: str
) -> None:
    """As if the run had written it. After a child was killed, the run writes itself."""
    parent = os.getpid()

    class Failing(Counting):
        staging = Ready(10**12)

        def save_checkpoint(self, path: Path) -> None:
            if os.getpid() != parent:
                if error is not None:
                    raise error
                os.kill(os.getpid(), signal.SIGKILL)
            super().save_checkpoint(path)

    warnings: list[str] = []
    run = Failing(None)

    def note(warning: ZhaifeiError) -> None:
        warnings.append(str(warning))
        run.goal = run.done + 70

    assert train(run, out, checkpoint_every=0.0, keep_checkpoint=True, on_warning=note).finished
    expected = says.format(path=checkpoint_path(out))
    assert warnings[0] == f"training goes on without a checkpoint: {expected}"
    assert (len(run.saved) > 1) == (error is None)
    assert json.loads(checkpoint_path(out).read_text())[0] == run.done


@forks
def test_a_signal_while_a_child_writes_ends_the_run_with_all_saved(
    out: Path, forked: list[Noting]
) -> None:
    run = Large(None)
    advance = run.advance

    def interrupted() -> None:
        advance()
        if run.forked_at and run.done == run.forked_at + 28:
            os.kill(os.getpid(), signal.SIGINT)
            run.let_through()

    run.advance = interrupted  # type: ignore[method-assign]
    assert train(run, out, checkpoint_every=0.0).ended == "signal"
    assert ([one.at for one in forked], run.saved) == ([7], [35])
    assert json.loads(checkpoint_path(out).read_text())[0] == 35
    assert {*out.parent.iterdir()} == {out, checkpoint_path(out)}


def children() -> set[str]:
    """The processes that this one has begun and not waited for. Other tests may have begun some."""
    tasks = Path("/proc/self/task").iterdir()
    return {child for task in tasks for child in (task / "children").read_text().split()}


@forks
def test_a_second_signal_ends_the_child_and_leaves_the_checkpoint_before(
    out: Path, memory: None
) -> None:
    parent, begun, before = os.getpid(), Gate(), children()
    checkpoint_path(out).write_text("before")

    class Endless(Counting):
        staging = Ready(10**12)

        def advance(self) -> None:
            super().advance()
            if self.done == 28:
                begun.wait()  # until the child has begun its file
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)

        def save_checkpoint(self, path: Path) -> None:
            assert os.getpid() != parent
            write_atomically(path, lambda file: (file.write(b"half"), begun.open(), Gate().wait()))

    with pytest.raises(KeyboardInterrupt):
        train(Endless(None), out, checkpoint_every=0.0)
    assert checkpoint_path(out).read_text() == "before"
    assert {*out.parent.iterdir()} == {checkpoint_path(out)}
    assert children() == before


@forks
def test_a_step_that_memory_ends_waits_for_the_child(out: Path, forked: list[Noting]) -> None:
    class Stumbling(Large):
        def advance(self) -> None:
            super().advance()
            if self.forked_at and self.done > 20:
                self.let_through()
                raise MemoryError

    with pytest.raises(OutOfMemory, match="goes on from the last checkpoint"):
        train(Stumbling(None), out, checkpoint_every=0.0)
    assert json.loads(checkpoint_path(out).read_text())[0] == forked[0].at == 7


class Broken(Exception):
    """What the caller's function raises."""


def test_progress_that_fails_ends_no_run_and_is_told_at_the_end(out: Path, clock: Clock) -> None:
    told: list[int] = []

    def fails(progress: Progress) -> None:
        told.append(progress.done)
        raise Broken

    run = clock.slow(70)
    with pytest.raises(Broken):
        train(run, out, keep_checkpoint=True, on_progress=fails)
    assert told == [14]
    assert out.read_text() == "70"
    assert run.saved[-1] == 70


def test_warnings_that_fail_end_no_run_and_are_told_at_the_end(out: Path) -> None:
    class FullForATime(Counting):
        def save_checkpoint(self, path: Path) -> None:
            if self.done < self.goal:
                raise StorageError("the disk is full")
            super().save_checkpoint(path)

    def fails(error: ZhaifeiError) -> None:
        raise Broken

    with pytest.raises(Broken):
        train(FullForATime(30), out, checkpoint_every=0.0, on_warning=fails)
    assert out.read_text() == "35"


def test_a_file_that_cannot_be_written_is_told_rather_than_progress_that_failed(out: Path) -> None:
    def fails(progress: Progress) -> None:
        raise Broken

    with pytest.raises(StorageError, match="the disk is full"):
        train(FullDisk(20), out, on_progress=fails)


def test_where_only_the_result_fits_it_is_written(out: Path) -> None:
    class NoCheckpoint(Counting):
        def save_checkpoint(self, path: Path) -> None:
            raise StorageError("the disk is fuller")

    with pytest.raises(StorageError, match=r"^the disk is fuller$"):
        train(NoCheckpoint(20), out, keep_checkpoint=True)
    assert out.read_text() == "21"


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("method", ["result", "save_result"])
@pytest.mark.parametrize("error", [MemoryError(), OutOfMemory("no room for that")])
def test_without_memory_for_the_result_the_run_is_kept(
    out: Path, method: str, error: Exception, keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(Counting, method, fail)
    run = Counting(20)
    with pytest.raises(StorageError) as caught:
        train(run, out, keep_checkpoint=keep)
    assert str(caught.value) == (
        f"cannot write {out}: memory is full; the run is kept in {checkpoint_path(out)}, "
        "and --resume goes on from there"
    )
    assert (run.saved, out.exists()) == ([21], False)


def test_a_checkpoint_for_which_there_is_no_memory_is_warned_of(out: Path) -> None:
    class ShortForATime(Counting):
        def save_checkpoint(self, path: Path) -> None:
            if self.done < self.goal:
                raise MemoryError
            super().save_checkpoint(path)

    warnings: list[ZhaifeiError] = []
    train(ShortForATime(30), out, checkpoint_every=0.0, on_warning=warnings.append)
    full = f"cannot write {checkpoint_path(out)}: memory is full"
    assert {str(one) for one in warnings} == {f"training goes on without a checkpoint: {full}"}


@pytest.mark.parametrize("every", [0.0, math.inf])
def test_a_step_that_memory_ends_midway_is_not_saved(out: Path, every: float) -> None:
    """Nobody knows what the run is then: what was saved before stays."""

    class Stumbling(Counting):
        def advance(self) -> None:
            super().advance()
            if self.done > 20:
                raise MemoryError

    run = Stumbling(100)
    with pytest.raises(OutOfMemory) as caught:
        train(run, out, checkpoint_every=every)
    told = str(caught.value).removeprefix("memory ran out in the middle of a step")
    assert not out.exists()
    if every:
        assert (run.saved, told) == ([], ", before there was a new checkpoint")
        return
    checkpoint = checkpoint_path(out)
    assert told == f"; --resume {checkpoint} goes on from the last checkpoint"
    assert json.loads(checkpoint.read_text())[0] == run.saved[-1] < 20


def test_what_a_run_warns_of_is_told_once(out: Path) -> None:
    class Losing(Counting):
        def advance(self) -> None:
            super().advance()
            if self.done % 28 == 0:
                self.warnings = [*self.warnings, ZhaifeiError("lost at {done}", done=self.done)]

    warnings: list[ZhaifeiError] = []
    assert train(Losing(70), out, on_warning=warnings.append).finished
    assert [str(warning) for warning in warnings] == ["lost at 28", "lost at 56"]


@pytest.mark.parametrize(
    ("run", "limit", "ended", "done"),
    [
        (Aiming(None), math.inf, "target", 21),
        (Aiming(100), math.inf, "target", 21),
        (Aiming(100), 2.0, "time", 14),
        (Aiming(None), 2.0, "time", 14),
        (Aiming(14), math.inf, "goal", 14),
        (Aiming(14), 2.0, "goal", 14),
        (Aiming(21), math.inf, "target", 21),
        (Counting(14), math.inf, "goal", 14),
    ],
)
def test_the_first_limit_that_is_met_ends_a_run(
    run: Counting, limit: float, ended: str, done: int, out: Path, clock: Clock
) -> None:
    """A goal, a target or the time, with or without each other."""
    advance = run.advance

    def slow() -> None:
        advance()
        clock.now += 1.0

    run.advance = slow  # type: ignore[method-assign]
    result = train(run, out, time_limit=limit)
    assert (result.ended, run.done) == (ended, done)
    assert result.finished == (ended != "time")
    assert result.progress.goal == run.goal


def test_a_run_on_target_is_written_again_but_not_continued(out: Path) -> None:
    run = Aiming(None, done=21)
    assert train(run, out).ended == "target"
    assert (run.made, out.read_text()) == ([], "21")


def test_without_a_goal_nobody_knows_how_long_a_run_takes(out: Path, clock: Clock) -> None:
    progress: list[Progress] = []
    run = clock.slow(None)
    train(run, out, time_limit=4.0, on_progress=progress.append)
    assert [one.left for one in progress] == [math.inf] * 3


def test_a_run_without_time_takes_one_step(out: Path) -> None:
    run = Counting(10**9)
    assert not train(run, out, time_limit=0.0).finished
    assert run.made == [7]


@pytest.mark.parametrize("keep", [False, True])
def test_the_result_has_the_seconds_of_the_whole_run(out: Path, clock: Clock, keep: bool) -> None:
    run = clock.slow(7 * 3)
    run.seconds, plain = 100.0, run.result
    found: list[float] = []
    run.result = lambda: found.append(run.seconds) or plain()  # type: ignore[method-assign,func-returns-value]
    train(run, out, checkpoint_every=math.inf, keep_checkpoint=keep)
    assert found == [103.0]


def test_seconds_add_up_over_sessions(out: Path, clock: Clock) -> None:
    run = clock.slow(7 * 3)
    run.seconds = 100.0
    train(run, out, keep_checkpoint=True)
    assert run.seconds == 103.0
    run.goal += 14
    train(run, out, keep_checkpoint=True)
    assert run.seconds == 105.0
    assert json.loads(checkpoint_path(out).read_text()) == [35, 105.0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_run_and_are_handled_as_before_afterwards(
    out: Path, number: signal.Signals
) -> None:
    class Interrupted(Counting):
        def advance(self) -> None:
            super().advance()
            if len(self.made) == 3:
                os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    assert train(Interrupted(10**12), out).ended == "signal"
    assert signal.getsignal(number) is before
    assert out.read_text() == "21"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["advance", "save_checkpoint", "result", "save_result"])
def test_a_signal_at_any_moment_after_the_first_step_leaves_everything_saved(
    out: Path, moment: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Counting(10**12 if moment in ("advance", "save_checkpoint") else 70)
    plain, signals = getattr(run, moment), [number]

    def interrupted(*arguments: object) -> object:
        if len(run.made) > 1 and signals:
            os.kill(os.getpid(), signals.pop())
        return plain(*arguments)

    monkeypatch.setattr(run, moment, interrupted)
    train(run, out, checkpoint_every=0.0, keep_checkpoint=True)
    assert signals == []
    assert out.read_text() == str(run.done)
    assert json.loads(checkpoint_path(out).read_text())[0] == run.done


def test_during_the_first_step_there_is_nothing_to_save(out: Path) -> None:
    """It may compile for half a minute."""

    class Compiling(Counting):
        def advance(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            super().advance()

    run = Compiling(10**12)
    with pytest.raises(KeyboardInterrupt):
        train(run, out)
    assert (run.made, [*out.parent.iterdir()]) == ([], [])


def test_a_second_signal_quits_at_once(out: Path) -> None:
    class Stubborn(Counting):
        def save_result(self, out: Path, result: int) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            raise AssertionError("goes on")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(Stubborn(20), out, keep_checkpoint=True)
    assert signal.getsignal(signal.SIGINT) is before
    assert [*out.parent.iterdir()] == [checkpoint_path(out)]


def test_outside_the_main_thread_runs_go_without_signals(out: Path) -> None:
    """Python lets only the main thread handle them."""
    with ThreadPoolExecutor() as threads:
        assert threads.submit(train, Counting(20), out).result().finished


def test_progress_says_where_the_run_stands(out: Path, clock: Clock) -> None:
    progress: list[Progress] = []
    run = clock.slow(10**12)
    result = train(run, out, time_limit=10.0, on_progress=progress.append)
    assert len(run.made) == 10
    # The first step may have compiled for long, and tells nothing of the rate.
    assert [one.done for one in progress] == run.made[1:]
    last = progress[-1]
    assert last == result.progress
    assert (last.goal, last.elapsed) == (10**12, 10.0)
    assert last.rate == pytest.approx(7.0)
    assert last.left == pytest.approx((10**12 - 70) / 7.0)


def test_a_run_of_one_step_has_the_rate_of_that_step(out: Path, clock: Clock) -> None:
    assert train(clock.slow(7), out).progress.rate == pytest.approx(7.0)


def test_a_missing_checkpoint_beside_a_result_is_explained(tmp_path: Path) -> None:
    out = tmp_path / "mine.safetensors"
    assert resumed_out(checkpoint_path(out), None) == out  # loading tells of the missing file
    out.touch()
    why = "a finished run keeps its checkpoint only with --keep-checkpoint"
    for other in (None, tmp_path / "other"):
        with pytest.raises(StorageError) as caught:
            resumed_out(checkpoint_path(out), other)
        said = f"there is no checkpoint file {checkpoint_path(out)}: {why}"
        assert str(caught.value) == said


def test_a_resumed_run_writes_where_it_wrote_unless_told_otherwise(tmp_path: Path) -> None:
    for name in ("mine.safetensors", "my.policy.safetensors", "mine", "my.policy"):
        assert resumed_out(checkpoint_path(tmp_path / name), None) == tmp_path / name
    checkpoint, other = tmp_path / "mine.checkpoint.safetensors", tmp_path / "other"
    assert resumed_out(checkpoint, other) == other
    with pytest.raises(ZhaifeiError, match="is the checkpoint itself"):
        resumed_out(checkpoint, tmp_path / "x" / ".." / checkpoint.name)
    (tmp_path / "copy").touch()
    with pytest.raises(ZhaifeiError, match="copy does not have the name of a checkpoint"):
        resumed_out(tmp_path / "copy", None)


class KeepingUntil(RunFiles):
    """Files with a checkpoint that has done so much, and of a result as good."""

    def __init__(self, done: int) -> None:
        super().__init__(Path(), Path(), overwrite=False, continues=False)
        self._done = done

    def keeps_checkpoint(self, done: int) -> bool:
        return done < self._done

    def keeps_result(self, training: Mapping[str, Any]) -> Kept | None:
        assert [*training] == ["done"]
        if training["done"] >= self._done:
            return None
        product = Product("policy", preset("zhaifei"), "counting")
        return Kept(*(Content(product, None, done) for done in (self._done, training["done"])))


@pytest.mark.parametrize("done", [14, 21, 28])
def test_less_does_not_replace_more(out: Path, clock: Clock, done: int) -> None:
    """Checkpoints are written only from there on where the run has done as much."""
    out.write_text("before")
    checkpoint_path(out).write_text("before")
    run = Counting(21)
    result = train(run, out, keeping=KeepingUntil(done), checkpoint_every=0.0, keep_checkpoint=True)
    assert run.saved == [*range(done, 22, 7), 21][: 0 if done > 21 else None]
    if done > 21:
        assert result.kept is not None
        assert (result.kept.old.work, result.kept.new.work) == (28, 21)
        assert result.checkpoint_kept
        assert (out.read_text(), checkpoint_path(out).read_text()) == ("before", "before")
    else:
        assert (result.kept, result.checkpoint_kept, out.read_text()) == (None, False, "21")


def test_a_finished_run_leaves_the_checkpoint_of_a_run_that_has_done_more(out: Path) -> None:
    class KeepingCheckpoint(KeepingUntil):
        def keeps_result(self, training: Mapping[str, Any]) -> None:
            return None

    checkpoint_path(out).write_text("before")
    result = train(Counting(21), out, keeping=KeepingCheckpoint(28), checkpoint_every=0.0)
    assert (result.resumable, result.checkpoint_kept, result.kept) == (False, True, None)
    assert contents(out.parent) == {out.name: b"21", checkpoint_path(out).name: b"before"}


def test_a_finished_run_whose_result_was_not_written_leaves_its_checkpoint(out: Path) -> None:
    """Otherwise its work would be lost."""

    class KeepingResult(KeepingUntil):
        def keeps_checkpoint(self, done: int) -> bool:
            return False

    out.write_text("before")
    run = Counting(21)
    result = train(run, out, keeping=KeepingResult(28))
    assert (result.resumable, result.checkpoint_kept) == (True, False)
    assert result.kept is not None
    assert (out.read_text(), run.saved) == ("before", [21])
    assert json.loads(checkpoint_path(out).read_text()) == [21, run.seconds]


def test_the_arrays_of_an_unfinished_result_are_freed_before_the_checkpoint(out: Path) -> None:
    class Large:
        """In place of an array."""

    class Filling(Counting):
        def result(self) -> int:
            large = Large()
            self.large = weakref.ref(large)
            raise MemoryError

        def save_checkpoint(self, path: Path) -> None:
            assert self.large() is None
            super().save_checkpoint(path)

    run = Filling(20)
    with pytest.raises(StorageError, match="the run is kept in"):
        train(run, out)
    assert run.saved == [21]


def test_a_result_that_cannot_be_written_beside_a_longer_checkpoint_is_not_kept(out: Path) -> None:
    with pytest.raises(StorageError, match=r"^the disk is full$"):
        train(FullDisk(20), out, keeping=NoRoom())


class NoRoom(KeepingUntil):
    """It keeps a checkpoint that has done more, and no result."""

    def __init__(self) -> None:
        super().__init__(10**9)

    def keeps_result(self, training: Mapping[str, Any]) -> None:
        return None
