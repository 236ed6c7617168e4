"""`zhaifei train`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.argument_types import Count
from zhaifei.app.terminal.commands.options import (
    FILE,
    SEED,
    THREADS,
    checkpoint_every_option,
    debug,
    keep_checkpoint_option,
    lang,
    overwrite_option,
    resume_option,
    verify_not_given,
)
from zhaifei.app.terminal.help_texts import Command

if TYPE_CHECKING:
    from zhaifei.policies.training.run_files import RunFiles


@click.command(cls=Command)
@click.argument("algorithm", type=click.Choice(("dqn", "nfsp", "ppo", "q")))
@click.option(
    "--players",
    type=click.IntRange(2, 6),
    help="Number of players, with five dice each.  [default: 2]",
)
@click.option(
    "--against",
    metavar="PLAYER",
    multiple=True,
    help="ppo: learn to beat this player, a name from 'zhaifei players' or a file, which sits in "
    "all other seats. Given more than once, each seat draws one of them in each round.",
)
@click.option(
    "--steps",
    type=Count(),
    help="Decisions to learn from, in all seats that learn.  [default: 1e7]",
)
@click.option("--matches", type=Count(), help="q: matches to learn from.  [default: 5000]")
@click.option(
    "--as-published",
    is_flag=True,
    default=None,
    help="q: learn in `published`, step by step as the published program does.",
)
@click.option("--out", type=FILE, help="The file to write.  [default: in the user's data]")
@click.option("--seed", type=SEED, help="Random seed.  [default: 0]")
@click.option(
    "--threads",
    type=THREADS,
    help="Number of threads. With 1 thread and the same seed, results are identical.  "
    "[default: all cores]",
)
@checkpoint_every_option
@keep_checkpoint_option
@resume_option
@overwrite_option
@lang
@debug
def train(
    algorithm: str,
    players: int | None,
    against: tuple[str, ...],
    steps: int | None,
    matches: int | None,
    as_published: bool | None,
    out: Path | None,
    seed: int | None,
    threads: int | None,
    checkpoint_every: float,
    keep_checkpoint: bool,
    resume: Path | None,
    overwrite: bool,
) -> None:
    """Train a learner by play, and write a file that plays in `zhaifei arena`.

    dqn, nfsp and ppo are OpenSpiel's: they play the full game of two to six players against
    themselves, and need PyTorch: pip install 'zhaifei[rl]'. With --against, ppo learns a response
    to other players. q is a table of action values for `increment` or, with --as-published, for
    `published`, learned against random callers in seconds.

    Ctrl-C or SIGTERM saves the result so far and a checkpoint, from which --resume continues, and
    the exit code is 0; a second Ctrl-C quits without saving. In the first moments, and while the
    first run compiles, there is nothing to save: it ends at once, with exit code 130. Output that
    cannot be written does not end the run. A finished run keeps its checkpoint only with
    --keep-checkpoint.

    A file or checkpoint is never replaced by one that has learned less. Files of another learner
    are refused. See --overwrite.
    """
    from zhaifei.app.terminal.output import goes_on_without_output

    goes_on_without_output()
    place = _Place(out, resume, overwrite, checkpoint_every, keep_checkpoint)
    if algorithm != "ppo" and against:
        raise click.UsageError(say("--against is for ppo"))
    if algorithm == "q":
        if players or steps or threads:
            raise click.UsageError(
                say("--players, --steps and --threads are for dqn, nfsp and ppo; q takes --matches")
            )
        _train_q(matches, as_published, seed, place)
    else:
        if as_published:
            raise click.UsageError(say("--as-published is for q"))
        if matches is not None:
            raise click.UsageError(say("--matches is for q; others take --steps"))
        _train_network(algorithm, players, against, steps, seed, threads, place)


@dataclass(frozen=True)
class _Place:
    """The files of a learner's run, and the options for writing them."""

    out: Path | None
    resume: Path | None
    overwrite: bool
    checkpoint_every: float
    keep_checkpoint: bool

    def held(
        self, name: str, players: int | None = None, *, attacks: bool = False
    ) -> AbstractContextManager[RunFiles]:
        """Hold the files of the run, by default those that `default_out` names. Raise ZhaifeiError
        if another process holds the files or they cannot be written."""
        from zhaifei.app.terminal.console import new_console, warn
        from zhaifei.policies.research.learning import default_out
        from zhaifei.policies.training.run_files import held_files

        out = self.out
        if out is None and self.resume is None:
            out = default_out(name, players or 2, attacks=attacks)
        on_warning = warn(new_console())
        return held_files(out, self.resume, overwrite=self.overwrite, on_warning=on_warning)


def _train_network(
    algorithm: str,
    players: int | None,
    against: tuple[str, ...],
    steps: int | None,
    seed: int | None,
    threads: int | None,
    place: _Place,
) -> None:
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.learning import describe_learning, print_learned
    from zhaifei.app.terminal.run_on_screen import print_checkpoint_path, train_on_screen
    from zhaifei.policies.research.learning import new_learning_run, resume_learning_run

    console = new_console()
    if place.resume is not None:
        verify_not_given(players=players, against=against or None, seed=seed, threads=threads)
    with place.held(algorithm, players, attacks=bool(against)) as files:
        if place.resume is None:
            run = new_learning_run(
                algorithm,
                players=players or 2,
                against=against,
                steps=steps,
                seed=seed,
                threads=threads,
            )
        else:
            run = resume_learning_run(place.resume, algorithm, steps)
        files.verify(run.plan, run.goal)
        print_checkpoint_path(console, files, keep_checkpoint=place.keep_checkpoint)
        result = train_on_screen(
            console,
            run,
            files,
            describe_learning,
            checkpoint_every=place.checkpoint_every,
            keep_checkpoint=place.keep_checkpoint,
        )
    console.print()
    print_learned(console, run, result)


def _train_q(
    matches: int | None, as_published: bool | None, seed: int | None, place: _Place
) -> None:
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.learning import describe_q_learning, print_q_learned
    from zhaifei.app.terminal.run_on_screen import train_on_screen
    from zhaifei.game.rules import preset
    from zhaifei.policies.research.q_learning import new_q_run, resume_q_run

    console = new_console()
    if place.resume is not None:
        verify_not_given(seed=seed, as_published=as_published)
    with place.held("q-as-published" if as_published else "q") as files:
        if place.resume is None:
            rules = preset("published" if as_published else "increment")
            run = new_q_run(matches=matches, seed=seed, rules=rules)
        else:
            run = resume_q_run(place.resume, matches)
        files.verify(run.plan, run.goal)
        result = train_on_screen(
            console,
            run,
            files,
            lambda progress: describe_q_learning(progress, run.counts),
            checkpoint_every=place.checkpoint_every,
            keep_checkpoint=place.keep_checkpoint,
        )
    print_q_learned(console, result, run.counts)
