"""The driver of all training runs: progress, periodic checkpoints, signals and the final file.

A training implements `Run`: `policies.training.solver_run` for solvers,
`policies.research.learning` for the learners that need PyTorch, `policies.research.q_learning` for
the table of action values.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.signals import Stopping
from zhaifei.policies.training.forked_write import CAN_FORK, ForkedWrite, Killed
from zhaifei.policies.training.run_files import Kept, RunFiles
from zhaifei.policies.training.run_paths import remove_checkpoint, writable_checkpoint
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.files.atomic_files import StorageError, remove_unfinished
from zhaifei.solver.files.header import Header
from zhaifei.solver.machine.memory import OutOfMemory, spare

REPORT_SECONDS = 0.25
"""The least time in seconds between two calls of `on_progress`."""
_WRITING = 0.1
"""The largest share of the time that checkpoints may take."""
_LARGE = 1 << 26
"""A forked child writes checkpoints of at least this many bytes; smaller ones take a moment."""
_FORKED = 1.5
"""The spare memory that a fork needs, as a multiple of the bytes of the arrays: while the child
writes, all arrays may change, and grow."""

_BUFFERED = 512
"""The size of a matrix product for which every thread of the BLAS library allocates a buffer."""
_MOST_SECONDS = 1e10

End = Literal["goal", "target", "stall", "time", "signal", "memory"]
"""What ended a session: the goal or the target of the run, a target that it hardly gets nearer to,
or an earlier interruption."""
_FINISHED: tuple[End, ...] = ("goal", "target")
"""The ends that leave no work."""

Trained = TypeVar("Trained")
Told = TypeVar("Told")


class Run(Protocol[Trained]):
    """A training with a goal, counted in its own units: iterations, steps or matches."""

    seconds: float
    """The seconds spent on the run so far, in all sessions. `train` keeps them up to date."""

    @property
    def warnings(self) -> Sequence[ZhaifeiError]:
        """The warnings of the run so far, oldest first."""

    @property
    def done(self) -> int:
        """How many units have been done, in all sessions."""

    @property
    def goal(self) -> int | None:
        """The number of units to do; None if only the target ends the run."""

    @property
    def on_target(self) -> bool:
        """Whether the target has been reached. It depends only on the contents of a checkpoint, so
        a resumed run ends where an uninterrupted run ends."""

    @property
    def is_stalled(self) -> bool:
        """Whether only a target can end the run, and it will hardly be reached. This too depends
        only on the contents of a checkpoint."""

    def advance(self) -> None:
        """Do a fraction of a second of work. The end of a run depends on its goal alone, not on how
        the work was split, so a resumed run ends like an uninterrupted one.

        Raises OutOfMemory if memory is full and the run can still be saved, and MemoryError if the
        run stopped in the middle of a step and cannot be saved."""

    def result(self) -> Trained:
        """Return the result of the training so far."""

    def training(self, result: Trained) -> Mapping[str, Any]:
        """Return the training record that the file of `result` holds."""

    def save_result(self, out: Path, result: Trained) -> None:
        """Write `result` to `out`. Raises StorageError."""

    @property
    def staging(self) -> Staging:
        """Copies the arrays of a checkpoint for a forked child that writes it; without arrays if a
        child cannot or need not write it."""

    def save_checkpoint(self, path: Path) -> None:
        """Write everything that the run needs to resume. Raises StorageError."""


@dataclass(frozen=True)
class Progress:
    """The progress of a run, in its own units."""

    done: int
    goal: int | None
    rate: float
    """Units per second in this session, without the first call of `advance`, which may compile."""
    elapsed: float
    """Seconds in this session."""

    @property
    def left(self) -> float:
        """Seconds until the goal at this rate; infinite if there is no goal or no rate."""
        if self.goal is None or not self.rate:
            return float("inf")
        return max(0, self.goal - self.done) / self.rate


@dataclass(frozen=True)
class RunResult(Generic[Trained]):
    """How a session of a run ended."""

    trained: Trained
    """The result; it is in the file `out`, unless a better one was `kept` there."""
    out: Path
    checkpoint: Path
    progress: Progress
    ended: End
    kept: Kept | None = None
    """Why `trained` was not written to `out`; None if it was."""
    resumable: bool = True
    """Whether `checkpoint` holds this run, so that the run can go on from there."""
    checkpoint_kept: bool = False
    """Whether `checkpoint` still is the checkpoint of a run that has done more."""

    @property
    def finished(self) -> bool:
        """Whether the goal or the target was reached, so that no work is left."""
        return self.ended in _FINISHED


def end_of(run: Run[Any]) -> End | None:
    """Return "target" or "goal" if the run has reached it, "stall" if it will hardly reach its
    target, or None if the run goes on."""
    if run.on_target:
        return "target"
    if run.goal is not None and run.done >= run.goal:
        return "goal"
    return "stall" if run.is_stalled else None


@contextmanager
def describing_run(path: Path) -> Iterator[None]:
    """Turn errors about the contents of the checkpoint `path` into StorageErrors. They name the
    file. OutOfMemory passes unchanged."""
    try:
        yield
    except OutOfMemory:
        raise
    except ZhaifeiError as error:
        raise StorageError(
            "{path} does not describe a run: {error}", path=path, error=error
        ) from error


def goal_of(header: Header) -> int:
    """Return the goal of the run with this header. Raise HeaderError."""
    return header.whole("goal", least=1)


def seconds_of(header: Header) -> float:
    """Return the seconds spent on the run with this header. Raise HeaderError."""
    return header.number("seconds", 0.0, _MOST_SECONDS)


def train(  # noqa: PLR0913  # options have names
    run: Run[Trained],
    out: Path,
    *,
    keeping: RunFiles | None = None,
    time_limit: float = float("inf"),
    checkpoint_every: float = 120.0,
    keep_checkpoint: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_warning: Callable[[ZhaifeiError], None] = lambda error: None,
) -> RunResult[Trained]:
    """Advance `run` until it reaches its goal or target, stalls or is interrupted, and write its
    files.

    It is interrupted once `time_limit` seconds have passed, a signal has arrived or memory is full.
    A run that has not ended advances at least once, so that there is a result to write. During this
    first step, which may compile, a signal ends the process at once; later, the run stops and
    saves.

    Writes a checkpoint every `checkpoint_every` seconds, or less often if writing would take more
    than a tenth of the time. Where the system and its memory allow it, training goes on while a
    large periodic checkpoint is written. If a periodic checkpoint cannot be written, `on_warning`
    is told and training goes on. Warnings of the run itself go to `on_warning` too.

    A run that is interrupted or stalls writes first a last checkpoint and then the result. So does
    a finished run with `keep_checkpoint`. Without it, a finished run writes the result and removes
    its periodic checkpoint. It writes a last checkpoint only if the result cannot be written, or is
    not written because a better one is kept.

    Files that `keeping` keeps are not replaced; by default, all are replaced.

    Raises StorageError if `out` or the checkpoint cannot be written, before the start where this is
    evident. Raises OutOfMemory if memory ended the run in a state that cannot be saved; the last
    checkpoint is then intact.

    An exception from `on_progress` or `on_warning` does not end the run. The run goes on without
    calling them, and raises the exception when everything is written.
    """
    checkpoint, clock = writable_checkpoint(out), _Clock(run)
    _prepare_blas()
    telling = _Telling(on_progress, on_warning)
    saves = _Saves(run, clock, keeping, checkpoint, checkpoint_every)
    with Stopping() as stopping, closing(saves):
        while (ended := end_of(run)) is None:
            try:
                run.advance()
            except OutOfMemory as error:
                telling.warn(error)
                ended = "memory"
                break
            except MemoryError as error:
                saves.wait()
                raise saves.step_lost() from error
            stopping.hold()
            clock.note_step()
            telling.warn_once(run.warnings)
            if stopping.asked or clock.elapsed >= time_limit:
                ended = end_of(run) or ("signal" if stopping.asked else "time")
                break
            if unsaved := saves.on_the_way():
                telling.warn(_unsaved(unsaved))
            if clock.is_time_to_report():
                telling.report(clock.progress())
        saves.wait()  # its error may be ignored: the last checkpoint fails too or replaces it
        clock.set_seconds()
        # Making the result may take more memory than there is, so the checkpoint comes first.
        if keep_checkpoint or ended not in _FINISHED:
            saves.save_last()
        last = clock.progress()
        with _keeping_the_run(out, saves):
            trained = run.result()
            telling.report(last)
            kept = None if keeping is None else keeping.keeps_result(run.training(trained))
            if kept is None:
                run.save_result(out, trained)
            else:
                saves.save_last()
        if unremoved := saves.remove_unneeded():
            telling.warn(unremoved)
        resumable, existing = saves.holds_end, saves.keeps_existing()
    telling.raise_failure()
    return RunResult(trained, out, checkpoint, last, ended, kept, resumable, existing)


def _prepare_blas() -> None:
    """Let the BLAS library allocate its buffers while there is memory: where there is none, it ends
    the process."""
    np.ones(_BUFFERED) @ np.ones((_BUFFERED, _BUFFERED))


@contextmanager
def _keeping_the_run(out: Path, saves: _Saves) -> Iterator[None]:
    """Write the last checkpoint, unless it is there, if memory or disk space does not suffice to
    make and write the result. Then raise StorageError, which names the checkpoint if it holds the
    run.

    If the result was written but the checkpoint was not, raise the reason: on a disk that is nearly
    full, one of the two files may still fit."""
    try:
        yield
    except (StorageError, OutOfMemory, MemoryError) as error:
        traceback.clear_frames(error.__traceback__)  # frees the arrays of the unfinished result
        failed = _not_written(out, error)
        saves.save_last()
        if not saves.holds_end:
            raise failed from None
        raise StorageError(
            "{error}; the run is kept in {checkpoint}, and --resume goes on from there",
            error=failed,
            checkpoint=saves.path,
        ) from error
    if saves.unsaved:
        raise saves.unsaved


def _unsaved(error: StorageError) -> ZhaifeiError:
    return ZhaifeiError("training goes on without a checkpoint: {error}", error=error)


def _not_written(path: Path, error: Exception) -> StorageError:
    """Return `error` as a StorageError that says that `path` was not written."""
    if isinstance(error, StorageError):
        return error
    if isinstance(error, Killed):
        return StorageError("cannot write {path}: {why}", path=path, why=error)
    return StorageError("cannot write {path}: memory is full", path=path)


class _Telling:
    """Calls functions of the caller until one of them fails."""

    def __init__(
        self,
        on_progress: Callable[[Progress], None],
        on_warning: Callable[[ZhaifeiError], None],
    ) -> None:
        self._on_progress, self._on_warning = on_progress, on_warning
        self._warned: set[str] = set()
        self._failure: Exception | None = None

    def report(self, progress: Progress) -> None:
        """Report the progress, unless an earlier call failed."""
        self._call(self._on_progress, progress)

    def warn(self, warning: ZhaifeiError) -> None:
        """Tell of a warning, unless an earlier call failed."""
        self._call(self._on_warning, warning)

    def warn_once(self, warnings: Sequence[ZhaifeiError]) -> None:
        """Tell of those `warnings` of the run that this method has not told before."""
        for warning in warnings:
            if str(warning) not in self._warned:
                self._warned.add(str(warning))
                self.warn(warning)

    def _call(self, function: Callable[[Told], None], what: Told) -> None:
        if self._failure is None:
            try:
                function(what)
            except Exception as error:
                self._failure = error

    def raise_failure(self) -> None:
        """Raise what a call raised, if one did."""
        if self._failure is not None:
            raise self._failure


class _Clock:
    """The time of one call of `train`, and the rate of its run."""

    def __init__(self, run: Run[Any]) -> None:
        self._run, self._before = run, run.seconds
        self._began = self._reported = time.monotonic()
        self._start = self._after_first_step = (self._began, run.done)

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._began

    def set_seconds(self) -> None:
        """Bring the seconds of the run up to date."""
        self._run.seconds = self._before + self.elapsed

    def note_step(self) -> None:
        """Note the end of a call of `advance`. The first may have compiled for half a minute, so
        the rate counts from its end, and the first report comes later."""
        if self._after_first_step is self._start:
            self._reported = time.monotonic()
            self._after_first_step = (self._reported, self._run.done)

    def is_time_to_report(self) -> bool:
        """Return whether REPORT_SECONDS have passed since this method returned True."""
        now = time.monotonic()
        due = now - self._reported >= REPORT_SECONDS
        self._reported = now if due else self._reported
        return due

    def progress(self) -> Progress:
        """Return the progress so far."""
        done = self._run.done
        since, before = self._after_first_step
        if done == before:  # there was only one step
            since, before = self._start
        seconds = time.monotonic() - since
        rate = (done - before) / seconds if seconds else 0.0
        return Progress(done, self._run.goal, rate, self.elapsed)


class _Saves:
    """Writes the checkpoints of a session, one at a time."""

    def __init__(
        self, run: Run[Any], clock: _Clock, keeping: RunFiles | None, path: Path, every: float
    ) -> None:
        self._run, self._clock, self._keeping = run, clock, keeping
        self.path, self._every = path, every
        self._saved = False
        """Whether this session has written a checkpoint."""
        self._ended = False
        """Whether the last checkpoint of the session was written or tried."""
        self.unsaved: StorageError | None = None
        """Why the last checkpoint could not be written; None if it was or need not be."""
        self._began = time.monotonic()
        self._next = self._began + every
        self._forked: ForkedWrite | None = None
        self._forks = CAN_FORK
        """Whether a child may write: the system can fork, and no child has been killed yet."""
        self._waits = False
        """Whether a child will be forked as soon as the run is ready for it."""

    def keeps_existing(self) -> bool:
        """Return whether the existing checkpoint stays, because its run has done more."""
        return self._keeping is not None and self._keeping.keeps_checkpoint(self._run.done)

    @property
    def holds_end(self) -> bool:
        """Whether the checkpoint holds the run as it ended."""
        return self._ended and self.unsaved is None and not self.keeps_existing()

    def on_the_way(self) -> StorageError | None:
        """Begin a checkpoint if one is due, or note that the last one has been written. Return the
        error if a checkpoint could not be written."""
        if self._forked is not None:
            return self.wait() if self._forked.ended else None
        if time.monotonic() < self._next or self.keeps_existing():
            return None
        if not self._waits:
            self._began = time.monotonic()
            self._waits = self._may_fork()
        if self._waits:
            if not self._run.staging.is_ready():
                return None
            self._waits = False
            self._fork()
        if self._forked is not None:
            return None
        unsaved = self.save()
        self._plan()
        return unsaved

    def save(self) -> StorageError | None:
        """Write a checkpoint, unless the existing one has done more. Return the error if writing
        fails."""
        if self.keeps_existing():
            return None
        self._clock.set_seconds()
        try:
            self._run.save_checkpoint(self.path)
        except (StorageError, MemoryError) as error:
            return _not_written(self.path, error)
        self._saved = True
        return None

    def save_last(self) -> None:
        """Write the last checkpoint of the session as `save` does, unless this was done before."""
        if not self._ended:
            self._ended, self.unsaved = True, self.save()

    def remove_unneeded(self) -> StorageError | None:
        """Remove the checkpoint, unless it holds the run as it ended or its run has done more.
        Return the error if that fails."""
        if self.holds_end or self.keeps_existing():
            return None
        try:
            remove_checkpoint(self.path)
        except StorageError as error:
            return error
        return None

    def wait(self) -> StorageError | None:
        """Wait for the checkpoint that is being written, if any, and prepare no other. Return its
        error, as `on_the_way` does."""
        self._waits = False
        self._run.staging.drop()
        if self._forked is None:
            return None
        error = self._forked.wait()
        self._forked, self._forks = None, not isinstance(error, Killed)
        self._saved = self._saved or error is None
        self._plan()
        return None if error is None else _not_written(self.path, error)

    def close(self) -> None:
        """Stop a write in progress, where an exception ends the session."""
        self._run.staging.drop()
        if self._forked is not None:
            self._forked.stop()
            remove_unfinished(self.path)

    def step_lost(self) -> OutOfMemory:
        """Return the error for a step that lack of memory ended midway, which leaves the run in an
        unknown state."""
        if self._saved:
            return OutOfMemory(
                "memory ran out in the middle of a step; --resume {checkpoint} goes on from the "
                "last checkpoint",
                checkpoint=self.path,
            )
        return OutOfMemory(
            "memory ran out in the middle of a step, before there was a new checkpoint"
        )

    def _may_fork(self) -> bool:
        """Return whether a child should write: the checkpoint is large, and memory suffices."""
        size = self._run.staging.size if self._forks else 0
        return size >= _LARGE and spare() >= _FORKED * size

    def _fork(self) -> None:
        """Fork a child that writes a checkpoint, unless there is no memory for its page tables, or
        there are too many processes."""
        self._clock.set_seconds()
        with suppress(OSError), self._run.staging.apart():
            self._forked = ForkedWrite(lambda: self._run.save_checkpoint(self.path))

    def _plan(self) -> None:
        now = time.monotonic()
        self._next = now + max(self._every, (now - self._began) / _WRITING)
