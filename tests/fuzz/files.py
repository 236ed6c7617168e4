"""Fuzz the files that zhaifei reads: real ones are damaged, read, and used, in processes of their
own, so that a crash or a hang is seen.

Whatever a file contains, it is refused with one line, or it works.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from tests.command_line import ROOT, environment
from tests.fuzz.result import Failure, FuzzResult
from tests.fuzz.samples import WRITERS, write_samples
from tests.fuzz.worker import FINE, REFUSED, damaged

CORPUS = ROOT / "tests" / "corpus" / "files"
"""Files that are tried in every run: those that once failed, and those that `tests.fuzz.corpus`
chose. Their names begin with their kind and a full stop."""

_SMALL_THREADS = {"MALLOC_ARENA_MAX": "1", "OMP_STACKSIZE": "1M"}
"""A file may ask for as many threads as the command line. They must fit into the memory that a
process may take."""


class Worker:
    """A process of `tests.fuzz.worker`, started again whenever a file has killed it."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.directory, self._seed = directory, seed
        directory.mkdir(exist_ok=True)
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.fuzz.worker", str(self.directory), str(self._seed)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=ROOT,
            env=environment(**_SMALL_THREADS),
        )
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the fuzzing process ended with {process.wait()}")
        return process

    def try_file(self, name: str, what: str) -> str:
        """Return how the file, of the kind `name`, ends: `what` is its path or `#` and its
        number."""
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{name} {what}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if answer:
            return str(json.loads(answer))
        code = process.wait()
        self.process = self._start()
        if code == -signal.SIGPROF:
            return "hangs"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def fuzz_files(
    seconds: float | None, count: int | None, seed: int, processes: int | None = None
) -> FuzzResult:
    """Damage and use `count` files, or as many as there is time for in `seconds`; equal seeds give
    equal files. The number of `processes` that work on them is that of cores unless it is given."""
    result, lock = FuzzResult(), Lock()
    end = None if seconds is None else time.monotonic() + seconds
    numbers = iter(range(sys.maxsize if count is None else count))
    names = list(WRITERS)

    def following() -> int | None:
        with lock:
            return None if end is not None and time.monotonic() >= end else next(numbers, None)

    def work(place: int) -> None:
        worker = Worker(Path(directory) / str(place), seed)
        try:
            while (number := following()) is not None:
                name = names[number % len(names)]
                outcome = worker.try_file(name, f"#{number}")
                with lock:
                    result.inputs[name] += 1
                    if outcome not in (FINE, REFUSED):
                        how = f"python -m tests.fuzz.files {name} {seed} {number}"
                        result.failures.append(Failure(name, outcome, how))
        finally:
            worker.close()

    processes = processes or os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(processes) as pool:
        for job in [pool.submit(work, place) for place in range(processes)]:
            job.result()
    return result


def main(name: str, seed: str, number: str) -> None:
    """Write the damaged file of this number into the directory of those that once failed."""
    with tempfile.TemporaryDirectory() as directory:
        samples = write_samples(Path(directory))
    CORPUS.mkdir(parents=True, exist_ok=True)
    path = CORPUS / f"{name}.{seed}-{number}.safetensors"
    path.write_bytes(damaged(samples, name, int(seed), int(number)))
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
