"""Exploitability of what `zhaifei solve` computes, with each doubling of the iterations.

    pip install ".[report]"
    python -m benchmarks.strength_by_iterations --iterations 1e8 --plot benchmarks/strength.svg

Each row is a run of its own. Exploitability is that of the strategy as stored in the policy file,
certified in the full game: it lies between the two figures. Seconds are of training alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks._arguments import new_parser
from zhaifei.game.rules import Rules
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.solver_run import SolverRun
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.response.table_search import ResponseSearch
from zhaifei.solver.tables.recall import FULL

GAP = 0.004
"""Penalty points; bounds this close are narrow enough for a plot."""
SMALLEST = Rules.of(dice=1, faces=3)


@dataclass(frozen=True)
class Point:
    """A run that is done and the exploitability of its policy."""

    iterations: int
    seconds: float
    megabytes: float
    """The size of the policy file."""
    exploitability: Bounds


def run(rules: Rules, threads: int, iterations: list[int]) -> Iterator[Point]:
    """Yield a run for each number of `iterations`."""
    solved(SMALLEST, threads, 10)  # compiles the kernels
    for goal in iterations:
        began = time.perf_counter()
        policy, done = solved(rules, threads, goal)
        seconds = time.perf_counter() - began
        yield Point(done, seconds, file_megabytes(policy), certified(policy, threads))


def solved(rules: Rules, threads: int, goal: int) -> tuple[TablePolicy, int]:
    """Return the policy of a run with this `goal`, and the iterations that it did."""
    setup = Setup(rules, "tree", FULL, 0, threads)
    one = SolverRun(setup, setup.build(), goal)
    while one.done < goal:
        one.advance()
    policy = one.result()
    assert isinstance(policy, TablePolicy)
    return policy, one.done


def file_megabytes(policy: TablePolicy) -> float:
    """Return the size of the file of `policy`."""
    with TemporaryDirectory() as directory:
        path = Path(directory) / "policy.safetensors"
        save_policy(path, policy)
        return path.stat().st_size / 1e6


def certified(policy: TablePolicy, threads: int) -> Bounds:
    """Return bounds of the exploitability of `policy` in the full game."""
    search = ResponseSearch(policy.tables, policy.table, threads)
    result = search.result()
    for found in search.refine(gap=GAP, seconds=120.0):
        result = found
    return result.exploitability


def draw(points: list[Point], path: Path) -> None:
    """Draw the intervals over the iterations as SVG."""
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
    print("| iterations | seconds | MB of the file | exploitability lies in |")
    print("|---|---|---|---|")
    for point in run(rules, arguments.threads, goals):
        points.append(point)
        bounds = point.exploitability
        print(
            f"| {point.iterations:,} | {point.seconds:,.0f} | {point.megabytes:.1f} | "
            f"[{bounds.lower:.4f}, {bounds.upper:.4f}] |",
            flush=True,
        )
        if arguments.plot:
            draw(points, arguments.plot)


if __name__ == "__main__":
    main()
