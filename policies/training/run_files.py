"""The files of a run, which it alone writes, and what stands there already.

A run never replaces a policy by a worse one, nor a checkpoint by one that has done less, nor
anything that is not of the same game, unless the user says so (`--overwrite`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from game.errors import ZhaifeiError
from policies.catalogue.replacing import (
    InTheWay,
    Plan,
    content_of,
    is_worse,
    new_content,
    verify_replaceable,
)
from policies.training.plan import Saved, saved_in
from policies.training.run import Kept, checkpoint_path, verify_can_write
from policies.training.run_lock import locked


@dataclass
class RunFiles:
    """Where a run writes, and what it leaves as it is. A Keeping."""

    out: Path
    """The result of the run."""
    overwrite: bool
    """Whether the run may replace anything."""
    continues: bool
    """Whether the run goes on from its own checkpoint."""
    _plan: Plan | None = field(default=None, init=False)
    _work: int = field(default=0, init=False)
    """How much the run has done whose checkpoint must not be replaced by one that has done less."""

    @property
    def checkpoint(self) -> Path:
        """The checkpoint of the run."""
        return checkpoint_path(self.out)

    def verify(self, plan: Plan, goal: int | None) -> None:
        """Raise ZhaifeiError if a run with this plan and goal must not write here, however it
        ends."""
        self._plan = plan
        if self.overwrite:
            return
        try:
            verify_replaceable(self.out, plan.product, measured=plan.measured)
            if not self.continues and _holds_something(self.checkpoint):
                self._work = _verified_work(self.checkpoint, plan, goal)
        except ZhaifeiError as error:
            raise ZhaifeiError(
                "{why}; --overwrite replaces it, or name another file with --out", why=error
            ) from error

    def keeps_checkpoint(self, done: int) -> bool:
        """See Keeping."""
        return done < self._work

    def keeps_result(self, training: Mapping[str, Any]) -> Kept | None:
        """See Keeping."""
        assert self._plan is not None
        old = None if self.overwrite else content_of(self.out)
        if old is None:
            return None
        new = new_content(self._plan.product, training)
        return Kept(old, new) if is_worse(new, old) else None


@contextmanager
def held_files(
    out: Path,
    resume: Path | None,
    *,
    overwrite: bool,
    on_warning: Callable[[ZhaifeiError], None],
) -> Iterator[RunFiles]:
    """Hold the files of a run that writes its result to `out`, and goes on from the checkpoint
    `resume` if there is one. No other run can hold them meanwhile.

    Raises StorageError if they cannot be written, and ZhaifeiError if another process holds them.
    """
    verify_can_write(out)
    with locked(out, on_warning):
        continues = resume is not None and _is_same(resume, checkpoint_path(out))
        yield RunFiles(out, overwrite, continues)


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _holds_something(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _verified_work(checkpoint: Path, plan: Plan, goal: int | None) -> int:
    """Return how much the run of a checkpoint has done. Raises ZhaifeiError if it is another run,
    or has done more than the `goal` of a run with this `plan`."""
    saved = saved_in(checkpoint)
    _verify_same(checkpoint, saved, plan)
    if saved.done is None:
        raise InTheWay(
            "{path} is the checkpoint of an earlier version, and does not say how much was done: "
            "--resume goes on from there",
            path=checkpoint,
        )
    # Steps are whole, so a run that is done may have done a little more than its goal.
    enough = saved.done if saved.goal is None else min(saved.done, saved.goal)
    if goal is not None and enough > goal:
        raise InTheWay(
            "{path} is the checkpoint of a run that has done {done:,} units of work, more than the "
            "{goal:,} of this run: --resume goes on from there",
            path=checkpoint, done=saved.done, goal=goal,
        )  # fmt: skip
    return saved.done


def _verify_same(checkpoint: Path, saved: Saved, plan: Plan) -> None:
    """Raise InTheWay unless the checkpoint is of a run with this `plan`."""
    its, own = saved.plan.product, plan.product
    if its.rules != own.rules:
        raise InTheWay(
            "{path} is the checkpoint of a run for {its}, and this one is for {rules}",
            path=checkpoint, its=its.rules, rules=own.rules,
        )  # fmt: skip
    if saved.plan != plan:
        raise InTheWay(
            "{path} is the checkpoint of another run ({its}, seed {its_seed}), and this one is "
            "{own}, seed {seed}",
            path=checkpoint, its=its.method or "q", its_seed=saved.plan.seed,
            own=own.method or "q", seed=plan.seed,
        )  # fmt: skip
