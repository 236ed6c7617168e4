"""How long training stands still while a large checkpoint is written, by a child and by the run.

    python -m benchmarks.checkpoint_stall --gigabytes 4 --directory DIR
    python -m benchmarks.checkpoint_stall --resume FILE --directory DIR

Without `--resume`, the run is a stand-in. It has arrays of that size, and each step changes a
twentieth of them. So all have changed after twenty steps, as in a pass over a tree. With
`--resume`, the solver goes on from the checkpoint; a step in which its tree grows takes longer
anyway.

Steps are timed from the end of one to the end of the next, including the driver's work between
them. The cost of a checkpoint is the processor time of this process beyond the median step, divided
by the number of checkpoints begun. The child's own time, and waiting for the disk, are not in it.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks._arguments import new_parser
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.replacing import Plan, Product
from zhaifei.policies.training import run as driver
from zhaifei.policies.training.forked_write import CAN_FORK, ForkedWrite
from zhaifei.policies.training.solver_run import resume_solver_run
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.files import storage

EVERY = 20.0
"""Seconds between checkpoints, if writing takes less than a tenth of this."""
_PARTS = 20


@dataclass
class StandIn:
    """A Run without an end that changes its arrays."""

    arrays: list[np.ndarray[Any, np.dtype[np.float32]]]
    done: int = 0
    goal: int | None = None
    seconds: float = 0.0
    plan = Plan(Product("policy", preset("zhaifei"), ""), 0, measured=False)
    warnings = ()
    on_target = is_stalled = False

    def advance(self) -> None:
        """Change one of the arrays."""
        array = self.arrays[self.done % len(self.arrays)]
        np.add(array, 1.0, out=array)
        self.done += 1

    def result(self) -> None:
        """Return nothing: only checkpoints are measured."""

    def training(self, result: None) -> dict[str, Any]:
        """See Run."""
        return {}

    def save_result(self, out: Path, result: None) -> None:
        """Write nothing."""

    def __post_init__(self) -> None:
        self.staging = Staging(lambda: {str(i): array for i, array in enumerate(self.arrays)})

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        storage.save(path, "checkpoint", {}, self.staging.arrays())


@dataclass
class Times:
    """The times of the steps of a run."""

    steps: list[float] = field(default_factory=list)
    """[step] seconds since the previous step ended."""
    between: list[float] = field(default_factory=list)
    """[step] seconds between the end of the previous step and the beginning of this one."""
    processor: list[float] = field(default_factory=list)
    """[step] like `steps`, in processor seconds."""
    ended: float = 0.0
    used: float = 0.0

    @property
    def lost(self) -> float:
        """Processor seconds beyond the median step."""
        return float(np.sum(self.processor) - np.median(self.processor) * len(self.processor))

    def watch(self, run: driver.Run[Any]) -> None:
        """Record the steps of `run` from now on."""
        advance = run.advance

        def timed() -> None:
            began = time.perf_counter()
            advance()
            now, used = time.perf_counter(), time.process_time()
            if self.ended:
                self.processor.append(used - self.used)
                self.steps.append(now - self.ended)
                self.between.append(began - self.ended)
            self.ended, self.used = now, used

        run.advance = timed  # type: ignore[method-assign]


def measured(
    make: Callable[[], Any], out: Path, seconds: float, *, forks: bool
) -> tuple[Times, int]:
    """Return the times of a run of about `seconds`, and the number of checkpoints that forked
    children or the run itself began during it."""
    run, times = make(), Times()
    times.watch(run)
    begun = 0
    save = run.save_checkpoint

    def forked(write: Callable[[], object]) -> ForkedWrite:
        nonlocal begun
        begun += 1
        return ForkedWrite(write)

    def saved(path: Path) -> None:
        nonlocal begun
        begun += 1
        save(path)

    run.save_checkpoint = saved
    with (
        mock.patch.object(driver, "CAN_FORK", CAN_FORK and forks),
        mock.patch.object(driver, "ForkedWrite", forked),
    ):
        every = min(EVERY, seconds / 4)
        driver.train(run, out, time_limit=seconds, checkpoint_every=every)
    return times, begun - 1


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--resume", type=Path, help="a checkpoint of `solve`")
    parser.add_argument("--seconds", type=float, default=120.0, help="of each run")
    parser.add_argument("--directory", type=Path, help="where to write; by default a temporary one")
    given = parser.parse_args()
    gigabytes, seconds = (0.1, 1.0) if given.smallest else (given.gigabytes, given.seconds)

    def make() -> Any:
        if given.resume:
            return resume_solver_run(given.resume, 10**15)
        size = int(gigabytes * 1e9 / 4 / _PARTS)
        return StandIn([np.full(size, part, dtype=np.float32) for part in range(_PARTS)])

    names = ("on the way", "steps", "median", "longest", "between, longest", "processor")
    print(f"{'':12}" + "".join(f"{name:>{len(name) + 4}}" for name in names))
    for side, forks in (("forked", True), ("by the run", False)):
        with tempfile.TemporaryDirectory(dir=given.directory) as directory:
            gc.collect()  # of the previous run
            times, begun = measured(make, Path(directory) / "run", seconds, forks=forks)
        seconds_of = (
            np.median(times.steps),
            max(times.steps),
            max(times.between),
            times.lost / max(1, begun),
        )
        cells = [f"{begun:>14}{len(times.steps):>9}"]
        cells += [
            f"{one:{len(name) + 2}.3f} s" for name, one in zip(names[2:], seconds_of, strict=True)
        ]
        print(f"{side:12}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
