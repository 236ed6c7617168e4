"""Questions over HTTP: a POST of a JSON object, answered by a JSON object.

Secrets stand in the question, so that no address and no log has them. A refusal has its one line in
`error`, in the `language` of the question, zh or en.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from zhaifei.app.locale import LANGUAGES, explain, speaking
from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.solver.files.strict_json import StrictJsonError, parse_object

LONGEST = 16384
"""Bytes of a question. A round of eight in which every bid is made takes 2200, and the page sends
12,000 bytes of rounds that were seen at a table."""

Fields = dict[str, Any]
Answer = Callable[[Request, Fields], Awaitable[Fields]]
Within = Callable[[Request], AbstractContextManager[None]]
"""Keeps a question within limits: raises TooMany before it, or counts how it ended."""


class Refusal(ZhaifeiError):
    """A refusal that the client tells from others by its HTTP status."""

    status: ClassVar[int] = 400


class TooMany(Refusal):
    """Raised for more than people and browsers ask."""

    status = 429


class TooLarge(Refusal):
    """Raised for a question of more than LONGEST bytes."""

    status = 413


def _endpoint(answer: Answer, within: Within) -> Callable[[Request], Awaitable[JSONResponse]]:
    """Return the endpoint that reads a question and gives its answer or refusal."""

    async def asked(request: Request) -> JSONResponse:
        language = language_of(request, {})
        try:
            with within(request):
                fields = await _question(request)
                language = language_of(request, fields)
                content, status = await answer(request, fields), 200
        except ZhaifeiError as error:
            with speaking(language):
                content = {"error": explain(error)}
            status = error.status if isinstance(error, Refusal) else Refusal.status
        return JSONResponse(content, status, {"Cache-Control": "no-store"})

    return asked


def post_routes(answers: Mapping[str, Answer], within: Within) -> list[Route]:
    """Return a route for each path, at which questions are answered."""
    return [
        Route(path, _endpoint(answer, within), methods=["POST"]) for path, answer in answers.items()
    ]


def too_many_questions() -> TooMany:
    """Return the refusal of an address that asks too often."""
    return TooMany("too many questions; try again in a moment")


def address_of(request: Request) -> str:
    """Return the address that asks, by which questions are counted."""
    return "" if request.client is None else request.client.host


def language_of(request: Request, fields: Fields) -> str:
    """Return the language of a question: its `language`, else that of the browser."""
    if fields.get("language") in LANGUAGES:
        return str(fields["language"])
    return "zh" if request.headers.get("accept-language", "").startswith("zh") else "en"


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


# Fields of a question


def text(fields: Fields, name: str) -> str:
    """Return a text. Raise ZhaifeiError for anything else."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise ZhaifeiError("{name} is a text", name=name)
    return value


def number(fields: Fields, name: str) -> int:
    """Return a whole number, -1 if the question does not have it. Raise ZhaifeiError for anything
    else."""
    value = fields.get(name, -1)
    if not _is_number(value):
        raise ZhaifeiError("{name} is a whole number", name=name)
    return int(value)


def numbers(fields: Fields, name: str) -> tuple[int, ...]:
    """Return a list of whole numbers. Raise ZhaifeiError for anything else."""
    return _numbers(fields.get(name), name)


def texts(fields: Fields, name: str) -> tuple[str, ...]:
    """Return a list of texts. Raise ZhaifeiError for anything else."""
    value = fields.get(name)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ZhaifeiError("{name} is a list of texts", name=name)
    return tuple(value)


def lists(fields: Fields, name: str) -> tuple[tuple[int, ...], ...]:
    """Return a list of lists of whole numbers. Raise ZhaifeiError for anything else."""
    value = fields.get(name)
    if not isinstance(value, list):
        raise ZhaifeiError("{name} is a list of lists", name=name)
    return tuple(_numbers(one, name) for one in value)


def objects(fields: Fields, name: str) -> tuple[Fields, ...]:
    """Return a list of JSON objects. Raise ZhaifeiError for anything else."""
    value = fields.get(name)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ZhaifeiError("{name} is a list of objects", name=name)
    return tuple(value)


def rules_of(fields: Fields) -> Rules:
    """Return the rules that the page calls `rules`, for the number of `players`. Raise
    ZhaifeiError if the page does not offer them."""
    return rules_named(text(fields, "rules"), number(fields, "players"))


def _numbers(value: object, name: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(map(_is_number, value)):
        raise ZhaifeiError("{name} is a list of whole numbers", name=name)
    return tuple(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
