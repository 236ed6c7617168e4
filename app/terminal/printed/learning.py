"""What `train` prints: where it stands, and how it ended."""

from __future__ import annotations

import shlex

from rich.console import Console

from app.locale import say
from app.terminal.console import clock
from policies.training.learning import LearningProgress, LearningReport, LearningRun


def describe_learning(progress: LearningProgress) -> str:
    """Where the run stands, on one line."""
    return " · ".join(
        [
            say("{done:,} of {goal:,} steps", done=progress.steps, goal=progress.goal),
            f"{progress.rate:,.0f}/s",
            say("{time} left", time=clock(progress.left)),
        ]
    )


def print_learnt(console: Console, run: LearningRun, report: LearningReport) -> None:
    """What was written, and how to go on."""
    progress = report.progress
    if not report.finished:
        console.print(
            say("stopped early, after {done:,} steps", done=progress.steps), style="yellow"
        )
    again = f"zhaifei train {run.algorithm} --resume {shlex.quote(str(report.checkpoint))}"
    rows = [
        say(
            "weights     {path}  ({size:,.1f} MB)",
            path=report.out, size=report.out.stat().st_size / 1e6,
        ),
        say(
            "checkpoint  {path}  ({size:,.1f} MB)",
            path=report.checkpoint, size=report.checkpoint.stat().st_size / 1e6,
        ),
        say(
            "steps       {done:,} in {time} ({rate:,.0f}/s)",
            done=progress.steps, time=clock(progress.elapsed), rate=progress.rate,
        ),
        say(
            "to measure: {command}",
            command=f"zhaifei arena {shlex.quote(str(report.out))} honest probabilistic",
        ),
        say("for more steps: {command}", command=f"{again} --steps N")
        if report.finished
        else say("for the rest: {command}", command=again),
    ]  # fmt: skip
    for row in rows:
        console.print(row, soft_wrap=True)
