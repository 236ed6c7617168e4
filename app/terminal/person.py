"""A person at the table, who reads a screen and types."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.locale import explain, say, say_message
from app.terminal.screen import Screen
from game.bids import domain
from game.errors import ZhaifeiError
from game.notation import parse_action, read_back
from game.rounds import verify_action
from game.views import View
from policies.play.table import Leaves

if TYPE_CHECKING:
    from policies.measure.advice import Adviser

_HELP = ("?", "help", "帮助")
_LEAVE = ("q", "quit", "退出")

Ask = Callable[[str], str]
"""Prompts, and returns what was typed; raises Leaves."""


class Person:
    """A Decider. With an adviser, hints are shown before each decision."""

    def __init__(self, screen: Screen, ask: Ask, adviser: Adviser | None = None) -> None:
        self._screen, self._ask, self._adviser = screen, ask, adviser

    def decide(self, view: View) -> int:
        """See Decider. Explain what cannot be read or is illegal, and ask again. Raise Leaves."""
        self._screen.turn(view)
        self._hint(view)
        while True:
            text = self._ask(say("your turn (? for help, q to leave) > "))
            if text in _HELP:
                self._screen.help(view.rules)
            elif text:
                try:
                    action = parse_action(view.rules, text)
                    # No bid, if it is a challenge.
                    if back := read_back(text, domain(view.rules)[action : action + 1]):
                        self._screen.line(say_message(back))
                    verify_action(view, action)
                except ZhaifeiError as error:
                    self._screen.line(explain(error))
                else:
                    return action

    def _hint(self, view: View) -> None:
        """An adviser that cannot advise says so once."""
        if self._adviser is None:
            return
        try:
            with self._screen.thinking():
                advice = self._adviser.advise(view.dice, view.bids)
            self._screen.advice(advice)
        except ZhaifeiError as error:
            self._adviser = None
            self._screen.line(say("no hints: {reason}", reason=explain(error)))


def typed(prompt: str) -> str:
    """The line typed after the prompt, without spaces around it and with full-width signs as plain
    ones, as they come from Chinese keyboards. Raises Leaves if it asks to, or where input ends."""
    try:
        text = input(prompt)
    except EOFError:
        print()
        raise Leaves from None
    except KeyboardInterrupt:
        print()
        raise
    if not sys.stdin.isatty():
        print(text)  # so that what is recorded reads like what happens on a terminal
    text = unicodedata.normalize("NFKC", text).strip()
    if text.lower() in _LEAVE:
        raise Leaves
    return text


def open_keyboard() -> None:
    """Lines are edited by the arrow keys where that is possible; bytes that are no text are read as
    signs that mean nothing."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    if _moves_up():
        import readline  # noqa: F401, PLC0415  # from then on `input` uses it


def _moves_up() -> bool:
    """Whether there is a terminal that can move its cursor up. On others readline keeps to one row,
    and then crashes when it becomes narrow."""
    try:
        import curses  # noqa: PLC0415
    except ImportError:  # on Windows
        return False
    try:
        curses.setupterm()
        return curses.tigetstr("cuu1") is not None
    except curses.error:
        return False
