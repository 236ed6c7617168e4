"""How long `zhaifei query` takes: a fresh process, and further questions in one process.

    python -m benchmarks.query_time --policy FILE

The first lines time whole processes, start-up included, with compiled kernels cached by a run
before; the others time questions on random hands and histories that the policy itself plays.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

from game.bids import Bid, domain
from game.hands import hands, probabilities
from policies.measure.advice import Adviser
from policies.players.table_policy import TablePolicy, load_policy

RUNS = 7
QUESTIONS = 200


def cold(policy: Path) -> list[float]:
    """Seconds of whole processes."""
    command = [
        sys.executable, "-m", "cli", "query", "--hand", "11346", "--bid", "f4x6",
        "--policy", str(policy),
    ]  # fmt: skip
    seconds = []
    for _ in range(RUNS + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def warm(path: Path) -> list[float]:
    """Seconds of questions in this process."""
    policy, draw = load_policy(path), random.Random(1)
    adviser = Adviser(policy)
    seconds = []
    for _ in range(QUESTIONS + 1):
        hand = draw.choice(hands(policy.rules))
        history = _played(policy, draw)
        began = time.perf_counter()
        adviser.advise(hand, history)
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def _played(policy: TablePolicy, draw: random.Random) -> tuple[Bid, ...]:
    """The bids of a round of self-play up to a random point."""
    players = policy.rules.players
    dealt = draw.choices(range(len(hands(policy.rules))), probabilities(policy.rules), k=players)
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
    """Reads the command line and prints medians and extremes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--policy", type=Path, required=True)
    policy = parser.parse_args().policy
    print(f"$ python -m {__spec__.name} --policy {policy.name}\n")
    for name, seconds in (("fresh process", cold(policy)), ("further question", warm(policy))):
        print(
            f"{name:18} median {1e3 * statistics.median(seconds):8.1f} ms, "
            f"{1e3 * min(seconds):.1f} to {1e3 * max(seconds):.1f} ms ({len(seconds)} runs)"
        )


if __name__ == "__main__":
    main()
