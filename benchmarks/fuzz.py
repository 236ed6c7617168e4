"""Fuzz parsers and files for a long time: `python -m benchmarks.fuzz --minutes 30`.

Half of the time goes to everything that reads text (`tests.fuzz.parsers`), half to files of all
kinds (`tests.fuzz.files`), or all of it to the half that `--only` names. The benchmark prints the
number of inputs of each, and each failure with a way to reproduce it. It ends with exit code 1 if
there was a failure. A run with the same seed tries the same inputs in the same order; their number
depends on the machine. Texts that fail go to `tests/corpus/texts.jsonl` once they are fixed.

Parsers run in a process of their own, which is killed if a parser does not return.
"""

from __future__ import annotations

import argparse
import ctypes
import multiprocessing
import queue
import sys
import time
from collections import Counter
from multiprocessing.queues import Queue
from multiprocessing.sharedctypes import Synchronized

from benchmarks._arguments import new_parser
from tests.command_line import LONG
from tests.fuzz.files import fuzz_files
from tests.fuzz.parsers import failure, fuzz_parsers
from tests.fuzz.result import FuzzResult

_SMALLEST = 32
"""The inputs of each part for `--smallest`: two files of each kind."""
_LOOK_SECONDS = 0.2
_BATCH_SECONDS = 10.0
"""Seconds after which a process reports its results."""


def main() -> None:
    options = _options()
    parts = [options.only] if options.only else ["parsers", "files"]
    seconds, count = 60.0 * options.minutes / len(parts), None
    if options.smallest:
        seconds, count, options.processes = float(LONG), _SMALLEST, 1
    result = FuzzResult()
    for part in parts:
        began = time.monotonic()
        if part == "parsers":
            found = fuzz_in_a_process(seconds, count, options.seed)
        else:
            found = fuzz_files(seconds, count, options.seed, options.processes)
        _print_counts(part, found, time.monotonic() - began)
        result += found
    for one in result.failures:
        print(one)
    print(f"{result.total:,} inputs, {len(result.failures):,} failures, seed {options.seed}")
    sys.exit(1 if result.failures else 0)


def fuzz_in_a_process(
    seconds: float, count: int | None, seed: int, patience: float = LONG
) -> FuzzResult:
    """Do the work of `fuzz_parsers` in a process of its own. An input that takes longer than
    `patience` seconds, or ends the process, is a failure, and later inputs are tried in a new
    process."""
    result, end, number = FuzzResult(), time.monotonic() + seconds, 0
    failed: int | None = None
    while time.monotonic() < end and (count is None or number < count):
        # Inputs that a stopped process had tried but not reported are tried again.
        until = failed if failed is not None else count
        left = None if until is None else until - number
        found, stopped = _session(end - time.monotonic(), left, seed, number, patience)
        result += found
        number += found.total
        if stopped is not None:
            failed, outcome = stopped
            broken = failure(seed, failed, outcome)
            result += FuzzResult(Counter([broken.kind]), [broken])
        if number == failed:
            number, failed = number + 1, None
    return result


def _session(
    seconds: float, count: int | None, seed: int, first: int, patience: float
) -> tuple[FuzzResult, tuple[int, str] | None]:
    """Return the results of one process, and the number and outcome of the input that stopped it,
    or None if it finished."""
    context = multiprocessing.get_context("spawn")
    current = context.Value(ctypes.c_int64, first)
    results = context.Queue()
    process = context.Process(target=_work, args=(seconds, count, seed, first, current, results))
    process.start()
    result, seen, since = FuzzResult(), -1, time.monotonic()
    while True:
        alive = process.is_alive()  # checked first, because a process reports only while it lives
        try:
            result += results.get(timeout=_LOOK_SECONDS)
            continue
        except queue.Empty:
            place = current.value
        if not alive:
            ended = process.exitcode == 0
            return result, None if ended else (place, f"exit code {process.exitcode}")
        if place != seen:
            seen, since = place, time.monotonic()
        elif time.monotonic() - since > patience:
            process.kill()
            process.join()
            return result, (place, f"did not return within {patience:g} s")


def _work(
    seconds: float,
    count: int | None,
    seed: int,
    first: int,
    current: Synchronized[int],
    results: Queue[FuzzResult],
) -> None:
    """Fuzz, and report the results from time to time."""
    end, number = time.monotonic() + seconds, first

    def note(place: int) -> None:
        current.value = place

    while time.monotonic() < end and (count is None or number < first + count):
        left = None if count is None else first + count - number
        batch = min(_BATCH_SECONDS, end - time.monotonic())
        found = fuzz_parsers(batch, left, seed, number, note)
        number += found.total
        results.put(found)


def _print_counts(what: str, result: FuzzResult, seconds: float) -> None:
    print(f"{what}: {result.total:,} inputs in {seconds:.0f} s, {len(result.failures)} failures")
    for kind, count in sorted(result.inputs.items()):
        print(f"  {count:>11,}  {kind}")


def _options() -> argparse.Namespace:
    parser = new_parser(__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="time in all; 30 by default")
    parser.add_argument("--only", choices=["parsers", "files"], help="leave out the other half")
    parser.add_argument("--processes", type=int, help="that use files; one per core by default")
    parser.add_argument("--seed", type=int, default=0, help="other inputs for each")
    return parser.parse_args()


if __name__ == "__main__":
    main()
