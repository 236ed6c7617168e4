"""Who may enter, and what they may send: behind the gate an application says hello."""

import asyncio
import time
from itertools import product
from typing import Any

import httpx2 as httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from zhaifei.app.server.cookies import cookie_name, cookie_of
from zhaifei.app.server.gate import ASKS, ENTRIES, LONGEST_BODY, Gate, secret_of
from zhaifei.app.server.limits import Bucket
from zhaifei.app.server.settings import Settings

TOKEN = "a-token"
HELLO = "hello"


async def say_hello(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(HELLO)(scope, receive, send)


def gate(token: str | None = None) -> Gate:
    return Gate(say_hello, Settings("127.0.0.1", 1, None, None, 1, token))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that limits read."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


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
                        one.method,
                        one.url.raw_path.decode(),
                        headers=one.headers,
                        content=one.content,
                    )
                )
                for one in requests
            ]

    return asyncio.run(run())


def get(path: str = "/", **headers: str) -> httpx.Request:
    return httpx.Request(
        "GET", f"http://x{path}", headers={**headers, "host": headers.get("host", "127.0.0.1")}
    )


def asked(entry: Gate, query: str = "", *, host: str = "127.0.0.1", **more: object) -> int:
    """The status of the answer to a request that no client refuses to send."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    headers = [(b"host", host.encode()), (b"cookie", f"{cookie_name(host)}=x".encode())]
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "headers": headers,
        "query_string": query.encode(),
        "server": ("127.0.0.1", 1),
        "scheme": "http",
        **more,
    }
    asyncio.run(entry(scope, receive, send))
    status: int = sent[0]["status"]
    return status


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "x" * 500, "["])
def test_a_name_that_is_not_this_computer_is_refused(host: str) -> None:
    (answer,) = visited(gate(), get(host=host))
    assert answer.status_code == 400


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "localhost:1", "[::1]:8765"])
def test_names_of_this_computer_are_not(host: str) -> None:
    (answer,) = visited(gate(), get(host=host))
    assert (answer.status_code, answer.text) == (200, HELLO)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9", "http://[", ""]
)
def test_a_request_from_another_page_is_refused(origin: str) -> None:
    (answer,) = visited(gate(), get(origin=origin))
    assert answer.status_code == 403


def test_without_a_token_nobody_gets_a_cookie() -> None:
    (answer,) = visited(gate(), get("/?token=x"))
    assert "set-cookie" not in answer.headers
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_where_there_is_a_token_nobody_enters_without() -> None:
    for path in (
        "/",
        "/?token=",
        "/?token=wrong",
        "/?token=%F0%9F%8E%B2",
        "/app.js",
        "/api/rooms/",
    ):
        for method in ("GET", "POST", "HEAD"):
            (answer,) = visited(gate(TOKEN), httpx.Request(method, f"http://127.0.0.1{path}"))
            assert answer.status_code == 403, path
            assert "set-cookie" not in answer.headers


def test_with_the_token_one_enters_once_and_it_leaves_the_address() -> None:
    first, second = visited(gate(TOKEN), get(f"/x?token={TOKEN}&a=1"), get("/app.js"))
    assert str(first.url) == "http://127.0.0.1/x?a=1"
    assert first.text == second.text == HELLO
    (entered,) = first.history
    assert "HttpOnly" in entered.headers["set-cookie"]
    assert "Max-Age" in entered.headers["set-cookie"], "the browser keeps it when it is closed"
    assert TOKEN not in entered.headers["set-cookie"]


def test_the_token_is_in_the_address_and_in_no_question() -> None:
    question = httpx.Request("POST", f"http://127.0.0.1/api/rooms/?token={TOKEN}")
    assert visited(gate(TOKEN), question)[0].status_code == 403


def test_a_cookie_of_another_token_is_none() -> None:
    cookie = {"cookie": f"{cookie_name('127.0.0.1')}={secret_of(TOKEN)}"}
    assert visited(gate(TOKEN), get(**cookie))[0].status_code == 200
    assert visited(gate(f"{TOKEN}2"), get(**cookie))[0].status_code == 403


def test_the_way_in_leads_nowhere_else() -> None:
    (answer,) = visited(gate(TOKEN), get(f"//evil.example/?token={TOKEN}"))
    assert answer.url.host == "127.0.0.1"


@pytest.mark.parametrize(
    "length", [str(LONGEST_BODY + 1), "9" * 5000, "0" * 20 + "9" * 9, "-1", "x", "٣"]
)
def test_bodies_that_are_too_large_are_refused(length: str) -> None:
    headers = [(b"host", b"localhost"), (b"content-length", length.encode())]
    assert asked(gate(), headers=headers, method="POST") == 413


def test_nobody_opens_a_socket() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    scope = {"type": "websocket", "path": "/", "headers": [(b"host", b"localhost")]}
    asyncio.run(gate()(scope, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(("token", "limit"), [(None, ASKS), (TOKEN, ENTRIES)])
def test_an_address_is_answered_so_often_and_others_go_on(
    token: str | None, limit: tuple[float, float], clock: list[float]
) -> None:
    entry, burst = gate(token), int(limit[0])

    def statuses(address: str, number: int) -> list[int]:
        return [asked(entry, client=(address, 1)) for _ in range(number)]

    usual = 200 if token is None else 403
    assert statuses("10.0.0.1", burst + 3) == [usual] * burst + [429] * 3
    assert statuses("10.0.0.2", 1) == [usual]
    clock[0] += 1.0
    assert statuses("10.0.0.1", 1) == [usual]


def test_who_guesses_tokens_keeps_nobody_out_who_has_entered(clock: list[float]) -> None:
    entry = gate(TOKEN)
    while asked(entry, "token=guess", client=("127.0.0.1", 1)) == 403:
        pass
    cookie = {"cookie": f"{cookie_name('127.0.0.1')}={secret_of(TOKEN)}"}
    assert visited(entry, get(**cookie))[0].status_code == 200
    assert visited(entry, get(f"/?token={TOKEN}"))[0].status_code == 429


def test_servers_on_two_ports_do_not_take_each_others_cookies() -> None:
    first, second = gate(TOKEN), gate("another")

    async def run() -> list[int]:
        """One browser, which sends the cookies of a computer to all of its ports."""
        cookies = httpx.Cookies()
        found = []
        tokens = TOKEN, "another", "", ""
        for entry, port, token in zip((first, second) * 2, (8765, 8766) * 2, tokens, strict=True):
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(entry),
                base_url=f"http://127.0.0.1:{port}",
                cookies=cookies,
                follow_redirects=True,
            ) as client:
                found.append((await client.get(f"/?token={token}")).status_code)
                cookies = client.cookies
        return found

    assert asyncio.run(run()) == [200] * 4


QUERIES = (
    "&".join(f"a{number}=1" for number in range(21)),
    "&" * 5000,
    "=" * 5000,
    "%",
    "%zz=%zz",
    "token",
    f"token={TOKEN}&" + "b=1&" * 30,
    f"token={TOKEN}",
    "a=%00%ff",
    ";" * 50,
)
HOSTS = "127.0.0.1", "[", "a:b:c", "127.0.0.1:99999", "127.0.0.1:x", "", ":1"


@pytest.mark.parametrize("token", [None, TOKEN])
def test_no_address_is_an_error_of_the_server(token: str | None) -> None:
    for query, host in product(QUERIES, HOSTS):
        assert asked(gate(token), query, host=host) < 500, (query, host)


@pytest.mark.parametrize("header", ["", ";;;", "zhaifei", "a" * 10_000, "zhaifei=\x00", "\xff=1"])
def test_strange_cookies_are_none(header: str) -> None:
    assert cookie_of(header, "localhost:1") is None


def test_a_cookie_is_found_among_others() -> None:
    assert cookie_of(f"a=1; {cookie_name('localhost:1')}=x; b=2", "localhost:1") == "x"


def test_a_bucket_fills_again(clock: list[float]) -> None:
    bucket = Bucket(2, 1.0)
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    clock[0] = 1.0
    assert [bucket.take() for _ in range(2)] == [True, False]


def test_health_needs_no_token() -> None:
    (answer,) = visited(gate(TOKEN), httpx.Request("GET", "http://127.0.0.1/healthz"))
    assert (answer.status_code, answer.text) == (200, "ok")
    assert "set-cookie" not in answer.headers


def test_health_is_told_to_known_hosts_only() -> None:
    elsewhere = {"host": "elsewhere.example"}
    (answer,) = visited(gate(), httpx.Request("GET", "http://x/healthz", headers=elsewhere))
    assert answer.status_code == 400


@pytest.mark.parametrize(("method", "path"), [("POST", "/healthz"), ("GET", "/healthz/more")])
def test_only_the_question_for_health_passes_without_a_token(method: str, path: str) -> None:
    (answer,) = visited(gate(TOKEN), httpx.Request(method, f"http://127.0.0.1{path}"))
    assert answer.status_code == 403
