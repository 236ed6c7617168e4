"""`zhaifei players`."""

from __future__ import annotations

import click

from zhaifei.app.locale import say, say_message
from zhaifei.app.terminal.commands.options import debug, lang
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@lang
@debug
def players() -> None:
    """List the named players by the rules that they play, with a description of each."""
    from rich.table import Table

    from zhaifei.app.terminal.console import new_console
    from zhaifei.policies.catalogue.names import described_players

    console = new_console()
    for rules, described in described_players().items():
        if described:
            console.print(say_message(rules))
            table = Table(box=None, show_header=False)
            for name, does in described.items():
                table.add_row(name, say_message(does))
            console.print(table)
    console.print(
        say(
            "To add your own, write a .py file with a class that has the methods "
            "challenge_bid(seen) and make_bid(seen)."
        )
    )
