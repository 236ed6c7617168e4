"""The files of a run, which no other process writes meanwhile, and their existing contents.

Without `--overwrite`, a run never replaces a policy by a worse one, a checkpoint by one that has
done less, or a file that belongs to another game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.catalogue.replacing import (
    Content,
    InTheWay,
    Plan,
    content_of,
    is_worse,
    new_content,
    verify_replaceable,
)
from zhaifei.policies.training.plan import Saved, saved_in
from zhaifei.policies.training.run_lock import locked
from zhaifei.policies.training.run_paths import resumed_out, writable_checkpoint


class Kept(NamedTuple):
    """A result that was not written, because the file at `out` is better."""

    old: Content
    """The content of the file, which stays."""
    new: Content
    """The content that was not written."""


@dataclass
class RunFiles:
    """The files that a run writes, whose existing contents are not replaced by worse ones."""

    out: Path
    """The file of the result."""
    checkpoint: Path
    """The file of the checkpoint."""
    overwrite: bool
    """Whether the run may replace anything."""
    continues: bool
    """Whether the run resumes from its own checkpoint."""
    _plan: Plan | None = field(default=None, init=False)
    _work: int = field(default=0, init=False)
    """The units done by the run of the existing checkpoint, which a checkpoint with less must not
    replace."""

    def verify(self, plan: Plan, goal: int | None) -> None:
        """Raise ZhaifeiError if a run with this plan and goal must not write here, whatever its
        result is."""
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
        """Return whether the existing checkpoint stays, because a run that has `done` this many
        units has done less work."""
        return done < self._work

    def keeps_result(self, training: Mapping[str, Any]) -> Kept | None:
        """Return why the existing result stays: it is better than a result with this `training`
        record. Return None if the existing result may be replaced."""
        assert self._plan is not None
        old = None if self.overwrite else content_of(self.out)
        if old is None:
            return None
        new = new_content(self._plan.product, training)
        return Kept(old, new) if is_worse(new, old) else None


@contextmanager
def held_files(
    out: Path | None,
    resume: Path | None,
    *,
    overwrite: bool,
    on_warning: Callable[[ZhaifeiError], None],
) -> Iterator[RunFiles]:
    """Lock the files of a run that writes its result to `out` and resumes from the checkpoint
    `resume`, if it is not None. No other run can lock them meanwhile. Only a run that resumes has a
    default for `out`, see `resumed_out`.

    Raises StorageError if the files cannot be written, and ZhaifeiError if another process has
    locked them, or as `resumed_out` does.
    """
    if resume is not None:
        out = resumed_out(resume, out)
    assert out is not None
    checkpoint = writable_checkpoint(out)
    with locked(out, on_warning):
        continues = resume is not None and resume.resolve() == checkpoint.resolve()
        yield RunFiles(out, checkpoint, overwrite, continues)


def _holds_something(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _verified_work(checkpoint: Path, plan: Plan, goal: int | None) -> int:
    """Return the units that the run of a checkpoint has done. Raises ZhaifeiError if its plan is
    not `plan`, or if it has done more than `goal`."""
    saved = saved_in(checkpoint)
    _verify_same(checkpoint, saved, plan)
    # A run does whole steps, so a finished run may have done a little more than its goal.
    enough = saved.done if saved.goal is None else min(saved.done, saved.goal)
    if goal is not None and enough > goal:
        raise InTheWay(
            "{path} is the checkpoint of a run that has done {done:,} units of work, more than the "
            "{goal:,} of this run: --resume goes on from there",
            path=checkpoint,
            done=saved.done,
            goal=goal,
        )
    return saved.done


def _verify_same(checkpoint: Path, saved: Saved, plan: Plan) -> None:
    """Raise InTheWay unless the run of the checkpoint has this `plan`."""
    its, own = saved.plan.product, plan.product
    if its.rules != own.rules:
        raise InTheWay(
            "{path} is the checkpoint of a run for {its}, and this one is for {rules}",
            path=checkpoint,
            its=its.rules,
            rules=own.rules,
        )
    if saved.plan != plan:
        raise InTheWay(
            "{path} is the checkpoint of another run ({its}, seed {its_seed}), and this one is "
            "{own}, seed {seed}",
            path=checkpoint,
            its=its.method or "q",
            its_seed=saved.plan.seed,
            own=own.method or "q",
            seed=plan.seed,
        )
