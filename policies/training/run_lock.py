"""The lock of a run, which keeps two processes from writing the same policy and checkpoint.

The lock is a lock of the operating system (`flock`) on a small file beside the policy, named like
the policy with `.lock` after it. The system releases the lock when the process ends, however it
ends. So a file that a killed process left behind locks nothing. The file says in JSON which process
holds the lock.

A child that the run forks to write a checkpoint shares the lock until the child ends.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files.file_locks import lock, open_lock
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.strict_json import parse_object

_LONGEST_COMMAND = 200


class LockHeld(ZhaifeiError):
    """Another process holds the lock."""


def lock_path(out: Path) -> Path:
    """Return the lock file of the run that writes `out`, or the file that `out` links to."""
    target = Path(os.path.realpath(out))
    return target.with_name(f"{target.name}.lock")


@contextmanager
def locked(out: Path, on_warning: Callable[[ZhaifeiError], None]) -> Iterator[None]:
    """Hold the lock of the run that writes `out`, and remove the lock file at the end.

    Where the file system has no locks, call `on_warning` and go on without a lock.
    Raises LockHeld if another process holds the lock, and StorageError if the lock file cannot be
    written.
    """
    path = lock_path(out)
    file = _acquired(path, out, on_warning)
    try:
        yield
    finally:
        if file is not None:
            with suppress(OSError):
                path.unlink()  # while it is locked: see `_is_at`
            file.close()


def _acquired(path: Path, out: Path, on_warning: Callable[[ZhaifeiError], None]) -> BinaryIO | None:
    """Return the file at `path`, locked; None where the file system has no locks."""
    while True:
        file = open_lock(path)
        try:
            why = lock(file, wait=False)
        except BlockingIOError:
            with file:
                raise _held(out, file) from None
        if why is not None:
            file.close()
            with suppress(OSError):
                path.unlink()
            on_warning(
                ZhaifeiError(
                    "{path} cannot be locked: {why}; start no other run that writes it",
                    path=out,
                    why=why,
                )
            )
            return None
        if _is_at(path, file):
            _sign(file)
            return file
        file.close()


def _is_at(path: Path, file: BinaryIO) -> bool:
    """Return whether this file is still the file at `path`. After we opened it, the previous holder
    of the lock may have removed it, and another process may have created a new one."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sign(file: BinaryIO) -> None:
    """Write who holds the lock. An error, such as a full disk, is ignored."""
    who = {
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}",
        "command": shlex.join(["zhaifei", *sys.argv[1:]])[:_LONGEST_COMMAND],
    }
    with suppress(OSError):
        file.truncate(0)
        file.write(json.dumps(who).encode())
        file.flush()


def _held(out: Path, file: BinaryIO) -> LockHeld:
    """Return the error that names the process that has locked `file`."""
    try:
        file.seek(0)
        who = Header(parse_object(file.read().decode()))
        return LockHeld(
            "process {process} on {host} has been writing {path} since {since}: {command}",
            path=out,
            process=who.whole("process"),
            host=who.text("host"),
            since=who.text("since"),
            command=who.text("command"),
        )
    except (OSError, UnicodeDecodeError, ZhaifeiError):
        return LockHeld("another process is writing {path}", path=out)
