"""Show the progress and the warnings of training runs on screen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console

from zhaifei.app.locale import say
from zhaifei.app.terminal.console import LiveLine, warn
from zhaifei.policies.training.run import Progress, Run, RunResult, train
from zhaifei.policies.training.run_files import RunFiles

Trained = TypeVar("Trained")


def print_checkpoint_path(console: Console, files: RunFiles, *, keep_checkpoint: bool) -> None:
    """Print where a run writes its checkpoints, and whether the last one stays."""
    place = (
        say("checkpoints go to {path}", path=files.checkpoint)
        if keep_checkpoint
        else say("checkpoints go to {path} until the run has finished", path=files.checkpoint)
    )
    console.print(place, soft_wrap=True)


def train_on_screen(
    console: Console,
    run: Run[Trained],
    files: RunFiles,
    describe: Callable[[Progress], str],
    *,
    checkpoint_every: float,
    keep_checkpoint: bool,
    time_limit: float = math.inf,
) -> RunResult[Trained]:
    """Train as `policies.training.run.train` does, and show progress as `describe` words it."""
    with LiveLine(console) as line:
        return train(
            run,
            files.out,
            keeping=files,
            time_limit=time_limit,
            checkpoint_every=checkpoint_every,
            keep_checkpoint=keep_checkpoint,
            on_progress=lambda progress: line.show(
                describe(progress), progress.done, progress.goal
            ),
            on_warning=warn(console),
        )
