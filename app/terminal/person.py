"""The seat of a person, who reads the screen and types."""

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
from game.texts import LONGEST
from game.views import View
from policies.play.table import Leaves

if TYPE_CHECKING:
    from policies.measure.advice import Adviser
    from policies.measure.resolved_advice import ResolvingAdviser

_HELP = ("?", "help", "帮助")
_LEAVE = ("q", "quit", "退出")

Ask = Callable[[str], str]
"""Prompts and returns the line typed. Raises Leaves if the person leaves."""


class Person:
    """A Decider that asks a person. With an adviser, hints are shown before each decision."""

    def __init__(
        self, screen: Screen, ask: Ask, adviser: Adviser | ResolvingAdviser | None = None
    ) -> None:
        self._screen, self._ask, self._adviser = screen, ask, adviser

    def decide(self, view: View) -> int:
        """Return the action typed; explain what cannot be read or is illegal, and ask again. See
        Decider. Raise Leaves."""
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
        """Show advice; if the adviser fails, show the error once and give no more hints."""
        if self._adviser is None:
            return
        try:
            with self._screen.thinking():
                advice = self._adviser.advise(view.dice, view.bids)
            self._screen.advice(advice)
        except ZhaifeiError as error:
            self._adviser = None
            self._screen.line(say("no hints: {reason}", reason=explain(error)))


def read_line(prompt: str) -> str:
    """Return the line typed after `prompt`, as `folded`. Raises Leaves on q or at the end of
    input."""
    if sys.stdin is None:  # closed
        raise Leaves
    try:
        text = input(prompt)
    except EOFError:
        print()
        raise Leaves from None
    except KeyboardInterrupt:
        print()
        raise
    if not sys.stdin.isatty():
        print(text)  # so that recorded sessions read like a terminal
    text = folded(text)
    if text.lower() in _LEAVE:
        raise Leaves
    return text


def folded(text: str) -> str:
    """Return `text` stripped and with full-width characters, as Chinese keyboards send them, as
    ASCII.

    A text that is too long to be read as anything is returned as it is: NFKC sorts combining
    characters in quadratic time."""
    if len(text) > LONGEST:
        return text
    return unicodedata.normalize("NFKC", text).strip()


def open_keyboard() -> None:
    """Enable line editing where the terminal supports it, and replace undecodable bytes."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    if _moves_up():
        import readline  # noqa: F401, PLC0415  # from then on `input` uses it


def _moves_up() -> bool:
    """Return whether the terminal can move its cursor up. On others readline uses a single row and
    crashes when the terminal becomes narrow."""
    if not sys.stdout.isatty():
        return False
    try:
        import curses  # noqa: PLC0415
    except ImportError:  # on Windows
        return False
    try:
        curses.setupterm()
        return curses.tigetstr("cuu1") is not None
    except curses.error:
        return False
