"""Files written completely or not at all: under a temporary name, flushed to disk, then renamed.

Where the name is a symbolic link, the file that it points to is written, and the link stays. A file
that is replaced passes its permissions on, and its owner where the system allows that.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from game.errors import ZhaifeiError

_TEMPORARY = ".zhaifei-"
"""How all temporary names begin."""
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
"""What systems say that cannot flush directories."""


class StorageError(ZhaifeiError):
    """A file that cannot be read or written; the message names it and says why."""


def _cannot_write(path: Path, error: OSError) -> StorageError:
    return StorageError("cannot write {path}: {why}", path=path, why=error.strerror or error)


def verify_writable(path: Path) -> None:
    """Raise StorageError unless `write_atomically` can write `path`: its directory exists, what is
    there now is a file, its name is legal, and the temporary file can be made."""
    try:
        temporary = _temporary(_target(path))
        try:
            temporary.open("xb").close()
        finally:
            _remove(temporary)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _target(path: Path) -> Path:
    """Return the file to write for `path`: what it points to, if it is a symbolic link.

    Raises StorageError if it cannot be replaced by a file, and OSError for names that are too long
    and links in a circle.
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise StorageError("cannot write {path}: it is a directory", path=path)
        if not stat.S_ISREG(mode):
            raise StorageError("cannot write {path}: it is a device, a pipe or a socket", path=path)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        directory = target.parent if path.is_symlink() else path.parent
        raise StorageError(
            "cannot write {path}: there is no directory {directory}",
            path=path, directory=directory,
        )  # fmt: skip
    return target


def write_text(path: Path, text: str) -> None:
    """Write a text file as `write_atomically` does. Raises StorageError."""
    write_atomically(path, lambda file: file.write(text.encode()))


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let `write` fill a file under a temporary name beside `path`, and rename it when it is on
    disk.

    Raises StorageError, and whatever `write` raises; a file that was at `path` before is then
    intact. Only if the directory cannot be flushed after the renaming, the new file is there.
    """
    try:
        target = _target(path)
        temporary = _temporary(target)
        try:
            with temporary.open("xb") as file:
                _pass_on_permissions(target, temporary)
                write(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            _remove(temporary)
        _flush_directory(target.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _temporary(target: Path) -> Path:
    """Return the temporary name of `target` in this thread, after removing what processes left that
    were killed while they wrote `target`.

    However long the name of `target` is, this one is short.
    """
    beginning = _beginning(target)
    _remove_orphans(target)
    own = target.with_name(f"{beginning}.{os.getpid()}-{threading.get_native_id()}.tmp")
    _remove(own)  # from a process that had our number, in a container for instance
    return own


def _beginning(target: Path) -> str:
    """Return how the temporary names of `target` begin."""
    return f"{_TEMPORARY}{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}"


def _remove_orphans(target: Path) -> None:
    for orphan in target.parent.glob(f"{_beginning(target)}.*.tmp"):
        process = orphan.name.split(".")[-2].partition("-")[0]
        if process.isdecimal() and not _is_running(int(process)):
            _remove(orphan)


def remove_unfinished(path: Path) -> None:
    """Remove what processes left that were killed while they wrote `path`."""
    with suppress(StorageError, OSError):
        _remove_orphans(_target(path))


def unfinished_in(directory: Path) -> Iterator[Path]:
    """Yield the files of the directory that were never finished, or are being written."""
    yield from directory.glob(f"{_TEMPORARY}*.tmp")


def _pass_on_permissions(replaced: Path, file: Path) -> None:
    """Give `file` the owner and the mode of the file it is to replace, if there is one."""
    try:
        before = replaced.stat()
    except FileNotFoundError:
        return
    if hasattr(os, "chown"):
        with suppress(OSError):  # a file may be given away by few
            os.chown(file, before.st_uid, before.st_gid)
    file.chmod(stat.S_IMODE(before.st_mode))


def _flush_directory(directory: Path) -> None:
    """Make a renaming outlast a power cut, where the system can."""
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:  # Windows opens no directories, and others only those that we may list
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise
    finally:
        os.close(descriptor)


def _remove(temporary: Path) -> None:
    with suppress(OSError):
        temporary.unlink()


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return True  # asking would end it
    try:
        os.kill(process, 0)  # asks only
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
