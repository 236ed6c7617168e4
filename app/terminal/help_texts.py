"""The help and the errors of click in the chosen language.

click looks its own words up with gettext, in files compiled for it; here they are looked up in
`app.locale.chinese`, as all else on screen is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import click
from click import core, decorators, exceptions, formatting, parser, types
from rich.cells import cell_len

from app.locale import say

_MODULES = (core, decorators, exceptions, formatting, parser, types)
"""Those of click that say anything to a user of ours."""
_OPENING, _CLOSING = r"（“《\[(", r"，。；：、！？）”》\])"
_CHUNK = re.compile(rf"\s+|[{_OPENING}]*(?:[^\s\u2e80-\uffef]+|[\u2e80-\uffef])[{_CLOSING}]*")
"""What must stay on one line: a Chinese character or a word of another language, with its
punctuation."""


def translate(command: click.Command) -> None:
    """From now on click, and the help of `command`, speak the chosen language."""
    for module in _MODULES:
        for name, ours in (("_", say), ("ngettext", _say_number)):
            if hasattr(module, name):
                setattr(module, name, ours)
    click.Context.formatter_class = Formatter
    _translate_help(command)


def unwrapped(text: str) -> str:
    """A help text with each paragraph as one line, as click will break it anyway: so it is a key of
    the catalogue."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _say_number(one: str, several: str, number: int) -> str:
    """As gettext's ngettext."""
    return say(one if number == 1 else several)


def _translate_help(command: click.Command) -> None:
    command.help = say(unwrapped(command.help or ""))
    command.options_metavar = say("[OPTIONS]")
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            parameter.help = say(unwrapped(parameter.help or ""))
    if isinstance(command, click.Group):
        command.subcommand_metavar = say("COMMAND [ARGS]...")
        for below in command.commands.values():
            _translate_help(below)


class Formatter(click.HelpFormatter):
    """Breaks lines by their width on screen, where Chinese may be broken: click counts characters
    and breaks at spaces."""

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


def _broken(text: str, width: int) -> str:
    r"""Paragraphs in lines at most `width` wide, marked with \b so that click leaves them."""
    paragraphs = ("\n".join(_lines(paragraph, width)) for paragraph in text.split("\n\n"))
    return "\n\n".join(f"\b\n{paragraph}" for paragraph in paragraphs)


def _lines(paragraph: str, width: int) -> list[str]:
    lines = [""]
    for chunk in _CHUNK.findall(paragraph):
        if cell_len(lines[-1] + chunk.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += chunk if lines[-1] else chunk.lstrip()
    return lines
