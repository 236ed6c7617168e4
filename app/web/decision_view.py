"""Draw a reviewed decision on a page: its cost, and a try before the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from zhaifei.app.locale import say, say_action
from zhaifei.app.said import say_graded, say_kind
from zhaifei.app.web.advice_view import AdviceView
from zhaifei.app.web.bid_pad import BidPad
from zhaifei.app.web.buttons import act, reveal
from zhaifei.app.web.dice import Dice
from zhaifei.app.web.reviewed import Decision, Judge
from zhaifei.app.web.table_talk import challenge_text
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.bids import (
    Bid,
    action_of,
    challenge_action,
    challengeable,
    gives_up_action,
    legal_bids,
    state_after,
)
from zhaifei.game.legal import can_give_up
from zhaifei.game.notation import format_action, format_history
from zhaifei.policies.review.decisions import ReviewedDecision


class DecisionView:
    """One decision. `refresh` shows what has become known; the pad for a try is drawn when the
    visitor asks for it."""

    def __init__(
        self,
        visitor: Visitor,
        decision: Decision,
        judge: Judge,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self._visitor, self._decision, self._judge = visitor, decision, judge
        self._changed, self._pad = changed, False
        self._looks: tuple[bool, bool, int] | None = None
        with ui.element("section").classes("z-card") as self._card:
            with ui.element("div").classes("z-row"):
                Dice().show(decision.hand)
                bids = format_history(decision.history) or say("opening the round")
                ui.label(bids).classes("z-quiet")
            done = say_action(format_action(decision.rules, decision.action))
            self._told = ui.label(say("You: {action}", action=done))
            self._buttons = ui.element("div").classes("z-row z-gone")
            self._try = ui.element("div")
            self._result = ui.label().props('aria-live="polite"')
            self._advice = AdviceView()
            with self._buttons:
                self._draw_buttons()
        self.refresh()

    def refresh(self) -> None:
        """Show what is known now."""
        decision = self._decision
        looks = decision.found is not None, decision.is_open, len(decision.tried)
        if looks == self._looks:
            return
        self._looks = looks
        done = say_action(format_action(decision.rules, decision.action))
        if decision.found is None:
            self._told.set_text(say("You: {action}; being reviewed", action=done))
            return
        self._told.set_text(_told(decision.found))
        self._told.classes(add=f"z-{decision.found.grade.value}")
        reveal(self._buttons, decision.is_puzzle)
        reveal(self._try, decision.is_puzzle)
        if decision.tried:
            self._result.set_text(_tried(decision.tried[-1]))
        if decision.is_open:
            self._advice.show(decision.found.advice, decision.found.stakes)

    def _draw_buttons(self) -> None:
        act(self._visitor, say("try again"), self._draw_try, primary=True)
        act(self._visitor, say("show the answer"), self._give_up)

    def _draw_try(self) -> None:
        """Draw the pad and buttons on which a try is tapped."""
        if self._pad or not self._decision.is_puzzle:
            return
        self._pad = True
        rules, history = self._decision.rules, self._decision.history
        with self._try:
            pad = BidPad(self._visitor, rules, self._bid)
            pad.follow(state_after(rules, history))
            with ui.element("div").classes("z-row"):
                for distance in challengeable(rules, len(history)):
                    text = challenge_text(distance, history[-distance], rules)
                    challenge = partial(self._retry, challenge_action(rules, distance))
                    act(self._visitor, text, challenge)
                for bid in legal_bids(rules, *state_after(rules, history)):
                    if bid.doubled:
                        act(self._visitor, str(bid), partial(self._bid, bid))
                if can_give_up(rules, history):
                    action = gives_up_action(rules)
                    act(self._visitor, say("give up"), partial(self._retry, action))

    async def _bid(self, bid: Bid) -> None:
        await self._retry(action_of(self._decision.rules, bid))

    async def _retry(self, action: int) -> None:
        await self._decision.retry(action, self._judge)
        self.refresh()
        self._changed()

    def _give_up(self) -> None:
        self._decision.give_up()
        self.refresh()
        self._changed()


def _told(found: ReviewedDecision) -> str:
    """Return the cost of a decision, without naming a better action."""
    return say(
        "You: {action}; {kind}: {graded}",
        action=say_action(found.done),
        kind=say_kind(found.kind),
        graded=say_graded(found),
    )


def _tried(found: ReviewedDecision) -> str:
    return say(
        "{action}: {graded}",
        action=say_action(found.done),
        graded=say_graded(found),
    )
