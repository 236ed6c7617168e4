"""Show the progress and the warnings of training runs on screen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console

from zhaifei.app.terminal.console import LiveLine, warn
from zhaifei.policies.training.run import Progress, Run, RunResult, train
from zhaifei.policies.training.run_files import RunFiles

Trained = TypeVar("Trained")


def train_on_screen(
    console: Console,
    run: Run[Trained],
    files: RunFiles,
    describe: Callable[[Progress], str],
    *,
    checkpoint_every: float,
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
            on_progress=lambda progress: line.show(
                describe(progress), progress.done, progress.goal
            ),
            on_warning=warn(console),
        )
