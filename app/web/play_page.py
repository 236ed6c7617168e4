"""Draw the page on which a visitor plays."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from zhaifei.app.locale import explain, say, say_message, say_rules, speaking
from zhaifei.app.web.advice_view import AdviceView
from zhaifei.app.web.bid_pad import BidPad
from zhaifei.app.web.buttons import act, choice, choose, reveal
from zhaifei.app.web.decision_view import DecisionView
from zhaifei.app.web.dice import Dice
from zhaifei.app.web.frame import frame
from zhaifei.app.web.match_setup import MatchSetup
from zhaifei.app.web.playing import Playing
from zhaifei.app.web.resuming import new_seat
from zhaifei.app.web.seat import PACES, Seat
from zhaifei.app.web.table_talk import (
    bids_by_seat,
    challenge_text,
    line_of,
    seat_line,
    status,
    who,
)
from zhaifei.app.web.thinking import advise
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.bids import START, Bid, state_after
from zhaifei.game.messages import Message
from zhaifei.game.stakes import score_name


def seat_of(visitor: Visitor) -> Seat:
    """Return the visitor's seat at the table."""
    return visitor.model("seat", lambda: new_seat(visitor))


def own_records(visitor: Visitor) -> list[str] | None:
    """Return the names of the records that the visitor may see. Return None, for all records, where
    only people at this computer can visit."""
    return None if visitor.server.settings.token is None else seat_of(visitor).records


def show() -> None:
    """Draw the page."""
    with frame(Message("Play"), "/") as visitor:
        _PlayPage(visitor)


class _PlayPage:
    """The page of one browser tab: it is drawn once for each match, and changes in place."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor, self._seat = visitor, seat_of(visitor)
        self._client = ui.context.client
        self._body = ui.element("div").classes("z-body")
        self._table: _TableView | None = None
        self._drawn: Playing | None = None
        with self._body:
            self._draw()
        self._seat.listeners.append(self._changed)
        self._client.on_delete(lambda: self._seat.listeners.remove(self._changed))

    def _draw(self) -> None:
        playing = self._drawn = self._seat.playing
        if playing is None:
            MatchSetup(self._visitor, self._seat)
        else:
            self._table = _TableView(self._visitor, self._seat, playing)

    def _changed(self) -> None:
        """Show the changes, in this visitor's language."""
        with speaking(self._visitor.language):
            if self._seat.playing is self._drawn and self._table is not None:
                self._table.refresh()
                return
            self._body.clear()
            with self._body:
                self._draw()


class _TableView:
    """The table of a match."""

    def __init__(self, visitor: Visitor, seat: Seat, playing: Playing) -> None:
        self._visitor, self._seat, self._playing = visitor, seat, playing
        self._reviews: list[DecisionView] = []
        self._reviewed: object = None
        self._hinted: object = None
        with ui.element("div").classes("z-columns"):
            with ui.element("div"):
                self._draw_table()
                self._draw_acts()
            with ui.element("div"):
                self._draw_more()
        self.refresh()

    # Drawn once

    def _draw_table(self) -> None:
        rules = self._playing.rules
        with ui.element("section").classes("z-card"):
            self._heading = ui.html("", sanitize=False, tag="h2")
            ui.label(say_rules(rules)).classes("z-quiet")
            if self._seat.stand_in is not None:
                ui.label(self._stand_in_told(self._seat.stand_in)).classes("z-quiet")
            if self._seat.warning is not None:
                reason = explain(self._seat.warning)
                ui.label(say("the match is not recorded: {reason}", reason=reason))
            self._status = ui.label().classes("z-big").props('role="status" aria-live="polite"')
            self._anew = ui.label(
                say(
                    "the server was started again: scores and finished rounds are kept, and the "
                    "dice of this round were rolled anew"
                )
            ).classes("z-quiet")
            with ui.element("div").classes("z-seats"):
                self._seats = [_SeatView(self._playing, one) for one in range(rules.players)]
            self._line = ui.label().classes("z-quiet")
            with ui.element("div").classes("z-row z-own") as self._own:
                ui.label(say("your dice"))
                self._dice = Dice()

    def _stand_in_told(self, name: str) -> str:
        """Return the sentence on who plays, and gives the hints, where no policy is known."""
        if not self._seat.has_hints:
            return say(
                "no policy is known for these rules: the rule-based player '{name}' plays",
                name=name,
            )
        return say(
            "no policy is known for these rules: '{opponent}' plays instead, and hints are those "
            "of '{name}'",
            opponent=self._playing.opponent,
            name=name,
        )

    def _draw_acts(self) -> None:
        rules = self._playing.rules
        with ui.element("section").classes("z-card") as self._acts:
            self._pad = BidPad(self._visitor, rules, self._bid_made)
            with ui.element("div").classes("z-row"):
                self._challenges = [
                    act(self._visitor, "", partial(self._challenge, distance))
                    for distance in range(1, rules.furthest_challenge + 1)
                ]
                self._double = act(self._visitor, "", self._double_stakes)
                self._give_up = act(self._visitor, say("give up"), self._lose_now)
                self._stand = act(self._visitor, say("let it stand"), self._let_stand)
        with ui.element("div").classes("z-row"):
            self._next = act(self._visitor, say("next round"), self._seat.next_round, primary=True)
            self._over = act(self._visitor, say("new match"), self._seat.leave, primary=True)
            self._again = act(self._visitor, say("try again"), self._seat.go_on, primary=True)
            self._undo = act(self._visitor, say("take back"), self._take_back)
            ui.space()
            self._paces = {}
            for pace, name in _paces().items():
                self._paces[pace] = choice(self._visitor, name, partial(self._set_pace, pace))

    def _draw_more(self) -> None:
        with ui.element("section").classes("z-card") as hints:
            with ui.element("div").classes("z-row"):
                self._hint = act(self._visitor, say("hint"), self._show_hint)
            self._advice = AdviceView()
        reveal(hints, self._seat.has_hints)
        self._review = ui.element("section").classes("z-card")
        with self._review:
            ui.html(say("your decisions"), sanitize=False, tag="h2")
            self._decisions = ui.element("div")
        with ui.element("section").classes("z-card"):
            self._standings = ui.html("", sanitize=False)
            with ui.element("div").classes("z-row"):
                self._leave = act(self._visitor, say("new match"), self._seat.leave)
                record = self._playing.recorder
                if record is not None:
                    ui.link(say("review of the match"), f"/review/{record.path.name}").classes(
                        "z-link"
                    )

    # Changed in place

    def refresh(self) -> None:
        """Show the present state."""
        playing = self._playing
        self._heading.set_content(say("round {number}", number=playing.number))
        self._status.set_text(status(playing))
        reveal(self._anew, self._seat.dealt_anew)
        bids = bids_by_seat(playing)
        for one in self._seats:
            one.refresh(bids)
        self._line.set_text(line_of(playing))
        opened = playing.opened
        reveal(self._own, bool(playing.dice))
        self._dice.show(playing.dice, () if opened is None else opened.counting[playing.you])
        self._refresh_acts()
        self._refresh_review()
        self._standings.set_content(_standings(playing))

    def _refresh_acts(self) -> None:
        playing = self._playing
        history = playing.history
        bids = [made.bid for made in history]
        self._pad.follow(
            state_after(playing.rules, bids) if playing.turn is not None else START,
            sum(playing.dice_counts),
            enabled=bool(playing.raises),
        )
        distances = playing.distances
        for distance, button in enumerate(self._challenges, 1):
            reveal(button, distance in distances)
            if distance in distances:
                bid = history[-distance].bid
                button.set_text(challenge_text(distance, bid, playing.rules))
        double = playing.double
        reveal(self._double, double is not None)
        self._double.set_text(str(double or ""))
        reveal(self._give_up, playing.may_give_up)
        reveal(self._stand, playing.may_let_stand)
        reveal(self._acts, playing.turn is not None and bool(playing.dice))
        reveal(self._next, playing.may_go_on)
        reveal(self._over, playing.match.is_over)
        reveal(self._leave, not playing.match.is_over)
        reveal(self._again, playing.trouble is not None)
        reveal(self._undo, playing.can_undo)
        self._hint.set_enabled(playing.is_yours)
        if self._hinted is not None and self._hinted != (playing.number, len(history)):
            self._hinted = None
            self._advice.show(None)
        for pace, button in self._paces.items():
            choose(button, pace == self._seat.choices.pace)

    def _refresh_review(self) -> None:
        decisions = self._seat.decisions
        reveal(self._review, bool(decisions))
        if decisions is not self._reviewed:
            self._reviewed = decisions
            self._decisions.clear()
            with self._decisions:
                self._reviews = [
                    DecisionView(self._visitor, one, self._seat.judge, self._seat.changed)
                    for one in decisions
                ]
        for view in self._reviews:
            view.refresh()

    # What is tapped

    def _bid_made(self, bid: Bid) -> None:
        self._playing.bid(bid)
        self._seat.go_on()

    def _challenge(self, distance: int) -> None:
        self._playing.challenge(distance)
        self._seat.go_on()

    def _double_stakes(self) -> None:
        double = self._playing.double
        if double is not None:
            self._bid_made(double)

    def _lose_now(self) -> None:
        self._playing.give_up()
        self._seat.go_on()

    def _let_stand(self) -> None:
        self._playing.let_stand()
        self._seat.go_on()

    def _take_back(self) -> None:
        self._seat.decisions = []
        self._playing.undo()

    def _set_pace(self, pace: str) -> None:
        self._seat.choices.pace = pace
        self._seat.changed()

    async def _show_hint(self) -> None:
        """Ask for advice, and show it if the position is still the same."""
        playing = self._playing
        asked = playing.number, len(playing.history)
        policy = self._seat.settings.policy_for(playing.rules)
        found = await self._visitor.asked(advise, policy, playing.view)
        if playing.is_yours and asked == (playing.number, len(playing.history)):
            self._hinted = asked
            self._advice.show(*found)


class _SeatView:
    """A player at the table."""

    def __init__(self, playing: Playing, seat: int) -> None:
        self._playing, self._seat = playing, seat
        self._looks: object = None
        with ui.element("div").classes("z-seat") as self._card:
            self._name = ui.label()
            self._bid = ui.label().classes("z-bid-last")
            self._dice = Dice()

    def refresh(self, bids: list[str]) -> None:
        """Show the present state."""
        playing, seat = self._playing, self._seat
        self._name.set_text(seat_line(playing, seat))
        self._bid.set_text(bids[seat] or "–")
        opened = playing.opened
        if seat == playing.you:
            pass  # the visitor's own dice are shown below
        elif opened is not None:
            self._dice.show(opened.hands[seat], opened.counting[seat])
        else:
            self._dice.cover(playing.dice_counts[seat])
        turn = playing.turn == seat
        if turn != self._looks:
            self._looks = turn
            self._card.classes(add="z-turn" if turn else "", remove="" if turn else "z-turn")


def _standings(playing: Playing) -> str:
    rows = "".join(
        f'<tr><td>{one.rank}</td><th scope="row">{who(playing, one.seat)}</th>'
        f'<td class="z-number">{one.score}</td></tr>'
        for one in playing.standings
    )
    head = (
        f'<tr><th scope="col">{say("rank")}</th><th scope="col">{say("player")}</th>'
        f'<th scope="col" class="z-number">{say_message(score_name(playing.rules))}</th></tr>'
    )
    return f'<table class="z-table"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _paces() -> dict[str, str]:
    names = say("human pace"), say("fast"), say("at once")
    return dict(zip(PACES, names, strict=True))
