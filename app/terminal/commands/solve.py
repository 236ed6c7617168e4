"""`zhaifei solve`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.argument_types import Count, Duration, Points
from zhaifei.app.terminal.commands.options import (
    FILE,
    LOCAL,
    RULES_NAMES,
    SEED,
    THREADS,
    RulesOptions,
    checkpoint_every_option,
    debug,
    keep_checkpoint_option,
    lang,
    overwrite_option,
    resume_option,
    rules_options,
    verify_not_given,
)
from zhaifei.app.terminal.help_texts import Command
from zhaifei.app.terminal.optional_value import OptionalValue

if TYPE_CHECKING:
    from zhaifei.policies.training.run_files import RunFiles
    from zhaifei.policies.training.solver_run import EngineChoice, SavedRun, SolverRun


@click.command(cls=Command)
@rules_options
@click.option(
    "--iterations",
    type=Count(),
    help="Number of iterations. One traverses one (own hand, opponent hand) pair for each "
    "player; a pass over all 252 hands of everybody counts as 252 * 252. All rounds of a match get "
    "as many passes.  [default: 1e7; with 3 players 2.2e7, with more 1e8, with 跳开 3e7, but at "
    "most 5,000 passes; with --target any number; for a match 600 passes over each round]",
)
@click.option(
    "--target",
    type=Points(),
    help="Stop when the exploitability last measured in training (NashConv with 3 players or "
    "more) is at most this many points per round. With --iterations or --time-limit too, "
    "the run ends at whichever limit is reached first.",
)
@click.option("--out", type=FILE, help="The policy file to write.  [default: in the user's data]")
@click.option("--seed", type=SEED, help="Random seed.  [default: 0]")
@click.option(
    "--threads",
    type=THREADS,
    help="Number of threads. Sampled runs are reproducible bit for bit with 1 thread and the "
    "same seed, others always.  [default: all cores]",
)
@click.option(
    "--engine",
    type=click.Choice(["tree", "mccfr"]),
    help="tree: no sampling, every hand at every history worth thinking about. mccfr: sampling, "
    "which needs no tree, and forgets what --recall does not name.  [default: tree; with --recall "
    "mccfr]",
)
@click.option(
    "--recall",
    help="With mccfr, information sets remember only these features of the bids, last bid first: "
    "a list of bid, face, mode and -, each with an optional <STRENGTH of the last bid, or "
    "'full'.  [default: full]",
)
@click.option(
    "--single-bid",
    is_flag=True,
    default=None,
    help="Solve for the player single-bid, with two players: a game in which everybody "
    "remembers only the last bid and raises 飞 only to 飞 and 斋 only to 斋.",
)
@click.option("--time-limit", type=Duration(), help="Stop after 90s, 10m, 1h30m, ...")
@checkpoint_every_option
@keep_checkpoint_option
@resume_option
@overwrite_option
@click.option(
    "--cluster",
    cls=OptionalValue,
    alone=LOCAL,
    metavar="[ADDRESS]",
    help="Spread the tree over all machines of the Ray cluster at this address, HOST:PORT, or "
    "without one over processes of this machine; --threads is then of each process. The result is "
    "the same bit for bit. With four dice each and more it differs by rounding, and two players "
    "get the first stage alone. Needs Ray: pip install 'zhaifei[cluster]'.",
)
@lang
@debug
def solve(
    rules: RulesOptions,
    iterations: int | None,
    target: float | None,
    out: Path | None,
    seed: int | None,
    threads: int | None,
    engine: EngineChoice | None,
    recall: str | None,
    single_bid: bool | None,
    time_limit: float | None,
    checkpoint_every: float,
    keep_checkpoint: bool,
    resume: Path | None,
    overwrite: bool,
    cluster: str | None,
) -> None:
    """Compute an approximate Nash equilibrium strategy and write it to a policy file.

    With rules by which dice are lost and --players 2, all rounds of a match are solved, those with
    the fewest dice first, into one policy file. For three and more players such matches are not
    solved.

    Ctrl-C or SIGTERM saves the policy so far and a checkpoint from which --resume continues, with
    exit code 0; a second Ctrl-C quits without saving. In the first moments, and while the first run
    compiles, there is nothing to save: it ends at once, with exit code 130. After a crash, --resume
    continues from the last checkpoint. Output that cannot be written does not end the run. A
    finished run keeps its checkpoint only with --keep-checkpoint.

    A worse policy never replaces a better one, and a checkpoint that has done less never replaces
    one that has done more. Files of another game are refused. See --overwrite.
    """
    from zhaifei.app.terminal.console import new_console, warn
    from zhaifei.app.terminal.output import goes_on_without_output
    from zhaifei.app.terminal.printed.training import (
        describe_progress,
        describe_setup,
        print_solved,
    )
    from zhaifei.app.terminal.run_on_screen import print_checkpoint_path, train_on_screen
    from zhaifei.policies.catalogue.known import default_path
    from zhaifei.policies.research.single_bid_engine import single_bid_setup
    from zhaifei.policies.training.run_files import held_files
    from zhaifei.policies.training.solver_run import planned_run, saved_run, solver_setup

    goes_on_without_output()
    if resume is None:
        chosen = rules.named_or_default()
        if single_bid and (engine is not None or recall is not None):
            raise click.UsageError(
                say(
                    "--single-bid is an engine of its own, which remembers the last bid: leave out "
                    "--engine and --recall"
                )
            )
        if single_bid:
            setup = single_bid_setup(chosen, seed)
        else:
            setup = solver_setup(chosen, engine, recall, seed, threads)
        saved = planned_run(setup, iterations, target)
        out = out or default_path(chosen, make=True)
    else:
        given = {name: getattr(rules, name) for name in RULES_NAMES}
        verify_not_given(**given, engine=engine, recall=recall, single_bid=single_bid, seed=seed)
        verify_not_given(threads=threads if cluster is None else None)
    console = new_console()
    with held_files(out, resume, overwrite=overwrite, on_warning=warn(console)) as files:
        if resume is not None:
            saved = saved_run(resume, iterations, target)
        with _begun(saved, files, cluster, threads) as run:
            console.print(describe_setup(run.setup, cluster), soft_wrap=True)
            print_checkpoint_path(console, files, keep_checkpoint=keep_checkpoint)
            result = train_on_screen(
                console,
                run,
                files,
                lambda progress: describe_progress(progress, run),
                checkpoint_every=checkpoint_every,
                keep_checkpoint=keep_checkpoint,
                time_limit=time_limit or math.inf,
            )
            console.print()
            print_solved(console, result, run, cluster)


@contextmanager
def _begun(
    saved: SavedRun, files: RunFiles, cluster: str | None, threads: int | None
) -> Iterator[SolverRun]:
    """Begin or continue the run in this process, or on the `cluster` while this context is open.
    Raise ZhaifeiError if it must not write the `files`."""
    from zhaifei.policies.training.plan import plan_of_setup

    if cluster is None:
        run = saved.begun()
        files.verify(plan_of_setup(saved.setup), saved.goal)
        yield run
        return
    from zhaifei.policies.training.scattered_run import ScatteredRun, on_cluster, verify_on_cluster

    verify_on_cluster(saved)
    files.verify(
        plan_of_setup(saved.setup), saved.goal
    )  # a cluster takes seconds to start, so refuse before
    with on_cluster(None if cluster == LOCAL else cluster, threads) as start:
        yield ScatteredRun(saved, start)
