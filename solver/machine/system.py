"""What not every operating system has: all such calls stand here, and say what happens elsewhere.

Linux has everything. macOS has no `prctl`, so no process is forked to write checkpoints, and a
strategy file may leave processes behind. Windows has no `fork`, `flock`, owners of files, limits of
address space or signals but Ctrl-C. There runs are not locked, and strategy files run without a
supervisor. What runs on Linux alone is in `policies.training.forked_write` and
`policies.training.staging`, and behind POSIX in `policies.players.plug_in.supervisor`.

This module imports nothing slow: the command line needs it before anything else.
"""

from __future__ import annotations

import _thread
import errno
import math
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

LINUX = sys.platform == "linux"
POSIX = os.name == "posix"
"""Whether the system has processes as POSIX describes them: Linux and macOS."""
HANG_UP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""The signal of a terminal that closes, or None on Windows."""
KILL: signal.Signals = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that ends a process at once. On Windows, SIGTERM does."""
BINARY: int = getattr(os, "O_BINARY", 0)
"""The flag of `os.open` that keeps Windows from changing the ends of lines."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
"""Options of `prctl`, from linux/prctl.h."""


def prctl() -> Callable[..., object]:
    """Return the function `prctl` of Linux's C library."""
    import ctypes  # noqa: PLC0415  # slow to import

    function: Callable[..., object] = ctypes.CDLL(None).prctl
    return function


def release_free_memory() -> None:
    """Return memory that glibc keeps for later to the system. Other C libraries do so by
    themselves."""
    if LINUX:
        import ctypes  # noqa: PLC0415

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def send_to_main_thread(number: int) -> None:
    """Send a signal to the main thread. On Windows, it is noticed once the thread runs Python."""
    if hasattr(signal, "pthread_kill"):  # wakes the thread where it waits
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


def is_running(process: int) -> bool:
    """Return whether a process may be running. On Windows it always may: asking would end it."""
    if not POSIX:
        return True
    try:
        os.kill(process, 0)  # signal 0 only tests whether the process exists
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def flock(file: BinaryIO, *, wait: bool) -> None:
    """Lock a file until it is closed. Raise BlockingIOError if another process has locked it and
    the caller does not `wait`, and another OSError if the system or its file system has no locks.
    """
    try:
        import fcntl  # noqa: PLC0415
    except ImportError:
        raise OSError(errno.ENOSYS, "no flock on this system") from None
    fcntl.flock(file.fileno(), fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def give_to(file: Path, owner: os.stat_result) -> None:
    """Give a file the user and group of another, where the system has owners and allows it."""
    if hasattr(os, "chown"):
        with suppress(OSError):  # few users may change the owner of a file
            os.chown(file, owner.st_uid, owner.st_gid)


def user_id() -> int | None:
    """Return the number of the user of this process, or None where files have no owners."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def installed_memory() -> float:
    """Return the bytes of memory of the machine, or infinity if the system does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


def address_limit() -> float:
    """Return the bytes of address space that `ulimit -v` allows, or infinity."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return math.inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else limit


def dump_no_core() -> None:
    """Keep this process from leaving a core file."""
    with suppress(ImportError):
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
