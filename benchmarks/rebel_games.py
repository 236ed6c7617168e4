"""The four Liar's Dice games of the ReBeL paper, to an exploitability: OpenSpiel's CFR+ and ours.

    python -m benchmarks.rebel_games --target 1e-5 --seconds 60

Brown et al. 2020 measure ReBeL on two players with 1 die of 4, 5 or 6 faces each, or 2 dice of 3
faces. Their game (`csrc/liars_dice/liars_dice.h` of facebookresearch/rebel) is OpenSpiel's
`liars_dice` and our preset of that name. The highest face is wild and may be bid, and any bid may
open. Bids rise by count and then by face, and the loser of the challenge pays 1. In their game two
dice are an ordered pair. In the others the order of the dice does not matter, which changes no
value.

OpenSpiel's solver is `CFRPlusSolver`, in C++; ours is the engine that `zhaifei solve --rules
liars_dice` runs. Each figure comes from a process of its own, on one thread. Time counts from the
start of the process, so imports and loading compiled kernels count. Kernels are compiled before,
and measuring does not count. A side stops when it measures the target, or when time is up; it
measures whenever its number of iterations has grown by a quarter. The figure shown is by
OpenSpiel's `exploitability`, in its game.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks._arguments import new_parser
from benchmarks.liars_dice_vs_openspiel import describe_machine, load_game, openspiel_policy

GAMES = ((1, 4), (1, 5), (1, 6), (2, 3))
"""The dice of each player and their faces."""
_FIRST_LOOK, _GROWTH = 8, 1.25
_UNTIL_WRITTEN = 0.9
"""The share of the target at which our side stops, because its table is rounded to float32 before
it is judged."""


@dataclass(frozen=True)
class Side:
    """A solver of one game, which `run` advances by a number of iterations."""

    run: Callable[[int], object]
    measure: Callable[[], float]
    """Returns the exploitability."""
    policy: Callable[[], Any]
    """Returns a pyspiel policy."""


def openspiel(dice: int, faces: int) -> Side:
    """Return OpenSpiel's CFR+."""
    import pyspiel  # noqa: PLC0415

    game = load_game(faces, dice)
    solver = pyspiel.CFRPlusSolver(game)

    def run(iterations: int) -> None:
        for _ in range(iterations):
            solver.evaluate_and_update_policy()

    def measure() -> float:
        return float(pyspiel.exploitability(game, solver.average_policy()))

    return Side(run, measure, solver.average_policy)


def exact(dice: int, faces: int) -> Side:
    """Return `solver.cfr.exact`."""
    from zhaifei.game.rules import preset  # noqa: PLC0415
    from zhaifei.solver.cfr.exact import ExactSolver  # noqa: PLC0415

    solver = ExactSolver(preset("liars_dice", dice=dice, faces=faces))
    return Side(
        solver.run,
        lambda: solver.exploitability().exploitability / _UNTIL_WRITTEN,
        lambda: openspiel_policy(faces, solver.strategy(), dice),
    )


SIDES = {"openspiel": openspiel, "exact": exact}
TITLES = {"openspiel": "OpenSpiel CFR+ (C++)", "exact": "zhaifei, solver.cfr.exact, CFR+"}


def train(side: Side, began: float, seconds: float, target: float) -> tuple[int, float]:
    """Train until the target is measured, or until `seconds` have passed since `began`, a
    `time.time()`. Return the number of iterations, at least one, and the seconds that they took."""
    done, look = 0, _FIRST_LOOK
    while True:
        while done < look:
            side.run(1)
            done += 1
            if time.time() - began >= seconds:
                return done, time.time() - began
        spent = time.time() - began
        if side.measure() <= target:
            return done, spent
        began = time.time() - spent
        look = int(_GROWTH * look) + 1


def judge(name: str, dice: int, faces: int, began: float, seconds: float, target: float) -> Any:
    """Return the figures that the fresh process prints."""
    side = SIDES[name](dice, faces)
    iterations, spent = train(side, began, seconds, target)
    import pyspiel  # noqa: PLC0415

    found = pyspiel.exploitability(load_game(faces, dice), side.policy())
    return {"iterations": iterations, "seconds": spent, "exploitability": found}


def measured(name: str, dice: int, faces: int, seconds: float, target: float) -> Any:
    """Return the figures of a side, from a fresh process."""
    game = ["--dice", str(dice), "--faces", str(faces), "--began", repr(time.time())]
    limits = ["--seconds", repr(seconds), "--target", repr(target)]
    command = [sys.executable, "-m", __spec__.name, "--side", name, *game, *limits]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def report(games: tuple[tuple[int, int], ...], seconds: float, target: float) -> None:
    """Measure both sides in all games and print the table."""
    print(f"$ python -m {__spec__.name} --target {target:g} --seconds {seconds:g}")
    print(f"{describe_machine()}\n")
    measured("exact", 1, 2, 0.0, target)  # compiles
    print(f"{'game':20}{'':34}{'seconds':>8}{'iterations':>12}{'exploitability':>16}")
    for dice, faces in games:
        game = f"{dice} {'die' if dice == 1 else 'dice'} x {faces} faces"
        for name in SIDES:
            found = measured(name, dice, faces, seconds, target)
            print(
                f"{game:20}{TITLES[name]:34}{found['seconds']:8.1f}{found['iterations']:12,}"
                f"{found['exploitability']:16.2g}",
                flush=True,
            )


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each side, in each game")
    parser.add_argument("--target", type=float, default=1e-5)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--dice", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--faces", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--began", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        found = judge(given.side, given.dice, given.faces, given.began, given.seconds, given.target)
        print(json.dumps(found))
    elif given.smallest:
        report(((1, 2), (2, 2)), 0.0, given.target)
    else:
        report(GAMES, given.seconds, given.target)


if __name__ == "__main__":
    main()
