"""The parent of a worker: `python -m policies.players.plug_in.supervisor PID`.

It forks into a supervisor and the worker, so that only one interpreter has to start. The supervisor
ends the worker and all processes that the worker started as soon as one of three things happens.
The worker has ended, SIGTERM arrives, or the process PID, which started the supervisor, has ended
in any way. The supervisor then ends as the worker did: with the same exit code, or by the same
signal.

On Linux the supervisor adopts orphaned processes, so that it also finds processes that have left
the worker's session. Elsewhere it ends the worker's process group and cannot find others. A
strategy file that kills the supervisor also kills the worker, but the processes that it has
detached go on.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NoReturn

from zhaifei.solver.machine.system import (
    LINUX,
    POSIX,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG,
    dump_no_core,
    prctl,
)


def main() -> None:
    """Run the worker. Returns only in the worker's process."""
    if not POSIX:  # Windows: without supervision
        _work()
        return
    if LINUX:
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # so that ended children can be waited for
    supervisor, started_by = os.getpid(), int(sys.argv[1])
    worker = os.fork()
    if worker:
        _supervise(worker, started_by)
    os.setsid()  # a signal to the worker's whole group does not reach the supervisor
    if LINUX:
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == supervisor:  # otherwise it ended before the signal was set
        _work()


def _work() -> None:
    from zhaifei.policies.players.plug_in.worker import main as work  # noqa: PLC0415  # after the fork

    work()


def _supervise(worker: int, started_by: int) -> NoReturn:
    """Wait until the worker ends or must end, end what it started, and exit."""

    def leave(status: int) -> NoReturn:
        _end_descendants(worker)
        _end_like(os.waitstatus_to_exitcode(status))

    signal.signal(signal.SIGTERM, lambda *_: leave(signal.SIGKILL))
    Thread(target=_watch, args=(started_by,), daemon=True).start()
    leave(os.waitpid(worker, 0)[1])


def _watch(started_by: int) -> None:
    """Send SIGTERM to this process when nobody can write questions any more, or when the process
    PID has ended. The second condition matters if a child of that process holds the pipe open."""
    questions = select.poll()
    questions.register(0, 0)  # the end of a pipe is reported for any event mask
    while os.getppid() == started_by and not questions.poll(1000):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _end_descendants(worker: int) -> None:
    """Kill the worker and its descendants until there are none."""
    if not LINUX:
        with suppress(OSError):
            os.killpg(worker, signal.SIGKILL)
        return
    while True:
        found = [*_descendants(os.getpid())]
        if found and not any([_kill(one) for one in found]):
            return  # they run as another user
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return  # all have ended: orphans become children of this process
        time.sleep(0.001)


def _kill(process: int) -> bool:
    """Kill a process. Return whether that is allowed."""
    try:
        os.kill(process, signal.SIGKILL)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return True


def _descendants(process: int) -> Iterator[int]:
    """Yield the children of `process`, their children, and so on, as /proc lists them now."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may have ended meanwhile
            # PID (NAME) STATE PARENT ..., where NAME may be anything
            parent = int(place.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(place.parent.name))
    generation = [process]
    while generation := [one for parent in generation for one in children.get(parent, ())]:
        yield from generation


def _end_like(code: int) -> NoReturn:
    """End this process with exit code `code`, or by signal -`code` if `code` is negative."""
    if code >= 0:
        os._exit(code)
    dump_no_core()  # the worker has dumped its own
    with suppress(OSError):  # SIGKILL cannot be handled
        signal.signal(-code, signal.SIG_DFL)
    signal.raise_signal(-code)
    os._exit(128 - code)  # the signal is blocked


def _prctl(option: int, value: int) -> None:
    prctl()(option, value, 0, 0, 0)


if __name__ == "__main__":
    main()
