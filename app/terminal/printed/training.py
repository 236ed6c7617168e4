"""What `solve` prints: what it sets out to do, where it stands, and how it ended."""

from __future__ import annotations

import math
import shlex

from rich.console import Console

from app.locale import say, say_rules
from app.terminal.console import clock
from policies.measure.advice import openings
from policies.training.run import Progress, Report, Setup


def describe_setup(setup: Setup) -> str:
    """What determines the run, on one line."""
    parts = [say_rules(setup.rules), setup.engine, say("recall {recall}", recall=setup.recall)]
    if setup.engine == "mccfr":
        parts.append(say("seed {seed}", seed=setup.seed))
    several = say("{threads} threads", threads=setup.threads)
    parts.append(say("1 thread") if setup.threads == 1 else several)
    return " · ".join(parts)


def describe_progress(progress: Progress) -> str:
    """Where the run stands, on one line."""
    parts = [
        say("{done:,} of {goal:,} iterations", done=progress.iterations, goal=progress.goal),
        f"{progress.rate:,.0f}/s",
        say("{time} left", time=clock(progress.left)),
        say("{number:,} information sets", number=progress.information_sets),
        say("value {value:+.4f}", value=progress.value),
    ]
    if math.isfinite(progress.exploitability):
        parts.append(say("exploitability {value:.4f}", value=progress.exploitability))
    return " · ".join(parts)


def print_report(console: Console, report: Report) -> None:
    """What was written, what is known of it, and how to go on."""
    progress = report.progress
    if not report.finished:
        console.print(
            say("stopped early, after {done:,} iterations", done=progress.iterations),
            style="yellow",
        )
    rows = [
        say(
            "policy      {path}  ({size:,.1f} MB)",
            path=report.out, size=report.out.stat().st_size / 1e6,
        ),
        say(
            "checkpoint  {path}  ({size:,.1f} MB)",
            path=report.checkpoint, size=report.checkpoint.stat().st_size / 1e6,
        ),
        say(
            "iterations  {done:,} in {time} ({rate:,.0f}/s), {number:,} information sets",
            done=progress.iterations, time=clock(progress.elapsed), rate=progress.rate,
            number=progress.information_sets,
        ),
        say("value       {value:+.4f} points for the opener", value=progress.value),
    ]  # fmt: skip
    if math.isfinite(progress.exploitability):
        rows.append(
            say(
                "exploitable {value:.4f} points per round when last measured; "
                "'zhaifei evaluate' proves it of the file",
                value=progress.exploitability,
            )
        )
    shown = "  ".join(f"{bid} {share:.1%}" for bid, share in openings(report.policy)[:5])
    rows.append(say("openings    {bids}", bids=shown))
    again = f"zhaifei solve --resume {shlex.quote(str(report.checkpoint))}"
    if report.finished:
        rows.append(say("for more iterations: {command}", command=f"{again} --iterations N"))
    else:
        rows.append(say("for the rest: {command}", command=again))
    for row in rows:
        console.print(row, soft_wrap=True)
