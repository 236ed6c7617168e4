"""`zhaifei score`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.argument_types import Duration, MatchSeed
from zhaifei.app.terminal.commands.options import (
    RulesOptions,
    debug,
    json_option,
    lang,
    policy,
    rules_options,
    seed_or_drawn,
)
from zhaifei.app.terminal.help_texts import Command

if TYPE_CHECKING:
    from zhaifei.app.terminal.console import LiveLine


@click.command(cls=Command)
@click.option(
    "--agent",
    "command",
    required=True,
    metavar="COMMAND",
    help="The program to score: it reads a position as text, up to an empty line, and answers a "
    "line.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1_000_000),
    default=200,
    help="Number of rounds.",
)
@click.option(
    "--seed",
    type=MatchSeed(),
    help="Random seed: the same seed gives the same dice.  [default: random]",
)
@rules_options
@policy
@click.option(
    "--time-limit",
    type=Duration(),
    default="2m",
    help="The most time for an answer, like 30s or 5m.",
)
@json_option
@lang
@debug
def score(
    command: str,
    rounds: int,
    seed: int | None,
    policy: Path | None,
    time_limit: float,
    rules: RulesOptions,
    as_json: bool,
) -> None:
    """Score a program that plays by text, such as a language model: the points that it loses a
    round against the policy, with luck taken out.

    An answer is an action like f5x4, z2x5 or challenge, in the last [brackets] of the line or as
    the whole line. An illegal answer is counted, and the program is asked once more; after a second
    one the last bid is challenged for it or, at the start, the weakest bid is made. Ctrl-C prints
    the result so far.
    """
    from zhaifei.app.agents.program import ProgramError, TextProgram
    from zhaifei.app.agents.scored_play import play_scored
    from zhaifei.app.terminal.as_json import print_json, record_json, score_json
    from zhaifei.app.terminal.console import LiveLine, new_console
    from zhaifei.app.terminal.printed.score import print_score
    from zhaifei.policies.catalogue.known import load_known
    from zhaifei.policies.measure.anytime import last_of
    from zhaifei.policies.review.scoring import ScoredMatch

    loaded, record = load_known(policy, rules.named())
    seed, fault = seed_or_drawn(seed), None
    with (
        LiveLine(new_console(stderr=True, quiet=as_json)) as line,
        TextProgram(command, time_limit) as program,
    ):
        match = ScoredMatch(loaded, rounds, seed)
        try:
            last_of(play_scored(match, program.ask), lambda done: _show(line, done, rounds))
        except ProgramError as error:
            if not match.ended:
                raise
            fault = error
    found = match.score()
    if as_json:
        told = {"policy": record_json(record), "agent": command}
        print_json({**told, **score_json(loaded.rules, found, seed)})
    else:
        print_score(new_console(), record, found, seed)
    if fault is not None:
        raise fault


def _show(line: LiveLine, done: int, rounds: int) -> None:
    line.show(say("round {done} of {rounds}", done=done, rounds=rounds), done, rounds)
