"""The addresses of advice: `Mount("/api/advice", routes=advice_routes(...))` serves them.

`app.server.asked` reads the questions. Actions are numbers, as `game.bids` counts them.

| address | question | answer |
|---|---|---|
| `/decision` | `rules`, `players`, `hand`, `history`, `others`, `seen` | `decisions.advise` |
| `/locked` | `rules`, `players`, `hand`, `history`, `locks`, `answer` | `locks.advise_locked` |
| `/lock-file` | `rules`, `players`, `locks` | `text`, that of a lock file |
| `/range` | `rules`, `players`, `history`, `held` | `ranges.advise_range` |
| `/review` | `rules`, `players`, `opener`, `hands`, `history`, `ending`, `seat` | `rounds.review` |
| `/compiled` | none | `functions`, how many have been compiled for answers so far |

`others` is who is believed to sit there: without it, somebody unknown. `seen` are earlier rounds at
this table, oldest first, each with `opener`, `hands`, `history` and `ending`: seats count from the
player who asks, and hands that nobody saw are empty. A decision is asked about with one's own dice
alone, also while the round goes on; a review needs the dice of a round that has ended. `held` has
dice of the player in turn: a whole hand, or only some of it. A lock has `after`, `held`, `action`
and `percent`; see `locks.Lock`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from starlette.requests import Request
from starlette.routing import Route

from zhaifei.app.server.advice.decisions import Decision, Seen, advise
from zhaifei.app.server.advice.locks import Lock, LockedDecision, advise_locked, lock_file
from zhaifei.app.server.advice.ranges import Explored, advise_range
from zhaifei.app.server.advice.rounds import Ended, review
from zhaifei.app.server.asked import (
    Fields,
    address_of,
    language_of,
    lists,
    number,
    numbers,
    objects,
    post_routes,
    rules_of,
    text,
    texts,
    too_many_questions,
)
from zhaifei.app.server.limits import Limit
from zhaifei.game.rules import Rules

ASKS = (60.0, 0.5)
"""Questions of an address at once, and then per second: a match has a round or two a minute."""
AT_ONCE = 3
"""Questions of an address that may be worked on at the same time."""

PolicyFor = Callable[[Rules], Awaitable[Path | None]]
"""Returns the policy that was named for some rules; None means the known policy."""


class Workers(Protocol):
    """What works on questions, as `app.server.workers.Workers` does."""

    @property
    def compiled(self) -> int:
        """How many kernels have been compiled so far."""

    def run(self, function: Callable[..., Fields], *arguments: Any) -> Awaitable[Fields]:
        """Return the result of a module's function."""

    def run_behind(self, function: Callable[..., Fields], *arguments: Any) -> Awaitable[Fields]:
        """Return the result, and let questions of `run` pass."""


def advice_routes(workers: Workers, policy_for: PolicyFor) -> list[Route]:
    """Return the routes of advice, without the address under which they are mounted."""
    asked = _Asked(workers, policy_for)
    answers = {
        "/decision": asked.decision,
        "/locked": asked.locked,
        "/lock-file": asked.lock_file,
        "/range": asked.range,
        "/review": asked.review,
    }
    looks = post_routes({"/compiled": asked.compiled}, lambda _: nullcontext())  # costs nothing
    return [*post_routes(answers, asked.within), *looks]


class _Asked:
    """What is asked of the policies, within limits."""

    def __init__(self, workers: Workers, policy_for: PolicyFor) -> None:
        self._workers, self._policy_for = workers, policy_for
        self._asks = Limit(*ASKS)
        self._open: Counter[str] = Counter()

    @contextmanager
    def within(self, request: Request) -> Iterator[None]:
        """Keep a question within limits; raise TooMany."""
        address = address_of(request)
        if self._open[address] >= AT_ONCE or not self._asks.take(address):
            raise too_many_questions()
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            self._open += Counter()  # forgets addresses that ask nothing more

    async def decision(self, request: Request, fields: Fields) -> Fields:
        rules = rules_of(fields)
        others = texts(fields, "others") if "others" in fields else ("",) * (rules.players - 1)
        asked = Decision(
            rules,
            numbers(fields, "hand"),
            numbers(fields, "history"),
            others,
            tuple(map(_seen, objects(fields, "seen"))) if "seen" in fields else (),
            language_of(request, fields),
        )
        return await self._workers.run(advise, await self._policy_for(rules), asked)

    async def compiled(self, _: Request, __: Fields) -> Fields:
        return {"functions": self._workers.compiled}

    async def locked(self, request: Request, fields: Fields) -> Fields:
        rules = rules_of(fields)
        asked = LockedDecision(
            rules,
            numbers(fields, "hand"),
            numbers(fields, "history"),
            _locks_of(fields),
            text(fields, "answer"),
        )
        return await self._workers.run_behind(advise_locked, await self._policy_for(rules), asked)

    async def lock_file(self, request: Request, fields: Fields) -> Fields:
        return {"text": lock_file(rules_of(fields), _locks_of(fields))}

    async def range(self, request: Request, fields: Fields) -> Fields:
        rules = rules_of(fields)
        asked = Explored(rules, numbers(fields, "history"), numbers(fields, "held"))
        return await self._workers.run_behind(advise_range, await self._policy_for(rules), asked)

    async def review(self, request: Request, fields: Fields) -> Fields:
        rules = rules_of(fields)
        asked = Ended(
            rules,
            number(fields, "opener"),
            lists(fields, "hands"),
            (*numbers(fields, "history"), number(fields, "ending")),
            number(fields, "seat"),
        )
        return await self._workers.run_behind(review, await self._policy_for(rules), asked)


def _seen(fields: Fields) -> Seen:
    """Return a round that was seen. Raise ZhaifeiError for anything else."""
    actions = (*numbers(fields, "history"), number(fields, "ending"))
    return Seen(number(fields, "opener"), lists(fields, "hands"), actions)


def _locks_of(fields: Fields) -> tuple[Lock, ...]:
    """Return the locks of a question. Raise ZhaifeiError for anything else."""
    return tuple(
        Lock(
            numbers(one, "after"),
            numbers(one, "held"),
            number(one, "action"),
            number(one, "percent"),
        )
        for one in objects(fields, "locks")
    )
