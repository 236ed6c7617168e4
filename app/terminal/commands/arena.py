"""`zhaifei arena`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from zhaifei.app.terminal.console import LiveLine
    from zhaifei.game.rules import Rules
    from zhaifei.policies.measure.arena import Entrants, ExactValues, Standings


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
    from zhaifei.app.terminal.as_json import print_json, record_json
    from zhaifei.app.terminal.console import LiveLine, clock, new_console
    from zhaifei.app.terminal.printed.arena import (
        arena_csv,
        arena_heading,
        arena_json,
        print_arena,
    )
    from zhaifei.app.terminal.printed.plug_ins import print_faults
    from zhaifei.app.terminal.printed.policy_record import describe_policy
    from zhaifei.policies.catalogue.known import known_record
    from zhaifei.policies.measure.arena import entrants, everybody

    if as_json and as_csv:
        raise click.UsageError(say("--json and --csv cannot be combined"))
    began, its = time.monotonic(), rules.named_or_default()
    with LiveLine(new_console(stderr=True, quiet=as_json or as_csv)) as line:
        players = entrants(names or everybody(its), its, seed)
        standings, exact = _played(players, its, rounds, seed, line)
    record = None if names else known_record(its)
    if as_json:
        policy = {} if record is None else {"policy": record_json(record)}
        print_json({**policy, **arena_json(players, standings, exact, seed)})
    elif as_csv:
        print(arena_csv(players, standings, exact), end="")
    else:
        console, spent = new_console(), clock(time.monotonic() - began)
        console.print(arena_heading(standings, seed, spent), soft_wrap=True)
        if record is not None:
            console.print(describe_policy(record), soft_wrap=True)
        print_arena(console, players, standings, exact)
    if not as_json:
        print_faults(new_console(stderr=as_csv), players)


def _played(
    players: Entrants, rules: Rules, units: int | None, seed: int, line: LiveLine
) -> tuple[Standings, ExactValues]:
    """Play about `units` units at each table, fewer after Ctrl-C. Return the standings and, of all
    rounds for penalty points, the exact values. Raise IllegalAction."""
    from zhaifei.app.terminal.printed.arena import arena_progress
    from zhaifei.game.stakes import Unit, unit_of_play
    from zhaifei.policies.measure.anytime import last_of
    from zhaifei.policies.measure.arena import default_units, exact_values, play_arena

    def show(done: int, planned: int) -> None:
        line.show(arena_progress(unit_of_play(rules), done, planned), done, planned)

    units = units or default_units(len(players), rules)
    standings = last_of(
        play_arena(players, rules, units, seed, show),
        lambda so_far: show(so_far.played, so_far.planned),
    )
    if standings.played < standings.planned or standings.unit is Unit.MATCH:
        return standings, {}
    return standings, last_of(
        exact_values(players),
        lambda so_far: line.show(say("{count} exact values", count=len(so_far) // 2)),
    )
