"""`zhaifei arena`."""

from __future__ import annotations

import time

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.argument_types import Count
from zhaifei.app.terminal.commands.options import (
    SEED,
    RulesOptions,
    debug,
    json_option,
    lang,
    rules_options,
)
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[PLAYER]...")
@rules_options
@click.option(
    "--rounds",
    type=Count(),
    help="Approximate number of rounds at each table; of matches if dice are lost.  [default: "
    "1e5 rounds; about 4,000 matches in all, but at least about 80 at each table]",
)
@click.option(
    "--seed", type=SEED, default=0, help="Random seed: the same seed gives the same result."
)
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
    """Let players meet in every seating with the same dice, and rate them.

    A PLAYER is a name from 'zhaifei players', a policy file, or a .py file with a strategy of your
    own; by default all players of the rules meet, and the policy that is known for them. plain:FILE
    plays only the table of the file, without inferring hands from unusual bids.

    With two players per table every pair meets. With more, every combination that fills a table
    meets; if fewer players are named than there are seats, each sits alone among copies of each
    other one. Two-player policies that are tables are also compared by exact values. With --rules
    knockout, increment or published, matches are played until one player has dice left. Ctrl-C
    prints the results so far.
    """
    from zhaifei.app.terminal.arena_result import meet
    from zhaifei.app.terminal.as_json import print_json
    from zhaifei.app.terminal.console import LiveLine, clock, new_console
    from zhaifei.app.terminal.printed.plug_ins import print_faults
    from zhaifei.app.terminal.printed.policy_record import describe_policy

    if as_json and as_csv:
        raise click.UsageError(say("--json and --csv cannot be combined"))
    began = time.monotonic()
    with LiveLine(new_console(stderr=True, quiet=as_json or as_csv)) as line:
        result = meet(names, rules.named_or_default(), rounds, seed, line)
    if as_json:
        print_json(result.json())
    elif as_csv:
        print(result.csv(), end="")
    else:
        console = new_console()
        console.print(result.heading(clock(time.monotonic() - began)), soft_wrap=True)
        if result.record is not None:
            console.print(describe_policy(result.record), soft_wrap=True)
        result.show(console)
    if not as_json:
        print_faults(new_console(stderr=as_csv), result.players)
