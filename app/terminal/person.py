"""The seat of a person, who reads the screen and types."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable

from zhaifei.app.locale import explain, say, say_message
from zhaifei.app.terminal.screen import Screen
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_action, read_back
from zhaifei.game.public_state import DECLINE
from zhaifei.game.texts import LONGEST
from zhaifei.game.views import View, declines_to_bid, raises_of, verify_action
from zhaifei.policies.advice.hints import Hint
from zhaifei.policies.play.table import Leaves

_HELP = ("?", "help", "帮助")
_LEAVE = ("q", "quit", "退出")
_DECLINE = ("n", "no", "过", "不开")

Ask = Callable[[str], str]
"""Prompts and returns the line typed. Raises Leaves if the person leaves."""


Advise = Callable[[View], Hint]
"""Returns a hint for the player in turn. Raises ZhaifeiError."""


class Person:
    """A Decider that asks a person. With `advise`, hints are shown before each decision."""

    def __init__(self, screen: Screen, ask: Ask, advise: Advise | None = None) -> None:
        self._screen, self._ask, self._advise = screen, ask, advise
        self._next_bid: int | None = None

    def decide(self, view: View) -> int:
        """Return the action typed. If the input cannot be read or is illegal, explain it and ask
        again. See Decider. Raise Leaves.

        A person who is asked whether to challenge, and bids next with nobody asked in between, gets
        one question for both: see `game.views.declines_to_bid`.
        """
        planned, self._next_bid = self._next_bid, None
        if planned is not None:
            return planned
        if not declines_to_bid(view):
            return self._decide(view)
        action = self._decide(view) if raises_of(view) else challenge_action(view.rules)
        if action == challenge_action(view.rules):
            return action
        self._next_bid = action
        return DECLINE

    def _decide(self, view: View) -> int:
        """Show the turn and return the action typed."""
        self._screen.turn(view)
        self._hint(view)
        asked = view.rules.stakes.out_of_turn and not raises_of(view)
        prompt = (
            say("challenge, or n to let it stand (? for help, q to leave) > ")
            if asked
            else say("your turn (? for help, q to leave) > ")
        )
        while True:
            text = self._ask(prompt)
            if text in _HELP:
                self._screen.help(view.rules)
            elif asked and text.lower() in _DECLINE:
                return DECLINE
            elif text and (action := self._read(view, text)) is not None:
                return action

    def _read(self, view: View, text: str) -> int | None:
        """Return the action that `text` denotes. If it denotes no legal action, explain this and
        return None."""
        try:
            action = parse_action(view.rules, text, view.current_bid)
            # empty for a challenge and for giving up
            if back := read_back(text, domain(view.rules)[action : action + 1]):
                self._screen.line(say_message(back))
            verify_action(view, action)
        except ZhaifeiError as error:
            self._screen.line(explain(error))
            return None
        return action

    def _hint(self, view: View) -> None:
        """Show advice; if the adviser fails, show the error once and give no more hints."""
        if self._advise is None:
            return
        try:
            with self._screen.thinking():
                hint = self._advise(view)
            self._screen.advice(*hint)
        except ZhaifeiError as error:
            self._advise = None
            self._screen.line(say("no hints: {reason}", reason=explain(error)))


def read_line(prompt: str) -> str:
    """Return the line typed after `prompt`, as `folded`. Raise Leaves on q or at the end of
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
    """Return `text` stripped, and with full-width characters, which Chinese keyboards send, as
    ASCII.

    A text that is too long to be parsed is returned unchanged, because NFKC sorts combining
    characters in quadratic time.
    """
    if len(text) > LONGEST:
        return text
    return unicodedata.normalize("NFKC", text).strip()


def open_keyboard() -> None:
    """Enable line editing if the terminal supports it, and replace undecodable bytes."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    if _moves_up():
        import readline  # noqa: F401, PLC0415  # from now on `input` uses it


def _moves_up() -> bool:
    """Return whether the terminal can move its cursor up. Otherwise readline uses a single row and
    crashes when the terminal becomes narrower."""
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
