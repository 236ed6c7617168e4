"""`zhaifei play`."""

from __future__ import annotations

from pathlib import Path

import click

from app.terminal.argument_types import Count
from app.terminal.commands.options import (
    RulesOptions,
    debug,
    lang,
    seed_or_drawn,
    table_options,
)
from app.terminal.help_texts import Command


@click.command(cls=Command)
@table_options
@click.option("--seat", type=click.IntRange(1), default=1, metavar="K", help="Your seat.")
@click.option("--rounds", type=Count(), help="Number of rounds.  [default: until you leave]")
@click.option("--hints", is_flag=True, help="Show what the policy would do in your place.")
@click.option("--show-all", is_flag=True, help="Show everyone's dice all the time.")
@lang
@debug
def play(
    seat: int,
    rounds: int | None,
    hints: bool,
    show_all: bool,
    seed: int | None,
    policy: Path | None,
    opponents: tuple[str, ...],
    rules: RulesOptions,
) -> None:
    """Play against policies and rule-based players.

    Type 飞5x4, f5x4 or 五个四 to bid, c or 开 to challenge, ? for help, q to leave. Input may also
    come from a pipe, a line for each decision.
    """
    from app.terminal.person import Person, read_line
    from app.terminal.table import chosen_lineup, query_command, screen_at
    from policies.measure.resolved_advice import adviser_for
    from policies.play.lineup import verify_seat
    from policies.play.table import LiveTable, sit_down

    lineup = chosen_lineup(policy, rules, opponents, tell=hints or not opponents)
    verify_seat(lineup.rules, seat)
    everyone, you = range(lineup.rules.players), seat - 1
    players = lineup.opponents(len(everyone) - 1)
    players.insert(you, lineup.player)
    seed = seed_or_drawn(seed)
    match, seats = sit_down(players, seed)
    with screen_at(match, players, seed, query_command(policy, rules), you) as screen:
        seats[you] = Person(screen, read_line, adviser_for(lineup.policy) if hints else None)
        table = LiveTable(match, seats, screen, shown=everyone if show_all else (you,))
        table.play(rounds)
