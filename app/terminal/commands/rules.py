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
@click.option(
    "--ask", is_flag=True, help="Ask for the rules of your table, and say what to type for them."
)
@lang
@debug
def rules(ask: bool) -> None:
    """List the rules for --rules and the house rules for --house."""
    if ask:
        _ask()
    else:
        _list()


def _ask() -> None:
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.person import open_keyboard, read_line
    from zhaifei.app.terminal.rules_questions import RulesQuestions
    from zhaifei.policies.play.table import Leaves

    open_keyboard()
    with suppress(Leaves):
        RulesQuestions(new_console(), read_line).run()


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
        for name, does in lines.items():
            table.add_row(name, say_message(does))
        console.print(table)
