"""Response time of `zhaifei query`: in a fresh process, and of further questions in one process,
about one hand and about the whole range.

    python -m benchmarks.query_time --policy FILE

The first line times whole processes including start-up; an untimed run before has cached the
compiled kernels. The other lines give the processor's time of questions with random hands, or all
hands, and histories from self-play of the policy.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._arguments import new_parser
from game.bids import Bid, domain, legal_bids
from game.hands import hands, probabilities
from game.notation import format_hand
from game.rules import Rules, preset
from policies.measure.advice import Adviser
from policies.players.rule_based import rule_based
from policies.players.table_policy import TablePolicy, load_policy, save_policy

RUNS = 7
QUESTIONS, OF_RANGE = 200, 20


def cold(policy: Path, runs: int) -> list[float]:
    """Return [run] the seconds of whole processes."""
    rules = load_policy(policy).rules
    hand, bid = "11346", "f4x6"
    if rules != preset("zhaifei"):
        hand, bid = format_hand(hands(rules)[0]), str(legal_bids(rules, None)[0])
    command = [
        sys.executable, "-m", "cli", "query", "--hand", hand, "--bid", bid,
        "--policy", str(policy),
    ]  # fmt: skip
    seconds = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def warm(path: Path, questions: int, *, whole_range: bool) -> list[float]:
    """Return [question] the processor's seconds of questions in this process."""
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
            report(saved(Path(directory) / "honest.safetensors"), runs=1, questions=(5, 5))
    elif arguments.policy is None:
        parser.error("--policy is required")
    else:
        report(arguments.policy, RUNS, (QUESTIONS, OF_RANGE))


def saved(path: Path) -> Path:
    """Write a policy file for a small game to `path` and return it."""
    policy = rule_based("honest", Rules(dice=1, faces=3))
    assert isinstance(policy, TablePolicy)
    save_policy(path, policy)
    return path


def report(policy: Path, runs: int, questions: tuple[int, int]) -> None:
    """Measure and print medians, minima and maxima."""
    of_hand, of_range = questions
    print(f"$ python -m {__spec__.name} --policy {policy.name}\n")
    measured = {
        "fresh process": cold(policy, runs),
        "further question": warm(policy, of_hand, whole_range=False),
        "whole range": warm(policy, of_range, whole_range=True),
    }
    for name, seconds in measured.items():
        print(
            f"{name:18} median {1e3 * statistics.median(seconds):8.1f} ms, "
            f"{1e3 * min(seconds):.1f} to {1e3 * max(seconds):.1f} ms ({len(seconds)} runs)"
        )


if __name__ == "__main__":
    main()
