"""What each engine reaches in the same time, for two players with 1 to 5 dice each.

    python -m benchmarks.engines --seconds 60

Every engine trains in a process of its own with one thread, after it has compiled its kernels. Peak
memory is that of the process until the policy file is written; the program itself takes 0.15 GB.
Exploitability is that of the policy file, certified in the whole game: it lies between the two
figures. Certifying stops after `--certify` seconds.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks._arguments import new_parser
from benchmarks._trained import SMALLEST
from zhaifei.game.rules import Rules
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.research.single_bid_engine import single_bid_setup
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.solver_run import EngineChoice, SolverRun, solver_setup
from zhaifei.solver.bounds import Bounds

ENGINES: dict[str, tuple[EngineChoice | Literal["single-bid"] | None, str | None]] = {
    "public tree": (None, None),
    "mccfr, full recall": ("mccfr", None),
    "mccfr, recall bid,bid,face": ("mccfr", "bid,bid,face"),
    "single-bid": ("single-bid", None),
}
"""The engine and the recall of each row of the table."""
GAP = 1e-4
"""Penalty points; certifying stops when the bounds are this close."""


class Measured(NamedTuple):
    """What an engine has reached."""

    engine: str
    seconds: float
    """Seconds of training."""
    gigabytes: float
    """Peak memory."""
    megabytes: float
    """Size of the policy file."""
    certifying: float
    """Seconds of certifying."""
    exploitability: Bounds


def setup_of(name: str, rules: Rules) -> Setup:
    """Return the setup of a row of the table."""
    engine, recall = ENGINES[name]
    if engine == "single-bid":
        return single_bid_setup(rules)
    return solver_setup(rules, engine, recall, seed=0, threads=1)


def measure(name: str, rules: Rules, seconds: float, certify: float) -> Measured:
    """Train an engine for `seconds` seconds, and certify the policy for at most `certify`."""
    setup = setup_of(name, rules)
    train(replace(setup, rules=SMALLEST), 0.5)  # compiles
    trained, run = train(setup, seconds)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "policy.safetensors")
        run.save_result(path, run.result())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        policy, size = load_policy(path), path.stat().st_size
    began = time.perf_counter()
    found = Evaluation(policy).refine(gap=GAP, seconds=certify)
    bounds = last_of(found, lambda so_far: None).exploitability
    certifying = time.perf_counter() - began
    return Measured(run.setup.engine, trained, peak / 2**20, size / 1e6, certifying, bounds)


def train(setup: Setup, seconds: float) -> tuple[float, SolverRun]:
    """Return the seconds of training, at least `seconds`, and the run."""
    run = SolverRun(setup, setup.build(), goal=None)
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        run.advance()
    return time.perf_counter() - began, run


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--dice", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--certify", type=float, default=120.0, help="seconds, at most")
    given = parser.parse_args()
    games = [SMALLEST] if given.smallest else [Rules.of(dice=dice) for dice in given.dice]
    seconds = 0.1 if given.smallest else given.seconds
    print(f"load: {os.getloadavg()[0]:.1f}, cores: {os.cpu_count()}", flush=True)
    print("| dice | engine | seconds | GB | MB stored | certified in | exploitability lies in |")
    print("|---|---|---|---|---|---|---|")
    for rules in games:
        for name in ENGINES:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                found = process.submit(measure, name, rules, seconds, given.certify).result()
            bounds = found.exploitability
            shown = f"{name} (exact)" if found.engine == "exact" else name
            print(
                f"| {rules.dice} | {shown} | {found.seconds:.0f} | {found.gigabytes:.2f} | "
                f"{found.megabytes:.2f} | {found.certifying:.0f} s | "
                f"[{bounds.lower:.5f}, {bounds.upper:.5f}] |",
                flush=True,
            )
    print(f"load: {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
