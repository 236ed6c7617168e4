"""`zhaifei mcp`."""

from __future__ import annotations

import click

from zhaifei.app.terminal.commands.options import debug, lang
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@lang
@debug
def mcp() -> None:
    """Serve language models and agents over MCP (Model Context Protocol), on the standard input and
    output.

    Tools: rules, the chance of a bid, advice, best responses, reviews of rounds, and matches played
    move by move, scored ones too. Resources: the records of your matches. An agent can write
    nothing, and read no other files.
    """
    from zhaifei.game.errors import ZhaifeiError, needing

    missing = ZhaifeiError("the package mcp is not installed: pip install 'zhaifei[mcp]'")
    with needing(frozenset({"mcp", "pydantic"}), missing):
        from zhaifei.app.agents.server import make_server

    make_server().run("stdio")
