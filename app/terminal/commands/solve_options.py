"""Hold the options of `zhaifei solve`, and run the steps that all its runs share."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from zhaifei.app.locale import say

if TYPE_CHECKING:
    from rich.console import Console

    from zhaifei.game.rules import Rules
    from zhaifei.policies.training.engines import Setup
    from zhaifei.policies.training.run import Progress, Run, RunResult
    from zhaifei.policies.training.run_files import RunFiles
    from zhaifei.policies.training.solver_run import EngineChoice

Trained = TypeVar("Trained")


@dataclass(frozen=True)
class SolveOptions:
    """The values of the options; None for options that were not given."""

    rules: Rules | None
    """None if `resume` sets them."""
    resume: Path | None
    """The checkpoint from which a run continues."""
    out: Path | None
    overwrite: bool
    iterations: int | None
    target: float | None
    seed: int | None
    threads: int | None
    engine: EngineChoice | None
    recall: str | None
    single_bid: bool | None
    cluster: str | None
    time_limit: float | None
    checkpoint_every: float


def held_by(asked: SolveOptions, rules: Rules | None) -> AbstractContextManager[RunFiles]:
    """Hold the files of the run, which is for these `rules` unless it is resumed. Raise
    ZhaifeiError if another process holds the files or they cannot be written."""
    from zhaifei.app.terminal.console import new_console, warn
    from zhaifei.policies.training.run_files import held_files

    out, on_warning = _out(asked, rules), warn(new_console())
    return held_files(out, asked.resume, overwrite=asked.overwrite, on_warning=on_warning)


def trained(
    asked: SolveOptions,
    console: Console,
    files: RunFiles,
    run: Run[Trained],
    setup: Setup,
    describe: Callable[[Progress], str],
) -> RunResult[Trained]:
    """Print the setup that determines the run, and train, with progress on screen as `describe`
    words it. Raise ZhaifeiError if a file cannot be written, or must not be replaced."""
    from zhaifei.app.terminal.printed.training import describe_setup
    from zhaifei.app.terminal.run_on_screen import train_on_screen

    files.verify(run.plan, run.goal)
    console.print(describe_setup(setup, asked.cluster), soft_wrap=True)
    console.print(say("checkpoints go to {path}", path=files.checkpoint), soft_wrap=True)
    result = train_on_screen(
        console,
        run,
        files,
        describe,
        checkpoint_every=asked.checkpoint_every,
        time_limit=asked.time_limit or math.inf,
    )
    console.print()
    return result


def _out(asked: SolveOptions, rules: Rules | None) -> Path:
    """Return the path of the policy file."""
    from zhaifei.policies.catalogue.known import default_path
    from zhaifei.policies.training.run import resumed_out

    if asked.resume is not None:
        return resumed_out(asked.resume, asked.out)
    assert rules is not None
    return asked.out or default_path(rules, make=True)
