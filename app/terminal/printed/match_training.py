"""Print the progress and the result of runs of `solve` that solve whole matches."""

from __future__ import annotations

import math

from rich.console import Console

from zhaifei.app.locale import say
from zhaifei.app.terminal.console import clock, quoted
from zhaifei.app.terminal.printed.endings import stopped_early
from zhaifei.app.terminal.printed.kept import print_kept
from zhaifei.app.terminal.printed.points import points_text
from zhaifei.app.terminal.printed.training import written_rows
from zhaifei.policies.players.match_policy import MatchPolicy
from zhaifei.policies.training.match_run import MatchFigures
from zhaifei.policies.training.run import Progress, RunResult


def describe_match_progress(progress: Progress, figures: MatchFigures) -> str:
    """Return one line on the progress of the run."""
    own, other = figures.position
    parts = [
        say("{done:,} of {goal:,} iterations", done=progress.done, goal=progress.goal or 0),
        f"{progress.rate:,.0f}/s",
        say("{time} left", time=clock(progress.left)),
        say(
            "round {number} of {rounds}: {own} against {other} dice",
            number=figures.number,
            rounds=figures.rounds,
            own=own,
            other=other,
        ),
        say("{number:,} information sets", number=figures.information_sets),
    ]
    if math.isfinite(figures.exploitability):
        parts.append(say("exploitability {value}", value=points_text(figures.exploitability)))
    return " · ".join(parts)


def print_match_solved(
    console: Console, result: RunResult[MatchPolicy], figures: MatchFigures
) -> None:
    """Print which files were written, the figures of the policy, and how to continue."""
    progress, policy = result.progress, result.trained
    if result.finished:
        line = say("finished: all {done:,} iterations are done", done=progress.done)
    else:
        line = stopped_early(result.ended, say("{done:,} iterations", done=progress.done))
    console.print(line, style=None if result.finished else "yellow", soft_wrap=True)
    again = f"zhaifei solve --resume {quoted(result.checkpoint)}"
    print_kept(console, result, again)
    start = policy.rules.dice_by_player
    own, other = start[0], start[1]
    rows = [
        *written_rows(result, figures.information_sets),
        say(
            "value       who opens with {own} against {other} dice wins {chance:.2%} of matches",
            own=own,
            other=other,
            chance=policy.values[own, other],
        ),
    ]
    if result.kept is None:
        exploitable = say(
            "exploitable {share:.3%} of matches when last measured; 'zhaifei evaluate' proves it "
            "of the file",
            share=policy.trained_gain,
        )
        rows.append(exploitable)
    if not result.finished:
        rows.append(say("for the rest: {command}", command=again))
    for row in rows:
        console.print(row, soft_wrap=True)
