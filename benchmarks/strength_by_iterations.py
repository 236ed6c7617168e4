"""Exploitability of what `zhaifei solve` computes, at each doubling of the iterations of one run.

    pip install ".[report]"
    python -m benchmarks.strength_by_iterations --iterations 1e8 --plot benchmarks/strength.svg

Exploitability is that of the strategy as stored in a policy file, certified in the full game: it
lies between the two figures. Seconds are of training alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks._arguments import new_parser
from zhaifei.game.rules import Rules
from zhaifei.policies.training.engines import TreeEngine
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.response.table_search import ResponseSearch
from zhaifei.solver.tables.strategy_table import StrategyTable

GAP = 0.004
"""Penalty points; bounds this close are narrow enough for a plot."""
SMALLEST = Rules.of(dice=1, faces=3)


@dataclass(frozen=True)
class Point:
    """The state of a run and the exploitability of its strategy."""

    iterations: int
    passes: int
    seconds: float
    nodes: int
    exploitability: Bounds


def run(rules: Rules, threads: int, iterations: list[int]) -> Iterator[Point]:
    """Train one run; yield its state after each of `iterations`, which ascend."""
    warm_up()
    engine = TreeEngine(rules, threads=threads)
    seconds = 0.0
    for goal in iterations:
        began = time.perf_counter()
        while engine.iterations < goal:
            engine.advance()
        seconds += time.perf_counter() - began
        table = engine.strategy()
        yield Point(
            engine.iterations,
            engine.passes,
            seconds,
            len(engine.grown),
            certified(engine, table, threads),
        )


def warm_up() -> None:
    """Compile the kernels that a run needs."""
    engine = TreeEngine(SMALLEST)
    for _ in range(10):
        engine.advance()


def certified(engine: TreeEngine, table: StrategyTable, threads: int) -> Bounds:
    """Return bounds of the exploitability of `table` in the full game."""
    search = ResponseSearch(engine.bids, table, threads)
    result = search.result()
    for found in search.refine(gap=GAP, seconds=120.0):
        result = found
    return result.exploitability


def draw(points: list[Point], path: Path) -> None:
    """Draw the interval over the iterations as SVG."""
    import matplotlib.pyplot as plt  # noqa: PLC0415

    plt.rcParams["svg.fonttype"] = "none"
    plt.rcParams["svg.hashsalt"] = "zhaifei"
    figure, axes = plt.subplots(figsize=(7, 3.6))
    iterations = [point.iterations for point in points]
    lower = [point.exploitability.lower for point in points]
    upper = [point.exploitability.upper for point in points]
    axes.fill_between(iterations, lower, upper, alpha=0.4, label="certified interval")
    axes.plot(iterations, upper, marker="o", markersize=3, label="upper bound")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="iterations",
        ylabel="exploitability, penalty points per round",
    )
    axes.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5], ["0.02", "0.05", "0.1", "0.2", "0.5"])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--iterations", type=float, default=2e7)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    rules = SMALLEST if arguments.smallest else Rules()
    goals = [20, 40] if arguments.smallest else [int(arguments.iterations)]
    while goals[0] > 1e6:
        goals.insert(0, goals[0] // 2)
    points = []
    print("| iterations | passes | seconds | nodes | exploitability lies in |")
    print("|---|---|---|---|---|")
    for point in run(rules, arguments.threads, goals):
        points.append(point)
        bounds = point.exploitability
        print(
            f"| {point.iterations:,} | {point.passes:,} | {point.seconds:,.0f} | {point.nodes:,} | "
            f"[{bounds.lower:.4f}, {bounds.upper:.4f}] |",
            flush=True,
        )
        if arguments.plot:
            draw(points, arguments.plot)


if __name__ == "__main__":
    main()
