"""Training runs: an engine, its goal, checkpoints on the way, and the policy file at the end."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from game.errors import ZhaifeiError
from game.hands import hands
from game.rules import Rules
from policies.players.table_policy import TablePolicy, save_policy
from solver.cfr.exact import ExactSolver, is_small
from solver.cfr.mccfr import MCCFR
from solver.cfr.single_bid import RECALL, SingleBidCFR
from solver.cfr.tree_cfr import TreeCFR
from solver.memory import OutOfMemory
from solver.storage import StorageError, load_arrays, load_header, save, verify_writable
from solver.tables.recall import FULL
from solver.tables.strategy_table import StrategyTable

_REPORT_SECONDS = 0.25


class Engine(Protocol):
    """What a training run drives. Its state, rules, recall and seed determine how it goes on."""

    rules: Rules
    recall: str

    @property
    def iterations(self) -> int:
        """(own hand, opponent hand) pairs traversed for each player."""

    @property
    def value(self) -> float:
        """The round's value for the opener, in penalty points; running estimate."""

    @property
    def exploitability(self) -> float:
        """Of the average strategy, in penalty points, as last measured; NaN where it is not."""

    @property
    def information_sets(self) -> int:
        """How many were reached: public contexts times hands."""

    def advance_towards(self, goal: int) -> None:
        """A fraction of a second of work. Where a run ends depends on the goal alone, not on how
        the work was split, so that a run that is resumed ends like one that never stopped."""

    def strategy(self) -> StrategyTable:
        """The average strategy."""

    def state(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint holds."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `state`."""


class SampledEngine(MCCFR):
    """MCCFR as a training run sees it."""

    exploitability = float("nan")

    @property
    def information_sets(self) -> int:
        """See Engine."""
        return len(self.info_sets) * self.bids.prior.size

    def advance_towards(self, goal: int) -> None:
        """See Engine. Batches are whole, so the last one may pass the goal."""
        self.advance()


class TreeEngine(TreeCFR):
    """CFR on a growing tree as a training run sees it."""

    recall = FULL

    @property
    def iterations(self) -> int:
        """A pass carries every hand of both players, and counts as so many pairs."""
        return self.passes * self.bids.prior.size**2

    @property
    def information_sets(self) -> int:
        """See Engine."""
        return self.grown.decisions * self.bids.prior.size

    def strategy(self) -> StrategyTable:
        """See Engine. Measures, so that value and exploitability are those of the average."""
        self.measure()
        return super().strategy()

    def advance_towards(self, goal: int) -> None:
        """See Engine. Passes are whole, so the last one may exceed the goal."""
        self.advance()


class SingleBidEngine(SingleBidCFR):
    """CFR of players who remember only the last bid, as a training run sees it."""

    recall = RECALL
    exploitability = float("nan")

    @property
    def iterations(self) -> int:
        """A pass carries every pair of hands, of both players in turn."""
        return self.passes * self.play.bids.prior.size**2

    @property
    def information_sets(self) -> int:
        """All that such players have: those that come up only by switching too."""
        return len(self.play.likely[:-1]) * self.play.bids.prior.size

    def advance_towards(self, goal: int) -> None:
        """See Engine. Passes are whole, so the last one may exceed the goal."""
        self.advance()


class ExactEngine:
    """CFR+ over the full tree as a training run sees it."""

    recall = FULL
    exploitability = float("nan")

    def __init__(self, rules: Rules) -> None:
        self.solver = ExactSolver(rules)
        self.rules = rules
        self._pairs = len(hands(rules)) ** 2
        self._chunk = 1

    @property
    def iterations(self) -> int:
        """A CFR+ iteration carries every hand of both players, and counts as so many pairs."""
        return self.solver.iterations * self._pairs

    @property
    def value(self) -> float:
        """See Engine."""
        return self.solver.value()

    @property
    def information_sets(self) -> int:
        """All that the game has."""
        return self.solver.information_sets

    def advance_towards(self, goal: int) -> None:
        """See Engine. Chunks adapt to the speed of the machine, but stop at the goal."""
        began = time.perf_counter()
        missing = -(-(goal - self.iterations) // self._pairs)
        self.solver.run(min(self._chunk, missing))
        if time.perf_counter() - began < _REPORT_SECONDS:
            self._chunk = min(2 * self._chunk, 4096)

    def strategy(self) -> StrategyTable:
        """See Engine."""
        return self.solver.strategy()

    def state(self) -> dict[str, NDArray[Any]]:
        """See Engine."""
        return self.solver.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See Engine."""
        self.solver.restore(state)


@dataclass(frozen=True)
class Setup:
    """What determines a run, and is stored with it."""

    rules: Rules
    engine: str
    """`exact`, `tree`, `mccfr` or `single-bid`."""
    recall: str
    seed: int
    threads: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, for file headers."""
        return {
            "rules": self.rules.to_dict(), "engine": self.engine, "recall": self.recall,
            "seed": self.seed, "threads": self.threads,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Setup:
        """The inverse of `to_dict`."""
        rules = Rules.from_dict(values["rules"])
        return cls(rules, *(values[name] for name in ("engine", "recall", "seed", "threads")))

    def build(self) -> Engine:
        """A new engine. Raises ZhaifeiError for what no engine can do."""
        if self.engine == "exact":
            return ExactEngine(self.rules)
        if self.engine == "tree":
            return TreeEngine(self.rules, threads=self.threads)
        if self.engine == "single-bid":
            return SingleBidEngine(self.rules)
        return SampledEngine(self.rules, self.recall, seed=self.seed, threads=self.threads)


def default_recall(rules: Rules) -> str:
    """What sampling remembers unless told otherwise.

    Of two players, the last two bids, and as long as the stakes are low the faces of the two
    before. Of more, what every other player last bid: exactly up to four players; of the bids
    before the last two, five keep only the face and more players only the mode, because more would
    not fit into some 8 GB.
    """
    others = rules.players - 1
    if others == 1:
        return "bid,bid,face<10,face<10"
    if others <= 3:
        return ",".join(["bid"] * 3)
    return ",".join(["bid", "bid"] + ["face" if others == 4 else "mode"] * (others - 2))


def choose_engine(rules: Rules, recall: str | None) -> str:
    """Two players forget nothing, unless a `recall` is named: the exact engine where the whole tree
    fits, otherwise the one whose tree grows."""
    if recall is not None or rules.players != 2:
        return "mccfr"
    return "exact" if is_small(rules) else "tree"


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    iterations: int
    goal: int
    rate: float
    """Iterations per second in this session, compilation left out."""
    elapsed: float
    """Seconds in this session."""
    information_sets: int
    value: float
    exploitability: float
    """Of the average strategy in the whole game, as last measured; NaN where it is not."""

    @property
    def left(self) -> float:
        """Seconds until the goal at this rate."""
        return max(0, self.goal - self.iterations) / self.rate if self.rate else float("inf")


@dataclass(frozen=True)
class Report:
    """How a run ended."""

    policy: TablePolicy
    out: Path
    checkpoint: Path
    progress: Progress
    finished: bool
    """Whether the goal was reached; otherwise a signal, the time limit or memory ended the run."""


def checkpoint_path(out: Path) -> Path:
    """Where the checkpoint of the run that writes `out` goes."""
    return out.with_name(f"{out.name.removesuffix('.safetensors')}.checkpoint.safetensors")


@dataclass
class Run:
    """An engine on its way to a goal."""

    setup: Setup
    engine: Engine
    goal: int
    """In iterations."""
    seconds: float = 0.0
    """Spent in earlier sessions."""


def save_checkpoint(path: Path, run: Run) -> None:
    """Raises StorageError."""
    header = {"setup": run.setup.to_dict(), "goal": run.goal, "seconds": run.seconds}
    save(path, "checkpoint", header, run.engine.state())


def load_checkpoint(path: Path) -> Run:
    """The run as it was. Raises StorageError."""
    header = load_header(path, "checkpoint")
    try:
        setup = Setup.from_dict(header["setup"])
        engine = setup.build()
        engine.restore(load_arrays(path))
        return Run(setup, engine, int(header["goal"]), float(header["seconds"]))
    except (ZhaifeiError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise StorageError(
            "{path} does not describe a run: {error}", path=path, error=error
        ) from error


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Yields a function that says whether Ctrl-C or SIGTERM has come. A second one kills."""
    received: list[int] = []
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
    run: Run,
    out: Path,
    *,
    time_limit: float = float("inf"),
    checkpoint_every: float = 60.0,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_warning: Callable[[ZhaifeiError], None] = lambda error: None,
) -> Report:
    """Runs the engine to at least the goal, or until `time_limit` seconds, a signal or memory ends
    it; at least one step, so that there is something to write.

    Writes a checkpoint every `checkpoint_every` seconds, or less often if that took a tenth of the
    time, and at the end both the policy and a checkpoint. A checkpoint that cannot be written on
    the way is warned of, and training goes on. Raises StorageError if `out` cannot be written,
    before the start where that shows.
    """
    verify_writable(out)
    engine, session = run.engine, _Session(run)
    checkpoint = checkpoint_path(out)
    reported = time.monotonic()
    next_save = reported + checkpoint_every
    with stop_on_signals() as stopped:
        while engine.iterations < run.goal:
            try:
                engine.advance_towards(run.goal)
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
                    save_checkpoint(checkpoint, run)
                except StorageError as error:
                    on_warning(
                        ZhaifeiError("training goes on without a checkpoint: {error}", error=error)
                    )
                saved = time.monotonic()
                next_save = saved + max(checkpoint_every, 10 * (saved - began))
            if time.monotonic() - reported >= _REPORT_SECONDS:
                reported = time.monotonic()
                on_progress(session.progress())
        strategy = engine.strategy()
        last = session.progress()
        on_progress(last)
        session.note_time()
        policy = TablePolicy(run.setup.rules, engine.recall, strategy, _record(run, last))
        _save_both(out, policy, checkpoint, run)
    return Report(policy, out, checkpoint, last, engine.iterations >= run.goal)


def _save_both(out: Path, policy: TablePolicy, checkpoint: Path, run: Run) -> None:
    """Tries both: on a disk that is nearly full, one of them may still fit. Raises StorageError."""
    try:
        save_policy(out, policy)
    except StorageError as error:
        try:
            save_checkpoint(checkpoint, run)
        except StorageError:
            raise error from None
        raise StorageError(
            "{error}; the run is kept in {checkpoint}", error=error, checkpoint=checkpoint
        ) from error
    save_checkpoint(checkpoint, run)


class _Session:
    """The clock and the counters of one call of `train`."""

    def __init__(self, run: Run) -> None:
        self._run, self._before = run, run.seconds
        self._began = time.monotonic()
        self._start = self._after_first_step = (self._began, run.engine.iterations)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._began

    def note_time(self) -> None:
        self._run.seconds = self._before + self.elapsed

    def note_step(self) -> bool:
        """Whether it was the first: that may have compiled for half a minute, so the rate counts
        from after it."""
        first = self._after_first_step is self._start
        if first:
            self._after_first_step = (time.monotonic(), self._run.engine.iterations)
        return first

    def progress(self) -> Progress:
        engine = self._run.engine
        since, before = self._after_first_step
        if engine.iterations == before:  # there was one step only
            since, before = self._start
        seconds = time.monotonic() - since
        return Progress(
            iterations=engine.iterations,
            goal=self._run.goal,
            rate=(engine.iterations - before) / seconds if seconds else 0.0,
            elapsed=self.elapsed,
            information_sets=engine.information_sets,
            value=engine.value,
            exploitability=engine.exploitability,
        )


def _record(run: Run, last: Progress) -> dict[str, Any]:
    """The training record of a policy file: no times, so that equal runs write equal files."""
    setup = run.setup.to_dict()
    return {
        **{name: setup[name] for name in ("engine", "seed", "threads")},
        "iterations": last.iterations, "value": last.value,
        "information_sets": last.information_sets,
    }  # fmt: skip
