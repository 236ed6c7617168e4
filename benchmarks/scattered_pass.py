"""Seconds and bytes of a pass with the tree in other processes, against the threads of one.

    pip install ".[cluster]"
    python -m benchmarks.scattered_pass --dice 5 --passes 60

A tree is trained for `--passes` passes twice: by threads of this process, one for each processor,
and on a Ray cluster of this machine. The cluster first has one worker with all processors, and then
one worker for each processor. Then both trees go on in turn, some passes each, growth included. The
ratio is of these times, with the least and the greatest ratio of all turns. Both trees are the
same, bit for bit. The bytes are of all messages of one pass without growth, pickled.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Mapping
from typing import Any

from benchmarks._arguments import new_parser
from zhaifei.game.rules import Rules
from zhaifei.policies.training.engines import Setup, TreeEngine
from zhaifei.policies.training.scattered_run import ScatteredEngine, on_cluster
from zhaifei.solver.scattered.transport import Transport
from zhaifei.solver.scattered.worker import Span


class Counting:
    """A Transport that counts the bytes that pass through another one while `counts` is set."""

    def __init__(self, workers: Transport) -> None:
        self._workers, self.counts, self.sent, self.received = workers, False, 0, 0

    def __len__(self) -> int:
        return len(self._workers)

    def call(self, method: str, arguments: Mapping[int, tuple[Any, ...]]) -> dict[int, Any]:
        """See Transport."""
        answers = self._workers.call(method, arguments)
        if self.counts:
            self.sent += sum(_size(given) for given in arguments.values())
            self.received += sum(_size(answer) for answer in answers.values())
        return answers

    def move(self, number: int, span: Span, source: int, target: int) -> None:
        """See Transport."""
        self._workers.move(number, span, source, target)

    def close(self) -> None:
        """See Transport."""
        self._workers.close()


def _size(message: object) -> int:
    return len(pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))


def bytes_of_pass(engine: TreeEngine, workers: Counting) -> tuple[int, int]:
    """Do a pass without growth; return the bytes sent to workers, and the bytes received."""
    workers.counts, workers.sent, workers.received = True, 0, 0
    engine.improve()
    workers.counts = False
    return workers.sent, workers.received


def seconds_of(engine: TreeEngine, passes: int) -> float:
    """Return the seconds of `passes` passes."""
    began = time.perf_counter()
    for _ in range(passes):
        engine.advance()
    return time.perf_counter() - began


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--dice", type=int, default=5)
    parser.add_argument("--passes", type=int, default=60)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--turn", type=int, default=4, help="passes of a turn")
    arguments = parser.parse_args()
    rules, passes = Rules.of(dice=arguments.dice), arguments.passes
    if arguments.smallest:
        rules, passes = Rules.of(dice=2, faces=3), 20
    cores = os.cpu_count() or 1
    print(
        "| workers x threads | nodes | seconds a pass, threads | on Ray | ratio (least, most) | "
        "bytes sent | received |"
    )
    print("|---|---|---|---|---|---|---|")
    setup = Setup(rules, "tree", "full", 0, cores)
    for threads in sorted({cores, 1}, reverse=True):
        with on_cluster(None, threads) as start:
            workers = Counting(start(rules))
            scattered, alone = ScatteredEngine(setup, workers), TreeEngine(rules, threads=cores)
            for engine in (scattered, alone):
                while engine.passes < passes:
                    engine.advance()
            turns = [
                (seconds_of(alone, arguments.turn), seconds_of(scattered, arguments.turn))
                for _ in range(arguments.turns)
            ]
            assert scattered.nash_conv == alone.nash_conv, "the trees differ"
            sent, received = bytes_of_pass(scattered, workers)
        all_passes = arguments.turns * arguments.turn
        own, other = (sum(seconds) / all_passes for seconds in zip(*turns, strict=True))
        ratios = [ray / threaded for threaded, ray in turns]
        print(
            f"| {len(workers)} x {threads} | {len(alone.grown):,} | {own:.3f} | {other:.3f} | "
            f"{other / own:.2f} ({min(ratios):.2f}, {max(ratios):.2f}) | {sent:,} | {received:,} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
