"""`zhaifei play`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.argument_types import Count
from zhaifei.app.terminal.commands.options import (
    FILE,
    RulesOptions,
    debug,
    lang,
    seed_or_drawn,
    table_options,
)
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@table_options
@click.option("--seat", type=click.IntRange(1), default=1, metavar="K", help="Your seat.")
@click.option(
    "--rounds",
    type=Count(),
    help="Number of rounds, at most.  [default: until you leave or the match is over]",
)
@click.option("--hints", is_flag=True, help="Show what the policy would do in your place.")
@click.option("--show-all", is_flag=True, help="Show everyone's dice all the time.")
@click.option(
    "--record",
    type=FILE,
    help="Record the match in this new file.  [default: in your data directory, named by the time]",
)
@click.option("--no-record", is_flag=True, help="Do not record the match.")
@lang
@debug
def play(
    seat: int,
    rounds: int | None,
    hints: bool,
    show_all: bool,
    record: Path | None,
    no_record: bool,
    seed: int | None,
    policy: Path | None,
    opponents: tuple[str, ...],
    rules: RulesOptions,
) -> None:
    """Play against policies and rule-based players.

    Type 飞5x4, f5x4 or 五个四 to bid, c or 开 to challenge, ? for help, q to leave. Input may also
    come from a pipe, a line for each decision. Every match is recorded: 'zhaifei
    watch FILE' shows it again.

    Where dice are lost, as with --rules knockout, a match is played until one player has dice left.
    If you are asked whether to challenge and are not next to bid, type n or 过 to let the bid
    stand.
    """
    if record is not None and no_record:
        raise click.UsageError(say("--record and --no-record cannot be combined"))
    from zhaifei.app.terminal.person import Person, read_line
    from zhaifei.app.terminal.table import (
        chosen_lineup,
        hints_of,
        query_command,
        recorded,
        recorder_of,
        screen_at,
    )
    from zhaifei.policies.play.lineup import verify_seat
    from zhaifei.policies.play.table import LiveTable, Onlookers, sit_down
    from zhaifei.policies.players.player import Player

    lineup = chosen_lineup(policy, rules.named(), opponents, tell=hints or not opponents)
    verify_seat(lineup.rules, seat)
    everyone, you = range(lineup.rules.players), seat - 1
    players: list[Player] = [*lineup.opponents(len(everyone) - 1)]
    players.insert(you, lineup.player)
    advise = hints_of(lineup) if hints else None
    drawn, seed = seed is None, seed_or_drawn(seed)
    match, seats = sit_down(players, seed)
    recorder = None if no_record else recorder_of(match, players, you, seed, lineup, record)
    query = query_command(policy, rules.as_typed(), lineup)
    with (
        recorder or nullcontext(),  # the recorder leaves no file if even the screen fails
        screen_at(match, players, seats, seed, query, you, is_secret=drawn) as screen,
        recorded(recorder) as recorders,
    ):
        seats[you] = Person(screen, read_line, advise)
        onlooker = Onlookers([*recorders, screen])
        table = LiveTable(match, seats, onlooker, shown=everyone if show_all else (you,))
        table.play(rounds)
