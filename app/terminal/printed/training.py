"""Print the setup of a run of `solve`, its progress and its result."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from zhaifei.app.locale import say, say_rules
from zhaifei.app.terminal.console import clock, quoted
from zhaifei.app.terminal.printed.endings import stopped_early
from zhaifei.app.terminal.printed.kept import print_kept, to_go_on
from zhaifei.app.terminal.printed.points import points_text
from zhaifei.policies.catalogue.record import trained_figure
from zhaifei.policies.measure.openings import openings
from zhaifei.policies.players.match_policy import MatchPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.legs import SolvedPolicy
from zhaifei.policies.training.run import Progress, RunResult
from zhaifei.policies.training.run_paths import parts_directory
from zhaifei.policies.training.solver_run import KIND, PARTS, ClusterFigures, SolverRun
from zhaifei.solver.files.storage import load_header


def describe_setup(setup: Setup, cluster: str | None = None) -> str:
    """Return one line on the setup that determines the run, and the address of its `cluster` if
    any."""
    parts = [say_rules(setup.rules), setup.engine, say("recall {recall}", recall=setup.recall)]
    if setup.engine == "mccfr":
        parts.append(say("seed {seed}", seed=setup.seed))
    if cluster is not None:
        parts.append(say("cluster {address}", address=cluster))
    elif setup.threads == 1:
        parts.append(say("1 thread"))
    else:
        parts.append(say("{threads} threads", threads=setup.threads))
    return " · ".join(parts)


def describe_progress(progress: Progress, run: SolverRun) -> str:
    """Return one line on the progress of the run."""
    if progress.goal is None:
        parts = [say("{done:,} iterations", done=progress.done), f"{progress.rate:,.0f}/s"]
    else:
        parts = [
            say("{done:,} of {goal:,} iterations", done=progress.done, goal=progress.goal),
            f"{progress.rate:,.0f}/s",
            say("{time} left", time=clock(progress.left)),
        ]
    if run.place is not None:
        place = say("round {number} of {rounds}: {own} against {other} dice", **run.place._asdict())
        parts.append(place)
    parts.append(say("{number:,} information sets", number=run.information_sets))
    if run.place is None:
        parts.append(say("value {value:+.4f}", value=run.engine.value))
    if math.isfinite(run.measured):
        parts.append(_describe_measured(run))
    if run.target is not None:
        parts.append(say("target {value}", value=points_text(run.target)))
    if run.cluster is not None:
        parts += _describe_cluster(run.cluster)
    return " · ".join(parts)


def _describe_cluster(cluster: ClusterFigures) -> list[str]:
    """Return phrases on the workers, their load and the last pass."""
    slowest = int(np.argmax(cluster.waited))
    return [
        say("1 worker")
        if len(cluster.nodes) == 1
        else say("{workers} workers", workers=len(cluster.nodes)),
        say(
            "{least:,} to {most:,} histories each",
            least=min(cluster.nodes),
            most=max(cluster.nodes),
        ),
        say(
            "{least:.1f} to {most:.1f} GB",
            least=min(cluster.memory) / 1e9,
            most=max(cluster.memory) / 1e9,
        ),
        say(
            "{seconds:.2f} s a pass, {waited:.2f} s of them for worker {worker}",
            seconds=cluster.seconds,
            waited=cluster.waited[slowest],
            worker=slowest,
        ),
    ]


def _describe_measured(run: SolverRun) -> str:
    measured = points_text(run.measured)
    exploitability = say("exploitability {value}", value=measured)
    return exploitability if run.setup.rules.players == 2 else f"NashConv {measured}"


def print_solved(
    console: Console,
    result: RunResult[SolvedPolicy],
    run: SolverRun,
    cluster: str | None = None,
) -> None:
    """Print which files were written, the figures of the policy, and how to continue, on the
    `cluster` if the run was on one."""
    style = None if result.finished else "yellow"
    console.print(_describe_end(result, run), style=style, soft_wrap=True)
    again = f"zhaifei solve --resume {quoted(result.checkpoint)}"
    if cluster is not None:
        again += f" --cluster {cluster}"
    print_kept(console, result, again)
    rows = _written_rows(result, run.information_sets)
    if isinstance(result.trained, MatchPolicy):
        rows += _match_rows(result.trained, kept=result.kept is not None)
    else:
        rows += _round_rows(result.trained, run, kept=result.kept is not None)
    if result.ended == "stall":
        rows += _stalled_rows(result.progress.done, again)
    elif not result.finished:
        rows.append(say("for the rest: {command}", command=again))
    elif result.ended == "target":
        lower = say("for a lower target: {command}", command=f"{again} --target POINTS")
        rows.append(to_go_on(result, lower))
    elif run.place is None:
        more = say("for more iterations: {command}", command=f"{again} --iterations N")
        rows.append(to_go_on(result, more))
    for row in rows:
        console.print(row, soft_wrap=True)


def _stalled_rows(done: int, again: str) -> list[str]:
    """Return lines on what to do after a run that stalled above its target."""
    anew, more = f"--iterations {done}", f"{again} --iterations N"
    return [
        say("to go lower: start anew with {option} and no target", option=anew),
        say("for more iterations all the same: {command}", command=more),
    ]


def _round_rows(policy: TablePolicy, run: SolverRun, *, kept: bool) -> list[str]:
    """Return lines on the figures of the policy of a round; `kept` says that a file with a better
    policy was kept, so that this policy has no file to measure."""
    rows = [say("value       {value:+.4f} points for the opener", value=run.engine.value)]
    figure = trained_figure(policy.rules, policy.training)
    if figure is not None and not kept:
        measured = points_text(figure)
        exploitable = say(
            "exploitable {value} points per round when last measured; "
            "'zhaifei evaluate' proves it of the file",
            value=measured,
        )
        nash_conv = say(
            "NashConv    {value} points per round, the best that was measured; "
            "'zhaifei evaluate' measures the file",
            value=measured,
        )
        rows.append(exploitable if policy.rules.players == 2 else nash_conv)
    shown = "  ".join(f"{bid} {share:.1%}" for bid, share in openings(policy)[:5])
    return [*rows, say("openings    {bids}", bids=shown)]


def _match_rows(policy: MatchPolicy, *, kept: bool) -> list[str]:
    """Return lines on the figures of the policy of a match, as `_round_rows` does."""
    own, other = policy.rules.dice_by_player
    value = say(
        "value       who opens with {own} against {other} dice wins {chance:.2%} of matches",
        own=own,
        other=other,
        chance=policy.values[own, other],
    )
    exploitable = say(
        "exploitable {share:.3%} of matches when last measured; 'zhaifei evaluate' proves it "
        "of the file",
        share=policy.trained_gain,
    )
    return [value] if kept else [value, exploitable]


def _written_rows(result: RunResult[Any], information_sets: int) -> list[str]:
    """Return lines on the files that were written, and on the iterations done."""
    progress, rows = result.progress, list[str]()
    if result.kept is None:
        policy = say(
            "policy      {path}  ({size:,.1f} MB)",
            path=result.out,
            size=result.out.stat().st_size / 1e6,
        )
        rows.append(policy)
    if result.resumable:
        checkpoint = say(
            "checkpoint  {path}  ({size:,.1f} MB)",
            path=result.checkpoint,
            size=checkpoint_size(result.checkpoint) / 1e6,
        )
        rows.append(checkpoint)
    done = say(
        "iterations  {done:,} in {time} ({rate:,.0f}/s), {number:,} information sets",
        done=progress.done,
        time=clock(progress.elapsed),
        rate=progress.rate,
        number=information_sets,
    )
    return [*rows, done]


def checkpoint_size(checkpoint: Path) -> int:
    """Return the bytes of a checkpoint, including its parts if the run was on a cluster. Other runs
    leave the parts of an earlier run where they are, so parts that do not belong are not counted.
    """
    files = [checkpoint]
    if PARTS in load_header(checkpoint, KIND):
        files += parts_directory(checkpoint).glob("*")
    return sum(file.stat().st_size for file in files)


def _describe_end(result: RunResult[SolvedPolicy], run: SolverRun) -> str:
    """Return one line on why the run ended."""
    done = result.progress.done
    if result.ended == "target":
        return say(
            "finished after {done:,} iterations: {measured}, the target is {target}",
            done=done,
            measured=_describe_measured(run),
            target=points_text(run.target or 0.0),
        )
    if result.ended == "stall":
        return say(
            "stopped early, after {done:,} iterations: {measured}, which falls so slowly that "
            "eight times as many would not reach the target {target}",
            done=done,
            measured=_describe_measured(run),
            target=points_text(run.target or 0.0),
        )
    if result.ended == "goal":
        return say("finished: all {done:,} iterations are done", done=done)
    return stopped_early(result.ended, say("{done:,} iterations", done=done))
