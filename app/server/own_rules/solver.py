"""A process of its own that solves rules: `python -m zhaifei.app.server.own_rules.solver RULES
PLAYERS [ITERATIONS]`, where RULES is the name that the page gives them.

It solves as `zhaifei solve` does without other options, and keeps the policy in the same file. It
goes on from a checkpoint that an interrupted run left there. SIGTERM ends it, and it keeps the
policy so far. Each line that it writes is a JSON object: of its progress, or last `ended` or
`error`, which has the line in each language.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from zhaifei.app.locale import LANGUAGES, explain, speaking
from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import default_path
from zhaifei.policies.training.plan import plan_of_setup
from zhaifei.policies.training.run import Progress, train
from zhaifei.policies.training.run_files import held_files
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.policies.training.solver_run import SolverRun, planned_run, saved_run, solver_setup

_NICE = 10
"""How much others go first: the server stays quick while something is solved."""


def main(name: str, players: str, iterations: str | None = None) -> None:
    """Solve the rules of this name for a number of players."""
    with suppress(OSError, AttributeError):
        os.nice(_NICE)
    try:
        goal = None if iterations is None else int(iterations)
        ended = solve(rules_named(name, int(players)), goal)
    except ZhaifeiError as error:
        _tell({"error": {language: _line(error, language) for language in LANGUAGES}})
    else:
        _tell({"ended": ended})


def solve(rules: Rules, iterations: int | None) -> str:
    """Solve some rules with this many iterations, by default as many as `zhaifei solve` does. Keep
    the policy, and return what ended the run. Raise ZhaifeiError."""
    out = default_path(rules, make=True)
    checkpoint = checkpoint_path(out)
    resume = checkpoint if checkpoint.is_file() else None
    with held_files(out, resume, overwrite=False, on_warning=lambda error: None) as files:
        saved = (
            planned_run(solver_setup(rules), iterations, None)
            if resume is None
            else saved_run(resume)
        )
        run = saved.begun()
        files.verify(plan_of_setup(saved.setup), saved.goal)
        before = run.seconds

        def tell(progress: Progress) -> None:
            _tell(_progress(run, before + progress.elapsed, progress))

        return train(run, out, keeping=files, on_progress=tell).ended


def _progress(run: SolverRun, seconds: float, progress: Progress) -> Mapping[str, Any]:
    return {
        "done": progress.done,
        "goal": progress.goal,
        "seconds": seconds,
        "left": progress.left if math.isfinite(progress.left) else None,
        "figure": run.measured if math.isfinite(run.measured) else None,
    }


def _line(error: ZhaifeiError, language: str) -> str:
    with speaking(language):
        return explain(error)


def _tell(what: Mapping[str, Any]) -> None:
    """Write a line for the server; if the server is gone, nobody reads it."""
    with suppress(OSError):
        print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
