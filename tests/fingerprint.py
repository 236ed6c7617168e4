"""A fingerprint of behaviour: what short runs of every engine compute, and fifty answers, one line
each in `fingerprints.jsonl`. A test compares, so a change of results is always deliberate, like one
of Stockfish's bench number. After a change that is meant, write the file anew and read
what it prints:

    python -m tests.fingerprint

**Runs** are compared bit for bit, by a hash of the strategy that results. Compiled code would not
give equal bits on every machine: processors differ in the width of their vectors and in fused
multiply-adds, so sums differ in their last digit. Where regrets are equal by symmetry that digit
decides which action is played, and after ten passes strategies and even trees are others. Rounding
before the hash does not help, nor would a tolerance: what differs is no longer small. So the
kernels of runs are *interpreted* (NUMBA_DISABLE_JIT): every operation is then one of IEEE 754, in
the order of the source, on small games that take a second. That the same kernels, compiled, agree
with slow twins is tested elsewhere, and the strength that they reach in `test_strength`.

What of a run is not the strategy (its value, its exploitability) may come from a BLAS whose sums
depend on the processor: these are numbers, compared within TOLERANCE, as all numbers of **answers**
are. Answers come from compiled code, in which no digit is fed back into a decision. There the
tolerance is for the rounding to DIGITS in the file (5e-7 on each side) and for sums in another
order, which stayed within it between code for SSE2, AVX2 and AVX-512.

The learners that need PyTorch are left out: its kernels give other digits on other processors, and
training feeds them back.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from tests.command_line import LONG, ROOT
from zhaifei import advise
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.measure.advice import Advice
from zhaifei.policies.players.rule_based import RULES, rule_based
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.policies.research.q_learning import new_q_run
from zhaifei.policies.research.single_bid_engine import single_bid_setup
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.solver_run import SolverRun
from zhaifei.solver.tables.recall import FULL
from zhaifei.solver.tables.strategy_table import dense, starts

FILE = Path(__file__).with_name("fingerprints.jsonl")
DATA = ROOT / "policies" / "data"
DIGITS = 6
"""After the point, of numbers in the file."""
TOLERANCE = 2e-6
"""By how much a number may differ from the one in the file."""

Item = dict[str, Any]
"""A line of the file: a name, and what is compared."""

TINY = Rules.of(dice=1, faces=3)
THREE = Rules.of(players=3, dice=1, faces=3)
TWO_DICE = Rules.of(dice=2, faces=3)
JUMP = THREE.changed(jump_challenge=True)
RUNS = (
    (Setup(preset("liars_dice", faces=3), "exact", FULL, 0, 1), 20 * 9),
    (Setup(TINY, "exact", FULL, 0, 1), 20 * 9),
    (Setup(Rules.of(dice=1, faces=4), "tree", FULL, 0, 1), 40 * 16),
    (Setup(TWO_DICE, "tree", FULL, 0, 1), 40 * 36),
    (Setup(Rules.of(dice=2, faces=4), "tree", FULL, 0, 1), 20 * 100),
    (Setup(TINY, "mccfr", "bid,bid,face<10,face<10", 1, 1), 600),
    (Setup(THREE, "mccfr", "bid,bid,bid", 1, 1), 600),
    (Setup(JUMP, "mccfr", "bid,bid,bid", 1, 1), 600),
    (single_bid_setup(TWO_DICE), 20 * 36),
)
"""Each with its goal in iterations; an exact pass counts as one for each pair of hands."""


def committed() -> list[Item]:
    """What the file says."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def found() -> list[Item]:
    """What the code computes now."""
    return [*runs_apart(), *answers()]


def differences(before: list[Item], after: list[Item]) -> list[str]:
    """A line for each item that has changed, in words."""
    old, new = ({item["item"]: item for item in items} for items in (before, after))
    lines = [f"{name}: is gone" for name in old if name not in new]
    for name, item in new.items():
        if name not in old:
            lines.append(f"{name}: is new")
        elif not same(old[name], item):
            changed = [
                f"{key} {old[name].get(key)} -> {item.get(key)}"
                for key in dict.fromkeys([*old[name], *item])
                if not same(old[name].get(key), item.get(key))
            ]
            lines.append(f"{name}: {'; '.join(changed)}")
    return lines


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, numbers with a point within TOLERANCE."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= TOLERANCE
    if isinstance(one, dict) and isinstance(other, dict):
        return [*one] == [*other] and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def rounded(number: float) -> float:
    return round(number, DIGITS) + 0.0  # no -0.0


# Runs


def runs_apart() -> list[Item]:
    """The items of all runs, from a process in which kernels are interpreted."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fingerprint", "--interpreted"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=LONG,
        # Generators and hashes in kernels rely on integers that overflow, of which NumPy warns.
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONWARNINGS": "ignore::RuntimeWarning",
        },
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def runs() -> Iterator[Item]:
    """The items of all runs, in this process."""
    for setup, iterations in RUNS:
        yield solved(SolverRun(setup, setup.build(), iterations))
    yield learned("q", preset("increment", players=3, dice=2))
    yield learned("q as published", preset("published", players=3, dice=2))


def solved(run: SolverRun) -> Item:
    while run.done < run.goal:
        run.advance()
    policy = run.result()
    table = policy.table
    item = {
        "item": f"run: {run.setup.engine}, {run.setup.rules}",
        "strategy": digest(
            table.context.astype("<i8"),
            starts(table).astype("<i8"),
            table.action.astype("<i2"),
            dense(table).astype("<f4") + np.float32(0.0),
        ),
        "iterations": policy.training["iterations"],
        "rows": len(table.action),
        "value": rounded(policy.training["value"]),
    }
    if "exploitability" in policy.training:
        item["exploitability"] = rounded(policy.training["exploitability"])
    return item


def learned(name: str, rules: Rules) -> Item:
    """The item of a Q-learner, whose values are a table of numbers."""
    run = new_q_run(matches=20, seed=1, rules=rules)
    while run.done < run.goal:
        run.advance()
    values = run.result()
    return {
        "item": f"run: {name}",
        "values": digest(values.astype("<f8") + 0.0),
        "won": run.won,
        "sum": rounded(math.fsum(values.ravel().tolist())),
    }


def digest(*arrays: np.ndarray[Any, Any]) -> str:
    content = blake2b(digest_size=8)
    for array in arrays:
        content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()


# Answers

SHIPPED = (
    "11346",
    "11346 f3x2",
    "11346 f4x6",
    "11346 f5x6",
    "11346 z2x5",
    "11346 z3x6",
    "11111",
    "11111 f5x5",
    "11111 z4x1",
    "11111 z2x1",
    "22222",
    "22222 f4x2",
    "22222 f6x2",
    "22222 z3x1",
    "23456",
    "23456 f3x2",
    "23456 f4x2",
    "23456 f4x6",
    "23456 z2x6",
    "66666 f3x6 f4x6",
    "66666 f4x5 z2x6",
    "13355 f3x2 f4x2 f4x5",
    "13355 f4x3 f4x6 z3x4",
    "12345 f3x6 z2x6 z3x1",
    "12345 f3x6 z2x3",
    "22256 f3x3 f4x3",
    "22256 f10x6",
    "44556 f3x4",
    "44556 f4x4 f5x4",
    "44556 z5x5",
)
"""A hand, and the bids so far, oldest first."""
SINGLE_BID = ("11346", "11346 f4x6")
BY_RULE = ("12", "12 f4x3", "33 f5x2 z3x1")
"""For three players with two dice of three faces each."""


def answers() -> Iterator[Item]:
    """Fifty items: what policies advise."""
    for name, asked in (("zhaifei-2p", SHIPPED), ("single-bid", SINGLE_BID)):
        policy = load_policy(DATA / f"{name}.safetensors")
        for question in asked:
            yield answer(name, policy, question)
    rules = Rules.of(players=3, dice=2, faces=3, jump_challenge=True)
    for name in RULES:
        policy = rule_based(name, rules)
        assert isinstance(policy, TablePolicy)
        for question in BY_RULE:
            yield answer(name, policy, question)


def answer(name: str, policy: TablePolicy, question: str) -> Item:
    hand, *bids = question.split()
    bid = bids[-1] if bids else None
    advice = advise(policy, hand, bid, " ".join(bids[:-1]))
    return {"item": f"answer: {name}, {question}", **described(advice)}


def described(advice: Advice) -> Item:
    """What is compared of an answer: what is played with its value, and the sum of all values."""
    plays = {
        action.action: [rounded(action.probability), rounded(action.value)]
        for action in advice.ranked
        if action.probability > TOLERANCE
    }
    return {
        "on_path": [advice.on_path, advice.own_on_path],
        "true": [rounded(chance) for _, chance in advice.true],
        "plays": dict(sorted(plays.items())),
        "values": rounded(math.fsum(action.value for action in advice.actions)),
    }


def main() -> None:
    """Write the file, and print what changed."""
    if "--interpreted" in sys.argv:
        for item in runs():
            print(json.dumps(item, ensure_ascii=False))
        return
    before, after = committed() if FILE.exists() else [], found()
    changed = differences(before, after)
    print("\n".join(changed) or "nothing changed")
    if changed:
        lines = (json.dumps(item, ensure_ascii=False) for item in after)
        FILE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
