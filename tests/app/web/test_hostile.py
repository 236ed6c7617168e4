"""Messages that no page of ours sends: they do nothing but an error."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import socketio

from tests.app.web.browsing import Browser, Page, Served
from zhaifei.app.web.socket_guard import LONGEST_MESSAGE

HOSTILE: list[Any] = [
    None,
    1,
    "x",
    [],
    {},
    {"client_id": None},
    {"client_id": "x", "id": 1},
    {"client_id": {}},
    {"id": -1},
    {"id": "x"},
    {"id": None, "args": 1},
    {"id": 3, "args": ["{"]},
    {"id": 3, "listener_id": "x", "args": ["null"]},
    {"id": 2**62, "args": [None]},
]


def both(served: Served, scenario: Callable[[Page, Page], Awaitable[None]], *paths: str) -> None:
    """Let two visitors open a page each."""

    async def run() -> None:
        async with (
            Browser(served.address) as one,
            Browser(served.address) as other,
            one.page() as his,
            other.page() as hers,
        ):
            await scenario(his, hers)

    asyncio.run(run())


async def is_alive(page: Page) -> None:
    """The page still does what is tapped."""
    await page.tap("start")
    await page.sees("round 1")


def test_pages_of_others_cannot_be_acted_on(served: Served) -> None:
    async def scenario(mine: Page, theirs: Page) -> None:
        name, button = theirs.find("start") or ("", {})
        message = {
            "id": int(name),
            "client_id": theirs.id,
            "args": [],
            "listener_id": button["events"][0]["listener_id"],
        }
        for event in ("event", "javascript_response", "ack", "log", "handshake"):
            await mine.emit(event, message)
        await is_alive(mine)  # so the messages before it have been handled
        assert "round 1" not in theirs.words
        await is_alive(theirs)

    both(served, scenario)


@pytest.mark.parametrize("more", ["", "&a=1" * 30], ids=["page", "many fields"])
def test_a_socket_of_another_visitor_gets_nothing(served: Served, more: str) -> None:
    async def scenario(mine: Page, theirs: Page) -> None:
        stolen = Page(mine.browser, theirs.text)
        with pytest.raises(socketio.exceptions.ConnectionError):
            await stolen.connect(more)
        await is_alive(theirs)

    both(served, scenario)


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Origin": ""}, {"Cookie": ""}]
)
def test_a_socket_from_elsewhere_is_refused(served: Served, headers: dict[str, str]) -> None:
    async def scenario(mine: Page, theirs: Page) -> None:
        again = Page(mine.browser, mine.text)
        with pytest.raises(socketio.exceptions.ConnectionError):
            await again.connect(**headers)

    both(served, scenario)


def test_strange_messages_do_nothing(served: Served) -> None:
    async def scenario(mine: Page, theirs: Page) -> None:
        for event in ("event", "javascript_response", "ack", "log", "handshake", "nothing"):
            for message in HOSTILE:
                whole = message
                if isinstance(message, dict) and "client_id" not in message:
                    whole = {"client_id": mine.id, **message}
                await mine.emit(event, whole)
                await mine.emit(event, (whole, whole))
        await is_alive(theirs)

    both(served, scenario)


def test_strange_values_of_switches_start_a_match_or_are_refused(served: Served) -> None:
    async def scenario(mine: Page, theirs: Page) -> None:
        switches = [(name, one) for name, one in mine.shown() if one["tag"] == "q-toggle"]
        assert len(switches) == 2
        for name, switch in switches:
            listener = switch["events"][0]["listener_id"]
            for value in ("{", '"x"', "[]", '{"a": {}}', "1e400", "null", "9" * 5000, "true"):
                message = {
                    "id": int(name),
                    "client_id": mine.id,
                    "listener_id": listener,
                    "args": [value],
                }
                await mine.emit("event", message)
        await mine.tap("start")
        await mine.until(lambda: mine.notes or "round 1" in mine.words)
        await is_alive(theirs)

    both(served, scenario)


def test_a_flood_is_not_answered(served: Served) -> None:
    async def scenario(mine: Page, theirs: Page) -> None:
        found = mine.find("◐") or mine.find("light or dark: as the browser")
        assert found is not None
        for _ in range(2000):
            await mine.send(*found)
        await is_alive(theirs)
        assert len(mine.notes) < 600

    both(served, scenario)


def test_a_huge_message_ends_its_socket(served: Served) -> None:
    async def scenario(mine: Page, theirs: Page) -> None:
        await mine.emit("event", {"client_id": mine.id, "id": 3, "args": ["x" * LONGEST_MESSAGE]})
        await mine.socket.wait()
        assert not mine.socket.connected
        await is_alive(theirs)

    both(served, scenario)


def test_huge_bodies_and_unknown_pages_are_refused(served: Served) -> None:
    async def run() -> None:
        async with Browser(served.address) as browser:
            await browser.http.get(served.address)
            answers = [
                await browser.http.post(served.address, content=b"x" * (LONGEST_MESSAGE + 1)),
                await browser.http.post(served.address, content=b"x"),
                await browser.http.get(f"{served.address}/nothing"),
                await browser.http.get(f"{served.address}/review/..%2f..%2fetc%2fpasswd"),
                await browser.http.get(f"{served.address}/docs"),
            ]
            assert [one.status_code for one in answers] == [413, 405, 404, 404, 404]

    asyncio.run(run())


def test_too_many_pages_are_refused(served: Served) -> None:
    async def run() -> None:
        async with Browser(served.address) as browser:
            codes = [(await browser.http.get(served.address)).status_code for _ in range(60)]
            assert 429 in codes
            async with Browser(served.address) as other:
                assert (await other.http.get(served.address)).status_code == 200

    asyncio.run(run())


def test_a_record_that_is_not_there_is_an_error(served: Served) -> None:
    async def run() -> None:
        async with Browser(served.address) as browser:
            for name in ("nothing.jsonl", "x" * 5000, "..", "%00", "a%0ab"):
                answer = await browser.http.get(f"{served.address}/review/{name}")
                assert answer.status_code in (200, 404), name
                assert "Traceback" not in answer.text

    asyncio.run(run())
