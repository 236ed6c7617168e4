"""Pages drawn in this process, without a server: what they show, and what taps do."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from nicegui import Client, core, ui
from starlette.requests import Request

from zhaifei.app.locale import speaking
from zhaifei.app.web.settings import Settings
from zhaifei.app.web.taps import Taps
from zhaifei.app.web.visitor import Server, Visitor
from zhaifei.game.errors import ZhaifeiError

Show = Callable[[], Awaitable[None] | None]
"""Draws a page."""


class Answers:
    """In place of workers: answers at once, by these functions instead of those that are asked."""

    def __init__(self, instead: dict[Callable[..., Any], Callable[..., Any]]) -> None:
        self._instead = instead
        self.asked: list[tuple[Any, ...]] = []
        self.preparing: tuple[int, int] | None = None

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.asked.append((function, *arguments))
        return self._instead.get(function, function)(*arguments)


class DrawnPage:
    """A page of one visitor."""

    def __init__(self, show: Show, address: str, visitor: Visitor) -> None:
        path, _, query = address.partition("?")
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "headers": [],
            "state": {"visitor": visitor},
        }
        self.visitor = visitor
        self.client = Client(ui.page(path), request=Request(scope))
        with self.client:
            self._drawing = show()

    async def settle(self) -> None:
        """Let everything happen that happens once the page is open."""
        if self._drawing is not None:
            with self.client:
                await self._drawing
        for element in [*self.client.elements.values()]:
            if isinstance(element, ui.timer):
                with self.client, element.parent_slot or self.client:
                    await element.callback()  # type: ignore[misc,operator]

    async def tap(self, name: str) -> None:
        """Tap what is offered by this name, as the page's handlers do."""
        for taps in self.taps:
            if name in taps._offered:
                with self.client, speaking(self.visitor.language), taps.parent_slot or self.client:
                    done = taps.tap(name)
                    if done is not None:
                        await done
                return
        raise AssertionError(f"{name} is not offered: {sorted(self.offered)}")

    @property
    def taps(self) -> list[Taps]:
        return [one for one in self.client.elements.values() if isinstance(one, Taps)]

    @property
    def offered(self) -> set[str]:
        return {name for taps in self.taps for name in taps._offered}

    @property
    def html(self) -> str:
        return "\n".join(
            one.content for one in self.client.elements.values() if isinstance(one, ui.html)
        )

    @property
    def words(self) -> str:
        labels = [one.text for one in self.client.elements.values() if isinstance(one, ui.label)]
        plain = re.sub(r"<[^>]*>", " ", self.html)
        return html.unescape(" ".join([*labels, *plain.split()]))


def new_visitor(answers: Answers, language: str = "en", *, token: str | None = None) -> Visitor:
    settings = Settings("127.0.0.1", 0, None, None, 1, token)
    return Visitor(Server(settings, answers), language)  # type: ignore[arg-type]


def on_page(
    show: Show,
    address: str,
    scenario: Callable[[DrawnPage], Awaitable[None]],
    visitor: Visitor,
) -> None:
    """Open a page, and let the scenario act on it."""

    async def run() -> None:
        core.loop = asyncio.get_running_loop()
        page = DrawnPage(show, address, visitor)
        try:
            await page.settle()
            await scenario(page)
        finally:
            page.client.delete()
            core.loop = None

    asyncio.run(run())


async def refused(tapping: Coroutine[Any, Any, None]) -> str:
    """Return why a tap is refused."""
    try:
        await tapping
    except ZhaifeiError as error:
        return str(error)
    raise AssertionError("it was not refused")
