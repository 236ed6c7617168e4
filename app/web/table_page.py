"""Draw the page for a table with real dice: one tap for each bid, and the advice in large
letters."""

from __future__ import annotations

import time

from nicegui import ui

from zhaifei.app.web.asking import advise_at_table, learn_from, read_at_table
from zhaifei.app.web.frame import frame
from zhaifei.app.web.own_rules import answer, is_answer
from zhaifei.app.web.play_page import seat_of
from zhaifei.app.web.real_table import OWN, ROWS, RealTable, next_character
from zhaifei.app.web.resuming import remember, setup_of
from zhaifei.app.web.table_html import (
    MORE,
    below_html,
    middle_html,
    said_html,
    setup_html,
)
from zhaifei.app.web.taps import Taps
from zhaifei.app.web.visitor import Visitor
from zhaifei.app.web.waiting import waiting_text
from zhaifei.game.bids import domain
from zhaifei.game.messages import Message
from zhaifei.policies.advice.table import TableAdvice, TableQuestion
from zhaifei.policies.play.records import new_record, write_match

_MODEL, _RECORD = "table", "table record"
"""The names of a visitor's models: the table, and the record's file."""


def show() -> None:
    """Draw the page."""
    with frame(Message("At the table"), "/table") as visitor:
        _Page(visitor)


class _Page:
    """The visitor's table in one browser tab."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._setup = setup_of(visitor)
        self._rows, self._asking, self._adding = ROWS, False, False
        self._asked: TableQuestion | None = None
        self._began = time.monotonic()
        self._advice: TableAdvice | None = None
        self._new = Taps(visitor, self._tap_setup)
        self._said = Taps(visitor, self._tap)
        self._said.props('aria-live="polite"')
        self._grid = Taps(visitor, self._tap)
        self._below = Taps(visitor, self._tap)
        self._draw()
        ui.timer(0, visitor.handler(self._ask), once=True)

    @property
    def _table(self) -> RealTable | None:
        found: RealTable | None = self._visitor.models.get(_MODEL)
        return found

    # Taps

    def _tap_setup(self, name: str) -> None:
        what, _, value = name.partition(" ")
        if what == "players":
            self._setup.set_players(int(value))
        elif what == "starter":
            self._setup.starter = int(value)
        elif what == "jump":
            self._setup.jump_challenge = not self._setup.jump_challenge
        elif what == "game":
            self._setup.game = value
        elif is_answer(name):
            answer(self._setup.answers, name)
        else:
            self._visitor.models[_MODEL] = self._setup.table()
        remember(self._visitor, seat_of(self._visitor))
        self._draw()

    async def _tap(self, name: str) -> None:
        table = self._table
        if table is None:  # another page of the visitor has left the table
            self._draw()
            return
        what, *numbers = name.split()
        _do(table, what, [int(number) for number in numbers])
        if what == "leave":
            self._leave()
        elif what == "keep":
            self._keep(table)
        self._rows = table.rules.highest_count + 1 if what == MORE else ROWS
        self._adding = table.turn is None and (self._adding or what in ("die", "drop", "lost"))
        self._draw()
        if what == "next":
            await self._learn(table)
        await self._ask()

    def _leave(self) -> None:
        for name in (_MODEL, _RECORD):
            self._visitor.models.pop(name, None)

    def _keep(self, table: RealTable) -> None:
        """Write the record, which this visitor may see from now on."""
        path = self._visitor.models.get(_RECORD)
        if path is None:
            path = self._visitor.models[_RECORD] = new_record()
            seat = seat_of(self._visitor)
            seat.records.append(path.name)
            seat.changed()
        write_match(path, table.match())

    async def _learn(self, table: RealTable) -> None:
        """Learn from the rounds that have ended, and update the record if there is one."""
        if _RECORD in self._visitor.models:
            self._keep(table)
        for played in table.not_noted:
            path = self._visitor.server.settings.policy_for(table.rules)
            table.note(played, await self._visitor.asked(learn_from, path, table.rules, played))
        self._draw()

    async def _ask(self) -> None:
        """Ask for advice until the answer is about the present state of the table."""
        if self._asking:
            return
        self._asking = True
        try:
            while (table := self._table) and (asked := table.question()) != self._asked:
                self._advice = None
                if asked is not None:
                    await self._wait_for(asked)
                self._asked = asked
                self._draw()
        finally:
            self._asking = False

    async def _wait_for(self, asked: TableQuestion) -> None:
        """Ask for advice, and show meanwhile what is going on."""
        self._began = time.monotonic()
        with self._said:
            timer = ui.timer(1.0, self._visitor.handler(self._draw))
        try:
            await self._answer(asked)
        finally:
            timer.cancel()

    async def _answer(self, asked: TableQuestion) -> None:
        """Ask for advice. With two players on the person's turn, first ask how likely bids are
        true, because the advice takes longer."""
        path = self._visitor.server.settings.policy_for(asked.rules)
        if asked.rules.players == 2 and asked.turn == OWN:
            self._advice = await self._visitor.asked(read_at_table, path, asked)
            self._asked = asked
            self._draw()
        self._advice = await self._visitor.asked(advise_at_table, path, asked)

    @property
    def _known(self) -> TableAdvice | None:
        """The advice, if it is about the present state of the table."""
        table = self._table
        return self._advice if table is not None and table.question() == self._asked else None

    # What is shown

    def _draw(self) -> None:
        table = self._table
        if table is None:
            self._new.show(setup_html(self._setup))
            for one in (self._said, self._grid, self._below):
                one.show("")
            return
        self._new.show("")
        waiting = waiting_text(self._visitor.server.workers, self._began)
        for one, html in (
            (self._said, said_html(table, self._known, waiting)),
            (self._grid, middle_html(table, self._known, self._rows, adding=self._adding)),
            (self._below, below_html(table, kept=_RECORD in self._visitor.models)),
        ):
            one.show(html)


def _do(table: RealTable, what: str, numbers: list[int]) -> None:
    """Apply a tap to the table. Raise ZhaifeiError if it is invalid."""
    if what == "bid":
        table.bid(domain(table.rules)[numbers[0]])
    elif what == "challenge":
        table.challenge(numbers[0])
    elif what == "surrender":
        table.give_up()
    elif what == "die":
        table.add_die(*numbers)
    elif what == "drop":
        table.remove_die(*numbers)
    elif what == "lost":
        table.lost(numbers[0])
    elif what == "next":
        table.next_round()
    elif what == "start":
        table.start(numbers[0])
    elif what == "tell":
        table.tell(numbers[0], next_character(table.state.told[numbers[0]]))
    elif what == "undo":
        table.undo()
