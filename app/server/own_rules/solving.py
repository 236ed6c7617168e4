"""Solving rules that a visitor asks for, in a process of its own (`solver`).

One process runs at a time, whoever asks. On a server for this computer alone nothing else limits
solving: its owner could as well type `zhaifei solve`. Others may have come with the token of a
server that is reached from elsewhere. There an address may solve a few rules a day, all addresses
together a few more, and a directory of many policies takes no further ones. Who began a run may
end it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from zhaifei.app.pocket.rules_tables import name_of
from zhaifei.app.server.asked import Fields, Refusal, TooMany
from zhaifei.app.server.limits import Limit
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import default_path, known_record
from zhaifei.policies.catalogue.solving import verify_solved
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.solver.machine.user_directories import NoUserDirectory, make_data_directory

A_DAY = 86_400
OF_ADDRESS, OF_ALL = 3, 12
"""Runs a day of an address, and of all addresses, where people from elsewhere may enter."""
MOST_POLICIES = 100
"""Policies in the directory for data beyond which people from elsewhere add none."""
_PATIENCE = 20.0
"""Seconds that a process has to keep what it has solved, before it is killed."""
_LONGEST_LINE = 1 << 16
_SOLVER = "zhaifei.app.server.own_rules.solver"

Command = Callable[[Rules], list[str]]
State = Literal["running", "stopping", "ended", "stopped", "failed"]


def usual_command(rules: Rules) -> list[str]:
    """Return the command of a process that solves some rules."""
    return [sys.executable, "-m", _SOLVER, name_of(rules), str(rules.players)]


class Failed(Refusal):
    """Raised if no process can be started."""

    status = 503


@dataclass
class _Run:
    """A run that goes on or has ended."""

    rules: Rules
    address: str
    process: asyncio.subprocess.Process
    state: State = "running"
    told: Fields = field(default_factory=dict)
    """What the process told last of its progress."""
    error: dict[str, str] = field(default_factory=dict)
    """Why it failed, by language."""
    reading: asyncio.Task[None] | None = None

    @property
    def goes_on(self) -> bool:
        return self.state in ("running", "stopping")


class Solving:
    """What is being solved, or was solved last; belongs to one event loop."""

    def __init__(self, *, shared: bool, command: Command = usual_command) -> None:
        self._shared, self._command = shared, command
        self._of_address = Limit(OF_ADDRESS, OF_ADDRESS / A_DAY)
        self._of_all = Limit(OF_ALL, OF_ALL / A_DAY)
        self._run: _Run | None = None
        self._starting = asyncio.Lock()
        """Is held while a process starts, so that nobody starts a second one meanwhile."""

    def state(self, rules: Rules, address: str, language: str) -> Fields:
        """Return how solving these rules goes on, and the policy that is known for them."""
        run = self._run
        record = known_record(rules)
        found: Fields = {
            "state": None,
            "busy": run is not None and run.goes_on and run.rules != rules,
            "known": record is not None,
            "figure": None if record is None else record.figure,
            "unfinished": _is_unfinished(rules),
        }
        if run is not None and run.rules == rules:
            found |= {"state": run.state, "progress": run.told, "yours": run.address == address}
            found["error"] = run.error.get(language)
        return found

    async def start(self, rules: Rules, address: str) -> None:
        """Begin to solve some rules; if they are being solved already, that goes on. Raise
        ZhaifeiError if they cannot be solved, TooMany and Failed."""
        verify_solved(rules)
        async with self._starting:
            await self._start(rules, address)

    async def _start(self, rules: Rules, address: str) -> None:
        if self._run is not None and self._run.goes_on:
            if self._run.rules == rules:
                return
            raise TooMany("other rules are being solved; wait until they are done")
        self._verify_room(address)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command(rules),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C ends the server, which then ends this process
            )
        except OSError as error:
            raise Failed("cannot start a process: {why}", why=error.strerror or error) from error
        run = _Run(rules, address, process)
        run.reading = asyncio.create_task(_read(run))
        self._run = run

    def _verify_room(self, address: str) -> None:
        """Raise TooMany if this address may not solve anything now; count it otherwise."""
        if not self._shared:
            return
        if len([*make_data_directory().glob("*.safetensors")]) >= MOST_POLICIES:
            raise TooMany("this server keeps no further policies")
        if not self._of_all.allows("") or not self._of_address.take(address):
            raise TooMany("enough was solved for today; try again tomorrow")
        self._of_all.take("")

    def stop(self, rules: Rules, address: str) -> None:
        """End solving some rules, and keep the policy so far. Raise ZhaifeiError if somebody else
        began it."""
        run = self._run
        if run is None or run.rules != rules or run.state != "running":
            return
        if run.address != address:
            raise ZhaifeiError("only whoever started the solving can stop it")
        run.state = "stopping"
        with suppress(ProcessLookupError):
            run.process.terminate()

    async def close(self) -> None:
        """End the process, and wait until it has kept what it has solved."""
        run = self._run
        if run is None or run.reading is None or run.reading.done():
            return
        with suppress(ProcessLookupError):
            run.process.terminate()
        done, _ = await asyncio.wait([run.reading], timeout=_PATIENCE)
        if not done:
            with suppress(ProcessLookupError):
                run.process.kill()


async def _read(run: _Run) -> None:
    """Read what the process tells until it has ended, and note how it ended."""
    assert run.process.stdout is not None, "there is a pipe"
    last: dict[str, Any] = {}
    with suppress(ValueError):  # a line that is no JSON, or is too long
        async for line in run.process.stdout:
            last = json.loads(line)
            if "done" in last:
                run.told = last
    await run.process.wait()
    run.error = last.get("error", {})
    if run.state == "stopping":
        run.state = "stopped"
    else:
        run.state = "ended" if "ended" in last else "failed"


def _is_unfinished(rules: Rules) -> bool:
    """Return whether a run was interrupted, from whose checkpoint the next one goes on."""
    with suppress(NoUserDirectory):
        return checkpoint_path(default_path(rules)).is_file()
    return False
