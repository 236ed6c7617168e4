"""Run `zhaifei solve` for rounds for penalty points, in this process or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.commands.options import LOCAL, verify_not_given
from zhaifei.app.terminal.commands.solve_options import SolveOptions, held_by, trained

if TYPE_CHECKING:
    from zhaifei.game.rules import Rules
    from zhaifei.policies.training.engines import Setup
    from zhaifei.policies.training.run_files import RunFiles
    from zhaifei.policies.training.solver_run import SavedRun, SolverRun


def solve_round(asked: SolveOptions) -> None:
    """Solve a round in this process, or continue from a checkpoint."""
    from zhaifei.policies.research import single_bid_engine  # noqa: F401  # may be resumed
    from zhaifei.policies.training.solver_run import resume_solver_run

    if asked.resume is None:
        planned = _planned(asked)
        with held_by(asked, asked.rules) as files:
            _train(asked, files, planned.begun())
        return
    verify_not_given(threads=asked.threads)
    with held_by(asked, None) as files:
        run = resume_solver_run(asked.resume, asked.iterations, asked.target)
        _train(asked, files, run)


def solve_on_cluster(asked: SolveOptions) -> None:
    """Solve a round with a tree that is spread over workers, or continue from a checkpoint of such
    a run."""
    from zhaifei.policies.training.plan import plan_of_setup
    from zhaifei.policies.training.scattered_run import (
        ScatteredRun,
        on_cluster,
        saved_on_cluster,
        verify_on_cluster,
    )

    planned = _planned(asked) if asked.resume is None else None
    if planned is not None:
        verify_on_cluster(planned.setup.engine)
    address = None if asked.cluster == LOCAL else asked.cluster
    with held_by(asked, asked.rules) as files:
        if planned is None:
            assert asked.resume is not None
            saved = saved_on_cluster(asked.resume, asked.iterations, asked.target)
        else:
            saved = planned
        # A cluster takes seconds to start, so refuse before.
        files.verify(plan_of_setup(saved.setup), saved.goal)
        with on_cluster(address, asked.threads) as start:
            if asked.resume is None:
                run = ScatteredRun(saved, start)
            else:
                run = ScatteredRun.resumed(asked.resume, start, asked.iterations, asked.target)
            _train(asked, files, run)


def _planned(asked: SolveOptions) -> SavedRun:
    """Return a new run for the options."""
    from zhaifei.policies.training.solver_run import planned_run, solver_setup

    rules = asked.rules
    assert rules is not None
    if asked.single_bid:
        setup = _single_bid_setup(asked, rules)
    else:
        setup = solver_setup(rules, asked.engine, asked.recall, asked.seed, asked.threads)
    return planned_run(setup, asked.iterations, asked.target)


def _single_bid_setup(asked: SolveOptions, rules: Rules) -> Setup:
    from zhaifei.policies.research.single_bid_engine import single_bid_setup

    if asked.engine is not None or asked.recall is not None:
        raise click.UsageError(
            say(
                "--single-bid is an engine of its own, which remembers the last bid: leave out "
                "--engine and --recall"
            )
        )
    return single_bid_setup(rules, asked.seed)


def _train(asked: SolveOptions, files: RunFiles, run: SolverRun) -> None:
    """Train, and print the result."""
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.training import describe_progress, print_solved

    console = new_console()
    result = trained(
        asked,
        console,
        files,
        run,
        run.setup,
        lambda progress: describe_progress(progress, run.figures()),
    )
    print_solved(console, result, run.figures(), asked.cluster)
