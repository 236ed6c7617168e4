"""All rooms of a server: who is at the table, what changes, and the program's turns."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from zhaifei.app.server.asked import Refusal, TooMany
from zhaifei.app.server.rooms.deciding import decide, decide_as_learner, plain_action
from zhaifei.app.server.rooms.room import LEARNER, Company, Goal, Room, new_code
from zhaifei.app.server.rooms.seen import Seen, seen_from
from zhaifei.app.server.rooms.store import Store
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.policies.play.playing import only_choice
from zhaifei.policies.play.sat_through import Played
from zhaifei.solver.files.atomic_files import StorageError

Changed = TypeVar("Changed")
Run = Callable[..., Awaitable[Any]]
"""Calls a module's function with arguments elsewhere, as `app.server.workers.Workers.run` does."""

MOST_ROOMS = 1000
MOST_LIVE = 200
"""Rooms in memory; the others are read from the store when somebody asks for them."""
WAITS = 20.0
"""Seconds until a person who waits for a change is answered without one."""
MISSED = 15.0
"""Seconds without a question after which a person is not at the table."""
MOST_WAITING = 4
"""Questions of a person that may wait at the same time: a few tabs."""
LONGEST_THOUGHT = 60.0
"""Seconds that the program may take; then it plays plainly."""
THINKS = 0.8
"""Seconds that the program waits before it acts, so that people can follow."""


class NoSuchRoom(Refusal):
    """Raised for a code without a room, and for a secret without a seat there."""

    status = 404


@dataclass
class Live:
    """A room in memory."""

    room: Room
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Is set at the next change."""
    heard: dict[int, float] = field(default_factory=dict)
    """When each person asked last, by seat, in seconds of the monotonic clock."""
    waiting: Counter[int] = field(default_factory=Counter)
    """How many questions of each person wait."""
    program: asyncio.Task[None] | None = None
    """Decides for the program's players."""

    @property
    def present(self) -> set[int]:
        """The seats of people who are at the table."""
        soon = time.monotonic() - MISSED
        heard = {seat for seat, at in self.heard.items() if at >= soon}
        return {*heard, *(seat for seat, number in self.waiting.items() if number > 0)}

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits here and the program has nothing to decide."""
        busy = self.program is not None and not self.program.done()
        return not busy and not self.present


class Rooms:
    """The rooms of a server; belongs to one event loop."""

    def __init__(self, store: Store, run: Run, thinks: float = THINKS) -> None:
        self._store, self._run, self._thinks = store, run, thinks
        self._live: dict[str, Live] = {}
        self._ends = False

    def make(
        self, rules: Rules, goal: Goal, name: str, company: Company = "mixed"
    ) -> tuple[str, str]:
        """Make a room for a person, and return its code and the person's secret. Raise ZhaifeiError
        for a goal, name or company that cannot be, and TooMany."""
        if self._store.number() >= MOST_ROOMS:
            raise TooMany("too many rooms are open; try again later")
        code = new_code()
        while self._store.find(code) is not None:
            code = new_code()
        live = Live(Room(code, rules, goal, company=company))
        secret = live.room.join(name)
        self._keep(live)
        return code, secret

    def join(self, code: str, name: str) -> str:
        """Give a person a seat, and return the person's secret. Raise ZhaifeiError."""
        return self._change(self._find(code), lambda room: room.join(name))

    async def see(self, code: str, secret: str, after: int) -> Seen:
        """Return what a person sees once the room's version is not `after`, or when WAITS is over.
        Raise NoSuchRoom and TooMany."""
        live, seat = self._seated(code, secret)
        if live.waiting[seat] >= MOST_WAITING:
            raise TooMany("this room is open in too many tabs")
        if live.room.seats[seat].away:
            self._change(live, lambda room: room.come_back(seat))
        live.waiting[seat] += 1
        try:
            await self._until_changed(live, after)
        finally:
            live.waiting[seat] -= 1
            live.heard[seat] = time.monotonic()
        live, seat = self._seated(code, secret)  # others may have changed seats meanwhile
        return seen_from(live.room, seat, live.present)

    async def _until_changed(self, live: Live, after: int) -> None:
        until = time.monotonic() + WAITS
        while live.room.version == after and not self._ends:
            try:
                await asyncio.wait_for(live.changed.wait(), until - time.monotonic())
            except TimeoutError:
                return

    def act(self, code: str, secret: str, kind: str, number: int, step: int) -> int:
        """Do what a person asks: `start` a match, take an `action`, be `ready` for the next round,
        let the program `stand-in` for a seat, `hurry` to the end, or `leave`. The `number` is that
        of the action, as the page numbers it, or of the seat. Return the version of the room in
        which this is done. Raise ZhaifeiError."""
        live, seat = self._seated(code, secret)
        live.heard[seat] = time.monotonic()
        present = live.present
        changes: dict[str, Callable[[Room], None]] = {
            "start": lambda room: room.start(seat),
            "action": lambda room: room.act_on_page(seat, number, step),
            "ready": lambda room: room.get_ready(seat, present, step),
            "stand-in": lambda room: room.stand_in(number, present),
            "hurry": lambda room: room.hurry(),
            "leave": lambda room: room.leave(seat),
        }
        if kind not in changes:
            raise ZhaifeiError("nobody can {kind!r} here", kind=kind)
        self._change(live, changes[kind])
        if kind == "leave":
            live.heard.pop(seat, None)
        return live.room.version

    def end_waiting(self) -> None:
        """Answer everybody who waits for a change, now and from now on: the server ends."""
        self._ends = True
        for live in self._live.values():
            live.changed.set()

    def close(self) -> None:
        """Stop deciding for the program's players."""
        for live in self._live.values():
            if live.program is not None:
                live.program.cancel()
        self._store.close()

    # Rooms

    def _find(self, code: str) -> Live:
        code = code.upper()
        live = self._live.get(code)
        if live is None:
            room = self._store.find(code)
            if room is None:
                raise NoSuchRoom("there is no room {code}", code=code)
            live = self._remember(Live(room))
        self._let_program_decide(live)
        return live

    def _seated(self, code: str, secret: str) -> tuple[Live, int]:
        live = self._find(code)
        seat = live.room.seat_of(secret)
        if seat is None:
            raise NoSuchRoom("you have no seat in this room")
        return live, seat

    def _remember(self, live: Live) -> Live:
        if len(self._live) >= MOST_LIVE:
            for code in [code for code, one in self._live.items() if one.is_idle]:
                del self._live[code]
        self._live[live.room.code] = live
        return live

    def _change(self, live: Live, change: Callable[[Room], Changed]) -> Changed:
        """Change a room and keep it, or raise and change nothing."""
        result = change(live.room)
        self._keep(live)
        return result

    def _keep(self, live: Live) -> None:
        live.room.version += 1
        try:
            self._store.save(live.room)
        except StorageError:
            self._live.pop(live.room.code, None)  # what is on the disk holds
            raise
        finally:
            live.changed.set()
            live.changed = asyncio.Event()
        self._remember(live)
        self._let_program_decide(live)

    # The program

    def _let_program_decide(self, live: Live) -> None:
        if live.room.deciding is None or (live.program is not None and not live.program.done()):
            return
        live.program = asyncio.get_running_loop().create_task(self._decide_all(live))

    async def _decide_all(self, live: Live) -> None:
        while (seat := live.room.deciding) is not None:
            if self._live.get(live.room.code) is not live:
                return
            step = live.room.step
            action = await self._decision(live.room, seat)
            if live.room.step == step and live.room.deciding == seat:
                self._take(live, seat, action, step)

    async def _decision(self, room: Room, seat: int) -> int:
        round_, name = room.round, room.seats[seat].decider
        assert round_ is not None
        assert name is not None
        action = only_choice(round_)
        if action is None:
            action = await self._answer(self._question(room, name, round_), round_)
        if not room.hurries:
            await asyncio.sleep(self._thinks)
        return action

    def _question(self, room: Room, name: str, round_: Round) -> Awaitable[Any]:
        """Return the question what the program's player of this name does now."""
        if name != LEARNER:
            return self._run(decide, name, round_.view(), secrets.randbits(32))
        rounds = [Played(one.starter, one.hands, one.actions) for one in room.ended]
        return self._run(decide_as_learner, room.learning, rounds, round_.view())

    async def _answer(self, question: Awaitable[Any], round_: Round) -> int:
        """Return the action that a worker decides on; a plain action if no worker decides in time
        or the player cannot be loaded."""
        try:
            return int(await asyncio.wait_for(question, LONGEST_THOUGHT))
        except (ZhaifeiError, TimeoutError):
            return plain_action(round_)

    def _take(self, live: Live, seat: int, action: int, step: int) -> None:
        try:
            self._change(live, lambda room: room.act(seat, action, step))
        except StorageError:
            return
        except ZhaifeiError:  # an illegal decision
            assert live.room.round is not None
            plain = plain_action(live.room.round)
            self._change(live, lambda room: room.act(seat, plain, step))
