"""The first answer on a new machine: what commands compile before and after they say something.

    python -m benchmarks.first_answer

Each command runs in a process of its own, with an empty cache of kernels, and once more with the
cache that this leaves. Times are seconds of the process on all cores, which a busy machine hardly
changes: until the first line, until the first line that answers, and in all. `kernels` is how many
kernels were compiled for a file of their own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple

from benchmarks._arguments import new_parser

_TICKS = os.sysconf("SC_CLK_TCK")


class Case(NamedTuple):
    """A command, and what its first answer looks like."""

    words: str
    answers: str
    """A regular expression for a line."""
    typed: str = ""
    """What a person types."""


COMMANDS = (
    Case("query --hand 11346 --bid f4x6", "%"),
    Case("play --seed 1", "zhaifei-2p.*(×|challenge)", "46\n"),
    Case("solve --dice 2 --iterations 1e3 --out {folder}/small.safetensors", "NashConv|exploitab"),
    Case("evaluate {folder}/small.safetensors", "exploitab"),
)
SMALLEST = (Case("query --dice 1 --faces 2 --hand 1 --policy honest", "%"),)


class Times(NamedTuple):
    """Processor seconds of one process; None if there was no such line."""

    line: float | None
    answer: float | None
    all: float


def run(case: Case, folder: Path, variables: Mapping[str, str]) -> Times:
    """Return the times of a command that writes into `folder`, with these environment variables."""
    words = [sys.executable, "-m", "zhaifei", *case.words.format(folder=folder).split()]
    process = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **variables},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(case.typed)
    process.stdin.close()
    line, answer = _lines(process.stdout, process.pid, case.answers)
    _, _, used = os.wait4(process.pid, 0)
    return Times(line, answer, used.ru_utime + used.ru_stime)


def _lines(output: IO[str], pid: int, answers: str) -> tuple[float | None, float | None]:
    """Return the seconds that the process had used at its first line and at its first answer."""
    first, answer = None, None
    for text in output:
        used = _used(pid)
        first = used if first is None else first
        if answer is None and re.search(answers, text):
            answer = used
    return first, answer


def _used(pid: int) -> float | None:
    """Return the processor seconds that a process has used so far, or None if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / _TICKS


def main() -> None:
    """Run the command."""
    arguments = new_parser(__doc__).parse_args()
    print(f"$ python -m {__spec__.name}\n")
    print(f"{'':52} first line   answer      all   kernels")
    with tempfile.TemporaryDirectory() as name:
        for number, case in enumerate(SMALLEST if arguments.smallest else COMMANDS):
            cache = Path(name) / f"cache{number}"
            variables = {"NUMBA_CACHE_DIR": str(cache), "LANG": "C.UTF-8"}
            for words in (case.words.format(folder="."), "  again"):
                times = run(case, Path(name), variables)
                seconds = " ".join(f"{_shown(one):>10}" for one in times)
                kernels = len([*cache.rglob("*.nbc")])
                print(f"{words[:52]:52} {seconds}   {kernels:7}", flush=True)


def _shown(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.1f}"


if __name__ == "__main__":
    main()
