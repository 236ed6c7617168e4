"""A file written by a forked child while this process goes on: for large checkpoints.

The child sees the memory as it was when it was forked, so training may change its arrays at once.
The system copies a page only when it is changed: while the child writes, memory may hold the arrays
twice. So nobody forks without room for that, and should memory end all the same, Linux ends the
child first.

A child of a process with threads has the forking thread alone, and locks that others held stay
locked. Here threads of solvers wait for work meanwhile, and the child only reads arrays, hashes and
writes them: what it calls takes no lock that another thread may hold.

The child gets no signals: Ctrl-C in a terminal goes to it too, and it is its parent that decides.
It ends with its parent.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from game.errors import ZhaifeiError
from policies.signals import ending_signals
from solver.atomic_files import StorageError

CAN_FORK = sys.platform == "linux"
"""Elsewhere a child could not be told to end with its parent, and macOS forbids what it calls."""
_PR_SET_PDEATHSIG = 1
"""Of linux/prctl.h."""
_FIRST_TO_END = b"1000"
"""The highest oom_score_adj: see proc_pid_oom_score_adj(5)."""


class Killed(ZhaifeiError):
    """What ended a child: memory that was full, most likely."""


class ForkedWrite:
    """A child that calls `write` and ends. Raises OSError if there can be none."""

    def __init__(self, write: Callable[[], object]) -> None:
        prctl = ctypes.CDLL(None).prctl  # loaded before the child, which is to take no locks
        parent = os.getpid()
        self._said, says = os.pipe()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ending_signals())
        try:
            with warnings.catch_warnings():
                # Of locks that other threads hold: see above.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._child = os.fork()
            if self._child == 0:
                _run_child(write, says, parent, prctl)
        except OSError:
            os.close(self._said)
            raise
        finally:
            os.close(says)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @property
    def ended(self) -> bool:
        """Whether the child is done, or has been killed."""
        return bool(select.select([self._said], [], [], 0)[0])

    def wait(self) -> ZhaifeiError | MemoryError | None:
        """Wait for the child to end. Return what `write` raised, if it raised such an error, or
        Killed. Raises RuntimeError for any other error of `write`."""
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
        """Kill the child if it has not ended; what it was writing is then not there."""
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)
        self._reap()

    def _reap(self) -> None:
        with suppress(OSError):  # a signal may have come after the first time
            os.close(self._said)
        with suppress(ChildProcessError):  # or somebody has waited for all children
            os.waitpid(self._child, 0)


def _run_child(
    write: Callable[[], object], says: int, parent: int, prctl: Callable[..., object]
) -> NoReturn:
    """Write, tell how that went, and end, whatever happens."""
    code = 1
    try:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_bytes(_FIRST_TO_END)
        if os.getppid() == parent:  # or else it has ended before it could be watched
            os.write(says, json.dumps(_told(write)).encode())
            code = 0
    finally:
        os._exit(code)


def _told(write: Callable[[], object]) -> dict[str, object]:
    """Return what to tell the parent of a call of `write`."""
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
    """Return the parts of `error` as JSON can hold them."""
    values = {
        name: _written(value) if isinstance(value, ZhaifeiError) else str(value)
        for name, value in error.values.items()
    }
    return {"text": error.text, "values": values, "storage": isinstance(error, StorageError)}


def _read(written: Mapping[str, Any]) -> ZhaifeiError:
    """Return the error whose parts were `written`."""
    kind = StorageError if written["storage"] else ZhaifeiError
    return kind(written["text"], **{
        name: value if isinstance(value, str) else _read(value)
        for name, value in written["values"].items()
    })  # fmt: skip
