"""Rooms over HTTP: what each client is sent, what is refused, and what outlives the server."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.server.rooms.table import MADE, ROOMS, Guest, app_with, at_once
from zhaifei.app.server.asked import LONGEST, TooMany
from zhaifei.app.server.rooms import rooms as live_rooms
from zhaifei.app.server.rooms.room import Goal, Room
from zhaifei.app.server.rooms.rooms import NoSuchRoom, Rooms
from zhaifei.app.server.rooms.routes import ASKS, GUESSES, LONGEST_LINK, MAKES
from zhaifei.app.server.rooms.store import KEPT, Store
from zhaifei.app.server.rooms.written import read
from zhaifei.game.bids import action_of, challenge_action, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset
from zhaifei.solver.files.atomic_files import StorageError

RULES = preset("zhaifei", players=3)
CHALLENGE = challenge_action(RULES)
OPENING = action_of(RULES, legal_bids(RULES, None)[0])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "rooms.sqlite"


@pytest.fixture
def client(store: Path) -> Iterator[TestClient]:
    with TestClient(app_with(store)) as client:
        yield client


def two_at_a_table(client: TestClient, **fields: Any) -> tuple[Guest, Guest]:
    ann, bob = Guest(client), Guest(client)
    ann.make(**fields)
    bob.join(ann.code, "Bob")
    return ann, bob


def test_a_whole_match_and_nobody_reads_others_dice_or_secrets(
    store: Path, client: TestClient
) -> None:
    """All bytes sent before a settlement are searched."""
    guests = two_at_a_table(client, goal={"kind": "rounds", "number": 6})
    guests[0].act("start")
    while not guests[0].see()["over"]:
        for seat, guest in enumerate(guests):
            guest.read = b""
            seen = guest.see()
            match = seen["match"]
            assert match["rounds"] == [] or seen["over"]
            if match["ending"] is None:
                assert [one for one, hand in enumerate(match["hands"]) if hand] == [seat]
                assert len(match["hands"][seat]) == 5
                assert not others_dice(store, seat) & every_list(guest.read)
            take_part(guest, seen)
            other = guests[1 - seat]
            assert other.secret.encode() not in guest.read
            assert b"proof" not in guest.read
    for guest in guests:
        match = guest.see()["match"]
        assert len(match["results"]) == len(match["rounds"]) == 6
        assert match["rounds"] == settled(store)
    begun = guests[0].see()["match"]["begun"]
    guests[0].act("start")
    again = guests[1].see()["match"]
    assert again["rounds"] == []
    assert again["begun"] >= begun


def settled(store: Path) -> list[Any]:
    """Return the rounds of the match that the server has kept."""
    return [
        {
            "opener": one.starter,
            "hands": [[*hand] for hand in one.hands],
            "history": [*one.actions[:-1]],
            "ending": one.actions[-1],
            "program": [],
        }
        for one in stored(store).ended
    ]


def stored(store: Path) -> Room:
    with sqlite3.connect(store) as file:
        (text,) = file.execute("SELECT room FROM rooms").fetchone()
    return read(text)


def others_dice(store: Path, seat: int) -> set[tuple[int, ...]]:
    """Return the hands of the others in the round in progress, unless they equal one's own."""
    round_ = stored(store).round
    assert round_ is not None
    return {*round_.hands} - {round_.hands[seat]}


def every_list(sent: bytes) -> set[tuple[int, ...]]:
    """Return all runs of five dice in some bytes, sorted, however they are separated. The time at
    which a match began is left out: its digits may be anything."""
    sent = re.sub(rb'"begun":"[^"]*"', b"", sent)
    runs = re.findall(rb"(?=((?:[1-6]\D{0,2}){5}))", sent)
    return {tuple(sorted(map(int, re.findall(rb"[1-6]", run)))) for run in runs}


def take_part(guest: Guest, seen: Any) -> None:
    """Bid low, challenge, or go on to the next round, if this guest is asked."""
    match, seat = seen["match"], seen["seat"]
    if match["ending"] is not None:
        if seen["seats"][seat]["waited"]:
            guest.act("ready", step=seen["step"])
        return
    turn = (match["opener"] + len(match["history"])) % 3
    if turn == seat:
        number = CHALLENGE if match["history"] else OPENING
        guest.act("action", number=number, step=seen["step"])


def test_the_next_view_comes_with_the_next_change(client: TestClient) -> None:
    ann, _ = two_at_a_table(client)
    first = ann.see()
    assert [one["name"] for one in first["seats"]] == ["Ann", "Bob", ""]
    Guest(client).join(ann.code, "Zoe")
    assert ann.see(after=first["version"])["version"] > first["version"]


def test_who_acts_is_told_from_which_version_on_it_is_seen(client: TestClient) -> None:
    ann, _ = two_at_a_table(client)
    before = ann.see()["version"]
    version = ann.act("start")["version"]
    seen = ann.see(after=before)
    assert before < version <= seen["version"]
    assert seen["match"] is not None


def test_a_restart_in_the_middle_of_a_round(store: Path) -> None:
    with TestClient(app_with(store)) as client:
        ann, bob = two_at_a_table(client)
        ann.act("start")
        in_turn(ann)
        take_part(ann, ann.see())
        take_part(bob, bob.see())
        before = ann.see_until(lambda seen: seen["match"]["history"] or seen["match"]["ending"])
    with TestClient(app_with(store)) as client:
        again = Guest(client, ann.code, ann.secret)
        after = again.see()
        assert after["match"]["hands"][0] == before["match"]["hands"][0]
        begun = before["match"]["history"]
        assert after["match"]["history"][: len(begun)] == begun
        assert after["match"]["opener"] == before["match"]["opener"]


def in_turn(guest: Guest) -> Any:
    """Return what a guest sees who may have to wait for the program."""
    return guest.see_until(
        lambda seen: (
            seen["match"]["ending"] is not None
            or (seen["match"]["opener"] + len(seen["match"]["history"])) % 3 != 2
        )
    )


def test_a_second_tab_sees_the_same(client: TestClient) -> None:
    ann, _ = two_at_a_table(client)
    ann.act("start")
    tab = Guest(client, ann.code, ann.secret)
    assert tab.see()["match"]["hands"][0] == ann.see()["match"]["hands"][0]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("start", {}),
        ("action", {"number": 10**30, "step": 0}),
        ("action", {"number": "7", "step": 0}),
        ("action", {"number": 7.5, "step": 0}),
        ("action", {"number": True, "step": 0}),
        ("action", {"number": CHALLENGE, "step": 0}),
        ("ready", {"step": 0}),
        ("stand-in", {"number": 0}),
        ("stand-in", {"number": 2}),
        ("deal", {}),
    ],
)
def test_what_is_refused_in_one_line(client: TestClient, kind: str, fields: Any) -> None:
    ann, bob = two_at_a_table(client)
    ann.act("start")
    refused = bob.act(kind, 400, **fields)
    assert set(refused) == {"error"}
    assert "\n" not in refused["error"]
    chinese = bob.act(kind, 400, language="zh", **fields)
    assert any(ord(one) > 0x2000 for one in chinese["error"])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"[" * 2000,
        b"\xff\xfe",
        b'{"name": 1}',
        b'{"name": {}}',
        b"1e999",
    ],
)
def test_malformed_messages(client: TestClient, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    for path in ("/", "/qr", "/AAAAAA/join", "/AAAAAA/view", "/AAAAAA/act"):
        answer = client.post(ROOMS + path, content=body, headers=headers)
        assert answer.status_code == 400
        assert set(answer.json()) == {"error"}


def test_huge_messages_and_other_kinds(client: TestClient) -> None:
    Guest(client).ask("/", 413, name="x" * LONGEST)
    assert client.post(f"{ROOMS}/", data=MADE).status_code == 400  # as a form of another page would
    assert client.get(f"{ROOMS}/qr").status_code == 405


@pytest.mark.parametrize(
    "fields",
    [
        {"rules": "nonsense"},
        {"rules": "knockout"},
        {"players": 1},
        {"players": 9},
        {"goal": {"kind": "dice", "number": 1}},
        {"goal": {"kind": "points", "number": 0}},
        {"goal": "points"},
        {"name": "x" * 17},
        {"name": "\u200b"},
    ],
)
def test_rooms_that_cannot_be(client: TestClient, fields: Any) -> None:
    assert set(Guest(client).ask("/", 400, **{**MADE, **fields})) == {"error"}


def test_guesses_are_limited(client: TestClient) -> None:
    ann, _ = two_at_a_table(client)
    thief = Guest(client, ann.code, "x" * 32)
    for _ in range(int(GUESSES[0])):
        thief.ask(f"/{ann.code}/view", 404, secret="x", after=-1)
    thief.ask(f"/{ann.code}/view", 429, secret="x", after=-1)


def test_rooms_of_an_address_and_floods_are_limited(client: TestClient) -> None:
    guest = Guest(client)
    for _ in range(int(MAKES[0])):
        guest.make()
    guest.ask("/", 429, **MADE)
    found = {
        client.post(f"{ROOMS}/qr", json={"text": "x"}).status_code for _ in range(int(ASKS[0]) * 3)
    }
    assert found == {200, 429}


def test_a_qr_code_has_only_zeros_and_ones(client: TestClient) -> None:
    rows = Guest(client).ask("/qr", text="http://192.168.1.20:8765/#/friends/ABCDEF")["rows"]
    assert {len(row) for row in rows} == {len(rows)}
    assert set("".join(rows)) == {"0", "1"}
    Guest(client).ask("/qr", 400, text="x" * (LONGEST_LINK + 1))


def test_who_leaves_has_no_seat_any_more(client: TestClient) -> None:
    ann, bob = two_at_a_table(client)
    bob.act("leave")
    bob.ask(f"/{ann.code}/view", 404, secret=bob.secret, after=-1)
    assert ann.see()["seats"][1]["name"] == ""


# Without HTTP: limits of the whole server, lost connections and files that fail


def test_limits_of_the_server(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def meet() -> None:
        rooms = Rooms(Store(store), at_once, thinks=0.0)
        monkeypatch.setattr(live_rooms, "MOST_LIVE", 2)
        rules, goal = preset("zhaifei", players=3), Goal("points", 2)
        made = [rooms.make(rules, goal, "Ann") for _ in range(5)]
        for code, secret in made:  # those that are not in memory are read
            assert (await rooms.see(code, secret, -1))["code"] == code
        monkeypatch.setattr(live_rooms, "MOST_ROOMS", 5)
        with pytest.raises(TooMany):
            rooms.make(rules, goal, "Ann")
        rooms.close()

    asyncio.run(meet())


def test_a_lost_connection_and_many_tabs(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def meet() -> None:
        rooms = Rooms(Store(store), at_once, thinks=0.0)
        code, ann = rooms.make(preset("zhaifei", players=2), Goal("rounds", 9), "Ann")
        bob = rooms.join(code, "Bob")
        version = (await rooms.see(code, ann, -1))["version"]
        tabs = [asyncio.create_task(rooms.see(code, ann, version)) for _ in range(4)]
        await asyncio.sleep(0)
        with pytest.raises(TooMany):
            await rooms.see(code, ann, version)
        for tab in tabs:
            tab.cancel()  # the connections are lost
        await asyncio.gather(*tabs, return_exceptions=True)
        rooms.act(code, ann, "start", -1, 0)
        with pytest.raises(ZhaifeiError):
            rooms.act(code, bob, "stand-in", 0, 0)
        monkeypatch.setattr(live_rooms, "MISSED", 0.0)
        rooms.act(code, bob, "stand-in", 0, 0)
        seen = await rooms.see(code, ann, -1)
        assert not seen["seats"][0]["away"]  # she is back
        rooms.close()

    asyncio.run(meet())


def test_a_failing_file_changes_nothing(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def meet() -> None:
        kept = Store(store)
        rooms = Rooms(kept, at_once, thinks=0.0)
        code, ann = rooms.make(preset("zhaifei", players=3), Goal("rounds", 9), "Ann")
        before = await rooms.see(code, ann, -1)

        def fails(_: object) -> None:
            raise StorageError("cannot use {path}: {why}", path=store, why="full")

        with monkeypatch.context() as broken:
            broken.setattr(kept, "save", fails)
            with pytest.raises(StorageError):
                rooms.act(code, ann, "start", -1, 0)
        assert await rooms.see(code, ann, -1) == before
        rooms.close()

    asyncio.run(meet())


def test_rooms_expire_and_unreadable_ones_are_none(store: Path) -> None:
    async def meet() -> None:
        rooms = Rooms(Store(store), at_once, thinks=0.0)
        made = [
            rooms.make(preset("zhaifei", players=3), Goal("rounds", 9), "Ann") for _ in range(2)
        ]
        rooms.close()
        with sqlite3.connect(store) as file:
            file.execute(
                "UPDATE rooms SET changed = changed - ? WHERE code = ?", (KEPT + 1, made[0][0])
            )
            file.execute("UPDATE rooms SET room = ? WHERE code = ?", (json.dumps({}), made[1][0]))
        rooms = Rooms(Store(store), at_once, thinks=0.0)
        for code, secret in made:
            with pytest.raises(NoSuchRoom):
                await rooms.see(code, secret, -1)
        rooms.close()

    asyncio.run(meet())
