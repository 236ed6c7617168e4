"""Print the progress and the result of a run of `train`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from zhaifei.app.locale import say
from zhaifei.app.terminal.console import clock, quoted
from zhaifei.app.terminal.printed.endings import stopped_early
from zhaifei.app.terminal.printed.kept import print_kept, to_go_on
from zhaifei.policies.players.network import LearnedPolicy
from zhaifei.policies.players.q_player import QValues
from zhaifei.policies.research.learning import LearningRun
from zhaifei.policies.research.q_learning import LearningCounts
from zhaifei.policies.training.plan import LEARNED
from zhaifei.policies.training.run import Progress, RunResult


def describe_learning(progress: Progress) -> str:
    """Return one line on the progress of a run of dqn, nfsp or ppo."""
    return " · ".join(
        [
            say("{done:,} of {goal:,} steps", done=progress.done, goal=progress.goal),
            f"{progress.rate:,.0f}/s",
            say("{time} left", time=clock(progress.left)),
        ]
    )


def print_learned(console: Console, run: LearningRun, result: RunResult[LearnedPolicy]) -> None:
    """Print which files were written, and how to continue."""
    progress = result.progress
    if not result.finished:
        done = say("{done:,} steps", done=progress.done)
        console.print(stopped_early(result.ended, done), style="yellow")
    again = f"zhaifei train {run.algorithm} --resume {quoted(result.checkpoint)}"
    print_kept(console, result, again)
    weights = say(
        "weights     {path}  ({size:,.1f} MB)",
        path=result.out,
        size=result.out.stat().st_size / 1e6,
    )
    rows = [
        *([weights] if result.kept is None else []),
        *_checkpoint_row(result),
        say(
            "steps       {done:,} in {time} ({rate:,.0f}/s)",
            done=progress.done,
            time=clock(progress.elapsed),
            rate=progress.rate,
        ),
        say(
            "to measure: {command}",
            command=_arena(run, quoted(result.out)),
        ),
        to_go_on(result, say("for more steps: {command}", command=f"{again} --steps N"))
        if result.finished
        else say("for the rest: {command}", command=again),
    ]
    for row in rows:
        console.print(row, soft_wrap=True)


def _arena(run: LearningRun, file: str) -> str:
    """Return the command that plays the network in `file` against those it learnt to beat, or
    against rule-based players."""
    players = run.learner.rules.players
    table = "" if players == LEARNED.players else f"--players {players} "
    others = [quoted(Path(name)) for name in run.against] or ["honest", "probabilistic"]
    return f"zhaifei arena {table}{file} {' '.join(others)}"


def describe_q_learning(progress: Progress, counts: LearningCounts) -> str:
    """Return one line on the progress of a run of q."""
    return " · ".join(
        [
            say("{done:,} of {goal:,} matches", done=progress.done, goal=progress.goal),
            describe_counts(counts),
        ]
    )


def describe_counts(counts: LearningCounts) -> str:
    """Return one line on how many matches the learner won."""
    return say("won {won:,} of {matches:,} matches while learning", **counts._asdict())


def print_q_learned(console: Console, result: RunResult[QValues], counts: LearningCounts) -> None:
    """Print which files were written, and how to continue."""
    if not result.finished:
        done = say("{done:,} matches", done=result.progress.done)
        console.print(stopped_early(result.ended, done), style="yellow")
    again = f"zhaifei train q --resume {quoted(result.checkpoint)}"
    print_kept(console, result, again)
    values = say("values      {path}", path=result.out)
    rows = [
        describe_counts(counts),
        *([values] if result.kept is None else []),
        *_checkpoint_row(result),
        to_go_on(result, say("for more matches: {command}", command=f"{again} --matches N"))
        if result.finished
        else say("for the rest: {command}", command=again),
    ]
    for row in rows:
        console.print(row, soft_wrap=True)


def _checkpoint_row(result: RunResult[Any]) -> list[str]:
    """Return a line on the checkpoint, if it holds the run."""
    if not result.resumable:
        return []
    return [
        say(
            "checkpoint  {path}  ({size:,.1f} MB)",
            path=result.checkpoint,
            size=result.checkpoint.stat().st_size / 1e6,
        )
    ]
