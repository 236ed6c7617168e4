"""What `zhaifei solve` does for rounds for penalty points, in this process or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.terminal.commands.options import LOCAL, verify_not_given
from app.terminal.commands.solve_options import SolveOptions, trained

if TYPE_CHECKING:
    from policies.training.solver_run import SavedRun, SolverRun


def solve_round(asked: SolveOptions) -> None:
    """Solve a round in this process, or go on from a checkpoint."""
    from policies.training.solver_run import resume_solver_run

    if asked.resume is None:
        _train(asked, _planned(asked).begun())
        return
    verify_not_given(threads=asked.threads)
    _train(asked, resume_solver_run(asked.resume, asked.iterations, asked.target))


def solve_on_cluster(asked: SolveOptions) -> None:
    """Solve a round with a tree that is spread over workers, or go on from a checkpoint of such a
    run."""
    from policies.training.scattered_run import (
        ScatteredRun,
        on_cluster,
        saved_on_cluster,
        verify_on_cluster,
    )

    if asked.resume is None:  # a cluster takes seconds to start: refuse before
        verify_on_cluster(_planned(asked).setup.engine)
    else:
        saved_on_cluster(asked.resume, asked.iterations, asked.target)
    with on_cluster(None if asked.cluster == LOCAL else asked.cluster, asked.threads) as start:
        if asked.resume is None:
            run = ScatteredRun(_planned(asked), start)
        else:
            run = ScatteredRun.resumed(asked.resume, start, asked.iterations, asked.target)
        _train(asked, run)


def _planned(asked: SolveOptions) -> SavedRun:
    """Return the run that begins."""
    from policies.training.solver_run import planned_run, solver_setup

    assert asked.rules is not None
    setup = solver_setup(
        asked.rules, asked.recall, bool(asked.single_bid), asked.seed, asked.threads
    )
    return planned_run(setup, asked.iterations, asked.target)


def _train(asked: SolveOptions, run: SolverRun) -> None:
    """Train, and say what was found."""
    from app.terminal.console import new_console
    from app.terminal.printed.training import describe_progress, print_solved

    console = new_console()
    result = trained(
        asked, console, run, run.setup,
        lambda progress: describe_progress(progress, run.figures()),
    )  # fmt: skip
    print_solved(console, result, run.figures(), asked.cluster)
