"""The front end as a server shows it: its files, what the server offers, and rooms behind it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.app.server.rooms.table import MADE, at_once
from zhaifei.app.pocket import exporting
from zhaifei.app.server.rooms.rooms import Rooms
from zhaifei.app.server.rooms.store import Store
from zhaifei.app.server.site import POCKET, ROOMS, Site, routes_of

TOKEN = "a-token"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Where a site of one page was written."""
    places: list[Path] = []

    def export(directory: Path) -> None:
        (directory / "index.html").write_text("斋飞", encoding="utf-8")
        places.append(directory)

    monkeypatch.setattr("zhaifei.app.server.site.export", export)
    return places


@pytest.fixture
def client(tmp_path: Path, written: list[Path]) -> Iterator[TestClient]:
    site, rooms = Site(), Rooms(Store(tmp_path / "rooms.sqlite"), at_once, thinks=0.0)
    with TestClient(Starlette(routes=routes_of(site, rooms, TOKEN))) as found:
        yield found
        rooms.close()
    site.close()


def test_the_site_is_written_once_when_it_is_asked_for(
    client: TestClient, written: list[Path]
) -> None:
    assert written == []
    for path in ("/", "/index.html", "/"):
        answer = client.get(f"{POCKET}{path}")
        assert answer.text == "斋飞"
        assert answer.headers["cache-control"] == "no-cache"
    assert len(written) == 1


def test_an_unchanged_file_is_not_sent_again(client: TestClient) -> None:
    etag = client.get(f"{POCKET}/").headers["etag"]
    again = client.get(f"{POCKET}/", headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_the_server_says_what_it_offers(client: TestClient) -> None:
    answer = client.get(f"{POCKET}/data/server.json")
    assert answer.json() == {"rooms": True, "token": TOKEN}
    assert answer.headers["cache-control"] == "no-store"


def test_a_static_site_offers_nothing() -> None:
    files = {path.relative_to(exporting.WEB).as_posix() for path in exporting.own_files()}
    assert "data/server.json" not in files


def test_rooms_are_served(client: TestClient) -> None:
    assert client.post(f"{ROOMS}/", json=MADE).json().keys() == {"code", "secret"}


def test_files_outside_of_the_site_are_not_served(client: TestClient, written: list[Path]) -> None:
    client.get(f"{POCKET}/")
    (written[0].parent / "zhaifei-secret.txt").write_text("secret")
    try:
        for path in ("/../zhaifei-secret.txt", "/%2e%2e/zhaifei-secret.txt"):
            assert client.get(f"{POCKET}{path}").status_code == 404
    finally:
        (written[0].parent / "zhaifei-secret.txt").unlink()


def test_closing_removes_the_files(tmp_path: Path, written: list[Path]) -> None:
    site = Site()
    rooms = Rooms(Store(tmp_path / "rooms.sqlite"), at_once)
    with TestClient(Starlette(routes=routes_of(site, rooms, None))) as client:
        assert client.get(f"{POCKET}/").status_code == 200
    rooms.close()
    site.close()
    assert not written[0].exists()
