"""The addresses of rooms: `Mount("/api/rooms", routes=room_routes(rooms))` serves them.

`app.server.asked` reads the questions.

| address | question | answer |
|---|---|---|
| `/` | `rules`, `players`, `goal`, `name`, perhaps `company` | `code`, `secret` |
| `/companies` | `rules`, `players` | `companies`, who may take empty seats by these rules |
| `/qr` | `text` | `rows`, a text of 0 and 1 for each row |
| `/CODE/join` | `name` | `secret` |
| `/CODE/view` | `secret`, `after` | `room.seen`, once its version is not `after`, or after WAITS |
| `/CODE/act` | `secret`, `kind`, `number`, `step` | `version`, in which it is done |

Asking again for the view, rather than one connection that stays open, needs nothing of the proxies
between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import segno
from starlette.requests import Request
from starlette.routing import Route

from zhaifei.app.server.asked import (
    Fields,
    TooMany,
    address_of,
    number,
    post_routes,
    text,
    too_many_questions,
)
from zhaifei.app.server.limits import Limit
from zhaifei.app.server.rooms.numbered import offered_rules
from zhaifei.app.server.rooms.room import COMPANIES, Company, Goal
from zhaifei.app.server.rooms.rooms import NoSuchRoom, Rooms
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.learners import learner_for

LONGEST_LINK = 300
"""Characters of the address in a QR code."""
ASKS = (200.0, 40.0)
"""Questions of an address at once, and then per second. People of a household share an address."""
MAKES = (10.0, 1 / 30)
"""Rooms that an address may make."""
GUESSES = (20.0, 0.2)
"""Codes and secrets of an address that fit nothing."""
GUESSES_OF_ALL = (500.0, 5.0)
"""Those of all addresses."""


def room_routes(rooms: Rooms) -> list[Route]:
    """Return the routes of rooms, without the address under which they are mounted."""
    asked = _Asked(rooms)
    answers = {
        "/": asked.make,
        "/companies": asked.companies,
        "/qr": asked.qr,
        "/{code}/join": asked.join,
        "/{code}/view": asked.view,
        "/{code}/act": asked.act,
    }
    return post_routes(answers, asked.within)


class _Asked:
    """What is asked of the rooms, within limits."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._asks, self._makes = Limit(*ASKS), Limit(*MAKES)
        self._guesses, self._all_guesses = Limit(*GUESSES), Limit(*GUESSES_OF_ALL)

    @contextmanager
    def within(self, request: Request) -> Iterator[None]:
        """Keep a question within limits; raise TooMany."""
        address = address_of(request)
        guessed = not self._guesses.allows(address) or not self._all_guesses.allows("")
        if guessed or not self._asks.take(address):
            raise too_many_questions()
        try:
            yield
        except NoSuchRoom:
            self._guesses.take(address)
            self._all_guesses.take("")
            raise

    async def make(self, request: Request, fields: Fields) -> Fields:
        rules = offered_rules(text(fields, "rules"), number(fields, "players"))
        goal = _goal(fields.get("goal"))
        if not self._makes.take(address_of(request)):
            raise TooMany("too many rooms; try again later")
        company = text(fields, "company") if "company" in fields else COMPANIES[0]
        if company == "learning":
            await asyncio.to_thread(learner_for, rules)
        made = self._rooms.make(rules, goal, text(fields, "name"), company)  # type: ignore[arg-type]
        return dict(zip(("code", "secret"), made, strict=True))

    async def companies(self, request: Request, fields: Fields) -> Fields:
        rules = offered_rules(text(fields, "rules"), number(fields, "players"))
        return {"companies": await asyncio.to_thread(_companies, rules)}

    async def qr(self, request: Request, fields: Fields) -> Fields:
        link = text(fields, "text")
        if not 0 < len(link) <= LONGEST_LINK:
            raise ZhaifeiError("an address has 1 to {most} characters", most=LONGEST_LINK)
        matrix = segno.make(link, micro=False).matrix
        return {"rows": ["".join(map(str, row)) for row in matrix]}

    async def join(self, request: Request, fields: Fields) -> Fields:
        return {"secret": self._rooms.join(_code(request), text(fields, "name"))}

    async def view(self, request: Request, fields: Fields) -> Fields:
        secret, after = text(fields, "secret"), number(fields, "after")
        return await self._rooms.see(_code(request), secret, after)

    async def act(self, request: Request, fields: Fields) -> Fields:
        secret, kind = text(fields, "secret"), text(fields, "kind")
        action, step = number(fields, "number"), number(fields, "step")
        return {"version": self._rooms.act(_code(request), secret, kind, action, step)}


def _companies(rules: Rules) -> list[Company]:
    """Return who may take empty seats in a room with these rules."""
    try:
        learner_for(rules)
    except ZhaifeiError:
        return [COMPANIES[0]]
    return [*COMPANIES]


def _code(request: Request) -> str:
    return str(request.path_params["code"])


def _goal(value: object) -> Goal:
    """Return the goal in a question; the room verifies its kind and number."""
    if not isinstance(value, dict):
        raise ZhaifeiError("{name} is an object", name="goal")
    kind = text(value, "kind")
    return Goal(kind, number(value, "number"))  # type: ignore[arg-type]
