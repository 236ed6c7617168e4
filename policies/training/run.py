"""The driver of all training runs: progress, checkpoints on the way, signals, the file at the end.

What is trained implements `Run`: `policies.training.solver_run` for solvers,
`policies.training.learning` for the learners that need PyTorch, `policies.training.q_learning` for
the table of action values.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from game.errors import ZhaifeiError
from solver.header import Header
from solver.memory import OutOfMemory
from solver.storage import StorageError, verify_writable

REPORT_SECONDS = 0.25
"""Between two calls of `on_progress`."""
_WRITING = 0.1
"""The share of the time that checkpoints may take at most."""

MOST_THREADS = 256
"""As the command line has it: a file must not ask for any number."""
_MOST_SECONDS = 1e10

Trained = TypeVar("Trained")


class Run(Protocol[Trained]):
    """Something on its way to a goal, counted in units of its own: iterations, steps, matches."""

    seconds: float
    """Spent on it so far, in all sessions. `train` keeps it up to date."""

    @property
    def done(self) -> int:
        """How many units have been done, in all sessions."""

    @property
    def goal(self) -> int:
        """How many units are to be done."""

    def advance(self) -> None:
        """Do a fraction of a second of work. Where a run ends depends on its goal alone, not on how
        the work was split, so that a resumed run ends like one that never stopped. Raises
        OutOfMemory."""

    def result(self) -> Trained:
        """Return what has been trained so far."""

    def save_result(self, out: Path, result: Trained) -> None:
        """Write `result` to `out`. Raises StorageError."""

    def save_checkpoint(self, path: Path) -> None:
        """Write everything that the run needs to go on. Raises StorageError."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands, in its own units."""

    done: int
    goal: int
    rate: float
    """Units per second in this session, without the first call of `advance`, which may compile."""
    elapsed: float
    """Seconds in this session."""

    @property
    def left(self) -> float:
        """Seconds until the goal at this rate."""
        return max(0, self.goal - self.done) / self.rate if self.rate else float("inf")


@dataclass(frozen=True)
class RunResult(Generic[Trained]):
    """How a session of a run ended."""

    trained: Trained
    """The result, as written to `out`."""
    out: Path
    checkpoint: Path
    progress: Progress
    finished: bool
    """Whether the goal was reached; otherwise a signal, the time limit or memory ended the run."""


def checkpoint_path(out: Path) -> Path:
    """Return where the checkpoint of the run that writes `out` goes."""
    return out.with_name(f"{out.name.removesuffix('.safetensors')}.checkpoint.safetensors")


@contextmanager
def describing_run(path: Path) -> Iterator[None]:
    """While this is open, errors about what the checkpoint `path` holds become StorageErrors that
    name it."""
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


def threads_of(header: Header) -> int:
    """Return the number of threads of a run with this header. Raise HeaderError."""
    return header.whole("threads", least=1, most=MOST_THREADS)


def resumed_out(resume: Path, out: Path | None) -> Path:
    """Return where a run resumed from the checkpoint `resume` writes its result: to `out`, or by
    default to the file beside the checkpoint that it wrote before.

    Raises ZhaifeiError if `out` is the checkpoint itself.
    """
    if out is None:
        stem = resume.name.removesuffix(".safetensors").removesuffix(".checkpoint")
        return resume.with_name(f"{stem}.safetensors")
    if out.resolve() == resume.resolve():
        raise ZhaifeiError("--out {out} is the checkpoint itself; name another file", out=out)
    return out


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether Ctrl-C or SIGTERM has arrived; a second one has its usual
    effect. Outside the main thread, where Python delivers no signals, it never has."""
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: object) -> None:
        received.append(number)
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, note)
    try:
        yield lambda: bool(received)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def train(
    run: Run[Trained],
    out: Path,
    *,
    time_limit: float = float("inf"),
    checkpoint_every: float = 120.0,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_warning: Callable[[ZhaifeiError], None] = lambda error: None,
) -> RunResult[Trained]:
    """Advance `run` to at least its goal, or until `time_limit` seconds have passed, a signal has
    arrived or memory is full; at least once if the goal is not reached yet, so that there is
    something to write.

    Writes a checkpoint every `checkpoint_every` seconds, or less often if writing would take more
    than a tenth of the time, and at the end both the result and a checkpoint. A checkpoint that
    cannot be written on the way causes a warning, and training goes on. Raises StorageError if
    `out` cannot be written, before the start where that is evident.
    """
    verify_writable(out)
    checkpoint, session = checkpoint_path(out), _Session(run)
    reported = time.monotonic()
    next_save = reported + checkpoint_every
    with stop_on_signals() as stopped:
        while run.done < run.goal:
            try:
                run.advance()
            except OutOfMemory as error:
                on_warning(error)
                break
            if session.note_step():
                reported = time.monotonic()
            if stopped() or session.elapsed >= time_limit:
                break
            if time.monotonic() >= next_save:
                began = time.monotonic()
                session.note_time()
                try:
                    run.save_checkpoint(checkpoint)
                except StorageError as error:
                    on_warning(
                        ZhaifeiError("training goes on without a checkpoint: {error}", error=error)
                    )
                saved = time.monotonic()
                next_save = saved + max(checkpoint_every, (saved - began) / _WRITING)
            if time.monotonic() - reported >= REPORT_SECONDS:
                reported = time.monotonic()
                on_progress(session.progress())
        session.note_time()
        trained, last = run.result(), session.progress()
        on_progress(last)
        session.note_time()
        _save_both(run, trained, out, checkpoint)
    return RunResult(trained, out, checkpoint, last, run.done >= run.goal)


def _save_both(run: Run[Trained], trained: Trained, out: Path, checkpoint: Path) -> None:
    """Try both: on a disk that is nearly full, one of them may still fit. Raises StorageError."""
    try:
        run.save_result(out, trained)
    except StorageError as error:
        try:
            run.save_checkpoint(checkpoint)
        except StorageError:
            raise error from None
        raise StorageError(
            "{error}; the run is kept in {checkpoint}", error=error, checkpoint=checkpoint
        ) from error
    run.save_checkpoint(checkpoint)


class _Session:
    """The clock and the counters of one call of `train`."""

    def __init__(self, run: Run[Any]) -> None:
        self._run, self._before = run, run.seconds
        self._began = time.monotonic()
        self._start = self._after_first_step = (self._began, run.done)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._began

    def note_time(self) -> None:
        self._run.seconds = self._before + self.elapsed

    def note_step(self) -> bool:
        """Return whether this was the first call of `advance`: that one may have compiled for half
        a minute, so the rate counts from its end."""
        first = self._after_first_step is self._start
        if first:
            self._after_first_step = (time.monotonic(), self._run.done)
        return first

    def progress(self) -> Progress:
        done = self._run.done
        since, before = self._after_first_step
        if done == before:  # there was only one step
            since, before = self._start
        seconds = time.monotonic() - since
        return Progress(
            done=done,
            goal=self._run.goal,
            rate=(done - before) / seconds if seconds else 0.0,
            elapsed=self.elapsed,
        )
