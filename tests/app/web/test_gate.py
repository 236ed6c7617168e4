"""Who may enter, and what they may send: behind the gate an application tells who came."""

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from app.web import visitor as module
from app.web.gate import COOKIE, LONGEST_MESSAGE, Gate, cookie_of
from app.web.settings import Settings
from app.web.visitor import Bucket, Visitors, preferred

TOKEN = "a-token"


async def tell_who(scope: Scope, receive: Receive, send: Send) -> None:
    visitor = Request(scope).state.visitor
    await PlainTextResponse(f"{visitor.secret} {visitor.language}")(scope, receive, send)


def gate(token: str | None = None, language: str = "en") -> Gate:
    settings = Settings("127.0.0.1", 1, None, None, 1, token)
    server: Any = SimpleNamespace(settings=settings, workers=None)
    return Gate(tell_who, settings, Visitors(server, language))


def visited(entry: Gate, *requests: httpx.Request, host: str = "127.0.0.1") -> list[httpx.Response]:
    """The answers to requests of one browser."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(entry)
        base = f"http://{host}"
        async with httpx.AsyncClient(
            transport=transport, base_url=base, follow_redirects=True
        ) as client:
            return [
                await client.send(
                    client.build_request(
                        one.method, one.url.raw_path.decode(), headers=one.headers,
                        content=one.content,
                    )
                )
                for one in requests
            ]  # fmt: skip

    return asyncio.run(run())


def get(path: str = "/", **headers: str) -> httpx.Request:
    return httpx.Request(
        "GET", f"http://x{path}", headers={**headers, "host": headers.get("host", "127.0.0.1")}
    )


def test_a_visitor_is_known_again_by_a_cookie() -> None:
    first, second = visited(gate(), get(), get())
    assert first.text == second.text
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "set-cookie" not in second.headers


def test_each_browser_is_another_visitor() -> None:
    entry = gate()
    (one,), (other,) = visited(entry, get()), visited(entry, get())
    assert one.text != other.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "x" * 500, "["])
def test_a_name_that_is_not_this_computer_is_refused(host: str) -> None:
    (answer,) = visited(gate(), get(host=host))
    assert answer.status_code == 400
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "localhost:1", "[::1]:8765"])
def test_names_of_this_computer_are_not(host: str) -> None:
    (answer,) = visited(gate(), get(host=host))
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9", "http://[", ""]
)
def test_a_request_from_another_page_is_refused(origin: str) -> None:
    (answer,) = visited(gate(), get(origin=origin))
    assert answer.status_code == 403


def test_where_there_is_a_token_nobody_enters_without() -> None:
    for path in (
        "/",
        "/?token=",
        "/?token=wrong",
        "/?token=%F0%9F%8E%B2",
        "/records",
        "/style.css",
    ):
        (answer,) = visited(gate(TOKEN), get(path))
        assert answer.status_code == 403, path
        assert "set-cookie" not in answer.headers


def test_with_the_token_one_enters_once_and_it_leaves_the_address() -> None:
    first, second = visited(gate(TOKEN), get(f"/records?token={TOKEN}&a=1"), get())
    assert str(first.url) == "http://127.0.0.1/records?a=1"
    assert first.status_code == second.status_code == 200
    assert first.text == second.text


def test_the_way_in_leads_nowhere_else() -> None:
    entry = gate(TOKEN)
    (answer,) = visited(entry, get(f"//evil.example/?token={TOKEN}"))
    assert answer.url.host == "127.0.0.1"


def test_nothing_but_pages_is_for_strangers() -> None:
    requests = [
        get("/_nicegui/x"), get("/_nicegui_ws/socket.io/"),
        httpx.Request("POST", "http://x/", headers={"host": "127.0.0.1"}),
    ]  # fmt: skip
    assert [one.status_code for one in visited(gate(), *requests)] == [403, 403, 403]


@pytest.mark.parametrize(
    "length", [str(LONGEST_MESSAGE + 1), "9" * 5000, "0" * 20 + "9" * 9, "-1", "x", "٣"]
)
def test_bodies_that_are_too_large_are_refused(length: str) -> None:
    entry = gate()
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is read")

    headers = [(b"host", b"localhost"), (b"content-length", length.encode())]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b""}
    asyncio.run(entry(scope, receive, send))
    assert sent[0]["status"] == 413


def test_sockets_need_a_visitor_and_an_origin() -> None:
    entry = gate()
    for headers in ([], [(b"origin", b"http://localhost")]):
        sent: list[Any] = []

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "websocket.connect"}

        scope = {
            "type": "websocket", "path": "/_nicegui_ws/socket.io/", "query_string": b"",
            "headers": [(b"host", b"localhost"), *headers],
        }  # fmt: skip
        asyncio.run(entry(scope, receive, send))
        assert sent == [{"type": "websocket.close", "code": 1008}]


def test_floods_of_newcomers_are_refused_and_visitors_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VISITORS", 3)
    settings = Settings("127.0.0.1", 1, None, None, 1, None)
    server: Any = SimpleNamespace(settings=settings, workers=None)
    visitors = Visitors(server, "en")
    playing, idle, last = (visitors.welcome("") for _ in range(3))
    assert playing is not None
    assert idle is not None
    assert last is not None
    playing.models["seat"] = SimpleNamespace(close=lambda: None)
    last.sockets = 1
    new = visitors.welcome("")
    assert new is not None
    assert visitors.find(idle.secret) is None  # nothing was lost
    new.sockets = playing.sockets = 1
    assert visitors.welcome("") is None
    assert visitors.find(playing.secret) is playing


def test_the_match_of_a_visitor_who_is_forgotten_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VISITORS", 1)
    visitors = Visitors(SimpleNamespace(), "en")  # type: ignore[arg-type]
    closed: list[int] = []
    visitor = visitors.welcome("")
    assert visitor is not None
    visitor.models["seat"] = SimpleNamespace(close=lambda: closed.append(1))
    visitors.welcome("")
    assert closed == [1]


def test_the_browsers_language_is_spoken() -> None:
    assert preferred("zh-CN,zh;q=0.9,en;q=0.8", "en") == "zh"
    assert preferred("en-GB,en;q=0.9,zh;q=0.8", "zh") == "en"
    assert preferred("de,fr;q=0.9", "zh") == "zh"
    assert preferred("", "en") == "en"
    assert preferred("," * 100, "en") == "en"


@pytest.mark.parametrize("header", ["", ";;;", "zhaifei", "a" * 10_000, "zhaifei=\x00", "\xff=1"])
def test_strange_cookies_are_none(header: str) -> None:
    assert cookie_of(header) is None


def test_a_cookie_is_found_among_others() -> None:
    assert cookie_of(f"a=1; {COOKIE}=x; b=2") == "x"


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    bucket = Bucket(2, 1.0)
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    now[0] = 1.0
    assert [bucket.take() for _ in range(2)] == [True, False]
