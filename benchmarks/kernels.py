"""Time per call and per node of the solver's kernels, here and in another checkout.

    python -m benchmarks.kernels
    python -m benchmarks.kernels --against ../other-checkout --rounds 20
    python -m benchmarks.kernels --against ../other-checkout tree_improve exact

Each checkout runs in a process of its own, with the same work from the same state. The two take
turns, so that other work of the machine slows both alike. Processor time is counted, not wall-clock
time. The table gives, for each kernel, the fastest time per unit of work in each checkout and the
ratio of the two. It also gives the median and quartiles of the ratios of consecutive runs. Below 1,
this checkout is faster.

The other checkout must have the names that `_WORK` uses; `NUMBA_CACHE_DIR` may be shared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import numpy as np

from zhaifei import solver
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.research.single_bid import SingleBidCFR
from zhaifei.solver.cfr.exact import ExactSolver
from zhaifei.solver.cfr.mccfr import MCCFR
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response import query_search, several_players
from zhaifei.solver.response.learned import SampledResponse
from zhaifei.solver.response.table_search import ResponseSearch
from zhaifei.solver.tables.strategy_table import StrategyTable
from zhaifei.solver.value.action_values import action_values, empty_line
from zhaifei.solver.value.expected_value import refine_values, table_strategies

HERE = Path(__file__).resolve().parent.parent
Step = Callable[[], int]
"""Does some work and returns its number of units."""


def _tree() -> tuple[Step, Step]:
    """Return a pass of regrets, and a best response, on a tree for two players with four dice."""
    training = TreeCFR(Rules.of(dice=4))
    for _ in range(40):
        training.advance()

    def improve() -> int:
        training.improve()
        return len(training.grown)

    def respond() -> int:
        training.respond(float("inf"))
        return len(training.grown)

    return improve, respond


def _mccfr(players: int, recall: str, jump: bool = False) -> Step:
    training = MCCFR(Rules.of(players=players, jump_challenge=jump), recall, seed=1)
    while training.sweeps < 500:
        training.advance()

    def advance() -> int:
        before = training.sweeps
        training.advance()
        return players * (training.sweeps - before)

    return advance


def _learned() -> Step:
    rules = Rules.of(players=3)
    training = MCCFR(rules, "bid,bid", seed=1)
    while training.sweeps < 300:
        training.advance()
    learner = SampledResponse(rules, training.strategy(), 1, "bid,bid", seed=1)
    while learner.traversals < 500:
        learner.advance()

    def advance() -> int:
        before = learner.traversals
        learner.advance()
        return learner.traversals - before

    return advance


def _exact() -> Step:
    solver = ExactSolver(Rules.of(dice=1))
    solver.run(20)

    def run() -> int:
        solver.run(20)
        return 20

    return run


def _single_bid() -> Step:
    solver = SingleBidCFR(Rules.of(dice=3))
    solver.advance()

    def advance() -> int:
        solver.advance()
        return 1

    return advance


def _table_search() -> Step:
    tables = bid_tables(_two_players())
    table = _table()

    def sweep() -> int:
        search = ResponseSearch(tables, table)
        search.sweep(1e-5)
        return search.result().nodes

    return sweep


def _query_search() -> Step:
    tables = bid_tables(_two_players())
    strategies = table_strategies(tables, _table())
    search = _first_of(query_search, "QuerySearch", "AskedSearch")

    def refine() -> int:
        *_, result = search(tables, strategies).refine(gap=0.02)
        return int(result.calls)

    return refine


def _table_values() -> Step:
    tables, table = bid_tables(_two_players()), _table()

    def value() -> int:
        *_, result = refine_values(tables, (table, table), gap=1e-7)
        return result.histories

    return value


def _strategy_values() -> Step:
    rules = Rules.of(players=3, dice=2)
    training = MCCFR(rules, "bid,bid", seed=1)
    while training.sweeps < 2000:
        training.advance()
    tables, table = bid_tables(rules), training.strategy()

    def value() -> int:
        *_, result = refine_values(tables, (table,) * 3, gap=3e-2)
        return result.histories

    return value


def _several_players() -> Step:
    rules = Rules.of(players=3, dice=2)
    training = MCCFR(rules, "bid,bid", seed=1)
    while training.sweeps < 2000:
        training.advance()
    tables = bid_tables(rules)
    strategies = table_strategies(tables, training.strategy())
    kind = _first_of(several_players, "SeatSearch", "Search")

    def sweep() -> int:
        search = kind(tables, 1, strategies)
        search.sweep(1e-2)
        return int(search.calls)

    return sweep


def _full_recall() -> Step:
    from zhaifei.solver.response.full_recall import FullRecallResponse  # noqa: PLC0415  new

    rules = Rules.of(players=3, dice=3)
    training = MCCFR(rules, "full", seed=1)
    while training.sweeps < 2000:
        training.advance()
    tables, table = bid_tables(rules), training.strategy()

    def walk() -> int:
        *_, result = FullRecallResponse(tables, table).refine()
        return result.nodes

    return walk


def _action_values(players: int) -> Step:
    rules = Rules.of(players=players)
    training = MCCFR(rules, "bid,bid", seed=1)
    while training.sweeps < 1000:
        training.advance()
    bids, table = bid_tables(rules), training.strategy()
    line = empty_line(bids)
    opening = int(np.flatnonzero(bids.legal[0])[8])
    history = np.array([opening, opening + 2], dtype=np.int64)
    ranges = bids.prior[1:].astype(np.float64)

    def value() -> int:
        line.followed[:] = 0
        for hand in range(0, bids.hands, 50):
            # Older checkouts value one hand at a time, and count only its lines.
            asked: Any = hand if line.followed.size == 1 else np.array([hand])
            action_values(bids, table, line, history, ranges, asked, 1e-4)
        return int(line.followed.sum())

    return value


def _two_players() -> Rules:
    return Rules.of(dice=3)


def _table() -> StrategyTable:
    """Return a strategy of two players with three dice."""
    training = TreeCFR(_two_players())
    for _ in range(60):
        training.advance()
    return training.strategy()


def _first_of(module: ModuleType, *names: str) -> Any:
    """Return the first of these names that the module has, because older checkouts have other
    names."""
    return next(getattr(module, name) for name in names if hasattr(module, name))


_WORK: dict[str, tuple[str, Callable[[], Step]]] = {
    "tree_improve": ("node", lambda: _tree()[0]),
    "tree_respond": ("node", lambda: _tree()[1]),
    "mccfr": ("traversal", lambda: _mccfr(2, "bid,bid")),
    "mccfr_jump": ("traversal", lambda: _mccfr(4, "bid,bid", jump=True)),
    "learned": ("traversal", _learned),
    "exact": ("iteration", _exact),
    "single_bid": ("pass", _single_bid),
    "table_search": ("node", _table_search),
    "query_search": ("call", _query_search),
    "several_players": ("call", _several_players),
    "full_recall": ("node", _full_recall),
    "table_values": ("history", _table_values),
    "strategy_values": ("history", _strategy_values),
    "action_values": ("line", lambda: _action_values(2)),
    "action_values_3": ("line", lambda: _action_values(3)),
}
"""By name, the unit of work and the function that prepares the work."""


def _worker(least: float) -> None:
    """Answer each name on the standard input with a time per unit in nanoseconds."""
    folder = Path(solver.__path__[0]).resolve().parent
    if folder != Path.cwd().resolve():
        raise SystemExit(f"the solver is that of {folder}, not of {Path.cwd()}")
    steps: dict[str, Step] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in steps:
            steps[name] = _WORK[name][1]()
            steps[name]()  # compiled and warm
        spent, units = 0.0, 0
        while spent < least:
            began = time.process_time()
            units += steps[name]()
            spent += time.process_time() - began
        print(1e9 * spent / units, flush=True)


class _Checkout:
    """The worker of one checkout."""

    def __init__(self, folder: Path, least: float) -> None:
        self._links = tempfile.TemporaryDirectory()
        Path(self._links.name, "zhaifei").symlink_to(folder.resolve())
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--worker", "--least", str(least)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": self._links.name, "PYTHONSAFEPATH": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, name: str) -> float:
        """Return nanoseconds per unit of work."""
        _pipe(self._process.stdin).write(f"{name}\n")
        _pipe(self._process.stdin).flush()
        answer = _pipe(self._process.stdout).readline()
        if not answer:
            raise SystemExit(f"{name} failed")
        return float(answer)

    def close(self) -> None:
        """End the worker."""
        _pipe(self._process.stdin).close()
        self._process.wait()
        self._links.cleanup()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def _time(value: float) -> str:
    """Return a time in nanoseconds as text with a suitable unit."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} ns"


def _compare(name: str, here: _Checkout, there: _Checkout, rounds: int) -> str:
    """Return the row of one kernel."""
    pairs = []
    for turn in range(rounds):
        first, second = (here, there) if turn % 2 == 0 else (there, here)
        one, other = first.measure(name), second.measure(name)
        pairs.append((one, other) if turn % 2 == 0 else (other, one))
    ours, theirs = (min(values) for values in zip(*pairs, strict=True))
    ratios = [one / other for one, other in pairs]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return (
        f"| {name} | {_WORK[name][0]} | {_time(ours)} | {_time(theirs)} | {ours / theirs:.3f} | "
        f"{middle:.3f} ({low:.3f} to {high:.3f}) |"
    )


def main() -> None:
    """Run the command."""
    # Not the parser that benchmarks share, because this file runs without it in another checkout.
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--smallest", action="store_true", help="only check that the benchmark runs: one kernel"
    )
    parser.add_argument("names", nargs="*", metavar="KERNEL", help=f"of {', '.join(_WORK)}")
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each kernel")
    parser.add_argument("--least", type=float, default=0.2, help="seconds of each run, at least")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        _worker(arguments.least)
        return
    if arguments.smallest:
        arguments.names, arguments.rounds, arguments.least = ["exact"], 1, 0.01
    if unknown := set(arguments.names) - set(_WORK):
        parser.error(f"no such kernel: {', '.join(sorted(unknown))}")
    here = _Checkout(HERE, arguments.least)
    if arguments.against is None:
        print("| kernel | unit | fastest | median |\n|---|---|---|---|")
        for name in arguments.names or _WORK:
            times = [here.measure(name) for _ in range(arguments.rounds)]
            median = statistics.median(times)
            print(f"| {name} | {_WORK[name][0]} | {_time(min(times))} | {_time(median)} |")
    else:
        there = _Checkout(arguments.against.resolve(), arguments.least)
        print("| kernel | unit | here | there | ratio of fastest | median ratio (quartiles) |")
        print("|---|---|---|---|---|---|")
        for name in arguments.names or _WORK:
            print(_compare(name, here, there, max(2, arguments.rounds)), flush=True)
        there.close()
    here.close()


if __name__ == "__main__":
    main()
