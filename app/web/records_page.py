"""The page that lists kept matches."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from html import escape

from nicegui import ui

from app.locale import say, say_rules, speaking
from app.web.frame import frame
from app.web.library import Kept, listed, rank_of
from app.web.play_page import own_records
from app.web.visitor import Visitor
from game.messages import Message

_NUMBER = ' class="z-number"'


async def show() -> None:
    """Draw the page."""
    with frame(Message("Records"), "/records") as visitor:
        place = ui.element("section").classes("z-card")
    found = await asyncio.to_thread(listed, own_records(visitor))
    with speaking(visitor.language), place:
        _draw(visitor, found)


def _draw(visitor: Visitor, found: list[Kept]) -> None:
    if not found:
        ui.label(say("no match is kept yet"))
        ui.link(say("play one"), "/").classes("z-link")
        return
    names = (say("match"), say("rounds"), say("rank"), say("penalty points"))
    head = "".join(
        f'<th scope="col"{_NUMBER * (place > 0)}>{escape(name)}</th>'
        for place, name in enumerate(names)
    )
    rows = "".join(map(_row, found))
    table = f'<table class="z-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    ui.html(table, sanitize=False).classes("z-scroll")


def _when(name: str) -> str:
    """Return when a record was begun, by this computer's clock; a name of another kind is left."""
    try:
        begun = datetime.strptime(name[:16], "%Y-%m-%dT%H-%M").replace(tzinfo=UTC)
    except ValueError:
        return name.removesuffix(".jsonl")
    return f"{begun.astimezone():%Y-%m-%d %H:%M}"


def _row(kept: Kept) -> str:
    """Return a match as a row of the table."""
    name, match = kept
    when = escape(_when(name))
    what = escape(say_rules(match.rules))
    points = match.points
    you = match.you
    if you is None:
        link, rank = f"{when}<br>{what}", "–"
    else:
        link = f'<a href="/review/{escape(name, quote=True)}">{when}</a><br>{what}'
        rank = str(rank_of(match, you))
    score = ", ".join(
        f"<b>{one}</b>" if seat == you else str(one) for seat, one in enumerate(points)
    )
    return (
        f'<tr><th scope="row">{link}</th><td{_NUMBER}>{len(match.rounds)}</td>'
        f"<td{_NUMBER}>{rank}</td><td{_NUMBER}>{score}</td></tr>"
    )
