"""`zhaifei arena`."""

from __future__ import annotations

import json
import time

import click

from app.locale import say
from app.terminal.argument_types import Count
from app.terminal.commands.options import (
    SEED,
    RulesOptions,
    debug,
    json_option,
    lang,
    rules_options,
)
from app.terminal.help_texts import Command


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[PLAYER]...")
@rules_options
@click.option(
    "--rounds",
    type=Count(),
    help="About so many at each table; where dice are lost, so many matches.  [default: 1e5; about "
    "4,000 matches in all, but 80 or so at each table]",
)
@click.option("--seed", type=SEED, default=0, help="The same seed, the same tables.")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead: a line for each player.")
@lang
@debug
def arena(
    names: tuple[str, ...],
    rules: RulesOptions,
    rounds: int | None,
    seed: int,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Let players meet, everybody in every seat with the same dice, and rate them.

    A PLAYER is one of those that 'zhaifei players' lists, a policy file, or a .py file with a
    strategy of your own; without any, all that play by the rules meet, and the policy that is known
    for them.

    Of two players every pair meets. Of more, every choice of so many sits at a table; if fewer are
    named than there are seats, each sits alone among copies of each other one. Policies for two
    players that are tables are compared by exact values too. With --rules knockout or increment
    matches are played until one player has dice left. Ctrl-C prints the results so far.
    """
    from app.terminal.arena_result import meet
    from app.terminal.console import LiveLine, clock, new_console
    from app.terminal.printed.plug_ins import print_faults
    from app.terminal.printed.policy_record import policy_line

    if as_json and as_csv:
        raise click.UsageError(say("--json or --csv, not both"))
    began = time.monotonic()
    with LiveLine(new_console(stderr=True, quiet=as_json or as_csv)) as line:
        result = meet(names, rules.named_or_default(), rounds, seed, line)
    if as_json:
        click.echo(json.dumps(result.json(), ensure_ascii=False))
    elif as_csv:
        click.echo(result.csv(), nl=False)
    else:
        console = new_console()
        console.print(result.heading(clock(time.monotonic() - began)), soft_wrap=True)
        if result.record is not None:
            console.print(policy_line(result.record), soft_wrap=True)
        result.show(console)
    if not as_json:
        print_faults(new_console(stderr=as_csv), result.players)
