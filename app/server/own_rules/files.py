"""The files of rules that a server may solve: tables, players and policies, as a static site has of
presets that come solved.

The name of a file says which rules it is of (`rules_named`), and nothing of it is used as a path.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.app.server.asked import too_many_questions
from zhaifei.app.server.limits import Limit
from zhaifei.app.server.own_rules.known import known_policy
from zhaifei.app.server.own_rules.made import players_file, policy_file, rules_file
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules

Run = Callable[..., Awaitable[Any]]
"""Calls a function of a module elsewhere, as `app.server.workers.Workers.run_behind` does."""

MOST_KEPT = 64_000_000
"""Bytes of files that are kept in memory; of more, those that were asked for longest ago are made
anew."""
ASKS = (60.0, 0.5)
"""Files of an address at once, and then per second: some rules have three."""
_NAME = re.compile(r"data/(rules|players|policies)/([^/]{1,300})-([2-8])\.(json|safetensors)")
_MAKERS = {
    ("rules", "json"): rules_file,
    ("players", "json"): players_file,
    ("policies", "safetensors"): policy_file,
}


class _Asked(NamedTuple):
    """A file, of which one is made for each policy that is known."""

    make: Callable[[Rules, Path | None], bytes]
    rules: Rules
    policy: Path | None
    changed: int
    """When the policy was last written, in ns."""


class OwnFiles:
    """The files that were asked for last; belongs to one event loop."""

    def __init__(self, run: Run) -> None:
        self._run, self._asks = run, Limit(*ASKS)
        self._kept: OrderedDict[_Asked, bytes] = OrderedDict()
        self._making: dict[_Asked, asyncio.Task[bytes]] = {}

    async def content(self, name: str, address: str) -> bytes | None:
        """Return the content of a file; None if no rules have a file of this name. Raise TooMany,
        and ZhaifeiError for a policy that is too large for a page."""
        found = _NAME.fullmatch(name)
        make = found and _MAKERS.get((found[1], found[4]))
        if found is None or make is None:
            return None
        try:
            rules = rules_named(found[2], int(found[3]))
        except ZhaifeiError:
            return None
        if not self._asks.take(address):
            raise too_many_questions()
        policy, changed = await known_policy(rules)
        if make is policy_file and policy is None:
            return None
        return await self._content(_Asked(make, rules, policy, changed))

    async def _content(self, asked: _Asked) -> bytes:
        """Return a file. It is made once, however many ask, and also if who asked first is gone."""
        if asked in self._kept:
            self._kept.move_to_end(asked)
            return self._kept[asked]
        if asked not in self._making:
            task = asyncio.create_task(self._made(asked))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._making[asked] = task
        return await asyncio.shield(self._making[asked])

    async def _made(self, asked: _Asked) -> bytes:
        try:
            content: bytes = await self._run(asked.make, asked.rules, asked.policy)
        finally:
            del self._making[asked]
        self._kept[asked] = content
        while sum(map(len, self._kept.values())) > MOST_KEPT:
            self._kept.popitem(last=False)
        return content
