"""The group of all commands.

Each verb is a module of `app.terminal.commands`, imported only when it is used, so that start-up
is quick.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

import click

from zhaifei.app.terminal.commands.options import debug, lang
from zhaifei.app.terminal.help_texts import Group

VERBS = (
    "solve",
    "train",
    "query",
    "evaluate",
    "play",
    "watch",
    "record",
    "review",
    "drill",
    "people",
    "arena",
    "score",
    "players",
    "rules",
    "report",
    "web",
    "mcp",
    "cluster",
)
"""The commands, in the order of help. `zhaifei VERB` runs the function `VERB` of the module
`app.terminal.commands.VERB`."""


class Commands(Mapping[str, click.Command]):
    """The commands by their verbs; each is imported when it is looked up."""

    def __getitem__(self, verb: str) -> click.Command:
        if verb not in VERBS:
            raise KeyError(verb)
        command: click.Command = getattr(
            import_module(f"zhaifei.app.terminal.commands.{verb}"), verb
        )
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class Verbs(Group):
    """The group of all commands, which lists them in the order of VERBS."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)


@click.group(
    cls=Verbs,
    commands=Commands(),
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="zhaifei", help="Show the version and exit.")
@lang
@debug
def cli() -> None:
    """Solve Liar's Dice as it is played in China (斋飞), with five dice each.

    Bids are written 飞4x6 or f4x6 (ones wild) and 斋2x5 or z2x5 (ones not wild).

    Exit codes: 0 done; 1 an error of the program; 2 a request that cannot be met; 3 the output
    could not be written, though files are; 130 ended by Ctrl-C; 143 ended by SIGTERM.
    """
