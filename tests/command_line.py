"""Runs the command line as a user does: in a process of its own, of this checkout."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LONG = 3600
"""Seconds after which a test gives up on what hangs: over ten times what the slowest takes on two
busy cores, compiling included. tests/test_limits.py sees to it that there is no other limit."""


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


def zhaifei(*arguments: object, **options: Any) -> Outcome:
    """Runs `zhaifei ARGUMENTS` to its end; `options` are those of subprocess.run."""
    done = subprocess.run(
        _command(arguments), capture_output=True, check=False, timeout=LONG, **_settings(options)
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def succeeds(*arguments: object, **options: Any) -> str:
    """Runs the command, checks that it went well, and returns what it printed."""
    outcome = zhaifei(*arguments, **options)
    assert outcome.code == 0, outcome
    return outcome.out


def solve(out: Path, *arguments: object) -> Solved:
    """Runs `zhaifei solve`, which must go well."""
    outcome = zhaifei("solve", *arguments, "--out", out)
    assert outcome.code == 0, outcome
    checkpoint = out.with_name(f"{out.name.removesuffix('.safetensors')}.checkpoint.safetensors")
    return Solved(out, checkpoint, outcome)


class Running:
    """A command that has been started; it is killed at the end of a `with` block."""

    def __init__(self, *arguments: object, **options: Any) -> None:
        self.process = subprocess.Popen(
            _command(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            **_settings(options),
        )  # fmt: skip

    def __enter__(self) -> "Running":
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
    return [sys.executable, "-m", "cli", *map(str, arguments)]


def environment(**variables: str) -> dict[str, str]:
    """Of a command: English, whatever the locale of the tests, unless `variables` say otherwise."""
    locale = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "C.UTF-8"}
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **locale, **variables}


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    # In the user's home, so that only PYTHONPATH says which cli runs.
    home = os.environ["HOME"]
    return {
        "stdin": subprocess.DEVNULL, "cwd": home, "env": environment(), "encoding": "utf-8",
        **options,
    }  # fmt: skip
