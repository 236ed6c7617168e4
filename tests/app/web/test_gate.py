"""Who may enter, and what they may send: behind the gate an application tells who came."""

import asyncio
from base64 import urlsafe_b64decode
from itertools import product
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from zhaifei.app.server.limits import Bucket
from zhaifei.app.web import visitor as module
from zhaifei.app.web.cookies import cookie_name, cookie_of
from zhaifei.app.web.gate import FROM_ADDRESS, MOST_OPEN, NEWCOMERS, Gate
from zhaifei.app.web.settings import Settings, verified
from zhaifei.app.web.socket_guard import LONGEST_MESSAGE
from zhaifei.app.web.visitor import Visitors, preferred

TOKEN = "a-token"


async def tell_who(scope: Scope, receive: Receive, send: Send) -> None:
    visitor = Request(scope).state.visitor
    await PlainTextResponse(f"{visitor.secret} {visitor.language}")(scope, receive, send)


def gate(token: str | None = None, language: str = "en") -> Gate:
    settings = Settings("127.0.0.1", 1, None, None, 1, token)
    server: Any = SimpleNamespace(settings=settings, workers=None, sessions=None)
    return Gate(tell_who, settings, Visitors(server, language))


class Clock:
    """In place of the clock that buckets and visitors read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)


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


def test_a_visitor_is_known_again_by_a_cookie() -> None:
    first, second = visited(gate(), get(), get())
    assert first.text == second.text
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "Max-Age" in first.headers["set-cookie"], "the browser keeps it when it is closed"
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
        get("/pocket/app.js"),
        get("/_nicegui/x"),
        get("/_nicegui_ws/socket.io/"),
        httpx.Request("POST", "http://x/", headers={"host": "127.0.0.1"}),
    ]
    assert [one.status_code for one in visited(gate(), *requests)] == [403] * len(requests)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/pocket/data/server.json", "/api/rooms/CODE/view"])
def test_a_page_that_was_open_goes_on_after_a_restart_if_no_token_is_needed(
    method: str, path: str
) -> None:
    request = httpx.Request(method, f"http://x{path}", headers={"host": "127.0.0.1"})
    (without,) = visited(gate(), request)
    assert without.status_code == 200
    assert "set-cookie" in without.headers
    assert visited(gate(TOKEN), request)[0].status_code == 403


def test_the_files_of_the_front_end_do_not_count_as_pages() -> None:
    many = [get(f"/pocket/{number}.js") for number in range(200)]
    first, *files = visited(gate(TOKEN), get(f"/pocket/?token={TOKEN}"), *many)
    assert str(first.url) == "http://127.0.0.1/pocket/"
    assert {one.status_code for one in (first, *files)} == {200}


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
            "type": "websocket",
            "path": "/_nicegui_ws/socket.io/",
            "query_string": b"",
            "headers": [(b"host", b"localhost"), *headers],
        }
        asyncio.run(entry(scope, receive, send))
        assert sent == [{"type": "websocket.close", "code": 1008}]


def test_floods_of_newcomers_are_refused_and_visitors_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VISITORS", 3)
    clock = Clock(monkeypatch)
    settings = Settings("127.0.0.1", 1, None, None, 1, None)
    server: Any = SimpleNamespace(settings=settings, workers=None, sessions=None)
    visitors = Visitors(server, "en")
    playing, idle, last = (visitors.welcome("") for _ in range(3))
    assert playing is not None
    assert idle is not None
    assert last is not None
    playing.models["seat"] = SimpleNamespace(close=lambda: None)
    last.sockets = 1
    clock.now = module.ARRIVING + 1.0
    new = visitors.welcome("")
    assert new is not None
    assert visitors.find(idle.secret) is None  # nothing was lost
    new.sockets = playing.sockets = 1
    assert visitors.welcome("") is None
    assert visitors.find(playing.secret) is playing


def test_the_match_of_a_visitor_who_is_forgotten_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VISITORS", 1)
    clock = Clock(monkeypatch)
    visitors = Visitors(SimpleNamespace(sessions=None), "en")  # type: ignore[arg-type]
    closed: list[int] = []
    visitor = visitors.welcome("")
    assert visitor is not None
    visitor.models["seat"] = SimpleNamespace(close=lambda: closed.append(1))
    clock.now = module.ARRIVING + 1.0
    visitors.welcome("")
    assert closed == [1]


def test_nobody_is_forgotten_whose_page_is_about_to_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VISITORS", 2)
    clock = Clock(monkeypatch)
    visitors = Visitors(SimpleNamespace(sessions=None), "en")  # type: ignore[arg-type]
    away = visitors.welcome("")
    assert away is not None
    away.models["seat"] = SimpleNamespace(close=lambda: None)
    clock.now = module.ARRIVING + 1.0
    arriving = visitors.welcome("")
    another = visitors.welcome("")
    assert arriving is not None
    assert another is not None
    assert visitors.find(arriving.secret) is arriving
    assert visitors.find(away.secret) is None, "a phone that was put away"
    assert visitors.welcome("") is None


def test_newcomers_are_limited_and_visitors_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    entry = gate()
    known = entry._visitors.welcome("")
    assert known is not None
    cookie = f"{cookie_name('127.0.0.1')}={known.secret}"
    burst = int(FROM_ADDRESS[0])
    codes = [welcomed(entry, "10.0.0.1") for _ in range(burst + 3)]
    assert codes == [200] * burst + [503] * 3
    assert visited(entry, get(cookie=cookie))[0].status_code == 200
    clock.now = 1.0
    assert welcomed(entry, "10.0.0.1") == 200


def test_newcomers_from_one_address_leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    entry = gate()
    for _ in range(1000):
        welcomed(entry, "10.0.0.1")
    left = int(NEWCOMERS[0] - FROM_ADDRESS[0])
    codes = [welcomed(entry, f"10.0.0.{2 + number}") for number in range(left + 1)]
    assert codes == [200] * left + [503]


def welcomed(entry: Gate, address: str) -> int:
    """The status with which somebody at this address is answered, who was never here."""
    return asked(entry, client=(address, 1))


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


def test_a_visitor_has_only_so_many_requests_answered_at_a_time() -> None:
    async def run() -> list[int]:
        entry = gate()
        go = asyncio.Event()

        async def wait(scope: Scope, receive: Receive, send: Send) -> None:
            await go.wait()
            await tell_who(scope, receive, send)

        visitor = entry._visitors.welcome("")
        assert visitor is not None
        entry.app = wait
        cookies = {cookie_name("127.0.0.1"): visitor.secret}
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(entry), base_url="http://127.0.0.1", cookies=cookies
        ) as client:
            asked = [asyncio.ensure_future(client.get("/_nicegui/x")) for _ in range(MOST_OPEN + 2)]
            while not all(one.done() for one in asked[MOST_OPEN:]):
                await asyncio.sleep(0)
            go.set()
            codes = [one.status_code for one in await asyncio.gather(*asked)]
        assert visitor.open == 0
        return codes

    assert asyncio.run(run()) == [200] * MOST_OPEN + [429] * 2


def test_secrets_cannot_be_guessed() -> None:
    visitors = Visitors(SimpleNamespace(sessions=None), "en")  # type: ignore[arg-type]
    cookies = {one.secret for one in (visitors.welcome("") for _ in range(50)) if one is not None}
    tokens = {verified("0.0.0.0", 1, None, 1).token or "" for _ in range(50)}
    assert len(cookies) == len(tokens) == 50
    assert min(map(bits, cookies)) == 192
    assert min(map(bits, tokens)) == 128


def bits(secret: str) -> int:
    """How many random bits a text in base64 holds."""
    return 8 * len(urlsafe_b64decode(secret + "=" * (-len(secret) % 4)))


def test_servers_on_two_ports_do_not_take_each_others_cookies() -> None:
    first, second = gate(), gate()

    async def run() -> list[str]:
        """One browser, which sends the cookies of a computer to all of its ports."""
        cookies = httpx.Cookies()
        found = []
        for entry, port in ((first, 8765), (second, 8766), (first, 8765), (second, 8766)):
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(entry),
                base_url=f"http://127.0.0.1:{port}",
                cookies=cookies,
            ) as client:
                found.append((await client.get("/")).text)
                cookies = client.cookies
        return found

    one, other, one_again, other_again = asyncio.run(run())
    assert (one, other) == (one_again, other_again)


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


def test_the_browsers_language_is_spoken() -> None:
    assert preferred("zh-CN,zh;q=0.9,en;q=0.8", "en") == "zh"
    assert preferred("en-GB,en;q=0.9,zh;q=0.8", "zh") == "en"
    assert preferred("de,fr;q=0.9", "zh") == "zh"
    assert preferred("", "en") == "en"
    assert preferred("," * 100, "en") == "en"


@pytest.mark.parametrize("header", ["", ";;;", "zhaifei", "a" * 10_000, "zhaifei=\x00", "\xff=1"])
def test_strange_cookies_are_none(header: str) -> None:
    assert cookie_of(header, "localhost:1") is None


def test_a_cookie_is_found_among_others() -> None:
    assert cookie_of(f"a=1; {cookie_name('localhost:1')}=x; b=2", "localhost:1") == "x"


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    bucket = Bucket(2, 1.0)
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    clock.now = 1.0
    assert [bucket.take() for _ in range(2)] == [True, False]


def test_health_needs_no_token_and_makes_no_visitor() -> None:
    entry = gate(TOKEN)
    for _ in range(int(FROM_ADDRESS[0]) + 1):
        (answer,) = visited(entry, httpx.Request("GET", "http://127.0.0.1/healthz"))
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
