"""The addresses of rooms: `Mount("/api/rooms", routes=room_routes(rooms))` serves them.

Every question is a POST of a JSON object, so that secrets stand in no address and no log, and every
answer is a JSON object; a refusal has its one line in `error`.

| address | question | answer |
|---|---|---|
| `/` | `rules`, `players`, `goal`, `name` | `code`, `secret` |
| `/qr` | `text` | `rows`, a text of 0 and 1 for each row |
| `/CODE/join` | `name` | `secret` |
| `/CODE/view` | `secret`, `after` | `room.seen`, once its version is not `after`, or after WAITS |
| `/CODE/act` | `secret`, `kind`, `number`, `step` | `version`, in which it is done |

A question may have `language`, zh or en. Asking again for the view, rather than one connection that
stays open, needs nothing of the proxies between.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import segno
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from zhaifei.app.locale import LANGUAGES, explain, speaking
from zhaifei.app.pocket.rules_tables import PRESETS
from zhaifei.app.server.limits import Limit
from zhaifei.app.server.rooms.room import SIZES, Goal
from zhaifei.app.server.rooms.rooms import NoSuchRoom, Rooms, TooMany
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset
from zhaifei.solver.files.strict_json import StrictJsonError, parse_object

LONGEST = 2048
"""Bytes of a question."""
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

Fields = dict[str, Any]
Answer = Callable[[Request, Fields], Awaitable[Fields]]


class TooLarge(ZhaifeiError):
    """Raised for a question of more than LONGEST bytes."""


_STATUS = {NoSuchRoom: 404, TooMany: 429, TooLarge: 413}


def room_routes(rooms: Rooms) -> list[Route]:
    """Return the routes of rooms, without the address under which they are mounted."""
    asked = _Asked(rooms)
    answers = {
        "/": asked.make,
        "/qr": asked.qr,
        "/{code}/join": asked.join,
        "/{code}/view": asked.view,
        "/{code}/act": asked.act,
    }
    return [
        Route(path, asked.endpoint(answer), methods=["POST"]) for path, answer in answers.items()
    ]


class _Asked:
    """What is asked of the rooms, within limits."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._asks, self._makes = Limit(*ASKS), Limit(*MAKES)
        self._guesses, self._all_guesses = Limit(*GUESSES), Limit(*GUESSES_OF_ALL)

    def endpoint(self, answer: Answer) -> Callable[[Request], Awaitable[JSONResponse]]:
        """Return the endpoint that reads a question and gives its answer or refusal."""

        async def asked(request: Request) -> JSONResponse:
            language = "en"
            try:
                self._verify_limits(request)
                fields = await _question(request)
                language = fields["language"] if fields.get("language") in LANGUAGES else language
                content, status = await answer(request, fields), 200
            except ZhaifeiError as error:
                self._count_guess(request, error)
                with speaking(language):
                    content = {"error": explain(error)}
                status = _STATUS.get(type(error), 400)
            return JSONResponse(content, status, {"Cache-Control": "no-store"})

        return asked

    def _verify_limits(self, request: Request) -> None:
        address = _address(request)
        guessed = not self._guesses.allows(address) or not self._all_guesses.allows("")
        if guessed or not self._asks.take(address):
            raise TooMany("too many questions; try again in a moment")

    def _count_guess(self, request: Request, error: ZhaifeiError) -> None:
        if isinstance(error, NoSuchRoom):
            self._guesses.take(_address(request))
            self._all_guesses.take("")

    async def make(self, request: Request, fields: Fields) -> Fields:
        name, players = _text(fields, "rules"), _number(fields, "players")
        if name not in PRESETS or players not in SIZES:
            raise ZhaifeiError("a room has no such rules")
        goal = _goal(fields.get("goal"))
        if not self._makes.take(_address(request)):
            raise TooMany("too many rooms; try again later")
        rules = preset(name, players=players)
        code, secret = self._rooms.make(rules, goal, _text(fields, "name"))
        return {"code": code, "secret": secret}

    async def qr(self, request: Request, fields: Fields) -> Fields:
        text = _text(fields, "text")
        if not 0 < len(text) <= LONGEST_LINK:
            raise ZhaifeiError("an address has 1 to {most} characters", most=LONGEST_LINK)
        matrix = segno.make(text, micro=False).matrix
        return {"rows": ["".join(map(str, row)) for row in matrix]}

    async def join(self, request: Request, fields: Fields) -> Fields:
        return {"secret": self._rooms.join(_code(request), _text(fields, "name"))}

    async def view(self, request: Request, fields: Fields) -> Fields:
        secret, after = _text(fields, "secret"), _number(fields, "after")
        return await self._rooms.see(_code(request), secret, after)

    async def act(self, request: Request, fields: Fields) -> Fields:
        secret, kind = _text(fields, "secret"), _text(fields, "kind")
        number, step = _number(fields, "number"), _number(fields, "step")
        return {"version": self._rooms.act(_code(request), secret, kind, number, step)}


def _address(request: Request) -> str:
    return "" if request.client is None else request.client.host


def _code(request: Request) -> str:
    return str(request.path_params["code"])


async def _question(request: Request) -> Fields:
    """Return the JSON object in the body. Raise ZhaifeiError for another body, and TooLarge."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise ZhaifeiError("a question is a JSON object")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            raise TooLarge("a question has at most {most} bytes", most=LONGEST)
    try:
        return parse_object(body.decode())
    except (StrictJsonError, UnicodeDecodeError) as error:
        raise ZhaifeiError("a question is a JSON object") from error


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ZhaifeiError("{name} is a text", name=name)
    return value


def _number(fields: Fields, name: str) -> int:
    value = fields.get(name, -1)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ZhaifeiError("{name} is a whole number", name=name)
    return value


def _goal(value: object) -> Goal:
    """Return the goal in a question; the room verifies its kind and number."""
    if not isinstance(value, dict):
        raise ZhaifeiError("{name} is an object", name="goal")
    kind = _text(value, "kind")
    return Goal(kind, _number(value, "number"))  # type: ignore[arg-type]
