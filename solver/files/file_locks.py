"""Locks of the operating system on files: released when the process ends, however it ends."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import BinaryIO

from zhaifei.solver.files.atomic_files import cannot_write
from zhaifei.solver.machine.system import flock

_UNSUPPORTED = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL}
"""The errors of systems and of file systems without locks."""


def open_lock(path: Path) -> BinaryIO:
    """Return the lock file at `path`, made if need be. Raise StorageError if that fails."""
    try:
        return path.open("a+b")
    except OSError as error:
        raise cannot_write(path, error) from error


def lock(file: BinaryIO, *, wait: bool) -> str | None:
    """Lock a file until it is closed. Return None, or the reason if the system has no locks.

    Raise BlockingIOError if another process has locked the file and the caller does not `wait`.
    """
    try:
        flock(file, wait=wait)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return str(error.strerror)
        raise
    return None
