"""The server under load: taps of people in rooms, advice, first page and memory.

    python -m benchmarks.web_load --players 20 --taps 60

`zhaifei web` runs in a process of its own, on the loopback. Two people sit in each room. They wait
like a person between taps. The latency of a tap is the time until the person sees the room as it is
after it.

Advice is timed at openings, which the policy knows, and after openings that it never makes, where
the position is solved again. Last, taps are timed while two others ask such questions all the time.
Memory is the memory of the processes, with shared pages counted once (Pss). The number of taps and
the time are bounded.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2 as httpx
import numpy as np

from benchmarks._arguments import new_parser
from benchmarks.query_time import saved
from tests.app.server.processes import below
from tests.app.server.served import Served
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import preset

_LONGEST = 900.0
"""Seconds after which a measurement is abandoned."""
_THINKING = (0.3, 1.2)
"""The range of seconds between the taps of a person."""
_ADVICE = 12
_SOLVING = 2
"""The number of others whose questions are being solved."""
_RULES = preset("zhaifei")
_CHALLENGE = challenge_action(_RULES)
_ODD = [f"z{count}x{face}" for count in (3, 4) for face in range(1, 7)]
"""Openings that the policy hardly ever makes."""


class Person:
    """Somebody in a room of two, who bids low and soon challenges."""

    def __init__(self, client: httpx.AsyncClient, seed: int) -> None:
        self._client, self._draw = client, random.Random(seed)
        self.code = self._secret = ""
        self._seen: dict[str, Any] = {"version": -1}
        self.latencies: list[float] = []

    async def _ask(self, path: str, **fields: object) -> Any:
        answer = await self._client.post(f"/api/rooms/{path}", json=fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def opens(self) -> None:
        """Open a room."""
        goal = {"kind": "rounds", "number": 100}
        made = await self._ask("", rules="zhaifei", players=2, goal=goal, name="One")
        self.code, self._secret = made["code"], made["secret"]

    async def joins(self, code: str) -> None:
        """Join a room."""
        joined = await self._ask(f"{code}/join", name="Other")
        self.code, self._secret = code, joined["secret"]

    async def tap(self, kind: str, number: int = -1) -> None:
        """Act, and see the room as it is then."""
        began = time.perf_counter()
        asked = {"secret": self._secret, "kind": kind, "number": number, "step": self._step}
        version = (await self._ask(f"{self.code}/act", **asked))["version"]
        while self._seen["version"] < version:
            await self._look()
        self.latencies.append(time.perf_counter() - began)
        await asyncio.sleep(self._draw.uniform(*_THINKING))

    @property
    def _step(self) -> int:
        return int(self._seen.get("step", 0))

    async def _look(self) -> None:
        """Wait for a change of the room."""
        view = f"{self.code}/view"
        self._seen = await self._ask(view, secret=self._secret, after=self._seen["version"])

    async def play(self, taps: int) -> None:
        """Make this many taps, while the other person plays too."""
        while len(self.latencies) < taps:
            kind, number = self._due()
            if kind:
                await self.tap(kind, number)
            else:
                await self._look()

    def _due(self) -> tuple[str, int]:
        """Return what this person has to do, or ("", -1)."""
        match = self._seen.get("match")
        if match is None:
            return "", -1
        seat = self._seen["seat"]
        if match["ending"] is not None:
            return ("ready", -1) if self._seen["seats"][seat]["waited"] else ("", -1)
        is_turn = (match["opener"] + len(match["history"])) % 2 == seat
        return ("action", self._action(match["history"])) if is_turn else ("", -1)

    def _action(self, history: list[int]) -> int:
        last = history[-1] if history else action_of(_RULES, parse_history(_RULES, "f3x2")[0]) - 1
        if history and (self._draw.random() < 0.7 or last + 1 == _CHALLENGE):
            return _CHALLENGE
        return last + 1


def pss(process: int) -> float:
    """Return the megabytes of a process and all its descendants."""
    total = 0.0
    for one in (process, *below(process)):
        text = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
        found = re.search(r"^Pss:\s+(\d+) kB", text, re.M)
        total += 0.0 if found is None else int(found[1]) / 1024
    return total


def client_of(served: Served, number: int) -> httpx.AsyncClient:
    """Return a client at an address of its own: the server limits each address."""
    transport = httpx.AsyncHTTPTransport(local_address=f"127.0.0.{2 + number}")
    return httpx.AsyncClient(transport=transport, base_url=served.address, timeout=_LONGEST)


async def first_page(served: Served, began: float) -> float:
    """Return the seconds from the start of the server to the end of its first page."""
    async with client_of(served, 0) as client:
        assert (await client.get("/")).status_code == 200
        return time.perf_counter() - began


async def advised(client: httpx.AsyncClient, bids: str, draw: random.Random) -> float:
    """Return the seconds until a question after these bids is answered, for any hand."""
    history = [action_of(_RULES, bid) for bid in parse_history(_RULES, bids)]
    hand = sorted(draw.choices(range(1, 7), k=5))
    question = {"rules": "zhaifei", "players": 2, "hand": hand, "history": history}
    began = time.perf_counter()
    answer = await client.post("/api/advice/decision", json=question)
    assert answer.status_code == 200, answer.text
    return time.perf_counter() - began


async def advice(served: Served, number: int) -> tuple[list[float], list[float]]:
    """Return [question] the seconds of advice at openings, and [question] off the policy's
    lines."""
    draw = random.Random(number)
    async with client_of(served, 1) as client:
        known = [await advised(client, "", draw) for _ in range(number)]
        return known, [await advised(client, draw.choice(_ODD), draw) for _ in range(number)]


async def crowd(served: Served, players: int, taps: int, solving: int = 0) -> list[float]:
    """Return the latencies of people who play at the same time, while others ask."""
    async with AsyncExitStack() as stack:
        everybody = []
        for number in range(players):
            client = await stack.enter_async_context(client_of(served, 10 + number))
            everybody.append(Person(client, number))
        pairs = [*zip(everybody[::2], everybody[1::2], strict=True)]
        for host, guest in pairs:
            await host.opens()
            await guest.joins(host.code)
            await host.tap("start")
        asking = [asyncio.ensure_future(_keep_asking(served, 100 + one)) for one in range(solving)]
        try:
            async with asyncio.timeout(_LONGEST):
                await asyncio.gather(*(_both_play(pair, taps) for pair in pairs))
        finally:
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
        return [seconds for one in everybody for seconds in one.latencies]


async def _both_play(pair: tuple[Person, Person], taps: int) -> None:
    """Let two people play until one of them has made this many taps."""
    playing = [asyncio.ensure_future(one.play(taps)) for one in pair]
    done, left = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await asyncio.gather(*done)


async def _keep_asking(served: Served, number: int) -> None:
    """Ask off the policy's lines, until cancelled."""
    draw = random.Random(number)
    for address in range(number, 250, 10):  # an address may ask for so much only
        async with client_of(served, address) as client:
            for _ in range(50):
                await advised(client, draw.choice(_ODD), draw)


def _line(name: str, seconds: list[float]) -> str:
    middle, high = np.quantile(seconds, [0.5, 0.95])
    return (
        f"{name}: p50 {1000 * middle:.0f} ms, p95 {1000 * high:.0f} ms, "
        f"max {1000 * max(seconds):.0f} ms of {len(seconds)}"
    )


def _run(acts: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(_LONGEST):
            return await acts()

    return asyncio.run(bounded())


def report(data: Path, policy: Path | None, players: int, taps: int, number: int) -> None:
    """Measure and print."""
    os.environ.setdefault("HOME", str(data))
    named = () if policy is None else ("--policy", policy)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", _LOADING, *map(str, named[1:])], check=True, capture_output=True
    )
    print(
        f"importing and loading the policy alone: {time.perf_counter() - began:.1f} s", flush=True
    )
    began = time.perf_counter()
    with Served(*named, data=data) as served:
        print(f"first page, from the start: {_run(lambda: first_page(served, began)):.1f} s")
        _run(lambda: advice(served, 1))  # loads compiled kernels, or compiles them
        known, others = _run(lambda: advice(served, number))
        print(_line("advice at openings", known))
        print(_line("advice off the lines", others), flush=True)
        print(_line(f"taps of {players} players", _run(lambda: crowd(served, players, taps))))
        print(f"memory of server and workers: {pss(served.process.pid):.0f} MB", flush=True)
        latencies = _run(lambda: crowd(served, 2, taps, _SOLVING))
        print(_line(f"taps of 2 players while {_SOLVING} others solve", latencies))
        print(f"memory of server and workers: {pss(served.process.pid):.0f} MB")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


_LOADING = """
import sys
from pathlib import Path
from zhaifei.policies.catalogue.known import load_known
from zhaifei.game.rules import preset
path = Path(sys.argv[1]) if sys.argv[1:] else None
load_known(path, None if path else preset("zhaifei"))
"""


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--players", type=int, default=20)
    parser.add_argument("--taps", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory)
        if arguments.smallest:
            report(data, saved(data / "small.safetensors"), players=2, taps=4, number=1)
        else:
            report(data, arguments.policy, arguments.players, arguments.taps, _ADVICE)


if __name__ == "__main__":
    main()
