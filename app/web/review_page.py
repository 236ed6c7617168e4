"""Draw the review of a match."""

from __future__ import annotations

import asyncio

from nicegui import background_tasks, ui

from zhaifei.app.locale import explain, say, say_action, say_message, say_rules, speaking
from zhaifei.app.said import (
    say_cost,
    say_costs,
    say_estimate,
    say_grade,
    say_kind,
    say_seat,
    say_verdict,
)
from zhaifei.app.web.buttons import act, reveal
from zhaifei.app.web.decision_view import DecisionView
from zhaifei.app.web.frame import frame
from zhaifei.app.web.library import find
from zhaifei.app.web.match_review import MatchReview
from zhaifei.app.web.play_page import own_records
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.notation import format_hand, format_history
from zhaifei.game.stakes import loss, score_name
from zhaifei.policies.play.record_lines import format_match
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.reviewing import ReviewedRound, Summary

_MOST_KEPT = 4
"""Most reviews that a visitor has at a time."""
_LONGEST_NAME = 200


def show(record: str) -> None:
    """Draw the page. The record is read after the page is shown, because reading may take
    seconds."""
    with frame(Message("Review"), "/records") as visitor:
        place = ui.element("div").classes("z-body")
        with place:
            ui.label(say("the record is being read")).props('role="status"')
    client = ui.context.client

    async def draw() -> None:
        try:
            review = await _review_of(visitor, record[:_LONGEST_NAME])
        except ZhaifeiError as error:
            place.clear()
            with place:
                ui.label(explain(error)).props('role="alert"')
            return
        if not client.is_deleted:
            place.clear()
            with place:
                _ReviewPage(visitor, review)

    ui.timer(0, visitor.handler(draw), once=True)


async def _review_of(visitor: Visitor, record: str) -> MatchReview:
    """Return the review of a record, continuing an earlier one if the match is the same."""
    kept = await asyncio.to_thread(find, own_records(visitor), record)
    reviews: dict[str, MatchReview] = visitor.model("reviews", dict)
    review = reviews.pop(record, None)
    if review is None or review.kept.match != kept.match:
        server = visitor.server
        policy = server.settings.policy_for(kept.match.rules)
        review = MatchReview(kept, policy, server.workers)
    reviews[record] = review
    for name in [*reviews][:-_MOST_KEPT]:
        del reviews[name]
    return review


class _ReviewPage:
    """The page of one browser tab: rounds are drawn once, and change in place."""

    def __init__(self, visitor: Visitor, review: MatchReview) -> None:
        self._visitor, self._review = visitor, review
        self._views: list[DecisionView] = []
        self._draw_head()
        for place in range(len(review.rounds)):
            self._draw_round(place)
        self._refresh()
        review.listeners.append(self._changed)
        ui.context.client.on_delete(lambda: review.listeners.remove(self._changed))
        background_tasks.create(review.run())

    def _draw_head(self) -> None:
        review = self._review
        with ui.element("section").classes("z-card"):
            ui.label(say_rules(review.match.rules)).classes("z-quiet")
            if notes := _notes(review):
                ui.label(notes).props('role="alert"').style("white-space: pre-line")
            self._status = ui.label().classes("z-big").props('role="status" aria-live="polite"')
            with ui.element("div").classes("z-row"):
                act(self._visitor, say("export the record"), self._export)
                self._all = act(self._visitor, say("show all answers"), self._give_up)
            curve = ui.echart(_curve(review)).classes("z-chart")
            curve.props(f'role="img" aria-label="{_curve_text(review)}"')
        with ui.element("section").classes("z-card") as self._card:
            ui.html(say("luck and skill"), sanitize=False, tag="h2")
            self._luck = ui.label().style("white-space: pre-line")
            self._grades = ui.label()
        with ui.element("section").classes("z-card") as self._costly:
            ui.html(say("the costliest decisions"), sanitize=False, tag="h2")
            self._costliest = ui.label().style("white-space: pre-line")

    def _draw_round(self, place: int) -> None:
        review = self._review
        with ui.element("section"):
            played = review.match.rounds[place]
            text = say("round {number}", number=place + 1)
            if played.loser is not None:
                who = _name(review, played.loser)
                text += f" · {say_message(loss(review.match.rules, played.cost, who))}"
            ui.html(text, sanitize=False, tag="h2").classes("z-round")
            for one in review.rounds[place]:
                self._views.append(DecisionView(self._visitor, one, review.judge, review.changed))

    def _changed(self) -> None:
        with speaking(self._visitor.language):
            self._refresh()

    def _refresh(self) -> None:
        review = self._review
        for view in self._views:
            view.refresh()
        self._status.set_text(_status(review))
        reveal(self._card, review.done)
        solved = all(one.is_open for round_ in review.rounds for one in round_)
        reveal(self._costly, review.done and solved)
        reveal(self._all, not solved and review.done)
        if review.done:
            summary = review.summary
            self._luck.set_text(_luck(summary, review.reviewed.rounds))
            self._grades.set_text(_grades(summary))
            self._costliest.set_text(_costliest(summary))

    def _give_up(self) -> None:
        for round_ in self._review.rounds:
            for one in round_:
                one.give_up()
        self._review.changed()

    async def _export(self) -> None:
        kept = self._review.kept
        text = await asyncio.to_thread(format_match, kept.match)
        ui.download.content(text, kept.name, "application/jsonl")


def _notes(review: MatchReview) -> str:
    """Return notes on the parts of the record that are not on the page."""
    lines = [explain(error) for error in review.kept.left_out]
    rounds = len(review.kept.match.rounds)
    if len(review.rounds) < rounds:
        lines.append(
            say(
                "the page reviews the first {number} of {rounds} rounds; 'zhaifei review' reviews "
                "all of them",
                number=len(review.rounds),
                rounds=rounds,
            )
        )
    return "\n".join(lines)


def _status(review: MatchReview) -> str:
    if review.trouble is not None:
        return explain(review.trouble)
    done, number = review.progress
    if not review.done:
        return say("{done} of {number} decisions reviewed", done=done, number=number)
    score = review.match.score[review.seat]
    rounds = sum(one.losses is not None for one in review.match.rounds)
    return say("{rounds} rounds; {what}: {score}", rounds=rounds, what=_what(review), score=score)


def _what(review: MatchReview) -> str:
    return say_message(score_name(review.match.rules))


def _luck(summary: Summary, rounds: tuple[ReviewedRound, ...]) -> str:
    """Return the text on luck and skill."""
    lines = [
        say("points beyond the others' average: {earned:+.2f}", earned=summary.earned),
        say("seats {points:+.2f}", points=summary.seats),
        say("luck {points}", points=say_estimate(summary.luck)),
        say("skill {points}", points=say_estimate(summary.skill)),
        say_costs(summary),
    ]
    lines += [
        say(
            "round {number}: {verdict}; better decisions would have averted that with probability "
            "{share:.0%}",
            number=one.number,
            verdict=say_verdict(one.verdict),
            share=one.to_blame,
        )
        for one in rounds
        if one.verdict is not None and one.to_blame > 0.0
    ]
    return "\n".join(lines)


def _grades(summary: Summary) -> str:
    return "  ".join(f"{say_grade(one)} {summary.grades[one]}" for one in Grade)


def _costliest(summary: Summary) -> str:
    lines = [
        say(
            "round {number}, {hand}, {bids}: {done} cost {cost}; best {best}",
            number=round_.number,
            hand=format_hand(one.hand),
            bids=format_history(one.history) or say("opening the round"),
            done=say_action(one.done),
            cost=say_cost(one),
            best=say_action(one.best),
        )
        + f" ({say_kind(one.kind)})"
        for round_, one in summary.costliest
    ]
    return "\n".join(lines) or say("no decision cost anything beyond doubt")


def _curve(review: MatchReview) -> dict[str, object]:
    """Return the chart of the score after each round, for ECharts."""
    series = [
        {
            "name": _name(review, seat),
            "type": "line",
            "step": "end",
            "data": points,
            "lineStyle": {"width": 4 if seat == review.seat else 2},
            "showSymbol": False,
        }
        for seat, points in enumerate(review.curve)
    ]
    return {
        "animation": False,
        "grid": {"left": 36, "right": 12, "top": 36, "bottom": 28},
        "legend": {"top": 0, "type": "scroll", "textStyle": {"color": "#888"}},
        "tooltip": {"trigger": "axis"},
        "xAxis": {"type": "category", "data": [*range(len(review.match.rounds) + 1)]},
        "yAxis": {"type": "value", "minInterval": 1},
        "series": series,
    }


def _curve_text(review: MatchReview) -> str:
    """Return the curve as text for a screen reader."""
    ends = ", ".join(
        f"{_name(review, seat)} {points[-1]}" for seat, points in enumerate(review.curve)
    )
    text = say("{what} after each round; at the end {ends}", what=_what(review), ends=ends)
    return text.replace('"', "")


def _name(review: MatchReview, seat: int) -> str:
    return say_seat(seat, review.seat)
