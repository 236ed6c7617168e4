"""Draw the page that lists kept matches: at once, with details as records are read."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from urllib.parse import quote

from nicegui import ui

from zhaifei.app.locale import explain, say, say_rules
from zhaifei.app.web.frame import frame
from zhaifei.app.web.library import MOST_LISTED, Entry, read_entry, remembered, visible
from zhaifei.app.web.play_page import own_records
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.policies.play.record_lines import printable

_NUMBER = ' class="z-number"'
_PAUSE = 0.5
"""Seconds between two drawings while records are read."""
_reading = asyncio.Lock()
"""Held while a record is read, so that one is read at a time, however many visitors there are."""


def show() -> None:
    """Draw the page."""
    with frame(Message("Records"), "/records") as visitor:
        _List(visitor)


class _List:
    """The list in one browser tab."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor, self._client = visitor, ui.context.client
        self._rows: str | None = None
        with ui.element("section").classes("z-card"):
            self._status = ui.label(say("looking for records")).props('role="status"')
            self._table = ui.html("", sanitize=False).classes("z-scroll")
            self._play = ui.link(say("play one"), "/").classes("z-link z-gone")
        ui.timer(0, visitor.handler(self._fill), once=True)

    async def _fill(self) -> None:
        """List all records, and then read the unread ones."""
        found = await asyncio.to_thread(visible, own_records(self._visitor))
        paths = found[:MOST_LISTED]
        reading = asyncio.ensure_future(self._read(paths))
        while not reading.done() and not self._client.is_deleted:
            self._draw(paths, len(found))
            await asyncio.wait({reading}, timeout=_PAUSE)
        await reading
        self._draw(paths, len(found))

    async def _read(self, paths: list[Path]) -> None:
        """Read the records that nobody has read, one after the other, unless the page was left."""
        for path in paths:
            async with _reading:
                if remembered(path) is None and not self._client.is_deleted:
                    await asyncio.to_thread(read_entry, path)

    def _draw(self, paths: list[Path], number: int) -> None:
        """Show the entries known now."""
        entries = [remembered(path) for path in paths]
        rows = "".join(map(_row, paths, entries))
        if self._client.is_deleted or rows == self._rows:
            return
        self._rows = rows
        self._status.set_text(_status(entries.count(None), len(paths), number))
        if paths:
            self._table.set_content(
                f'<table class="z-table">{_head()}<tbody>{rows}</tbody></table>'
            )
        else:
            self._play.classes(remove="z-gone")


def _status(unread: int, listed: int, number: int) -> str:
    """Return the status line of the list."""
    if not number:
        return say("no match is kept yet")
    parts = []
    if number > listed:
        parts.append(say("the newest {listed} of {number} matches", listed=listed, number=number))
    if unread:
        parts.append(say("{number} records are not read yet", number=unread))
    return "; ".join(parts)


def _head() -> str:
    names = (say("match"), say("rounds"), say("rank"), say("points or dice left"))
    cells = "".join(
        f'<th scope="col"{_NUMBER * (place > 0)}>{escape(name)}</th>'
        for place, name in enumerate(names)
    )
    return f"<thead><tr>{cells}</tr></thead>"


def _when(name: str) -> str:
    """Return when a record was begun, by this computer's clock; return other names without the
    suffix."""
    try:
        begun = datetime.strptime(name[:16], "%Y-%m-%dT%H-%M").replace(tzinfo=UTC)
    except ValueError:
        return name.removesuffix(".jsonl")
    return f"{begun.astimezone():%Y-%m-%d %H:%M}"


def _row(path: Path, entry: Entry | ZhaifeiError | None) -> str:
    """Return a match as a row of the table."""
    name = printable(path.name)
    when = escape(_when(name))
    if not isinstance(entry, Entry):
        why = say("not read yet") if entry is None else explain(entry)
        return f'<tr><th scope="row">{when}</th><td colspan="3">{escape(why)}</td></tr>'
    what = escape(say_rules(entry.rules))
    if not entry.is_whole:
        what += f"<br>{escape(say('parts of the record cannot be read'))}"
    if entry.you is None:
        link, rank = f"{when}<br>{what}", "–"
    else:
        link = f'<a href="review/{quote(name, safe="")}">{when}</a><br>{what}'
        rank = str(entry.rank)
    score = ", ".join(
        f"<b>{one}</b>" if seat == entry.you else str(one) for seat, one in enumerate(entry.score)
    )
    return (
        f'<tr><th scope="row">{link}</th><td{_NUMBER}>{entry.rounds}</td>'
        f"<td{_NUMBER}>{rank}</td><td{_NUMBER}>{score}</td></tr>"
    )
