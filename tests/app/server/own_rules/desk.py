"""A server of the page with rules of one's own, which works in the process of the test."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.app.server.advice.desk import AtOnce
from zhaifei.app.server.advice.routes import advice_routes
from zhaifei.app.server.own_rules.files import OwnFiles
from zhaifei.app.server.own_rules.known import own_policy
from zhaifei.app.server.own_rules.routes import own_routes
from zhaifei.app.server.own_rules.solving import Command, Solving, usual_command
from zhaifei.app.server.site import OWN, Site, routes_of
from zhaifei.game.rules import Rules

BAR = "zhaifei~fei-to-zhai=flat~zhai-to-fei=double~doubles=2"
"""Flat 斋, double back, with 劈."""
ANSWERS = {
    "fei_to_zhai": ["fei-to-zhai=flat"],
    "zhai_to_fei": ["zhai-to-fei=double"],
    "doubles": ["doubles=2"],
}
"""The answers that lead to BAR."""


def app_with(solving: Solving) -> Starlette:
    """Return a server of the page, of advice and of rules of one's own."""
    workers = AtOnce()
    advice = advice_routes(workers, own_policy)
    site = Site(OwnFiles(workers.run_behind))

    @asynccontextmanager
    async def closing(_: object) -> AsyncIterator[None]:
        yield
        await solving.close()

    routes = routes_of(site, None, None, advice, own_routes(solving))
    return Starlette(routes=routes, lifespan=closing)


def telling(*lines: str, then: str = "") -> Command:
    """Return the command of a process that tells these lines, and then does something in Python."""
    script = "import sys, time\nfor line in sys.argv[1:]: print(line, flush=True)\n" + then
    return lambda rules: [sys.executable, "-c", script, *lines]


def brief(rules: Rules) -> list[str]:
    """Return the command that solves some rules with the fewest iterations."""
    return [*usual_command(rules), "1"]


def answered(client: TestClient, path: str, **question: Any) -> Any:
    """Return the answer to a question that is not refused."""
    answer = client.post(f"{OWN}{path}", json=question)
    assert answer.status_code == 200, answer.text
    return answer.json()
