"""The page under load: tap latency of simultaneous players, hints, first page and memory.

    python -m benchmarks.web_load --players 20 --taps 60

`zhaifei web` runs in a process of its own, on the loopback. Players are clients without a screen in
this process. Each has a session of its own, taps what a person could, waits like a person between
taps, and plays at the fastest pace. The latency of a tap is the time until the first change that
the page shows for it.

Hints are timed on the policy's own lines and, after openings that it never makes, on other lines,
on which the position is solved again. Last, taps are timed while two others walk the explorer off
the policy's lines, which solves all the time. Memory is the memory of the processes, with shared
pages counted once (Pss). The number of taps and the time are bounded.
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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._arguments import new_parser
from benchmarks.query_time import saved
from tests.app.web.browsing import Browser, Page, Served

_LONGEST = 900.0
"""Seconds after which a measurement is abandoned."""
_THINKING = (0.3, 1.2)
"""The range of seconds between the taps of a player."""
_HINTS = 12
_ODD = [("斋", count, face) for count in (3, 4) for face in range(1, 7)]
"""Openings that the policy hardly ever makes."""
_SOLVING = 2
"""The number of other visitors whose positions are being solved."""
_NEXT, _START = "next round", "start"


class BatchPlayer:
    """A visitor who plays."""

    def __init__(self, page: Page, seed: int) -> None:
        self.page, self._draw = page, random.Random(seed)
        self.latencies: list[float] = []

    async def start(self) -> None:
        """Begin a match at the fastest pace."""
        await self.page.tap(_START)
        await self.page.tap("at once")

    async def tap(self, label: str) -> None:
        """Tap, and time the first change."""
        changed = asyncio.Event()
        found = self.page.find(label)
        assert found is not None, label

        async def receive(event: str, data: Any) -> None:
            await receive_all(event, data)
            if event in ("update", "notify"):
                changed.set()

        receive_all = self.page._receive
        self.page.socket.on("*", receive)
        began = time.perf_counter()
        await self.page.send(*found)
        await changed.wait()
        self.latencies.append(time.perf_counter() - began)
        self.page.socket.on("*", receive_all)

    async def think(self) -> None:
        """Wait like a person."""
        await asyncio.sleep(self._draw.uniform(*_THINKING))

    @property
    def can_open(self) -> bool:
        """Whether it is this player's turn, and nobody has bid."""
        return "you open" in self.page.words

    @property
    def is_turn(self) -> bool:
        """Whether it is this player's turn."""
        return self.can_open or "your turn" in self.page.words

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.page.find(_NEXT) is not None

    async def turn(self) -> None:
        """Wait for this player's turn or the end of the round."""
        await self.page.until(lambda: self.is_over or self.is_turn)

    async def play(self, taps: int) -> None:
        """Make at least `taps` taps."""
        while len(self.latencies) < taps:
            await self.turn()
            if self.is_over:
                await self.tap(_NEXT)
            elif self.can_open or self._draw.random() < 0.3:
                await self.bid()
            else:
                await self.challenge()
            await self.think()

    async def challenge(self) -> None:
        """Challenge the last bid."""
        name = re.search(r"challenge \S+", self.page.words)
        assert name is not None
        await self.tap(name[0])

    async def bid(self) -> None:
        """Make a low legal bid, with the taps of a person."""
        for kind, most in (("count ", 2), ("face ", 6)):
            free = self._free(kind)
            if not free:
                await self.challenge()
                return
            await self.tap(self._draw.choice(free[:most]))
            await self.think()
        await self.tap(*self._free("bid ")[:1])

    async def bid_exactly(self, mode: str, count: int, face: int) -> None:
        """Make the given bid."""
        for label in (mode, f"count {count}", f"face {face}", f"bid {mode}{count}×{face}"):
            await self.page.tap(label)
            await self.page.until(partial(self._is_chosen, label))

    def _is_chosen(self, label: str) -> bool:
        if label.startswith("bid "):
            return not self.can_open
        found = self.page.find(label)
        return found is not None and found[1]["props"].get("aria-pressed") == "true"

    def _free(self, kind: str) -> list[str]:
        names = (one.get("props", {}).get("aria-label", "") for _, one in self.page.shown())
        return [one for one in names if one.startswith(kind) and self.page.may_tap(one)]


def pss(process: int) -> float:
    """Return the megabytes of a process and all its descendants."""
    total = 0.0
    for one in (process, *_below(process)):
        text = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
        found = re.search(r"^Pss:\s+(\d+) kB", text, re.M)
        total += 0.0 if found is None else int(found[1]) / 1024
    return total


def _below(process: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text(encoding="ascii").split()):
            found += [child, *_below(child)]
    return found


async def first_page(served: Served, began: float) -> float:
    """Return the seconds from the start of the server to the end of its first page."""
    async with Browser(served.address) as browser:
        answer = await browser.http.get(f"{served.address}/")
        assert answer.status_code == 200
        return time.perf_counter() - began


async def timed(acts: Awaitable[object]) -> float:
    """Return the seconds that `acts` takes."""
    began = time.perf_counter()
    await acts
    return time.perf_counter() - began


async def hints(served: Served, number: int) -> tuple[list[float], list[float]]:
    """Return [hint] the seconds of hints on known lines, and [hint] on other lines."""
    known: list[float] = []
    others: list[float] = []
    draw = random.Random(number)
    async with Browser(served.address) as browser, browser.page() as page:
        player = BatchPlayer(page, 0)
        await player.start()
        for _ in range(6 * number):
            if min(len(known), len(others)) >= number:
                break
            await player.turn()
            if player.is_over:
                await page.tap(_NEXT)
                await page.until(lambda: not player.is_over)
                continue
            was_opening = player.can_open
            seconds = await timed(_hint(page))
            (known if was_opening else others).append(seconds)
            if was_opening:
                odd = [one for one in _ODD if page.find(f"face {one[2]}") is not None]
                await player.bid_exactly(*draw.choice(odd))
            else:
                await player.challenge()
                await page.until(lambda: player.is_over)
    return known, others


async def _hint(page: Page) -> None:
    before = page.words.count("%")
    await page.tap("hint")
    await page.until(lambda: page.words.count("%") > before)


async def crowd(served: Served, players: int, taps: int, solving: int = 0) -> list[float]:
    """Return the latencies of players who play at the same time, while others solve."""
    async with AsyncExitStack() as stack:
        everybody = []
        for seed in range(players):
            browser = await stack.enter_async_context(Browser(served.address))
            page = await stack.enter_async_context(browser.page())
            everybody.append(BatchPlayer(page, seed))
        await asyncio.gather(*(one.start() for one in everybody))
        solvers = [asyncio.ensure_future(_explore(served, seed)) for seed in range(solving)]
        try:
            async with asyncio.timeout(_LONGEST):
                await asyncio.gather(*(one.play(taps) for one in everybody))
        finally:
            for one in solvers:
                one.cancel()
            await asyncio.gather(*solvers, return_exceptions=True)
        return [seconds for one in everybody for seconds in one.latencies]


async def _explore(served: Served, seed: int) -> None:
    """Walk the explorer off the policy's lines, until cancelled."""
    draw = random.Random(seed)
    async with Browser(served.address) as browser:
        for _ in range(200):
            first, second = draw.randint(1, 5), draw.randint(2, 6)
            path = f"/explorer?history=z3x{first},z4x{second}"
            async with browser.page(path) as page:
                await page.until(partial(_is_explored, page))


def _is_explored(page: Page) -> bool:
    words = page.words
    return "earns" in words and "one moment" not in words


def _line(name: str, seconds: list[float]) -> str:
    if not seconds:
        return f"{name}: none"
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
        _run(lambda: hints(served, 1))  # loads compiled kernels, or compiles them
        known, others = _run(lambda: hints(served, number))
        print(_line("hint on known lines", known))
        print(_line("hint on other lines", others), flush=True)
        print(_line(f"taps of {players} players", _run(lambda: crowd(served, players, taps))))
        print(f"memory of server and workers: {pss(served.process.pid):.0f} MB", flush=True)
        latencies = _run(lambda: crowd(served, 2, taps, _SOLVING))
        print(_line(f"taps of 2 players while {_SOLVING} others solve", latencies))
        print(f"memory of server and workers: {pss(served.process.pid):.0f} MB")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


_LOADING = """
import sys
from functools import partial
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
            report(data, arguments.policy, arguments.players, arguments.taps, _HINTS)


if __name__ == "__main__":
    main()
