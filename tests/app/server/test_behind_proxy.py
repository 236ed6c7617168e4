"""A server behind a proxy that shows it at an https address below a path."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.app.server.advice.desk import DECISION
from tests.app.server.reverse_proxy import ReverseProxy, proxying
from tests.app.server.rooms.table import MADE
from tests.app.server.served import Served
from tests.command_line import LONG, Solved
from zhaifei.app.server.gate import ENTRIES
from zhaifei.app.server.rooms.rooms import MOST_WAITING

HOST, PATH, TOKEN = "dice.example.org", "/zhaifei", "a-token-that-nobody-guesses"
URL = f"https://{HOST}{PATH}"
MANY = 5000
"""Far more entries than an address may have."""


def cookie_of(answer: httpx.Response) -> str:
    """The cookie that the answer gives."""
    return answer.headers["set-cookie"].partition(";")[0]


def client_at(address: str) -> httpx.Client:
    """A client that asks from this address of the computer."""
    return httpx.Client(transport=httpx.HTTPTransport(local_address=address))


@dataclass
class Hosted:
    """The server and the proxy before it."""

    proxy: ReverseProxy
    served: Served

    def asked(
        self,
        path: str,
        method: str = "GET",
        *,
        cookie: str = "",
        host: str = HOST,
        come_from: str = "127.0.0.1",
        **more: Any,
    ) -> httpx.Response:
        """The answer to a browser at the address `come_from`."""
        address = f"http://127.0.0.1:{self.proxy.port}{PATH}{path}"
        headers = {"Host": host, "Cookie": cookie, **more.pop("headers", {})}
        with client_at(come_from) as client:
            return client.request(method, address, headers=headers, timeout=LONG, **more)

    def ends(self) -> None:
        """End the server, and look at what it says."""
        outcome = self.served.send(signal.SIGINT)
        assert outcome.err.strip() == "zhaifei: interrupted"
        assert TOKEN not in self.served.said + outcome.out

    def entered(self, **more: Any) -> str:
        """The cookie of a newcomer."""
        answer = self.asked(f"/?token={TOKEN}", **more)
        assert answer.status_code == 303, answer.text
        return cookie_of(answer)


@contextmanager
def hosting(policy: Path, data: Path) -> Iterator[Hosted]:
    asked = ("--public-url", URL, "--token", TOKEN, "--policy", policy)
    with (
        proxying(ReverseProxy(PATH, "https")) as proxy,
        Served(*asked, data=data) as served,
    ):
        proxy.server = served.behind_proxy
        found = Hosted(proxy, served)
        yield found
        if served.process.poll() is None:
            found.ends()


@pytest.fixture(scope="module")
def hosted(one_die: Solved, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    with hosting(one_die.policy, tmp_path_factory.mktemp("data")) as found:
        yield found


@pytest.fixture
def fresh(one_die: Solved, tmp_path: Path) -> Iterator[Hosted]:
    """A server that nobody has asked for anything."""
    with hosting(one_die.policy, tmp_path) as found:
        yield found


@pytest.fixture(params=[True, False], ids=["removed", "left"])
def either(hosted: Hosted, request: pytest.FixtureRequest) -> Hosted:
    """The same, whether the proxy removes the path or leaves it."""
    hosted.proxy.strips = request.param
    return hosted


def test_the_public_address_is_told_and_the_token_is_not(hosted: Hosted) -> None:
    assert hosted.served.full_address == f"{URL}/"
    assert TOKEN not in hosted.served.said
    assert "█" not in hosted.served.said, "a QR code of the token"


def test_health_is_told_with_or_without_the_proxy(either: Hosted) -> None:
    direct = httpx.get(f"{either.served.behind_proxy}/healthz", timeout=LONG)
    for answer in (direct, either.asked("/healthz")):
        assert (answer.status_code, answer.text) == (200, "ok")
        assert "set-cookie" not in answer.headers


def test_one_enters_with_the_token_and_a_cookie_of_the_path(either: Hosted) -> None:
    assert either.asked("/").status_code == 403
    answer = either.asked(f"/?token={TOKEN}&a=1")
    assert answer.headers["location"] == f"{PATH}/?a=1"
    cookie, *attributes = answer.headers["set-cookie"].split("; ")
    assert {"Secure", "HttpOnly", f"Path={PATH}"} <= {*attributes}
    for name in ("", "sw.js", "app.webmanifest", "friends/room.js", "style/base.css"):
        found = either.asked(f"/{name}", cookie=cookie)
        assert found.status_code == 200, name
        assert "set-cookie" not in found.headers
    assert either.asked("/records", cookie=cookie).status_code == 404
    offers = either.asked("/data/server.json", cookie=cookie)
    assert offers.json() == {"rooms": True, "advice": True, "own": True, "token": TOKEN}


def test_rules_of_ones_own_are_below_the_path(either: Hosted) -> None:
    cookie, origin = either.entered(), {"Origin": f"https://{HOST}"}
    question = {"players": 2, "counts": {}, "chosen": {"doubles": ["doubles=2"]}}
    asked = "/api/own/questions"
    answer = either.asked(asked, "POST", cookie=cookie, json=question, headers=origin)
    name = answer.json()["rules"]
    assert name == "zhaifei~doubles=2"
    file = either.asked(f"/data/rules/{name}-2.json", cookie=cookie)
    assert (file.status_code, file.json()["name"]) == (200, name)
    assert either.asked(f"/data/rules/{name}-2.json").status_code == 403


def test_friends_open_and_join_a_room(either: Hosted) -> None:
    def told(path: str, question: dict[str, Any], cookie: str) -> Any:
        origin = {"Origin": f"https://{HOST}"}
        answer = either.asked(
            f"/api/rooms/{path}", "POST", cookie=cookie, json=question, headers=origin
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    ann, ben = either.entered(), either.entered(come_from="127.0.0.2")
    made = told("", MADE, ann)
    joined = told(f"{made['code']}/join", {"name": "Ben"}, ben)
    seen = told(f"{made['code']}/view", {"secret": joined["secret"], "after": -1}, ben)
    assert [one["name"] for one in seen["seats"]] == ["Ann", "Ben", ""]
    assert told("qr", {"text": f"{URL}/"}, ann)["rows"]


def test_whoever_may_enter_may_ask_for_advice_and_no_question_ends_it(either: Hosted) -> None:
    def status(cookie: str, **fields: Any) -> int:
        question = {**DECISION, **fields}
        path = "/api/advice/decision"
        return either.asked(path, "POST", cookie=cookie, json=question).status_code

    assert status("") == 403
    cookie = either.entered()
    for fields in ({"hand": [7] * 5}, {"history": [10**30]}, {"others": ["\0"]}, {"rules": []}):
        assert status(cookie, **fields) == 400
    assert status(cookie) == 200


@pytest.mark.parametrize("origin", [f"http://{HOST}", "https://evil.example", "null"])
def test_other_origins_are_refused(hosted: Hosted, origin: str) -> None:
    cookie = hosted.entered()
    answer = hosted.asked(
        "/api/rooms/", "POST", cookie=cookie, json=MADE, headers={"Origin": origin}
    )
    assert answer.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", f"{HOST}.evil.example", f"{HOST}:8765", "["])
def test_other_hosts_are_refused(hosted: Hosted, host: str) -> None:
    for path in (f"/?token={TOKEN}", "/healthz"):
        answer = hosted.asked(path, host=host)
        assert answer.status_code == 400
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("past", [False, True], ids=["behind the proxy", "past the proxy"])
def test_an_address_is_limited_whatever_it_says_of_itself(past: bool, fresh: Hosted) -> None:
    """A proxy adds where a browser is to what the browser says; past the proxy nothing is believed.
    Other addresses are let in all the while."""
    host = {"Host": HOST}
    before = f"http://127.0.0.1:{fresh.proxy.port}{PATH}"
    address = fresh.served.behind_proxy if past else before

    def enters(number: int) -> int:
        forged = {"X-Forwarded-For": f"10.{number >> 8}.{number & 255}.1"}
        with client_at("127.0.0.3") as client:
            asked = f"{address}/?token={TOKEN}"
            return client.get(asked, headers=host | forged, timeout=LONG).status_code

    codes = [enters(number) for number in range(int(ENTRIES[0]))]
    assert {*codes} == {303}
    while enters(len(codes)) != 429:
        codes.append(303)
        assert len(codes) < MANY
    assert fresh.entered(come_from="127.0.0.4")


def test_the_server_ends_quietly_while_somebody_waits(fresh: Hosted) -> None:
    cookie = fresh.entered()

    def told(path: str, question: dict[str, Any]) -> httpx.Response:
        return fresh.asked(f"/api/rooms/{path}", "POST", cookie=cookie, json=question)

    made = told("", MADE).json()
    view = f"{made['code']}/view"
    version = told(view, {"secret": made["secret"], "after": -1}).json()["version"]
    question = {"secret": made["secret"], "after": version}
    with ThreadPoolExecutor() as threads:
        waits = [threads.submit(told, view, question) for _ in range(MOST_WAITING + 1)]
        wait(waits, LONG, FIRST_COMPLETED)  # one too many is refused as soon as all others wait
        fresh.ends()
    assert sorted(one.result().status_code for one in waits) == [200] * MOST_WAITING + [429]


def test_after_a_restart_the_owners_token_decides_who_is_known(
    one_die: Solved, tmp_path: Path
) -> None:
    asked = ("--public-url", f"https://{HOST}", "--policy", one_die.policy)

    def answer_of(served: Served, query: str = "", cookie: str = "") -> httpx.Response:
        headers = {"Host": HOST, "Cookie": cookie}
        return httpx.get(f"{served.behind_proxy}/{query}", headers=headers, timeout=LONG)

    with Served(*asked, "--token", TOKEN, data=tmp_path) as first:
        cookie = cookie_of(answer_of(first, f"?token={TOKEN}"))
        port = ("--port", first.behind_proxy.rpartition(":")[2])
        first.send(signal.SIGINT)
    with Served(*asked, *port, "--token", TOKEN, data=tmp_path) as second:
        assert answer_of(second, cookie=cookie).status_code == 200
        second.send(signal.SIGINT)
    with Served(*asked, *port, "--token", f"{TOKEN}-2", data=tmp_path) as third:
        assert answer_of(third, cookie=cookie).status_code == 403
