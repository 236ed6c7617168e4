"""A file written by a forked child while this process goes on: for large checkpoints.

The child sees the memory as it was at the fork, so training may change its arrays at once. The
system copies a page only when the page is changed: while the child writes, memory may hold the
arrays twice. So callers fork only if memory has room for both. If memory runs out nevertheless,
Linux ends the child first.

A child of a process with threads has only the forking thread, and locks that other threads held
stay locked. Here the solver's threads wait for work during the fork. The child only reads, hashes
and writes arrays, and calls nothing that takes a lock which another thread may hold.

The child ignores signals: Ctrl-C in a terminal reaches it too, but its parent decides. It ends with
its parent.
"""

from __future__ import annotations

import json
import os
import select
import signal
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.signals import ending_signals
from zhaifei.solver.files.atomic_files import StorageError
from zhaifei.solver.machine.system import LINUX, PR_SET_PDEATHSIG, prctl

CAN_FORK = LINUX
"""On other systems a child cannot be told to end with its parent, and macOS forbids the child's
calls."""
_FIRST_TO_END = b"1000"
"""The highest oom_score_adj: see proc_pid_oom_score_adj(5)."""


class Killed(ZhaifeiError):
    """Raised for a child that was killed, most likely because memory was full."""


class ForkedWrite:
    """A child that calls `write` and ends. The constructor raises OSError if it cannot fork."""

    def __init__(self, write: Callable[[], object]) -> None:
        control = prctl()  # loaded before the fork: the child must take no locks
        parent = os.getpid()
        self._said, says = os.pipe()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ending_signals())
        try:
            with warnings.catch_warnings():
                # About locks that other threads hold: see the docstring of the module.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._child = os.fork()
            if self._child == 0:
                _run_child(write, says, parent, control)
        except OSError:
            os.close(self._said)
            raise
        finally:
            os.close(says)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @property
    def ended(self) -> bool:
        """Whether the child has finished or has been killed."""
        waiting = select.poll()  # select.select takes no descriptors from 1,024 on
        waiting.register(self._said, select.POLLIN)
        return bool(waiting.poll(0))

    def wait(self) -> ZhaifeiError | MemoryError | None:
        """Wait for the child to end. Return the ZhaifeiError or MemoryError that `write` raised,
        Killed if the child was killed, or None. Raise RuntimeError for any other error of
        `write`."""
        said = b""
        while part := os.read(self._said, 1 << 16):
            said += part
        self._reap()
        if not said:
            return Killed("the process that wrote it was killed")
        told = json.loads(said)
        if "text" in told:
            return _read(told)
        if "memory" in told:
            return MemoryError(told["memory"])
        if "fault" in told:
            raise RuntimeError(told["fault"])
        return None

    def stop(self) -> None:
        """Kill the child if it has not ended; the file that it was writing is then missing."""
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)
        self._reap()

    def _reap(self) -> None:
        with suppress(OSError):  # a signal may have interrupted an earlier call
            os.close(self._said)
        with suppress(ChildProcessError):  # or somebody has waited for all children
            os.waitpid(self._child, 0)


def _run_child(
    write: Callable[[], object], says: int, parent: int, control: Callable[..., object]
) -> NoReturn:
    """Write, report the result to the parent, and end in any case."""
    code = 1
    try:
        control(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_bytes(_FIRST_TO_END)
        if os.getppid() == parent:  # otherwise the parent ended before the signal was set
            os.write(says, json.dumps(_told(write)).encode())
            code = 0
    finally:
        os._exit(code)


def _told(write: Callable[[], object]) -> dict[str, object]:
    """Call `write` and return the report for the parent."""
    try:
        write()
    except ZhaifeiError as error:
        return _written(error)
    except MemoryError as error:
        return {"memory": str(error)}
    except Exception:
        return {"fault": traceback.format_exc()}
    return {}


def _written(error: ZhaifeiError) -> dict[str, object]:
    """Return the parts of `error` in a form that JSON can hold."""
    values = {
        name: _written(value) if isinstance(value, ZhaifeiError) else str(value)
        for name, value in error.values.items()
    }
    return {"text": error.text, "values": values, "storage": isinstance(error, StorageError)}


def _read(written: Mapping[str, Any]) -> ZhaifeiError:
    """Return the error whose parts `_written` returned."""
    kind = StorageError if written["storage"] else ZhaifeiError
    return kind(
        written["text"],
        **{
            name: value if isinstance(value, str) else _read(value)
            for name, value in written["values"].items()
        },
    )
