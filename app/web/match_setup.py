"""Draw the choices for a match."""

from __future__ import annotations

from functools import partial
from html import escape

from nicegui import ui

from zhaifei.app.locale import say
from zhaifei.app.web.buttons import act, choice, choose
from zhaifei.app.web.games import OWN_RULES, point_games
from zhaifei.app.web.own_rules import answer, questions_html, rules_html
from zhaifei.app.web.resuming import remember
from zhaifei.app.web.seat import Seat
from zhaifei.app.web.settings import may_jump
from zhaifei.app.web.taps import Taps
from zhaifei.app.web.visitor import Visitor

_MOST_PLAYERS = 8


class MatchSetup:
    """The choices for the next match."""

    def __init__(self, visitor: Visitor, seat: Seat) -> None:
        self._visitor, self._seat = visitor, seat
        choices = seat.choices
        with ui.element("section").classes("z-card"):
            ui.html(say("a new match"), sanitize=False, tag="h2")
            ui.label(say("rules"))
            with ui.element("div").classes("z-row").props('role="group"'):
                self._games = {
                    game: choice(visitor, name, partial(self._play_by, game))
                    for game, name in _games().items()
                }
            ui.label(say("players"))
            with ui.element("div").classes("z-row").props('role="group"'):
                self._sizes = {
                    size: choice(visitor, str(size), partial(self._resize, size))
                    for size in range(2, _MOST_PLAYERS + 1)
                }
            self._jump = ui.switch(say("跳开: bids before the last may be challenged"))
            self._jump.bind_value(choices, "jump_challenge")
            self._jump.on_value_change(visitor.handler(self._refresh))
            self._own = Taps(visitor, self._answer)
            self._told = Taps(visitor, self._answer)
            ui.switch(say("practice: decisions can be taken back, nothing is recorded")).bind_value(
                choices, "practice"
            )
            act(visitor, say("start"), self._start, primary=True)
        self._refresh()

    def _play_by(self, game: str) -> None:
        self._seat.choices.game = game
        self._refresh()

    def _resize(self, size: int) -> None:
        self._seat.choices.players = size
        self._refresh()

    def _answer(self, tap: str) -> None:
        answer(self._seat.choices.answers, tap)
        self._refresh()

    def _refresh(self) -> None:
        choices = self._seat.choices
        choices.answers.players = choices.players
        remember(self._visitor, self._seat)
        for game, button in self._games.items():
            choose(button, game == choices.game)
        for size, button in self._sizes.items():
            choose(button, size == choices.players)
        jumps = choices.players > 2 and may_jump(choices.game)
        self._jump.set_enabled(jumps)
        own = choices.game == OWN_RULES
        self._own.show(questions_html(choices.answers) if own else "")
        jump = bool(choices.jump_challenge) and jumps
        told = rules_html(choices.game, choices.players, choices.answers, jump=jump)
        self._told.show(
            f"<details><summary>{escape(say('the rules in words'))}</summary>{told}</details>"
        )

    async def _start(self) -> None:
        await self._seat.start()


def _games() -> dict[str, str]:
    for_dice = {"knockout": say("knockout: lose dice"), "classic": say("classic: lose dice")}
    return {**point_games(), **for_dice}
