"""Commands whose help is in the chosen language.

Our commands are made with `@click.command(cls=Command)` or `@click.group(cls=Group)`. Their help
texts are written in English, and looked up in the catalogue when help is shown. click looks up its
own texts with gettext, in the domain that `app.locale.choose` has set.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any, TypeVar

import click

from zhaifei.app.locale import chosen, say, unwrapped
from zhaifei.app.terminal.optional_value import with_values

AnyCommand = TypeVar("AnyCommand", bound=click.Command)
_OPENING, _CLOSING = r"（“《\[(", r"，。；：、！？）”》\])"
_CHUNK = rf"\s+|[{_OPENING}]*(?:[^\s\u2e80-\uffef]+|[\u2e80-\uffef])[{_CLOSING}]*"
"""A pattern of text that must stay on one line: a Chinese character or a word of another language,
with its punctuation."""


class Formatter(click.HelpFormatter):
    """Breaks lines by their width on screen and between Chinese characters. click counts characters
    and breaks only at spaces."""

    def write_text(self, text: str) -> None:
        super().write_text(_broken(text, self.width - self.current_indent))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        rows = list(rows)
        first = min(max(len(term) for term, _ in rows), col_max) + col_spacing
        width = self.width - first - self.current_indent
        broken = [(term, _broken(text, width)) for term, text in rows]
        super().write_dl(broken, col_max, col_spacing)


class Context(click.Context):
    """Lays help out with `Formatter`."""

    formatter_class = Formatter


class Command(click.Command):
    """A command that shows its help in the chosen language, and supports options of the class
    OptionalValue."""

    context_class = Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line into the context."""
        return super().parse_args(ctx, with_values(self.params, args))

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help."""
        super(Command, _translated(self)).format_help(ctx, formatter)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the line of this command in the help of its group."""
        return super(Command, _translated(self)).get_short_help_str(limit)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return --help."""
        option = super().get_help_option(ctx)
        if option is not None:  # click keeps the option in the language of its first use
            option.help = say("Show this message and exit.")
        return option


class Group(Command, click.Group):
    """A group that shows its help in the chosen language, of commands that do so too."""

    command_class = Command


def _translated(command: AnyCommand) -> AnyCommand:
    """Return the command, or a copy of it with its help in the chosen language."""
    if chosen() == "en":
        return command
    shown = copy.copy(command)
    shown.help = say(unwrapped(command.help or ""))
    shown.options_metavar = say("[OPTIONS]")
    shown.params = [_translated_parameter(parameter) for parameter in command.params]
    if isinstance(shown, click.Group):
        shown.subcommand_metavar = say("COMMAND [ARGS]...")
    return shown


def _translated_parameter(parameter: Any) -> Any:
    text = getattr(parameter, "help", None)  # options have help, and arguments from click 8.5 on
    if not text:
        return parameter
    shown = copy.copy(parameter)
    shown.help = say(unwrapped(text))
    return shown


def _broken(text: str, width: int) -> str:
    r"""Return paragraphs in lines of at most `width` columns, marked with \b so that click keeps
    the lines."""
    paragraphs = ("\n".join(_lines(paragraph, width)) for paragraph in text.split("\n\n"))
    return "\n\n".join(f"\b\n{paragraph}" for paragraph in paragraphs)


def _lines(paragraph: str, width: int) -> list[str]:
    from rich.cells import cell_len  # noqa: PLC0415  # most runs show no help

    lines = [""]
    for chunk in re.findall(_CHUNK, paragraph.replace("\n", " ")):
        if cell_len(lines[-1] + chunk.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += chunk if lines[-1] else chunk.lstrip()
    return lines
