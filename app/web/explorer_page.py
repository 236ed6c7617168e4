"""Draw the page on which visitors walk the policy's tree: each position has an address."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import TypeVar

from nicegui import ui

from zhaifei.app.locale import explain, say
from zhaifei.app.web.asking import answer_locks, explore_hand, explore_position
from zhaifei.app.web.explorer import (
    MOST_LOCKS,
    LockQuestion,
    Position,
    parse_position,
    with_lock,
)
from zhaifei.app.web.explorer_html import (
    View,
    actions_html,
    held_html,
    link,
    lock_html,
    locked_html,
    map_html,
    path_html,
)
from zhaifei.app.web.frame import frame
from zhaifei.app.web.games import OWN_RULES, rules_of
from zhaifei.app.web.play_page import seat_of
from zhaifei.app.web.taps import Taps
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import RangeAdvice
from zhaifei.policies.advice.locked import LockAnswer

Key = TypeVar("Key")
Value = TypeVar("Value")

_KEPT = 6
"""Most positions kept for a visitor to come back to at once, and most rules whose locks are."""
_SECONDS = 2.0
"""Seconds for which a position is solved again."""
_TOGGLED = ("hold", "drop", "hand")


def show() -> None:
    """Draw the page."""
    with frame(Message("Explorer"), "/explorer") as visitor:
        said = ui.context.client.request.query_params
        try:
            position = parse_position(dict(said))
        except ZhaifeiError as error:
            _refuse(error)
            return
        _Page(visitor, position)


def _refuse(error: ZhaifeiError) -> None:
    """Show why an address is not a position, and link to the start."""
    with ui.element("section").classes("z-card").props('role="alert"'):
        ui.label(say("this address does not name a position: {why}", why=explain(error)))
        ui.html(link(Position(preset("zhaifei")), say("to the start")), sanitize=False)


def _own_rules(visitor: Visitor, position: Position) -> Rules | None:
    """Return the visitor's own rules for as many players, if the visitor plays by them."""
    choices = seat_of(visitor).choices
    if choices.game != OWN_RULES:
        return None
    with suppress(ZhaifeiError):
        return rules_of(OWN_RULES, position.rules.players, choices.answers, jump=False)
    return None


class _Memory:
    """The positions that a visitor has explored, and the visitor's locks."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[object, ...], RangeAdvice] = OrderedDict()
        self._locks: OrderedDict[Rules, str] = OrderedDict()

    def find(self, position: Position) -> RangeAdvice | None:
        """Return what is known of a position, whatever dice are held there."""
        return self._found.get((position.rules, position.history))

    def keep(self, position: Position, found: RangeAdvice) -> None:
        """Keep the answer for a position, and forget the oldest beyond `_KEPT`."""
        _keep(self._found, (position.rules, position.history), found)

    def locks(self, rules: Rules) -> str:
        """Return the locks that were written for these rules."""
        return self._locks.get(rules, "")

    def keep_locks(self, rules: Rules, text: str) -> None:
        """Keep the locks for these rules, and forget those for the oldest beyond `_KEPT`."""
        _keep(self._locks, rules, text)


def _keep(kept: OrderedDict[Key, Value], key: Key, value: Value) -> None:
    kept[key] = value
    while len(kept) > _KEPT:
        kept.popitem(last=False)


class _Page:
    """The explorer in one browser tab."""

    def __init__(self, visitor: Visitor, position: Position) -> None:
        self._visitor, self._position, self._view = visitor, position, View()
        self._rules = position.rules
        self._memory = visitor.model("explorer", _Memory)
        self._found = self._memory.find(position)
        ui.html(path_html(position, _own_rules(visitor, position)), sanitize=False)
        self._state = ui.label("").classes("z-quiet").props('aria-live="polite"')
        with ui.element("div").classes("z-columns"):
            with ui.element("div"):
                self._held = Taps(visitor, self._tap)
                self._actions = Taps(visitor, self._tap)
            with ui.element("div"):
                self._map = Taps(visitor, self._tap)
                self._draw_locks()
        self._draw()
        ui.timer(0, visitor.handler(self._explore), once=True)

    def _draw_locks(self) -> None:
        if self._rules.players != 2:
            return
        with ui.element("section").classes("z-card"):
            ui.html(say("locks"), sanitize=False, tag="h2")
            self._lock_taps = Taps(self._visitor, self._tap)
            self._lock_text = (
                ui.textarea(
                    value=self._memory.locks(self._rules),
                    on_change=self._visitor.handler(self._typed),
                )
                .props(
                    f"outlined dense debounce=400 maxlength={MOST_LOCKS}"
                    f' aria-label="{say("locks")}"'
                )
                .classes("z-locks")
            )
            self._locked = ui.html("", sanitize=False)

    # Answers

    async def _explore(self) -> None:
        """Query the answer for this position. Ask the policy alone first; then, with two players
        and more than one bid, ask again with time to solve positions off the policy's lines."""
        if self._found is not None:
            await self._ask_hand()
            return
        self._state.set_text(say("one moment …"))
        try:
            await self._ask(0.0)
            if self._rules.players == 2 and len(self._position.history) > 1:
                self._state.set_text(say("Working it out …"))
                await self._ask(_SECONDS)
        except ZhaifeiError as error:
            self._state.set_text(explain(error))
            return
        self._state.set_text("")
        if self._found is not None:
            self._memory.keep(self._position, self._found)
        await self._ask_hand()

    async def _ask_hand(self) -> None:
        """Ask about a whole hand by itself, where only the range was played out."""
        found, position = self._found, self._position
        if found is None or found.played is None or position.hand is None:
            return
        path = self._visitor.server.settings.policy_for(self._rules)
        self._found = found.told(await self._visitor.asked(explore_hand, path, position))
        self._draw()

    async def _ask(self, seconds: float) -> None:
        path = self._visitor.server.settings.policy_for(self._rules)
        asked = self._position.holding()  # one answer serves every choice of dice
        self._found = await self._visitor.asked(explore_position, path, asked, seconds)
        self._draw()

    # Taps

    async def _tap(self, name: str) -> None:
        what, _, said = name.partition(" ")
        if what in _TOGGLED:
            self._hold(what, said)
            self._draw()
            await self._ask_hand()
        elif what == "player":
            self._view = self._view._replace(player=int(said))
        elif what == "paint":
            self._view = self._view._replace(action=said or None, player=0)
        elif what == "every":
            self._view = self._view._replace(every=True)
        elif what == "lock":
            self._lock(int(said))
        elif what == "answer":
            await self._answer(LockAnswer(said))
        self._draw()

    def _hold(self, what: str, said: str) -> None:
        held = list(self._position.held)
        if what == "hold":
            held.append(int(said))
        elif what == "drop":
            held.remove(int(said))
        else:
            its = [int(face) for face in said]
            held = [] if its == held else its
        self._position = self._position.holding(*held)
        ui.navigate.history.replace(f"explorer?{self._position.address}")

    def _typed(self) -> None:
        typed = self._lock_text.value or ""
        self._memory.keep_locks(self._rules, typed[:MOST_LOCKS])  # parsed with the question

    def _lock(self, percent: int) -> None:
        action = self._view.action
        if action is not None:
            locks = with_lock(self._memory.locks(self._rules), self._position, action, percent)
            self._memory.keep_locks(self._rules, locks)
            self._lock_text.set_value(locks)

    async def _answer(self, answer: LockAnswer) -> None:
        locks = self._memory.locks(self._rules)
        if not locks.strip():
            raise ZhaifeiError("nothing is locked yet")
        self._state.set_text(say("one moment …"))
        path = self._visitor.server.settings.policy_for(self._rules)
        question = LockQuestion(self._position, locks, answer, _SECONDS)
        try:
            found = await self._visitor.asked(answer_locks, path, question)
            self._locked.set_content(locked_html(found))
        finally:
            self._state.set_text("")

    # What is shown

    def _draw(self) -> None:
        found, position, view = self._found, self._position, self._view
        pieces = [(self._held, held_html(position, found))]
        if found is not None:
            pieces.append((self._actions, actions_html(position, found, view)))
            pieces.append((self._map, map_html(position, found, view)))
        if self._rules.players == 2:
            pieces.append((self._lock_taps, lock_html(position, view)))
        for taps, html in pieces:
            taps.show(html)
