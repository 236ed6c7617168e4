"""Response time of `zhaifei query`: in a fresh process, and of further questions in one process.

    python -m benchmarks.query_time --policy FILE

The first line times whole processes including start-up; an untimed run before has cached the
compiled kernels. The other lines give the processor time of questions with histories from self-play
of the policy, about random hands or about the whole range. Last come questions after odd bids
(`benchmarks.resolve_consistency`), for which the position is solved again within two seconds. Their
time is given less the time of the table alone, with the additional memory that the process took.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks._arguments import new_parser
from benchmarks._trained import trained
from benchmarks.resolve_consistency import rounds
from zhaifei.game.bids import Bid, domain, legal_bids
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import format_hand
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.measure.advice import Adviser
from zhaifei.policies.measure.resolved_advice import refined_advice
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, save_policy

RUNS = 7
QUESTIONS, OF_RANGE, ODD = 200, 20, 30
_LIMIT = 2.0
"""Seconds for which `query` solves by default."""


def cold(policy: Path, runs: int) -> list[float]:
    """Return [run] the seconds of whole processes."""
    rules = load_policy(policy).rules
    hand, bid = "11346", "f4x6"
    if rules != preset("zhaifei"):
        hand, bid = format_hand(hands(rules)[0]), str(legal_bids(rules, None)[0])
    command = [
        sys.executable,
        "-m",
        "zhaifei",
        "query",
        "--hand",
        hand,
        "--bid",
        bid,
        "--policy",
        str(policy),
    ]
    seconds = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def warm(path: Path, questions: int, *, whole_range: bool) -> list[float]:
    """Return [question] the processor seconds of questions in this process."""
    policy, draw = load_policy(path), random.Random(1)
    adviser = Adviser(policy)
    seconds = []
    for _ in range(questions + 1):
        hand = draw.choice(hands(policy.rules))
        history = _played(policy, draw)
        began = time.process_time()
        if whole_range:
            adviser.advise_range(history)
        else:
            adviser.advise(hand, history)
        seconds.append(time.process_time() - began)
    return seconds[1:]


def odd(path: Path, positions: int) -> list[float]:
    """Return [position] the seconds that re-solving takes beyond the table alone."""
    policy, seconds = load_policy(path), []
    every = domain(policy.rules)
    for hand, history in islice(rounds(policy, np.random.default_rng(1)), 100 * positions):
        held, bids = hands(policy.rules)[hand], [every[bid] for bid in history]
        times = [time.perf_counter()]
        for limit in (0.0, _LIMIT):
            *_, advice = refined_advice(policy, held, None, bids, seconds=limit)
            times.append(time.perf_counter())
        if advice.solved is not None:
            seconds.append(times[2] - 2.0 * times[1] + times[0])
        if len(seconds) == positions + 1:
            break
    return seconds[1:]


def _memory() -> int:
    """Return the peak memory of this process in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _played(policy: TablePolicy, draw: random.Random) -> tuple[Bid, ...]:
    """Return the bids of a round of self-play up to a random point."""
    players = policy.rules.players
    chances = probabilities(policy.rules).tolist()
    dealt = draw.choices(range(len(chances)), chances, k=players)
    history: tuple[Bid, ...] = ()
    bids = domain(policy.rules)
    while draw.random() < 0.7:
        strategy = policy.strategy(history)[dealt[len(history) % players]]
        action = draw.choices(range(len(strategy)), strategy)[0]
        if action >= len(bids):
            break
        history = (*history, bids[action])
    return history


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--policy", type=Path)
    arguments = parser.parse_args()
    if arguments.smallest:
        with tempfile.TemporaryDirectory() as directory:
            policy = saved(Path(directory) / "small.safetensors")
            report(policy, runs=1, questions=(5, 5), positions=3)
    elif arguments.policy is None:
        parser.error("--policy is required")
    else:
        report(arguments.policy, RUNS, (QUESTIONS, OF_RANGE), ODD)


def saved(path: Path) -> Path:
    """Write a policy file for a small game to `path` and return the path."""
    save_policy(path, trained(Rules.of(dice=2, faces=3), 50))
    return path


def report(policy: Path, runs: int, questions: tuple[int, int], positions: int) -> None:
    """Measure and print medians, minima and maxima."""
    of_hand, of_range = questions
    print(f"$ python -m {__spec__.name} --policy {policy.name}\n")
    measured = {
        "fresh process": cold(policy, runs),
        "further question": warm(policy, of_hand, whole_range=False),
        "whole range": warm(policy, of_range, whole_range=True),
    }
    before = _memory()
    measured["odd bids, more"] = odd(policy, positions)
    for name, seconds in measured.items():
        print(
            f"{name:18} median {1e3 * statistics.median(seconds):8.1f} ms, "
            f"{1e3 * min(seconds):.1f} to {1e3 * max(seconds):.1f} ms ({len(seconds)} runs), "
            f"a tenth above {1e3 * np.percentile(seconds, 90):.1f} ms"
        )
    print(f"odd bids, more     {(_memory() - before) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
