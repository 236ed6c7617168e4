"""Run the command line of this checkout: in the process of the test, which is fast, or in one of
its own where signals, terminals, limits or start-up are the subject."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from click.testing import CliRunner

from zhaifei.app.locale import choose
from zhaifei.cli import run
from zhaifei.policies.training.run_paths import checkpoint_path

ROOT = Path(__file__).parent.parent
LONG = 3600
"""Seconds after which a test gives up on what hangs: over ten times what the slowest takes on two
busy cores, compiling included. tests/test_limits.py sees to it that there is no other limit."""
_COMPILING = re.compile(r"\d+:\d\d  compiling, on first use only; functions so far: \d+$")
"""A line of progress of a command that happens to be the first of a test run."""


NO_CHECKPOINT = (
    "with --keep-checkpoint, a finished run keeps its checkpoint, and --resume takes it further"
)
"""The last line of a finished run that kept none."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Solved:
    """A policy file, its checkpoint, and what `solve` printed."""

    policy: Path
    checkpoint: Path
    outcome: Outcome


def zhaifei(
    *arguments: object, typed: str | bytes = "", cwd: Path | None = None, **variables: str
) -> Outcome:
    """Run `zhaifei ARGUMENTS` to its end in this process, as if it were one of its own: it reads
    what is `typed`, starts in `cwd` or in the user's home, and has these environment variables."""
    runner = CliRunner(env={**ENGLISH, "COLUMNS": "100", **variables})
    home = Path(os.environ["HOME"])
    with contextlib.chdir(cwd or home), runner.isolation(typed) as (out, err, _):
        try:
            code = run([*map(str, arguments)])
        finally:
            choose("en")
        sys.stdout.flush()
        sys.stderr.flush()
        return Outcome(code, out.getvalue().decode(), err.getvalue().decode())


def zhaifei_process(*arguments: object, **options: Any) -> Outcome:
    """Run `zhaifei ARGUMENTS` to its end in a process of its own; `options` are those of
    subprocess.run."""
    done = subprocess.run(
        _command(arguments), capture_output=True, check=False, timeout=LONG, **_settings(options)
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def succeeds(*arguments: object, **options: Any) -> str:
    """Run the command as `zhaifei` does, check that it went well, and return what it printed."""
    outcome = zhaifei(*arguments, **options)
    assert outcome.code == 0, outcome
    return outcome.out


def refused(*arguments: object, says: tuple[str, ...], **options: Any) -> None:
    """Check that the command prints one line of error with these fragments, and nothing else."""
    outcome = zhaifei(*arguments, **options)
    verify_refused(outcome, *says)
    assert outcome.out == ""


def without_progress(errors: str) -> list[str]:
    """Return the lines of `errors` without the progress of compiling, which the cache decides."""
    return [line for line in errors.splitlines() if not _COMPILING.match(line)]


def verify_refused(outcome: Outcome, *fragments: str) -> None:
    """Check that the command ended with one line of error, which has these fragments."""
    assert outcome.code == 2, outcome
    lines = without_progress(outcome.err)
    assert len(lines) == 1, outcome
    assert lines[0].startswith("zhaifei: ")
    for fragment in fragments:
        assert fragment in lines[0]


def solve(out: Path, *arguments: object) -> Solved:
    """Run `zhaifei solve --keep-checkpoint`, which must go well."""
    outcome = zhaifei("solve", *arguments, "--keep-checkpoint", "--out", out)
    assert outcome.code == 0, outcome
    return Solved(out, checkpoint_path(out), outcome)


class Running:
    """A command that has been started; it is killed at the end of a `with` block."""

    def __init__(self, *arguments: object, **options: Any) -> None:
        self.process = subprocess.Popen(
            _command(arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **_settings(options),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.communicate()

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Waits while the command runs."""
        end = time.monotonic() + LONG
        while not holds():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end
            time.sleep(0.02)

    def send(self, number: signal.Signals) -> Outcome:
        """Sends a signal, and waits for the end."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=LONG)
        return Outcome(self.process.returncode, out, err)


def _command(arguments: tuple[object, ...]) -> list[str]:
    return [sys.executable, "-m", "zhaifei", *map(str, arguments)]


ENGLISH = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "C.UTF-8"}
"""A locale, so that commands speak English wherever the tests run."""


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of a process: English, unless `variables` say otherwise."""
    return {**os.environ, "COLUMNS": "100", **ENGLISH, **variables}


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    # In the user's home, where nothing of ours is found by accident.
    home = os.environ["HOME"]
    return {
        "stdin": subprocess.DEVNULL,
        "cwd": home,
        "env": environment(),
        "encoding": "utf-8",
        **options,
    }
