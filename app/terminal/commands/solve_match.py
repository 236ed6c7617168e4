"""Run `zhaifei solve` for whole matches of two in which dice are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.commands.options import verify_not_given
from zhaifei.app.terminal.commands.solve_options import SolveOptions, held_by, trained

if TYPE_CHECKING:
    from zhaifei.policies.training.match_run import MatchRun


def solve_match(asked: SolveOptions) -> None:
    """Solve all rounds of a match, or continue from a checkpoint."""
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.match_training import (
        describe_match_progress,
        print_match_solved,
    )

    _verify_options(asked)
    console = new_console()
    with held_by(asked, asked.rules) as files:
        run = _run(asked)
        result = trained(
            asked,
            console,
            files,
            run,
            run.setup,
            lambda progress: describe_match_progress(progress, run.figures()),
        )
    print_match_solved(console, result, run.figures())


def _verify_options(asked: SolveOptions) -> None:
    """Raise UsageError for the first given option that only applies to rounds for penalty points,
    and for --threads where the checkpoint sets them."""
    for_rounds = {
        "engine": None if asked.engine == "tree" else asked.engine,
        "recall": asked.recall,
        "single-bid": asked.single_bid,
        "target": asked.target,
        "seed": asked.seed,
        "cluster": asked.cluster,
    }
    for name, value in for_rounds.items():
        if value is not None:
            raise click.UsageError(
                say(
                    "{option} is for rounds for penalty points; by these rules dice are lost, and "
                    "all rounds of a match are solved",
                    option=f"--{name}",
                )
            )
    if asked.resume is not None:
        verify_not_given(threads=asked.threads)


def _run(asked: SolveOptions) -> MatchRun:
    from zhaifei.policies.training.match_run import new_match_run, resume_match_run

    if asked.resume is not None:
        return resume_match_run(asked.resume, asked.iterations)
    assert asked.rules is not None
    return new_match_run(asked.rules, iterations=asked.iterations, threads=asked.threads)
