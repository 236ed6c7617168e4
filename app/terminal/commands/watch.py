"""`zhaifei watch`."""

from __future__ import annotations

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

_FAST_ROUNDS = 1000
"""The default number of rounds with --fast."""


@click.command(cls=Command)
@click.argument("file", type=FILE, required=False)
@table_options
@click.option(
    "--rounds",
    type=Count(),
    help="Number of rounds, at most.  [default: until you leave or the match is over; 1000 with "
    "--fast]",
)
@click.option("--fast", is_flag=True, help="Do not pause, and show only the standings.")
@lang
@debug
def watch(
    file: Path | None,
    rounds: int | None,
    fast: bool,
    seed: int | None,
    policy: Path | None,
    opponents: tuple[str, ...],
    rules: RulesOptions,
) -> None:
    """Watch policies and rule-based players play, one round at a time; with FILE, a recorded match
    again.

    The --policy sits in seat 1 and the opponents in the others; without --policy the opponents take
    all seats. Press Enter for the next round, q to leave. Where dice are lost, as with --rules
    knockout, a match is played until one player has dice left.
    """
    if file is not None:
        _verify_not_given(policy=policy, opponent=opponents, seed=seed, rules=rules.named())
        _watch_again(file, rounds, fast=fast)
        return
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.screen import Meter
    from zhaifei.app.terminal.table import chosen_lineup, query_command, screen_at
    from zhaifei.game.stakes import most_rounds
    from zhaifei.policies.play.table import LiveTable, sit_down
    from zhaifei.policies.players.player import Player

    lineup = chosen_lineup(policy, rules.named(), opponents, tell=not opponents)
    everyone = range(lineup.rules.players)
    players: list[Player]
    if opponents and policy is None:
        players = [*lineup.opponents(len(everyone))]
    else:
        players = [lineup.player, *lineup.opponents(len(everyone) - 1)]
    seed = seed_or_drawn(seed)
    match, seats = sit_down(players, seed)
    query = query_command(policy, rules.as_typed(), lineup)
    with screen_at(match, players, seats, seed, query) as screen:
        if fast:
            rounds = rounds or _FAST_ROUNDS
            rounds = min(rounds, most_rounds(match.rules) or rounds)
            with Meter(new_console(), rounds) as meter:
                LiveTable(match, seats, meter).play(rounds)
        else:
            table = LiveTable(match, seats, screen, shown=everyone)
            table.play(rounds, _ask_for_the_next)


def _watch_again(file: Path, rounds: int | None, *, fast: bool) -> None:
    from zhaifei.app.terminal.console import new_console, warn
    from zhaifei.app.terminal.person import open_keyboard
    from zhaifei.app.terminal.replay import replay
    from zhaifei.policies.play.records import read_match

    match = read_match(file, warn(new_console(stderr=True)))
    open_keyboard()
    replay(match, rounds, _ask_for_the_next, fast=fast)


def _ask_for_the_next() -> None:
    from zhaifei.app.terminal.person import read_line

    read_line(say("Enter for the next round, q to leave > "))


def _verify_not_given(**options: object) -> None:
    """Raise UsageError for the first of `options` that was given along with a record."""
    for name, value in options.items():
        if value not in (None, ()):
            raise click.UsageError(
                say(
                    "--{option} cannot be combined with a record, which already sets it",
                    option=name,
                )
            )
