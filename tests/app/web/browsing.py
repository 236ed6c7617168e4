"""A browser without a screen: it opens pages, keeps their elements as updates come, taps what a
person could, and remembers all that the server has sent."""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import IO, Any

import httpx
import socketio

from tests.command_line import LONG, Running, environment

_ESCAPED = {"&#36;": "$", "&#96;": "`", "&gt;": ">", "&lt;": "<", "&amp;": "&"}
HIDDEN = {"z-gone"}


class Browser:
    """One visitor."""

    def __init__(self, address: str, language: str = "en") -> None:
        self.address = address
        self.http = httpx.AsyncClient(
            follow_redirects=True, headers={"Accept-Language": language}, timeout=LONG
        )
        self.traffic: list[str] = []

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.http.aclose()

    @contextlib.asynccontextmanager
    async def page(self, path: str = "/") -> AsyncIterator[Page]:
        answer = await self.http.get(f"{self.address}{path}")
        assert answer.status_code == 200, answer
        self.traffic.append(answer.text)
        page = Page(self, answer.text)
        await page.connect()
        try:
            yield page
        finally:
            await page.socket.disconnect()

    @property
    def cookies(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())


class Page:
    """A page that was opened."""

    def __init__(self, browser: Browser, text: str) -> None:
        self.browser, self.text = browser, text
        found = re.search(r"parseElements\(String\.raw`(.*?)`\)", text, re.DOTALL)
        assert found is not None
        elements = found[1]
        for escaped, plain in _ESCAPED.items():
            elements = elements.replace(escaped, plain)
        self.elements: dict[str, dict[str, Any]] = json.loads(elements)
        told = re.search(r"'client_id': '([^']+)', 'next_message_id': (\d+)", text)
        assert told is not None
        self.id, self.first = told[1], told[2]
        self.notes: list[str] = []
        self.downloads: list[bytes] = []
        self._news = asyncio.Event()
        self.socket = socketio.AsyncClient(reconnection=False)
        self.socket.on("*", self._receive)

    async def connect(self, more: str = "", **headers: str) -> None:
        query = (
            f"client_id={self.id}&next_message_id={self.first}&implicit_handshake=true"
            f"&tab_id=tab-{self.id}&old_tab_id=&document_id=document-{self.id}{more}"
        )
        browser = self.browser
        await self.socket.connect(
            f"{browser.address}/?{query}",
            socketio_path="/_nicegui_ws/socket.io",
            transports=["websocket"],
            headers={"Cookie": browser.cookies, "Origin": browser.address, **headers},
        )

    async def _receive(self, event: str, data: Any) -> None:
        self.browser.traffic.append(json.dumps(data, ensure_ascii=False, default=str))
        if event == "update":
            for name, element in data.items():
                if element is None:
                    self.elements.pop(name, None)
                elif name != "_id":
                    self.elements[name] = element
        elif event == "notify":
            self.notes.append(data["message"])
        elif event == "download":
            self.downloads.append(data["src"])
        self._news.set()

    # What is seen

    def shown(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """What is on the page and not hidden, from the top."""
        yield from self._below("0")

    def _below(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        element = self.elements.get(name)
        if element is None or HIDDEN & {*element.get("class", [])}:
            return
        yield name, element
        for child in element.get("children", []):
            yield from self._below(str(child))
        for slot in element.get("slots", {}).values():
            for child in slot.get("ids", []):
                yield from self._below(str(child))

    @property
    def words(self) -> str:
        """All texts that are shown."""
        return "\n".join(filter(None, (said(element) for _, element in self.shown())))

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something is shown."""
        async with asyncio.timeout(LONG):
            while not holds():
                self._news.clear()
                await self._news.wait()

    async def sees(self, *words: str) -> None:
        await self.until(lambda: all(word in self.words for word in words))

    # What is done

    def find(self, label: str) -> tuple[str, dict[str, Any]] | None:
        """The button that is called so, if it can be tapped."""
        for name, element in self.shown():
            properties = element.get("props", {})
            if element["tag"] == "q-btn" and label in (
                properties.get("aria-label"),
                properties.get("label"),
            ):
                return name, element
        return None

    def may_tap(self, label: str) -> bool:
        """Whether there is such a button that is neither disabled nor illegal."""
        found = self.find(label)
        if found is None:
            return False
        properties = found[1].get("props", {})
        return not properties.get("disable") and properties.get("aria-disabled") != "true"

    async def tap(self, label: str) -> None:
        """Tap a button, as soon as it is there."""
        await self.until(lambda: self.find(label))
        found = self.find(label)
        assert found is not None
        await self.send(*found)

    async def send(self, name: str, element: dict[str, Any], kind: str = "click") -> None:
        listener = next(one for one in element["events"] if one["type"] == kind)
        await self.emit(
            "event",
            {
                "id": int(name),
                "client_id": self.id,
                "listener_id": listener["listener_id"],
                "args": [],
            },
        )

    async def emit(self, event: str, data: object) -> None:
        await self.socket.emit(event, data)

    async def bids(self, mode: str, count: int, face: int) -> None:
        for label in (mode, f"count {count}", f"face {face}"):
            await self.tap(label)
        await self.tap(f"bid {mode}{count}×{face}")


def said(element: dict[str, Any]) -> str:
    """What an element says."""
    properties = element.get("props", {})
    inside = re.sub(r"<[^>]*>", " ", properties.get("innerHTML", ""))
    parts = element.get("text"), properties.get("label"), html.unescape(inside)
    return " ".join(part.strip() for part in parts if part and part.strip())


class Served(Running):
    """`zhaifei web`, which has said where it is."""

    def __init__(self, *arguments: object, data: Path, **options: Any) -> None:
        variables = environment(XDG_DATA_HOME=str(data), PYTHONUNBUFFERED="1")
        super().__init__("web", "--port", 0, *arguments, env=variables, **options)
        out = self.process.stdout
        assert out is not None
        self.said = "".join(_until(out, "Ctrl-C closes it\n"))
        found = re.findall(r"https?://\S+", self.said)
        self.full_address = found[0]
        self.address = found[0].partition("?")[0].rstrip("/")
        self.behind_proxy = found[-1].rstrip("/")
        """Where it listens, if `address` is that of a proxy."""
        self.data = data

    def records(self) -> list[Path]:
        return sorted(self.data.rglob("*.jsonl"))


def _until(out: IO[str], last: str) -> Iterator[str]:
    """The lines before this one."""
    for line in out:
        if line == last:
            return
        yield line
