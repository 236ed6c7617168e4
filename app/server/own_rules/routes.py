"""The addresses of own rules: `Mount("/api/own", routes=own_routes(...))` serves them.

`app.server.asked` reads the questions. Rules are called by the name that `/questions` answers.

| address | question | answer |
|---|---|---|
| `/questions` | `players`, `counts`, `chosen` | `questions.asked` |
| `/solving` | `rules`, `players` | `Solving.state` |
| `/solve` | `rules`, `players` | `Solving.state`, after solving has begun |
| `/stop` | `rules`, `players` | `Solving.state`, after the process was told to end |

The files of the rules, which `files.OwnFiles` makes, are beside those of presets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request
from starlette.routing import Route

from zhaifei.app.locale import speaking
from zhaifei.app.server.asked import (
    Fields,
    address_of,
    language_of,
    number,
    post_routes,
    rules_of,
    too_many_questions,
)
from zhaifei.app.server.limits import Limit
from zhaifei.app.server.own_rules.questions import answers_of, asked
from zhaifei.app.server.own_rules.solving import Solving

ASKS = (120.0, 2.0)
"""Questions of an address at once, and then per second: a tap is a question, and who waits for a
solution asks each second."""


def own_routes(solving: Solving) -> list[Route]:
    """Return the routes of own rules, without the address under which they are mounted."""
    asked_of = _Asked(solving)
    answers = {
        "/questions": asked_of.questions,
        "/solving": asked_of.state,
        "/solve": asked_of.solve,
        "/stop": asked_of.stop,
    }
    return post_routes(answers, asked_of.within)


class _Asked:
    """What is asked about own rules, within limits."""

    def __init__(self, solving: Solving) -> None:
        self._solving, self._asks = solving, Limit(*ASKS)

    @contextmanager
    def within(self, request: Request) -> Iterator[None]:
        """Keep a question within limits; raise TooMany."""
        if not self._asks.take(address_of(request)):
            raise too_many_questions()
        yield

    async def questions(self, request: Request, fields: Fields) -> Fields:
        answers = answers_of(number(fields, "players"), fields.get("counts"), fields.get("chosen"))
        with speaking(language_of(request, fields)):
            return asked(answers)

    async def state(self, request: Request, fields: Fields) -> Fields:
        rules, language = rules_of(fields), language_of(request, fields)
        return await asyncio.to_thread(self._solving.state, rules, address_of(request), language)

    async def solve(self, request: Request, fields: Fields) -> Fields:
        await self._solving.start(rules_of(fields), address_of(request))
        return await self.state(request, fields)

    async def stop(self, request: Request, fields: Fields) -> Fields:
        self._solving.stop(rules_of(fields), address_of(request))
        return await self.state(request, fields)
