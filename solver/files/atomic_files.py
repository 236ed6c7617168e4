"""Write files completely or not at all: under a temporary name, flushed to disk, then renamed.

If the name is a symbolic link, the file that it points to is written and the link stays. The new
file has the permissions of the file that it replaces, and its owner where the system allows it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine.system import give_to, is_running

_TEMPORARY = ".zhaifei-"
"""The prefix of all temporary names."""
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
"""The errors of systems that cannot flush directories."""


class StorageError(ZhaifeiError):
    """Raised for a file that cannot be read or written; the message names it and the reason."""


def cannot_write(path: Path, error: OSError) -> StorageError:
    """Return the error of a file or directory that cannot be written."""
    return StorageError("cannot write {path}: {why}", path=path, why=error.strerror or error)


def verify_writable(path: Path) -> None:
    """Raise StorageError unless `write_atomically` can write `path`: its directory exists, its name
    is legal, the temporary file can be created, and `path` is new or a regular file."""
    try:
        temporary = _temporary(_target(path))
        try:
            temporary.open("xb").close()
        finally:
            _remove(temporary)
    except OSError as error:
        raise cannot_write(path, error) from error


def _target(path: Path) -> Path:
    """Return the file to write for `path`: the file it points to, if it is a symbolic link.

    Raises StorageError if `path` cannot be replaced by a file, and OSError for names that are too
    long and for circular links.
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
            path=path,
            directory=directory,
        )
    return target


def write_text(path: Path, text: str) -> None:
    """Write a text file as `write_atomically` does. Raises StorageError."""
    write_atomically(path, lambda file: file.write(text.encode()))


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let `write` fill a temporary file beside `path`, and rename it to `path` when it is on disk.

    Raises StorageError, and whatever `write` raises; an earlier file at `path` is then intact. The
    only exception is a directory that cannot be flushed after the renaming: then the new file is
    at `path`.
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
        raise cannot_write(path, error) from error


def _temporary(target: Path) -> Path:
    """Return the temporary name of `target` in this thread, after removing the temporary files of
    processes that were killed while they wrote `target`.

    The temporary name is short, however long the name of `target` is.
    """
    beginning = _beginning(target)
    _remove_orphans(target)
    own = target.with_name(f"{beginning}.{os.getpid()}-{threading.get_native_id()}.tmp")
    _remove(own)  # an earlier process may have had our number, for instance in a container
    return own


def _beginning(target: Path) -> str:
    """Return the prefix of the temporary names of `target`."""
    return f"{_TEMPORARY}{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}"


def _remove_orphans(target: Path) -> None:
    for orphan in target.parent.glob(f"{_beginning(target)}.*.tmp"):
        process = orphan.name.split(".")[-2].partition("-")[0]
        if process.isdecimal() and not is_running(int(process)):
            _remove(orphan)


def remove_file(path: Path) -> None:
    """Remove the file that `write_atomically` wrote for `path`, if there is one; a symbolic link
    stays. Raises StorageError."""
    try:
        Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise StorageError("cannot remove {path}: {why}", path=path, why=why) from error


def remove_unfinished(path: Path) -> None:
    """Remove the temporary files of processes that were killed while they wrote `path`."""
    with suppress(StorageError, OSError):
        _remove_orphans(_target(path))


def unfinished_in(directory: Path) -> Iterator[Path]:
    """Yield the temporary files of the directory: unfinished ones, and those being written."""
    yield from directory.glob(f"{_TEMPORARY}*.tmp")


def _pass_on_permissions(replaced: Path, file: Path) -> None:
    """Give `file` the owner and the mode of the file `replaced`, if that exists."""
    try:
        before = replaced.stat()
    except FileNotFoundError:
        return
    give_to(file, before)
    file.chmod(stat.S_IMODE(before.st_mode))


def _flush_directory(directory: Path) -> None:
    """Make a renaming durable across a power cut, where the system can."""
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:  # Windows cannot open directories; other systems need the right to list them
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
