"""What `solve` prints: the setup of a run, its progress and its result."""

from __future__ import annotations

import math

from rich.console import Console

from app.locale import say, say_rules
from app.terminal.console import clock, quoted
from policies.measure.advice import openings
from policies.players.table_policy import TablePolicy
from policies.training.engines import Setup
from policies.training.run import Progress, RunResult
from policies.training.solver_run import SolverFigures


def describe_setup(setup: Setup) -> str:
    """Return one line on what determines the run."""
    parts = [say_rules(setup.rules), setup.engine, say("recall {recall}", recall=setup.recall)]
    if setup.engine == "mccfr":
        parts.append(say("seed {seed}", seed=setup.seed))
    several = say("{threads} threads", threads=setup.threads)
    parts.append(say("1 thread") if setup.threads == 1 else several)
    return " · ".join(parts)


def describe_progress(progress: Progress, figures: SolverFigures) -> str:
    """Return one line on where the run stands."""
    parts = [
        say("{done:,} of {goal:,} iterations", done=progress.done, goal=progress.goal),
        f"{progress.rate:,.0f}/s",
        say("{time} left", time=clock(progress.left)),
        say("{number:,} information sets", number=figures.information_sets),
        say("value {value:+.4f}", value=figures.value),
    ]
    if math.isfinite(figures.measured):
        measured = figures.measured
        exploitability = say("exploitability {value:.4f}", value=measured)
        nash_conv = f"NashConv {measured:.4f}"
        parts.append(exploitability if figures.players == 2 else nash_conv)
    return " · ".join(parts)


def print_solved(console: Console, result: RunResult[TablePolicy], figures: SolverFigures) -> None:
    """Print what was written, what is known of it, and how to continue."""
    progress = result.progress
    if not result.finished:
        console.print(
            say("stopped early, after {done:,} iterations", done=progress.done), style="yellow"
        )
    rows = [
        say(
            "policy      {path}  ({size:,.1f} MB)",
            path=result.out, size=result.out.stat().st_size / 1e6,
        ),
        say(
            "checkpoint  {path}  ({size:,.1f} MB)",
            path=result.checkpoint, size=result.checkpoint.stat().st_size / 1e6,
        ),
        say(
            "iterations  {done:,} in {time} ({rate:,.0f}/s), {number:,} information sets",
            done=progress.done, time=clock(progress.elapsed), rate=progress.rate,
            number=figures.information_sets,
        ),
        say("value       {value:+.4f} points for the opener", value=figures.value),
    ]  # fmt: skip
    if math.isfinite(figures.measured):
        measured = figures.measured
        exploitable = say(
            "exploitable {value:.4f} points per round when last measured; "
            "'zhaifei evaluate' proves it of the file",
            value=measured,
        )
        nash_conv = say(
            "NashConv    {value:.4f} points per round, the best that was measured; "
            "'zhaifei evaluate' measures the file",
            value=measured,
        )
        rows.append(exploitable if figures.players == 2 else nash_conv)
    shown = "  ".join(f"{bid} {share:.1%}" for bid, share in openings(result.trained)[:5])
    rows.append(say("openings    {bids}", bids=shown))
    again = f"zhaifei solve --resume {quoted(result.checkpoint)}"
    if result.finished:
        rows.append(say("for more iterations: {command}", command=f"{again} --iterations N"))
    else:
        rows.append(say("for the rest: {command}", command=again))
    for row in rows:
        console.print(row, soft_wrap=True)
