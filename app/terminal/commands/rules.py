"""`zhaifei rules`."""

from __future__ import annotations

from contextlib import suppress

import click

from zhaifei.app.locale import say, say_message
from zhaifei.app.terminal.commands.options import debug, lang
from zhaifei.app.terminal.help_texts import Command
from zhaifei.game.messages import Message

PRESETS_ARE = {
    "zhaifei": Message("斋飞, the full game: 飞 and 斋; the default"),
    "ktv": Message("as in many bars: lower openings, 斋 as 飞, double back, ones highest"),
    "southern": Message("on the street: ktv with 劈, five alike, and straights worth nothing"),
    "northern": Message("on the street: 劈, half as 斋, ones end 飞, 纯 for two more"),
    "basic": Message("飞 only"),
    "liars_dice": Message("OpenSpiel's liars_dice: one die each, the highest face is wild"),
    "knockout": Message("飞 only; the loser of a round loses a die, anybody may challenge"),
    "classic": Message("the international game: ones are wild, the loser of a round loses a die"),
    "classic_plain": Message("classic, but no face is wild"),
    "increment": Message("斋 only; each bid counts one die more, the loser loses a die"),
    "published": Message("increment, but the dice make the first bid and counts are unbounded"),
}
"""A line for each preset."""


@click.command(cls=Command)
@click.argument("name", required=False)
@click.option(
    "--ask", is_flag=True, help="Ask for the rules of your table, and say what to type for them."
)
@lang
@debug
def rules(name: str | None, ask: bool) -> None:
    """List the rules for --rules and the house rules for --house, or show the rules NAME."""
    if ask:
        if name is not None:
            raise click.UsageError(say("--ask cannot be combined with the name of rules"))
        _ask()
    elif name is not None:
        _show(name)
    else:
        _list()


def _ask() -> None:
    from zhaifei.app.terminal.commands.solve import solve
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.person import open_keyboard, read_line
    from zhaifei.app.terminal.rules_asked import RulesAsked, commands, print_lines
    from zhaifei.policies.catalogue.known import known_record
    from zhaifei.policies.catalogue.solving import solve_command
    from zhaifei.policies.play.table import Leaves

    open_keyboard()
    with suppress(Leaves):
        console = new_console()
        asked = RulesAsked(console, read_line)
        found = asked.run()
        if known_record(found) is None and asked.solves_now():
            _, _, *options = solve_command(found).split()
            solve.main(options, standalone_mode=False)
            print_lines(console, ["", *commands(found)])


def _show(name: str) -> None:
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.rules_asked import print_lines, rules_page
    from zhaifei.game.rules import preset

    print_lines(new_console(), rules_page(preset(name), say_message(PRESETS_ARE[name])))


def _list() -> None:
    from rich.table import Table

    from zhaifei.app.terminal.console import new_console
    from zhaifei.game.house import SWITCHES

    console = new_console()
    house = {name: switch.does for name, switch in SWITCHES.items()}
    for heading, lines in (
        (say("rules, for --rules"), PRESETS_ARE),
        (say("house rules, for --house"), house),
    ):
        console.print(heading)
        table = Table(box=None, show_header=False)
        table.add_column()
        table.add_column(overflow="fold")
        for name, does in lines.items():
            table.add_row(name, say_message(does))
        console.print(table)
