"""A server of advice that works on questions in the process of the test, and what is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from zhaifei.app.server.advice.routes import Workers, advice_routes
from zhaifei.app.server.site import ADVICE, Site, routes_of
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset

HAND = [1, 1, 3, 4, 6]
HANDS = [HAND, [2, 2, 3, 5, 5], [1, 3, 4, 6, 6]]
DECISION = {"rules": "zhaifei", "players": 2, "hand": HAND, "history": []}


class AtOnce:
    """Works on each question as soon as it is asked."""

    @property
    def compiled(self) -> int:
        return 0

    def run(self, function: Callable[..., Any], *arguments: Any) -> Awaitable[Any]:
        return asyncio.to_thread(function, *arguments)

    run_behind = run


async def known_to_workers(rules: Rules) -> None:
    """Name no policy: workers find the one that is known."""


def app_with(workers: Workers) -> Starlette:
    """Return a server of the page and of advice by the known policies."""
    advice = advice_routes(workers, known_to_workers)
    return Starlette(routes=routes_of(Site(), None, None, advice))


def answered(client: TestClient, path: str, question: dict[str, Any]) -> Any:
    """Return the answer to a question that is not refused."""
    answer = client.post(f"{ADVICE}{path}", json=question)
    assert answer.status_code == 200, answer.text
    return answer.json()


def numbers(rules: Rules, bids: str) -> list[int]:
    return [action_of(rules, bid) for bid in parse_history(rules, bids)]


def decision(name: str, players: int, bids: str, **fields: Any) -> dict[str, Any]:
    """Return a question about HAND after some bids."""
    history = numbers(preset(name, players=players), bids)
    return {"rules": name, "players": players, "hand": HAND, "history": history, **fields}


def explored(name: str, players: int, bids: str, held: tuple[int, ...]) -> dict[str, Any]:
    """Return a question about the hands with some dice after some bids."""
    history = numbers(preset(name, players=players), bids)
    return {"rules": name, "players": players, "history": history, "held": [*held]}


def lock(bids: str, held: tuple[int, ...], action: int, percent: int = 100) -> dict[str, Any]:
    """Return a lock by the usual rules for two players."""
    after = numbers(preset("zhaifei"), bids)
    return {"after": after, "held": [*held], "action": action, "percent": percent}


def locked(bids: str, locks: list[dict[str, Any]], answer: str, **fields: Any) -> dict[str, Any]:
    """Return a question about HAND after some bids, by the usual rules for two players."""
    return {**decision("zhaifei", 2, bids), "locks": locks, "answer": answer, **fields}


def ended(name: str, players: int, bids: str, **fields: Any) -> dict[str, Any]:
    """Return a question about the decisions of seat 0 in a round that it opened, and whose last bid
    was challenged."""
    rules = preset(name, players=players)
    return {
        "rules": name,
        "players": players,
        "opener": 0,
        "hands": [HANDS[seat % len(HANDS)] for seat in range(players)],
        "history": numbers(rules, bids),
        "ending": challenge_action(rules),
        "seat": 0,
        **fields,
    }
