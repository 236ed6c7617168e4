"""SIGINT and SIGTERM at random moments of `zhaifei solve`: none may be lost or do damage.

    python -m benchmarks.signals --moments 50

`--moments` moments of each signal are spread over five phases: the program is imported, the first
step compiles, it trains, it writes a checkpoint, and the end of training and later. After each
signal, the process must have ended with a documented exit code and without a traceback. Policy and
checkpoint must be absent or whole, and the next run must leave no other file.

Before the first line of the program Python ends the process, in its own way.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchmarks._arguments import new_parser
from zhaifei import cli
from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.signals import exit_code
from zhaifei.policies.training.run_paths import checkpoint_path

SIGNALS = (signal.SIGINT, signal.SIGTERM)
GAMES = (
    ("--rules", "liars_dice"),
    ("--dice", "1", "--faces", "3", "--recall", "bid,bid", "--threads", "2"),
)
"""The first game compiles in the main thread, the second in other threads."""
ENDLESS = ("--iterations", "1e15")
STARTED = "checkpoints go to"
"""Printed when everything but kernels has been loaded."""
PATIENCE = 120.0
"""Seconds after which a signal counts as lost."""
GLANCE = 0.0005
"""Seconds between two looks at the files of a run."""
GOOD = ("saved", "ended at once", "was done", "by Python")

Process = subprocess.Popen[str]


@dataclass(frozen=True)
class Phase:
    """The time of a signal: a random moment after an event."""

    name: str
    options: tuple[str, ...]
    begun: Callable[[Process, Path], bool]
    """Whether the phase has begun, given the process and its policy file."""
    seconds: float
    """The latest moment, in seconds after the beginning of the phase."""
    cold: bool = False
    """Whether the process must compile everything."""


def phases(importing: float, compiling: float) -> tuple[Phase, ...]:
    """Return all phases, given the seconds that the first two take."""
    often, seldom = ("--checkpoint-every", "0.001s"), ("--checkpoint-every", "0.1s")
    return (
        Phase("importing", ENDLESS, lambda process, out: True, importing),
        Phase("compiling", ENDLESS, has_started, compiling, cold=True),
        Phase("training", (*ENDLESS, *seldom), has_checkpoint, 0.5),
        Phase("writing", (*ENDLESS, *often), writes_again, 0.003),
        Phase("ending", ("--iterations", "20000"), lambda process, out: out.exists(), 0.2),
    )


def has_started(process: Process, out: Path) -> bool:
    """Wait until the process prints that everything but kernels has been loaded."""
    return any(STARTED in line for line in output_of(process))


def has_checkpoint(process: Process, out: Path) -> bool:
    """Return whether a checkpoint has been written."""
    return checkpoint_path(out).exists()


def writes_again(process: Process, out: Path) -> bool:
    """Return whether a checkpoint other than the first is being written."""
    names = os.listdir(out.parent)
    return len(names) > 1 and any(name.startswith(".") for name in names)


def output_of(process: Process) -> IO[str]:
    """Return the stream of the process's output."""
    assert process.stdout is not None
    return process.stdout


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--moments", type=int, default=50, help="of each signal")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    # A shell that starts this in the background makes it ignore SIGINT, and processes started from
    # here would ignore it too before their first line.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        moments = 1 if arguments.smallest else arguments.moments
        print(f"$ python -m {__spec__.name} --moments {moments} --seed {arguments.seed}\n")
        warm_up(place)
        tried = phases(0.0, 0.0)[2:3] if arguments.smallest else phases(*measure(place))
        bad, draw = 0, random.Random(arguments.seed)
        for number in SIGNALS:
            for turn, phase in enumerate(tried):
                share = range(moments)[turn :: len(tried)]
                found = Counter(
                    outcome(phase, number, GAMES[which % len(GAMES)], place, draw)
                    for which in range(len(share))
                )
                bad += sum(times for what, times in found.items() if what not in GOOD)
                counts = ", ".join(f"{times} {what}" for what, times in sorted(found.items()))
                print(f"{number.name:8} {phase.name:10} {len(share):3}: {counts}", flush=True)
    print(f"\n{bad} of {len(SIGNALS) * moments} lost or with damage")
    sys.exit(bad > 0)


def warm_up(place: Path) -> None:
    """Compile the kernels that the games need."""
    for game in GAMES:
        solve_here(*game, "--iterations", "20000", "--overwrite", "--out", place / "warm")


def measure(place: Path) -> tuple[float, float]:
    """Return the seconds that it takes to import the program and, in a first run, to compile; print
    them."""
    out = place / "measured.safetensors"
    began = time.monotonic()
    with running(GAMES[0], ENDLESS, out, cold=True) as process:
        assert has_started(process, out)
        imported = time.monotonic()
        output_of(process).readline()  # the first line of progress
        compiled = time.monotonic()
    print(f"importing takes {imported - began:.1f} s, compiling {compiled - imported:.1f} s\n")
    return imported - began, compiled - imported


def outcome(
    phase: Phase, number: signal.Signals, game: tuple[str, ...], place: Path, draw: random.Random
) -> str:
    """Send the signal at a random moment of the phase, and return the outcome."""
    with tempfile.TemporaryDirectory(dir=place) as directory:
        out = Path(directory) / "policy.safetensors"
        with running(game, phase.options, out, cold=phase.cold) as process:
            while not phase.begun(process, out) and process.poll() is None:
                time.sleep(GLANCE)
            time.sleep(draw.uniform(0.0, phase.seconds))
            process.send_signal(number)
            try:
                said, errors = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                return "lost"
        what = damage(game, out) or ending(process.returncode, said, errors, number)
        if what not in GOOD:
            how = f"{number.name} while {phase.name}, exit code {process.returncode}"
            print(f"{what}: {how}", said, errors, sep="\n", flush=True)
        return what


def ending(code: int, said: str, errors: str, number: signal.Signals) -> str:
    """Return how the process ended."""
    if code == -number or "Fatal Python error" in errors:
        return "by Python"
    if "Traceback" in errors:
        return "traceback"
    if code == exit_code(number):
        return "ended at once"
    if code == 0:
        return "saved" if "stopped early" in said else "was done"
    return f"exit code {code}"


def damage(game: tuple[str, ...], out: Path) -> str | None:
    """Return a fault of the files, before or after another run, or None."""
    checkpoint = checkpoint_path(out)
    if out.exists():
        try:
            load_policy(out)
        except ZhaifeiError:
            return "damaged policy"
    start = ("--resume", checkpoint) if checkpoint.exists() else (*game, *ENDLESS)
    if solve_here(*start, "--time-limit", "0.05s", "--keep-checkpoint", "--out", out):
        return "no next run"
    return None if {*out.parent.iterdir()} == {out, checkpoint} else "stray files"


def solve_here(*arguments: object) -> int:
    """Run `zhaifei solve` in this process, and return its exit code."""
    with contextlib.redirect_stdout(io.StringIO()):
        return cli.run(["solve", *map(str, arguments)])


@contextlib.contextmanager
def running(
    game: tuple[str, ...], options: tuple[str, ...], out: Path, *, cold: bool
) -> Iterator[Process]:
    """Run `zhaifei solve` in a process, which is killed at the end at the latest."""
    with tempfile.TemporaryDirectory() as cache:
        changed = {"NUMBA_CACHE_DIR": cache} if cold else {}
        process = subprocess.Popen(
            [sys.executable, "-m", "zhaifei", "solve", *game, *options, "--out", str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "LC_ALL": "C.UTF-8", **changed},
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    main()
