"""A drill session in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from zhaifei.app.locale import explain, say, say_action, say_message
from zhaifei.app.said import say_graded
from zhaifei.app.terminal.person import read_line
from zhaifei.app.terminal.printed.advice import print_advice
from zhaifei.game.bids import domain, mover_after
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import format_hand, format_history, parse_action, read_back
from zhaifei.game.views import verify_action, view_of
from zhaifei.policies.play.table import Leaves
from zhaifei.policies.review.decisions import ReviewedDecision
from zhaifei.policies.review.deck import Card
from zhaifei.policies.review.drill import Drill


class Driller:
    """Shows positions, reads the person's actions and shows the answers."""

    def __init__(self, console: Console, drill: Drill) -> None:
        self._console, self._drill = console, drill

    def run(self, cards: Sequence[Card]) -> None:
        """Go through the cards, until the person leaves."""
        if not cards:
            self._print(say("there is nothing to drill: play a match first, or come back later"))
            return
        right = asked = 0
        try:
            for number, card in enumerate(cards, 1):
                self._ask(card, number, len(cards))
                found = self._drill.answer(card, self._answer(card))
                asked += 1
                right += not found.grade.is_error
                self._show(found)
        except Leaves:
            pass
        self._print(say("{right} of {asked} right", right=right, asked=asked), style="bold")

    def _ask(self, card: Card, number: int, cards: int) -> None:
        """Show the position without the answer."""
        self._console.print()
        bids = format_history(card.history)
        where = say("after {history}", history=bids) if bids else say("opening the round")
        self._print(
            say(
                "{number} of {cards}: hand {hand}, {situation}",
                number=number,
                cards=cards,
                hand=format_hand(card.hand),
                situation=where,
            ),
            style="bold",
        )

    def _answer(self, card: Card) -> int:
        """Return the action typed. If the input cannot be read or is illegal, explain it and ask
        again. Raise Leaves."""
        rules = card.rules
        seat = mover_after(rules, card.history)
        view = view_of(rules, seat, card.hand, 0, card.history)
        while True:
            text = read_line(say("what do you do? (q to leave) > "))
            if not text:
                continue
            try:
                action = parse_action(rules, text, view.current_bid)
                if back := read_back(text, domain(rules)[action : action + 1]):
                    self._print(say_message(back))
                verify_action(view, action)
            except ZhaifeiError as error:
                self._print(explain(error))
            else:
                return action

    def _show(self, found: ReviewedDecision) -> None:
        """Show the cost of the person's action, and the advice."""
        style = "red" if found.grade.is_error else "green"
        told = say(
            "{done}: {graded}; best: {best}",
            done=say_action(found.done),
            graded=say_graded(found),
            best=say_action(found.best),
        )
        self._print(told, style=style)
        print_advice(self._console, self._drill.reviewer.rules, found.advice, assumed=False)

    def _print(self, text: str, style: str | None = None) -> None:
        self._console.print(text, style=style, soft_wrap=True)
