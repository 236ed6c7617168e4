"""The front end as a server shows it: its files, what the server offers, and rooms behind it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.app.server.rooms.table import MADE, at_once
from zhaifei.app.pocket.exporting import LISTED, listed
from zhaifei.app.server.rooms.rooms import Rooms
from zhaifei.app.server.rooms.store import Store
from zhaifei.app.server.site import ROOMS, Site, routes_of

TOKEN = "a-token"
CONTENTS = {"index.html": "斋飞".encode(), "game/round.js": b"export {};", "icon.png": b"\x89PNG"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files of a small site, each time that one is made."""
    names: list[str] = []

    def file(name: str) -> bytes:
        names.append(name)
        return CONTENTS[name]

    files = {name: lambda name=name: file(name) for name in CONTENTS}
    monkeypatch.setattr("zhaifei.app.server.site.site_files", lambda: files)
    return names


@pytest.fixture
def client(tmp_path: Path, made: list[str]) -> Iterator[TestClient]:
    rooms = Rooms(Store(tmp_path / "rooms.sqlite"), at_once, thinks=0.0)
    with TestClient(Starlette(routes=routes_of(Site(), rooms, TOKEN))) as found:
        yield found
        rooms.close()


def test_a_file_is_made_once_when_it_is_asked_for(client: TestClient, made: list[str]) -> None:
    assert made == []
    for path in ("/", "/index.html", "/"):
        answer = client.get(path)
        assert answer.text == "斋飞"
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert made == ["index.html"]


def test_a_file_that_could_not_be_made_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    failures = [OSError("no room")]

    def file() -> bytes:
        if failures:
            raise failures.pop()
        return CONTENTS["icon.png"]

    monkeypatch.setattr("zhaifei.app.server.site.site_files", lambda: {"icon.png": file})
    app = Starlette(routes=routes_of(Site(), None, TOKEN))
    with TestClient(app, raise_server_exceptions=False) as client:
        answers = [client.get("/icon.png") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [500, 200]
    assert answers[1].content == CONTENTS["icon.png"]


def test_a_file_that_many_ask_for_at_once_is_made_once(made: list[str]) -> None:
    async def ask_often() -> None:
        app = Starlette(routes=routes_of(Site(), None, TOKEN))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            answers = await asyncio.gather(
                *(client.get(f"/{LISTED}") for _ in range(5)),
                *(client.get("/icon.png") for _ in range(5)),
            )
        assert len({answer.content for answer in answers}) == 2

    asyncio.run(ask_often())
    assert sorted(made) == sorted(CONTENTS)


@pytest.mark.parametrize(
    ("name", "kind"), [("game/round.js", "text/javascript"), ("icon.png", "image/png")]
)
def test_files_have_the_types_that_browsers_need(client: TestClient, name: str, kind: str) -> None:
    answer = client.get(f"/{name}")
    assert answer.content == CONTENTS[name]
    assert answer.headers["content-type"].split(";")[0] == kind


def test_the_list_is_that_of_a_static_site(client: TestClient) -> None:
    assert client.get(f"/{LISTED}").content == listed(CONTENTS)


def test_an_unchanged_file_is_not_sent_again(client: TestClient) -> None:
    etag = client.get("/").headers["etag"]
    again = client.get("/", headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/icon.png", headers={"if-none-match": etag}).status_code == 200


def test_the_server_says_what_it_offers(client: TestClient) -> None:
    answer = client.get("/data/server.json")
    assert answer.json() == {"rooms": True, "advice": False, "own": False, "token": TOKEN}
    assert answer.headers["cache-control"] == "no-store"


def test_without_a_place_to_keep_them_there_are_no_rooms(made: list[str]) -> None:
    with TestClient(Starlette(routes=routes_of(Site(), None, None))) as client:
        answer = client.get("/data/server.json")
        assert answer.json() == {"rooms": False, "advice": False, "own": False, "token": None}
        assert client.post(f"{ROOMS}/", json=MADE).status_code == 405


def test_rooms_are_served(client: TestClient) -> None:
    assert client.post(f"{ROOMS}/", json=MADE).json().keys() == {"code", "secret"}


@pytest.mark.parametrize("path", ["/none.js", "/../site.py", "/%2e%2e/site.py", "//etc/passwd"])
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404
