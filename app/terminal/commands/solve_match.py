"""What `zhaifei solve` does for whole matches of two in which dice are lost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.locale import say

if TYPE_CHECKING:
    from game.rules import Rules


def verify_for_match(options: Mapping[str, object]) -> None:
    """Raise UsageError for the first of `options`, by name, that was given: they are for rounds for
    penalty points."""
    for name, value in options.items():
        if value is not None:
            raise click.UsageError(
                say(
                    "{option} is for rounds for penalty points; by these rules dice are lost, and "
                    "all rounds of a match are solved",
                    option=f"--{name}",
                )
            )


def solve_match(
    rules: Rules | None,
    resume: Path | None,
    out: Path | None,
    iterations: int | None,
    threads: int | None,
    *,
    time_limit: float | None,
    checkpoint_every: float,
) -> None:
    """Solve all rounds of the match by `rules`, or go on from the checkpoint `resume`."""
    from app.terminal.console import new_console
    from app.terminal.printed.match_training import describe_match_progress, print_match_solved
    from app.terminal.printed.training import describe_setup
    from app.terminal.run_on_screen import train_on_screen
    from policies.catalogue.known import default_path
    from policies.training.match_run import new_match_run, resume_match_run
    from policies.training.run import checkpoint_path, resumed_out, verify_can_write

    if resume is not None:
        run = resume_match_run(resume, iterations)
        out = resumed_out(resume, out)
    else:
        assert rules is not None
        run = new_match_run(rules, iterations=iterations, threads=threads)
        out = out or default_path(rules, make=True)
    verify_can_write(out)
    console = new_console()
    console.print(describe_setup(run.setup), soft_wrap=True)
    console.print(say("checkpoints go to {path}", path=checkpoint_path(out)), soft_wrap=True)
    result = train_on_screen(
        console,
        run,
        out,
        lambda progress: describe_match_progress(progress, run.figures()),
        checkpoint_every=checkpoint_every,
        time_limit=time_limit or math.inf,
    )
    console.print()
    print_match_solved(console, result, run.figures())
