"""Five dice each: hand pairs per second and peak memory of MCCFR, OpenSpiel's against ours.

    python -m benchmarks.five_dice_vs_openspiel --seconds 60

A hand pair is one own hand traversed against one sampled hand or line of the opponent, for each
player. An iteration of OpenSpiel's external sampling (C++) is one pair; a traversal of ours counts
one pair for each own hand that it carries. Both solve OpenSpiel's `liars_dice`; ours also solves
the full 斋飞 game. Each solver runs in a process of its own. Its time starts after a first batch,
which compiles kernels and builds the game. Rates fall while tables grow, so all train for the same
time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks._arguments import new_parser

DICE = 5

RECALL = "bid,bid,face<10,face<10"
"""The recall of our sampled information sets."""


def openspiel(dice: int, seconds: float) -> tuple[float, float]:
    """Return the hand pairs and seconds of OpenSpiel's external sampling."""
    import pyspiel  # noqa: PLC0415

    game = pyspiel.load_game(f"liars_dice(players=2,numdice={dice})")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=1)
    return _timed(solver.run_iteration, lambda: 1, seconds)


def ours(rules_name: str, threads: int, dice: int, seconds: float) -> tuple[float, float]:
    """Return the hand pairs and seconds of `solver.cfr.mccfr` with RECALL."""
    from zhaifei.game.rules import preset  # noqa: PLC0415
    from zhaifei.solver.cfr.mccfr import MCCFR  # noqa: PLC0415

    rules = preset(rules_name, dice=dice)
    engine = MCCFR(rules, RECALL, seed=1, threads=threads)
    done = 0

    def advance() -> None:
        nonlocal done
        before = engine.iterations
        engine.advance()
        done = engine.iterations - before

    return _timed(advance, lambda: done, seconds)


def _timed(
    advance: Callable[[], object], done: Callable[[], int], seconds: float
) -> tuple[float, float]:
    """Call `advance` once, then repeatedly for `seconds`. Return the pairs of the repeated calls,
    which `done` gives after each, and the seconds taken."""
    advance()
    pairs, began = 0, time.perf_counter()
    while not pairs or time.perf_counter() - began < seconds:
        advance()
        pairs += done()
    return pairs, time.perf_counter() - began


_CORES = os.cpu_count() or 1
SIDES: dict[str, tuple[str, Callable[[int, float], tuple[float, float]]]] = {
    "openspiel": ("OpenSpiel external sampling (C++), liars_dice", openspiel),
    "one": ("zhaifei, liars_dice, 1 thread", partial(ours, "liars_dice", 1)),
    "all": ("zhaifei, liars_dice, all cores", partial(ours, "liars_dice", _CORES)),
    "game": ("zhaifei, 斋飞, all cores", partial(ours, "zhaifei", _CORES)),
}


def measure(name: str, seconds: float, *, smallest: bool) -> dict[str, Any]:
    """Run a solver in a fresh process; return pairs per second and peak memory in gigabytes."""
    command = [sys.executable, "-m", __spec__.name, "--side", name, "--seconds", str(seconds)]
    command += ["--smallest"] * smallest
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.smallest:
        arguments.seconds = 0.0
    if arguments.side:
        dice = 1 if arguments.smallest else DICE
        pairs, seconds = SIDES[arguments.side][1](dice, arguments.seconds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(json.dumps({"rate": pairs / seconds, "gigabytes": peak}))
        return
    print(f"$ python -m {__spec__.name} --seconds {arguments.seconds:g}\n")
    print(f"{'':46} {'pairs/s':>10} {'ratio':>9} {'peak memory':>12}")
    first = None
    for name, (title, _) in SIDES.items():
        figures = measure(name, arguments.seconds, smallest=arguments.smallest)
        first = first or figures["rate"]
        print(
            f"{title:46} {figures['rate']:10,.1f} {figures['rate'] / first:8,.0f}x "
            f"{figures['gigabytes']:9.2f} GB",
            flush=True,
        )


if __name__ == "__main__":
    main()
