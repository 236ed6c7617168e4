"""Runs of solvers whose tree is distributed over workers, and which survive the loss of workers.

A checkpoint is a file, as for any run, and a directory beside it, which all workers must see. The
file has the trunk of the tree and names the parts. The directory has one file per part, written by
the worker that holds the part. The names of these files begin with the number of the pass, and the
checkpoint file is written last. So it always names files of one pass, and a run that is lost at any
moment can resume from it. Then the files of earlier passes are removed.

The result of a run depends neither on the machines nor on the number of workers. So when a worker
is lost, all workers are closed and new ones start on the remaining machines. They load the last
checkpoint, and the run repeats the passes since then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError, needing
from zhaifei.game.rules import Rules
from zhaifei.policies.training.engines import Engine, Setup, TreeEngine
from zhaifei.policies.training.legs import Leg, SolvedPolicy
from zhaifei.policies.training.run import describing_run
from zhaifei.policies.training.run_paths import parts_directory, remove_parts
from zhaifei.policies.training.solver_run import (
    KIND,
    PARTS,
    ClusterFigures,
    SavedRun,
    SolverRun,
    verify_for_round,
)
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.cfr.growing_tree import GrowingTree
from zhaifei.solver.cfr.shared_work import Crew
from zhaifei.solver.cfr.tree_cfr import is_large
from zhaifei.solver.files.atomic_files import StorageError, cannot_write
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import load, save
from zhaifei.solver.scattered.ray_address import verify_reached
from zhaifei.solver.scattered.scattered_tree import Cutting, SavedPart, ScatteredTree
from zhaifei.solver.scattered.transport import Transport, WorkerLost
from zhaifei.solver.scattered.worker import part_path
from zhaifei.solver.tables.packing import PackedTable, pack_parts
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable

_MOST_LOSSES = 5
"""The number of consecutive losses of workers, without a pass between, that a run survives."""

Answer = TypeVar("Answer")


class ScatteredEngine(TreeEngine):
    """A TreeEngine whose tree is distributed over `workers`."""

    def __init__(self, setup: Setup, workers: Transport, cutting: Cutting | None = None) -> None:
        trees: list[ScatteredTree] = []

        def plant(grown: GrowingTree, crew: Crew) -> ScatteredTree:
            trees.append(ScatteredTree(grown, crew, workers, cutting))
            return trees[0]

        super().__init__(setup.rules, threads=None, merged=False, plant=plant)
        (self.scattered,) = trees
        self.cluster: ClusterFigures | None = None
        """Figures of the last pass; None before the first pass is done."""

    def improve(self) -> None:
        """See TreeCFR."""
        began, before = time.perf_counter(), self._walked()
        super().improve()
        self.cluster = ClusterFigures(
            time.perf_counter() - began,
            tuple((self._walked() - before).tolist()),
            tuple(self.scattered.nodes.tolist()),
            tuple(load.used for load in self.scattered.loads),
        )

    def packed(self) -> PackedTable | None:
        """Return the average strategy, as `strategy` does, assembled opening by opening. So no
        process holds all of it, except in the packed form of files. Return None for a table that
        files do not hold in this form."""
        if self.rules.players > 2 or self.scattered.average_steps == 1:
            return None
        self.measure()
        recall = recall_tables(self.rules, FULL)
        parts = self.scattered.average_by_opening(recall, self.least_stored)
        arrays = pack_parts(self.bids, parts)
        return None if arrays is None else PackedTable(self.bids, recall, arrays)

    def _walked(self) -> NDArray[np.float64]:
        """Return [worker] the seconds that each worker has traversed the tree so far."""
        return np.array([load.seconds for load in self.scattered.loads])


def needing_ray() -> AbstractContextManager[None]:
    """Raise ZhaifeiError if an import in the block fails because Ray is not installed."""
    missing = ZhaifeiError("a cluster needs Ray: pip install 'zhaifei[cluster]'")
    return needing(frozenset({"ray"}), missing)


@contextmanager
def on_cluster(address: str | None, threads: int | None) -> Iterator[Callable[[Rules], Transport]]:
    """Connect to the Ray cluster at `address`, or with None to a new one of this machine alone.

    Yield a function that starts the workers for some rules. Each machine runs one worker with all
    its processors or, with `threads` per worker, as many workers as fit. Raises ZhaifeiError if Ray
    is not installed or the cluster does not exist."""
    if address is not None:
        verify_reached(address)
    with needing_ray():
        from zhaifei.solver.scattered.ray_workers import (  # noqa: PLC0415
            RayWorkers,
            connected,
            verified,
        )

    def start(rules: Rules) -> Transport:
        return verified(RayWorkers(rules, threads, large=is_large(rules)))

    with connected(address):
        yield start


class ScatteredRun(SolverRun):
    """A SolverRun whose tree is distributed over the workers that `start` returns. It is called
    again after a loss."""

    def __init__(
        self, saved: SavedRun, start: Callable[[Rules], Transport], cutting: Cutting | None = None
    ) -> None:
        """Start the workers, and load the checkpoint of `saved` if there is one. Raises
        StorageError, whatever `start` raises, and ZhaifeiError as `verify_on_cluster` does or if
        workers are lost again and again."""
        verify_on_cluster(saved)
        self._start, self._cutting = start, cutting
        self._saved = saved.checkpoint
        """The file of the last checkpoint."""
        self._workers: Transport | None = None
        self._losses = 0
        """The number of consecutive losses of workers since a pass was done."""
        self._lost: list[ZhaifeiError] = []
        """A warning for each loss."""
        engine = self._planted(saved.setup, None)
        super().__init__(saved.setup, engine, saved.goal, saved.seconds, saved.target)
        self.staging = Staging(dict)  # the workers write the parts, so no child is forked

    def advance(self) -> None:
        """See Run. If workers are lost, the run goes back to its last checkpoint."""
        try:
            super().advance()
            self._losses = 0
        except WorkerLost as lost:
            self._begin_again(lost)

    @property
    def warnings(self) -> list[ZhaifeiError]:
        """See Run."""
        return self._lost + super().warnings

    @property
    def cluster(self) -> ClusterFigures | None:
        """See SolverRun."""
        return self._engine.cluster

    def result(self) -> SolvedPolicy:
        """See SolverRun."""
        return self._surely(super().result)

    def _table(self, leg: Leg, engine: Engine) -> StrategyTable | PackedTable:
        """See SolverRun."""
        return self._engine.packed() or super()._table(leg, engine)

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        self._surely(lambda: self._save(path))
        self._saved = path

    def close(self) -> None:
        """End the workers."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def _save(self, path: Path) -> None:
        directory, passes = parts_directory(path), self._engine.passes
        try:
            _make(directory)
            parts = self._engine.scattered.save_parts(directory, passes)
            header = {**self.header(), PARTS: [part.to_dict() for part in parts]}
            save(path, KIND, header, self.engine.state())
        except (ZhaifeiError, MemoryError):
            _remove_failed(path)
            raise
        named = {part_path(directory, passes, part.number) for part in parts}
        remove_parts(directory, besides=named)

    @property
    def _engine(self) -> ScatteredEngine:
        assert isinstance(self.engine, ScatteredEngine)
        return self.engine

    def _surely(self, do: Callable[[], Answer]) -> Answer:
        """Return the result of `do`, called in the state after the passes done so far. If workers
        are lost meanwhile, repeat the lost passes and call `do` again."""
        done = self.done
        while True:
            try:
                while self.done < done:
                    super().advance()
                    self._losses = 0
                return do()
            except WorkerLost as lost:
                self._begin_again(lost)

    def _begin_again(self, lost: WorkerLost) -> None:
        """Start new workers with the tree of the last checkpoint, or an empty tree if there is no
        checkpoint. Raises ZhaifeiError if workers are lost again and again."""
        passes = self._engine.passes
        self.engine = self._planted(self.setup, lost)
        loss = ZhaifeiError(
            "{error}, after pass {lost}: the run goes on after pass {passes}, with {workers} "
            "workers",
            error=lost,
            lost=passes,
            passes=self._engine.passes,
            workers=len(self._engine.scattered.nodes),
        )
        self._lost.append(loss)

    def _planted(self, setup: Setup, lost: WorkerLost | None) -> ScatteredEngine:
        """Return an engine with new workers and the tree of the last checkpoint, or an empty tree.
        If a worker was `lost`, before or now, start all again. Raises ZhaifeiError after more than
        _MOST_LOSSES in a row."""
        while True:
            if lost is not None:
                self._count_loss(lost)
            try:
                self._workers = self._start(setup.rules)
                engine = ScatteredEngine(setup, self._workers, self._cutting)
                if self._saved is not None:
                    _restore(engine, self._saved)
            except WorkerLost as error:
                lost = error
            else:
                return engine

    def _count_loss(self, lost: WorkerLost) -> None:
        """End the workers. Raises ZhaifeiError after more than _MOST_LOSSES in a row."""
        self.close()
        self._losses += 1
        if self._losses > _MOST_LOSSES:
            raise ZhaifeiError(
                "lost workers {times} times in a row without finishing a pass; the last: {error}",
                times=self._losses,
                error=lost,
            ) from lost


def _restore(engine: ScatteredEngine, path: Path) -> None:
    """Restore the engine and the parts of the checkpoint `path`. Raises StorageError."""
    header, arrays = load(path, KIND)
    with describing_run(path):
        parts = _parts_of(path, header)
        engine.restore(arrays)
    engine.scattered.restore_parts(parts, parts_directory(path), engine.passes)


def verify_on_cluster(saved: SavedRun) -> None:
    """Raise ZhaifeiError unless the run can go on, or begin, on a cluster: it solves one round with
    a growing tree, and its checkpoint, if there is one, has parts."""
    verify_for_round(saved.setup.rules, cluster=True)
    if saved.checkpoint is not None:
        _parts_of(saved.checkpoint, load(saved.checkpoint, KIND).header)
    if saved.setup.engine != "tree":
        raise ZhaifeiError(
            "the engine {engine} does not run on a cluster; tree does", engine=saved.setup.engine
        )


def _parts_of(path: Path, header: Header) -> list[SavedPart]:
    """Return the parts that the header of a checkpoint names. Raises StorageError."""
    if PARTS not in header:
        raise StorageError("{path} is not a checkpoint of a run on a cluster", path=path)
    with describing_run(path):
        return [SavedPart.from_header(part) for part in header.records(PARTS)]


def _make(directory: Path) -> None:
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(directory, error) from error


def _remove_failed(path: Path) -> None:
    """Remove the parts of a checkpoint that could not be written: all parts that the file at `path`
    does not name. If the file cannot be read, all parts stay."""
    directory, named = parts_directory(path), set[Path]()
    if path.exists():
        try:
            header, arrays = load(path, KIND)
            if PARTS in header:
                passes = int(arrays["passes"][0])
                named = {
                    part_path(directory, passes, part.number) for part in _parts_of(path, header)
                }
        except (ZhaifeiError, LookupError, MemoryError):
            return
    remove_parts(directory, besides=named)
