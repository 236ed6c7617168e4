"""A server of the page and its rooms, and what its visitors ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from zhaifei.app.server.rooms.deciding import plain_action
from zhaifei.app.server.rooms.numbered import offered_rules
from zhaifei.app.server.rooms.room import Goal, Room, new_code
from zhaifei.app.server.rooms.rooms import Rooms, Run
from zhaifei.app.server.rooms.store import Store
from zhaifei.app.server.site import ROOMS, Site, routes_of
from zhaifei.game.views import View

MADE = {
    "rules": "zhaifei",
    "players": 3,
    "goal": {"kind": "points", "number": 2},
    "name": "Ann",
}


async def at_once(function: Callable[..., int], name: str, view: View, seed: int) -> int:
    """Let a player that loads nothing decide in place of the one named."""
    return function("honest", view, seed)


async def as_asked(function: Callable[..., int], *arguments: object) -> int:
    """Let the player decide who is named."""
    return function(*arguments)


async def beside(function: Callable[..., int], *arguments: object) -> int:
    """Let the player decide who is named, beside the server."""
    return await asyncio.to_thread(function, *arguments)


def app_with(store: Path, run: Run = at_once) -> Starlette:
    """Return a server of the page, whose rooms are in the file `store`."""
    rooms = Rooms(Store(store), run, thinks=0.0)

    @asynccontextmanager
    async def closing(_: object) -> AsyncIterator[None]:
        yield
        rooms.close()

    return Starlette(routes=routes_of(Site(), rooms, None), lifespan=closing)


def room_without_bob() -> tuple[Room, list[str]]:
    """Return a room for dice in which Bob has just lost the last die and Ann and a program play on,
    and the secrets of both."""
    while True:
        room = Room(new_code(), offered_rules("knockout", 3), Goal("dice", 0))
        secrets = [room.join(name) for name in ("Ann", "Bob")]
        room.start(0)
        assert room.match is not None
        while not room.is_over and room.match.score[0] > 0:
            if room.round is not None:
                room.act(room.round.turn, plain_action(room.round), room.step)
            elif room.match.score[1] == 0:
                return room, secrets
            else:
                for seat in (0, 1):
                    room.get_ready(seat, {0, 1}, room.step)


class Guest:
    """Somebody who asks; `read` has all bytes that were answered."""

    def __init__(self, client: TestClient, code: str = "", secret: str = "") -> None:
        self.client, self.code, self.secret = client, code, secret
        self.read = b""

    def ask(self, path: str, expected: int = 200, **fields: Any) -> Any:
        answer = self.client.post(f"{ROOMS}{path}", json=fields)
        self.read += answer.content
        assert answer.status_code == expected, answer.text
        return answer.json()

    def make(self, **fields: Any) -> None:
        made = self.ask("/", **{**MADE, **fields})
        self.code, self.secret = made["code"], made["secret"]

    def join(self, code: str, name: str) -> None:
        self.code, self.secret = code, self.ask(f"/{code}/join", name=name)["secret"]

    def see(self, after: int = -1) -> Any:
        return self.ask(f"/{self.code}/view", secret=self.secret, after=after)

    def act(self, kind: str, expected: int = 200, **fields: Any) -> Any:
        return self.ask(f"/{self.code}/act", expected, secret=self.secret, kind=kind, **fields)

    def see_until(self, holds: Callable[[Any], bool]) -> Any:
        seen = self.see()
        while not holds(seen):
            seen = self.see(after=seen["version"])
        return seen
