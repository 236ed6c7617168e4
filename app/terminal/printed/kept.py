"""Print which files a run of `solve` or `train` did not replace, and what it left to go on from."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from zhaifei.app.locale import say
from zhaifei.app.terminal.printed.points import points_text
from zhaifei.policies.catalogue.record import measure_of
from zhaifei.policies.catalogue.replacing import Content
from zhaifei.policies.training.run import RunResult


def print_kept(console: Console, result: RunResult[Any], again: str) -> None:
    """Print which files stay as they were, with the figures of both sides, and how to replace them:
    `again` is the command that continues from the checkpoint. Print nothing if the run wrote all
    files."""
    lines = []
    if result.kept is not None:
        old, new = result.kept
        lines.append(
            say(
                "{path} stays as it was: {there} there, {here} in this run",
                path=result.out,
                there=_quality(old),
                here=_quality(new),
            )
        )
    if result.checkpoint_kept:
        lines.append(
            say(
                "{path} was not replaced: its run has done more work than the {done:,} units of "
                "this one",
                path=result.checkpoint,
                done=result.progress.done,
            )
        )
        lines.append(say("to replace them, repeat the command with --overwrite"))
    elif result.kept is not None:
        lines.append(say("to replace it: {command}", command=f"{again} --overwrite"))
    for line in lines:
        console.print(line, style="yellow", soft_wrap=True)


def to_go_on(result: RunResult[Any], hint: str) -> str:
    """Return `hint`, a line on how to continue a finished run from its checkpoint, or a line that
    says why there is no checkpoint."""
    if result.resumable or result.checkpoint_kept:
        return hint
    return say(
        "with --keep-checkpoint, a finished run keeps its checkpoint, and --resume takes it further"
    )


def _quality(content: Content) -> str:
    """Return what is known of the quality of a policy."""
    figure = content.figure
    if figure is None:
        return say("nothing measured, after {work:,} units of work", work=content.work)
    measure = measure_of(content.product.rules)
    if measure == "match_gain":
        return say("a best response gains {share:.3%} of matches", share=figure)
    if measure == "exploitability":
        return say("exploitability {value}", value=points_text(figure))
    return f"NashConv {points_text(figure)}"
