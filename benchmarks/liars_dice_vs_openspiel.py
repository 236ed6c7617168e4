"""Exploitability in one-die `liars_dice` after equal times: OpenSpiel's MCCFR against our engines.

    python -m benchmarks.liars_dice_vs_openspiel --seconds 10 30

OpenSpiel's solver is external sampling, in C++. Each figure comes from a process of its own. Its
time starts with the process, so imports and loading compiled kernels count; kernels are compiled
before. Training ends at the deadline; measuring does not count. OpenSpiel's own `exploitability`
measures all strategies.

The value of the game is -7/258 for the opener. Exploitability is in penalty points per round.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from benchmarks._arguments import new_parser

FACES = 6
SEED = 1
BATCH_SECONDS = 0.1
"""The approximate seconds between two looks at the clock in training."""


@dataclass(frozen=True)
class Side:
    """One solver of the game.

    `train(faces, deadline)` solves the game with dice of `faces` faces until `deadline`, a
    `time.time()`. It returns the number of iterations and a function that makes a pyspiel policy of
    the result. The function is called afterwards, because its work is not training. Each side
    imports only the modules that it needs, so that it pays only for its own imports.
    """

    title: str
    train: Callable[[int, float], tuple[int, Callable[[], Any]]]


def train_openspiel(faces: int, deadline: float) -> tuple[int, Callable[[], Any]]:
    """Train OpenSpiel's solver on OpenSpiel's game."""
    import pyspiel  # noqa: PLC0415

    solver = pyspiel.ExternalSamplingMCCFRSolver(load_game(faces), seed=SEED)
    iterations = _until(deadline, 10, lambda count: [solver.run_iteration() for _ in range(count)])
    return iterations, solver.average_policy  # it reads the solver: keep both


def train_exact(faces: int, deadline: float) -> tuple[int, Callable[[], Any]]:
    """Train `solver.cfr.exact`."""
    from zhaifei.game.rules import preset  # noqa: PLC0415
    from zhaifei.solver.cfr.exact import ExactSolver  # noqa: PLC0415

    solver = ExactSolver(preset("liars_dice", faces=faces))
    iterations = _until(deadline, 10, solver.run)
    return iterations, lambda: openspiel_policy(faces, solver.strategy())


def train_mccfr(faces: int, deadline: float) -> tuple[int, Callable[[], Any]]:
    """Train `solver.cfr.mccfr` with full recall, on one thread."""
    from zhaifei.game.rules import preset  # noqa: PLC0415
    from zhaifei.solver.cfr.mccfr import MCCFR  # noqa: PLC0415

    solver = MCCFR(preset("liars_dice", faces=faces), "full", seed=SEED)

    def advance(times: int) -> None:
        for _ in range(times):
            solver.advance()

    _until(deadline, 10, advance)
    return solver.iterations, lambda: openspiel_policy(faces, solver.strategy())


SIDES = {
    "openspiel": Side("OpenSpiel MCCFR, external sampling (C++)", train_openspiel),
    "mccfr": Side("solver.cfr.mccfr, full recall, 1 thread", train_mccfr),
    "exact": Side("solver.cfr.exact, CFR+", train_exact),
}


def _until(deadline: float, batch: int, run: Callable[[int], object]) -> int:
    """Run batches until the deadline, a `time.time()`, but at least one. Return the number of
    iterations."""
    done = 0
    while True:
        before = time.time()
        run(batch)
        done += batch
        now = time.time()
        if now >= deadline:
            return done
        if now - before < BATCH_SECONDS / 2:
            batch *= 2
        if now - before > BATCH_SECONDS * 2:
            batch = max(1, batch // 2)


def load_game(faces: int, dice: int = 1) -> Any:
    """Return OpenSpiel's `liars_dice` for two players with `dice` dice each."""
    import pyspiel  # noqa: PLC0415

    return pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={faces})")


def openspiel_policy(faces: int, table: Any, dice: int = 1) -> Any:
    """Return a strategy table of the preset liars_dice as a policy of OpenSpiel's `liars_dice`.

    Bids have the same indices in both, and an outcome of OpenSpiel is the face that it shows, minus
    1. The order of the dice in a hand does not matter.
    """
    import numpy as np  # noqa: PLC0415
    import pyspiel  # noqa: PLC0415

    from zhaifei.game.hands import hands  # noqa: PLC0415
    from zhaifei.game.rules import preset  # noqa: PLC0415
    from zhaifei.game.tables import bid_tables  # noqa: PLC0415
    from zhaifei.solver.tables.strategy_table import write_strategy  # noqa: PLC0415

    rules = preset("liars_dice", dice=dice, faces=faces)
    bids, index = bid_tables(rules), {hand: place for place, hand in enumerate(hands(rules))}
    strategy = np.zeros((len(index), bids.claimed.size + 1))
    policy = {}
    for state in _first_states(load_game(faces, dice).new_initial_state(), dice):
        history = np.array(state.history()[2 * dice :], dtype=np.int64)
        write_strategy(table, bids, history, history.size, strategy)
        player = state.current_player()
        own = state.history()[player * dice : (player + 1) * dice]
        chances = strategy[index[tuple(outcome + 1 for outcome in own)]]
        policy[state.information_state_string(player)] = [
            (action, chances[action] / chances.sum()) for action in state.legal_actions()
        ]
    return pyspiel.TabularPolicy(policy)


def _first_states(state: Any, dice: int) -> Iterator[Any]:
    """Yield one state of each information set: the state in which the other player's dice are all
    outcome 0, and the own dice in ascending order."""
    if state.is_terminal():
        return
    if not state.is_chance_node():
        rolled = state.history()[:dice], state.history()[dice : 2 * dice]
        own, other = rolled[state.current_player()], rolled[1 - state.current_player()]
        if not any(other) and own == sorted(own):
            yield state
    for action in state.legal_actions():
        yield from _first_states(state.child(action), dice)


def measure(name: str, faces: int, seconds: float) -> dict[str, float]:
    """Train a side and measure its exploitability in a fresh process."""
    command = [sys.executable, "-m", __spec__.name, "--side", name, "--faces", str(faces)]
    deadline = time.time() + seconds
    done = subprocess.run(
        [*command, "--deadline", repr(deadline)], check=True, stdout=subprocess.PIPE, text=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    figures["seconds"] += seconds
    return figures


def judge(name: str, faces: int, deadline: float) -> dict[str, float]:
    """Return the figures that the fresh process prints; `seconds` is the time between the deadline
    and the end of training."""
    iterations, make_policy = SIDES[name].train(faces, deadline)
    late = time.time() - deadline
    import pyspiel  # noqa: PLC0415

    found = pyspiel.exploitability(load_game(faces), make_policy())
    return {"iterations": iterations, "exploitability": found, "seconds": late}


def report(faces: int, seconds: list[float], names: list[str]) -> None:
    """Measure all sides and print the table."""
    print(f"$ python -m {__spec__.name} --seconds {' '.join(f'{s:g}' for s in seconds)}")
    print(f"{describe_machine()}\n")
    for name in names:
        measure(name, faces, 0)  # compiles
    print(f"{'':42} {'seconds':>8} {'iterations':>11} {'exploitability':>15} {'lower by':>9}")
    for limit in seconds:
        first = None
        for name in names:
            figures = measure(name, faces, limit)
            found = figures["exploitability"]
            first = first or found
            print(
                f"{SIDES[name].title:42} {figures['seconds']:8.1f} {figures['iterations']:11,.0f} "
                f"{found:15.3g} {first / found:8,.0f}x",
                flush=True,
            )


def describe_machine() -> str:
    """Return the relevant versions, the model of the processor and the number of cores."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("open_spiel", "numba", "numpy"))
    cores = os.cpu_count()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            models = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        models = []
    processor = f"{models[0] if models else platform.machine()}, {cores} cores"
    return f"Python {platform.python_version()}, {packages}; {processor}"


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[10.0, 30.0])
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=list(SIDES))
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--faces", type=int, default=FACES, help=argparse.SUPPRESS)
    parser.add_argument("--deadline", type=float, default=0.0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        print(json.dumps(judge(arguments.side, arguments.faces, arguments.deadline)))
    elif arguments.smallest:
        report(2, [0.0], arguments.sides)
    else:
        report(FACES, arguments.seconds, arguments.sides)


if __name__ == "__main__":
    main()
