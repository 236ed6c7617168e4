"""Faults by injection, as SQLite tests them: what a run asks of the system fails, in turn, once.

A *point* is one such request: a file opened, a part of it written, flushed, renamed, its mode
changed, an array allocated. A run is counted first without a fault; then, for each point and each
kind of fault, a forked child runs again with that fault at that point. Its parent looks at what is
left on disk: the former or the new file, whole; and a run resumed from it must end as if nothing
had been.

Allocations are those that solvers, training and policies ask numpy for by name, and arrays that
grow. Compiled kernels allocate nothing but at their start.
"""

from __future__ import annotations

import errno
import io
import itertools
import json
import os
import shutil
import sys
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, Protocol, TypeVar
from unittest import mock

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.q_player import load_values
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.research.q_learning import new_q_run, resume_q_run
from zhaifei.policies.research.single_bid_engine import single_bid_setup
from zhaifei.policies.training import run as driver
from zhaifei.policies.training.engines import EngineName, Setup
from zhaifei.policies.training.run import Run, train
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.policies.training.solver_run import SolverRun, resume_solver_run
from zhaifei.solver.files.atomic_files import write_text
from zhaifei.solver.machine import memory

Kind = Literal["ENOSPC", "EIO", "MemoryError", "killed before", "killed after"]
KINDS: tuple[Kind, ...] = ("ENOSPC", "EIO", "MemoryError", "killed before", "killed after")
OF_ALLOCATIONS: tuple[Kind, ...] = ("MemoryError", "killed before")
ALLOCATION = "allocation"
_REQUESTS = ("fsync", "replace", "unlink", "chmod", "chown", "open")
"""Functions of `os` that writing files calls."""
_ALLOCATORS = (
    "arange",
    "argsort",
    "array",
    "array_split",
    "ascontiguousarray",
    "concatenate",
    "count_nonzero",
    "cumsum",
    "diff",
    "empty",
    "flatnonzero",
    "frombuffer",
    "full",
    "lexsort",
    "nonzero",
    "ones",
    "repeat",
    "searchsorted",
    "unique",
    "where",
    "zeros",
    "zeros_like",
)
_FINISHED, _FOREIGN, _TOLD, _KILLED = 0, 1, 2, 9
"""Exit codes of children: like those of commands, and one of a death."""

TOLD = "told in the file"
"""In place of a result that may differ from those of runs with more memory, and says so."""

Result = TypeVar("Result")


class Faults:
    """Counts points, and makes one of them fail."""

    def __init__(self, fails: int | None = None, kind: Kind | None = None) -> None:
        self.names: list[str] = []
        """[point] what was asked for, so far."""
        self._fails, self._kind = fails, kind
        self._lock = threading.Lock()

    def point(
        self, name: str, do: Callable[[], Result], half: Callable[[], object] = lambda: None
    ) -> Result:
        """Return what `do` returns, unless this is the point that fails: then only `half` is
        done, or the process dies before or after."""
        with self._lock:
            self.names.append(name)
            fails = len(self.names) - 1 == self._fails
        if not fails:
            return do()
        if self._kind == "killed after":
            try:
                do()
            finally:
                os._exit(_KILLED)
        half()
        if self._kind == "killed before":
            os._exit(_KILLED)
        # With several threads, points may shift: an allocation may stand where a write stood.
        if self._kind == "MemoryError" or name == ALLOCATION:
            raise MemoryError
        number = errno.ENOSPC if self._kind == "ENOSPC" else errno.EIO
        raise OSError(number, os.strerror(number))

    def install(self) -> None:
        """Put points into this process, for good."""
        for name in _REQUESTS:
            setattr(os, name, self._wrapped(name, getattr(os, name)))
        faults, open_really = self, io.open

        class File(io.FileIO):
            def write(self, data: Any) -> int:
                view = memoryview(data).cast("B")
                write = super().write
                return faults.point(
                    "write", lambda: write(view), lambda: write(view[: len(view) // 2])
                )

        def open_file(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
            if mode != "xb":
                return open_really(file, mode, *given, **named)
            return io.BufferedWriter(self.point("open", lambda: File(file, mode)))

        io.open = open_file
        for name in _ALLOCATORS:
            setattr(np, name, self._counted(getattr(np, name)))
        resize = memory._resize
        memory._resize = lambda arrays, lengths: (
            self.point(ALLOCATION, lambda: resize(arrays, lengths))
            if any(length > len(array) for array, length in zip(arrays, lengths, strict=True))
            else resize(arrays, lengths)
        )

    def _wrapped(self, name: str, do: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **named: self.point(name, lambda: do(*given, **named))

    def _counted(self, allocate: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            asks = sys._getframe(1).f_globals.get("__name__", "")
            if not asks.startswith(
                ("zhaifei.solver.", "zhaifei.policies.training.", "zhaifei.policies.players.")
            ):
                return allocate(*given, **named)
            return self.point(ALLOCATION, lambda: allocate(*given, **named))

        return counted


# What is run


class Case(Protocol):
    """Something that writes files in a directory."""

    name: str
    continues: bool
    """Whether there are former files to begin with, from which it continues."""

    def prepare(self, directory: Path) -> None:
        """Write the former files."""

    def begin(self, directory: Path) -> Callable[[], object]:
        """Return what is to be done under fault."""

    def finish(self, directory: Path) -> object:
        """Verify that what is there is whole, do what is left, and return what came of it."""

    def files(self, directory: Path) -> set[Path]:
        """Return the files that are there at the end."""


def _count_time() -> None:
    """Let the clock of the driver tick at each look, so that runs have the same points."""
    ticks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: float(next(ticks)))
    setattr(driver, "time", clock)  # noqa: B010  # a module is no place for another type


@dataclass
class Training:
    """A session of a run, up to the second of two goals; on the way it writes checkpoints."""

    name: str
    new: Callable[[int], Run[Any]]
    resume: Callable[[Path, int], Run[Any]]
    essence: Callable[[Path], object]
    """Of a result: equal for runs that ended alike. Raises ZhaifeiError if it is not whole."""
    goals: tuple[int, int]
    continues: bool = True
    repeats: bool = True
    """Whether equal runs end alike."""
    keeps: bool = True
    """Whether the session keeps its checkpoint although it finishes."""

    def prepare(self, directory: Path) -> None:
        """See Case."""
        if self.continues:
            train(self.new(self.goals[0]), self._out(directory), keep_checkpoint=True)

    def begin(self, directory: Path) -> Callable[[], object]:
        """See Case."""
        run = self._run(directory)
        out = self._out(directory)
        return lambda: train(run, out, checkpoint_every=20.0, keep_checkpoint=self.keeps)

    def finish(self, directory: Path) -> object:
        """See Case."""
        out = self._out(directory)
        if out.exists():
            self.essence(out)
            if not self.keeps and not checkpoint_path(out).exists():
                return self.essence(out)  # the session had finished
        run = self._run(directory)
        assert not self.continues or run.done >= self.goals[0]
        train(run, out, keep_checkpoint=self.keeps)
        assert run.done >= self.goals[1]
        if self.keeps:
            resumed = self.resume(checkpoint_path(out), self.goals[1])
            assert resumed.done == run.done
        return self.essence(out) if self.repeats else None

    def files(self, directory: Path) -> set[Path]:
        """See Case."""
        out = self._out(directory)
        return {out, checkpoint_path(out)} if self.keeps else {out}

    def _run(self, directory: Path) -> Run[Any]:
        checkpoint = checkpoint_path(self._out(directory))
        if not checkpoint.exists():
            assert not self.continues
            return self.new(self.goals[1])
        return self.resume(checkpoint, self.goals[1])

    @staticmethod
    def _out(directory: Path) -> Path:
        return directory / "out.safetensors"


@dataclass
class Text:
    """A report: a page that replaces a former one."""

    name: str = "report"
    continues: bool = True

    def prepare(self, directory: Path) -> None:
        """See Case."""
        self._page(directory).write_text("former" * 5000)

    def begin(self, directory: Path) -> Callable[[], object]:
        """See Case."""
        return lambda: write_text(self._page(directory), "new" * 9000)

    def finish(self, directory: Path) -> object:
        """See Case."""
        assert self._page(directory).read_text() in ("former" * 5000, "new" * 9000)
        write_text(self._page(directory), "new" * 9000)
        return self._page(directory).read_text()

    def files(self, directory: Path) -> set[Path]:
        """See Case."""
        return {self._page(directory)}

    @staticmethod
    def _page(directory: Path) -> Path:
        return directory / "RESULTS.md"


def _policy(path: Path) -> object:
    """Return the file, or TOLD if it records that memory limited its training."""
    return TOLD if "warning" in load_policy(path).training else path.read_bytes()


def _values(path: Path) -> object:
    return load_values(path, preset("increment")).tobytes()


def solving(
    engine: EngineName, threads: int, goals: tuple[int, int], continues: bool, rules: Rules
) -> Training:
    """Return the case of a solver; sampling with two threads does not repeat."""
    recall = "bid,bid" if engine == "mccfr" else "full"
    setup = Setup(rules, engine, recall, 3, threads)
    if engine == "single-bid":
        setup = single_bid_setup(rules)
    return Training(
        f"{engine}, {threads} threads" if threads > 1 else engine,
        lambda goal: SolverRun(setup, setup.build(), goal),
        resume_solver_run,
        _policy,
        goals,
        continues,
        repeats=engine != "mccfr" or threads == 1,
    )


def cases() -> Iterator[Case]:
    """Yield all cases, first those that begin with former files."""
    tiny, small = Rules.of(dice=1, faces=2), Rules.of(dice=1, faces=3)
    for continues in (True, False):
        yield solving("exact", 1, (40, 9_000), continues, tiny)
        yield solving("tree", 1, (72, 180), continues, small)
        yield solving("tree", 2, (72, 180), continues, small)
        yield solving("mccfr", 1, (60, 900), continues, small)
        yield solving("mccfr", 2, (60, 900), continues, small)
        exact = solving("exact", 1, (40, 9_000), continues, tiny)
        yield replace(exact, name="exact, without checkpoint", keeps=False)
        yield solving("single-bid", 1, (40, 160), continues, tiny)
        yield Training(
            "q",
            lambda goal: new_q_run(matches=goal, seed=5),
            resume_q_run,
            _values,
            (10, 50),
            continues,
        )
    yield Text()


# Faults in turn


@dataclass
class Counts:
    """What came of faults."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """[kind of fault, how the process ended]"""
    points: Counter[str] = field(default_factory=Counter)
    """[what was asked for] faults at it"""
    lost: list[str] = field(default_factory=list)
    """What should not have been."""

    def __iadd__(self, other: Counts) -> Counts:
        self.outcomes += other.outcomes
        self.points += other.points
        self.lost += other.lost
        return self


_ENDS = {_FINISHED: "finished", _TOLD: "told in one line", _KILLED: "killed"}


def try_faults(
    case: Case, place: Path, chosen: Callable[[int, Kind], bool] = lambda point, kind: True
) -> Counts:
    """Run `case` in the empty directory `place` with each fault that is `chosen`, and return what
    came of them. Processes die but the power does not fail, so nothing is really flushed."""
    with mock.patch.object(os, "fsync"):
        return _try_faults(case, place, chosen)


def _try_faults(case: Case, place: Path, chosen: Callable[[int, Kind], bool]) -> Counts:
    former = place / "former"
    former.mkdir()
    case.prepare(former)
    counted = place / "counted"
    shutil.copytree(former, counted)
    names = json.loads(_run_child(case, counted, None, None)[1])
    expected, counts = case.finish(counted), Counts()
    for point, name in enumerate(names):
        for kind in OF_ALLOCATIONS if name == ALLOCATION else KINDS:
            if not chosen(point, kind):
                continue
            directory = place / "tried"
            shutil.copytree(former, directory)
            code, said = _run_child(case, directory, point, kind)
            counts.outcomes[kind, _ENDS.get(code, "crashed")] += 1
            counts.points[name] += 1
            what = f"{case.name}: {kind} at {name} {point} of {len(names)}"
            if code not in _ENDS:
                counts.lost.append(f"{what}: {said}")
            try:
                found = case.finish(directory)
                if found != expected and not (kind == "MemoryError" and found is TOLD):
                    counts.lost.append(f"{what}: it ended differently")
                strays = set(directory.iterdir()) - case.files(directory)
                if strays:
                    counts.lost.append(f"{what}: {strays} stayed")
            except Exception:  # whatever it is, it is counted
                counts.lost.append(f"{what}: {traceback.format_exc()}")
            shutil.rmtree(directory)
    return counts


def _run_child(
    case: Case, directory: Path, point: int | None, kind: Kind | None
) -> tuple[int, str]:
    """Run the case in a forked child, with a fault at `point`; return its exit code, and the names
    of its points as JSON or the traceback of a foreign exception."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no thread of ours holds a lock
        child = os.fork()
    if child == 0:
        os._exit(_run_here(case, directory, Faults(point, kind), writing))
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as file:
        said = file.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), said


def _run_here(case: Case, directory: Path, faults: Faults, said: int) -> int:
    code, text = _FINISHED, ""
    write = os.write
    try:
        _count_time()
        do = case.begin(directory)
        faults.install()
        do()
        text = json.dumps(faults.names)
    except (ZhaifeiError, MemoryError):  # the command line says either in one line
        code = _TOLD
    except BaseException:
        code, text = _FOREIGN, traceback.format_exc()
    write(said, text.encode())
    return code
