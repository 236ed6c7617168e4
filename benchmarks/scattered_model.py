"""A model of how long a pass takes on many machines, from what a tree cut for them weighs here.

    python -m benchmarks.scattered_model --dice 5 --passes 48 --machines 4 16 64

A tree is trained in this process for `--passes` passes, cut for each number of machines as a
cluster would cut it, and walked. These walks measure how evenly the work is divided, the time of
the trunk and the bytes sent each way. The model assumes that a tree of `--nodes` is cut like this
one, and adds

- the walk of the machine with the most work: its share of all nodes, times the seconds per node
  measured here on one core, divided by `--cores` times `--efficiency`;
- the trunk, as measured: its size depends on the number of parts and not on the nodes;
- two round trips a pass, one for each player, of `--latency` seconds, and all bytes through the one
  link of the driver, `--bandwidth` bytes a second.

Growth is not in the model: it looks at all nodes about once in twenty passes, as one pass does.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from benchmarks._arguments import new_parser
from benchmarks.scattered_pass import Counting, bytes_of_pass
from zhaifei.game.rules import Rules
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.scattered_run import ScatteredEngine
from zhaifei.solver.cfr.tree_cfr import is_large
from zhaifei.solver.scattered.transport import InProcess

_WALKS = 5


@dataclass(frozen=True)
class Cut:
    """A tree cut for a number of machines, and its passes as measured."""

    nodes: int
    parts: int
    uneven: float
    """The work of the machine with the most work, over the mean of all."""
    driver: float
    """Seconds of a pass in which the driver works."""
    workers: float
    """Seconds of a pass in which workers work, summed over all workers, on one core."""
    sent: int
    received: int


def measured(rules: Rules, passes: int, machines: int) -> Cut:
    """Train a tree and cut it for `machines` machines; return the measurements of passes without
    growth."""
    workers = Counting(InProcess(rules, machines, None, large=is_large(rules)))
    engine = ScatteredEngine(Setup(rules, "tree", "full", 0, 1), workers)
    while engine.passes < passes:
        engine.advance()
    sent, received = bytes_of_pass(engine, workers)
    seconds, walked = [], []
    for _ in range(_WALKS):
        before = np.array([load.seconds for load in engine.scattered.loads])
        began = time.perf_counter()
        engine.improve()
        seconds.append(time.perf_counter() - began)
        walked.append(np.array([load.seconds for load in engine.scattered.loads]) - before)
    each, tree = np.mean(walked, axis=0), engine.scattered
    return Cut(
        len(tree),
        len(tree.holdings),
        float(each.max() / each.mean()),
        float(np.mean(seconds) - each.sum()),
        float(each.sum()),
        sent,
        received,
    )


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--dice", type=int, default=5)
    parser.add_argument("--passes", type=int, default=48)
    parser.add_argument("--machines", type=int, nargs="+", default=[4, 16, 64])
    parser.add_argument("--nodes", type=float, default=1e8)
    parser.add_argument("--cores", type=int, default=16)
    parser.add_argument("--efficiency", type=float, default=0.8)
    parser.add_argument("--latency", type=float, default=1e-3)
    parser.add_argument("--bandwidth", type=float, default=1.25e9)
    arguments = parser.parse_args()
    rules, passes, counts = Rules.of(dice=arguments.dice), arguments.passes, arguments.machines
    if arguments.smallest:
        rules, passes, counts = Rules.of(dice=2, faces=3), 20, [2]
    print(
        "| machines | parts | most work / mean | trunk, s | MB a pass | walk, s | transfer, s | "
        "s a pass | speed-up |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    speed = arguments.cores * arguments.efficiency
    for machines in counts:
        cut = measured(rules, passes, machines)
        all_nodes = arguments.nodes * cut.workers / cut.nodes
        walk = all_nodes / machines * cut.uneven / speed
        moved = cut.sent + cut.received
        transfer = 2 * arguments.latency + moved / arguments.bandwidth
        whole = walk + cut.driver + transfer
        print(
            f"| {machines} | {cut.parts} | {cut.uneven:.2f} | {cut.driver:.3f} | {moved / 1e6:.1f} "
            f"| {walk:.2f} | {transfer:.3f} | {whole:.2f} | {all_nodes / speed / whole:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
