"""Files written completely or not at all: under a temporary name, flushed to disk, then renamed."""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from game.errors import ZhaifeiError


class StorageError(ZhaifeiError):
    """A file that cannot be read or written; the message names it and says why."""


def _cannot_write(path: Path, error: OSError) -> StorageError:
    return StorageError("cannot write {path}: {why}", path=path, why=error.strerror)


def verify_writable(path: Path) -> None:
    """Raise StorageError unless a file can be made beside `path`."""
    if not path.parent.is_dir():
        raise StorageError(
            "cannot write {path}: there is no directory {directory}",
            path=path, directory=path.parent,
        )  # fmt: skip
    if path.is_dir():
        raise StorageError("cannot write {path}: it is a directory", path=path)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".zhaifei-"):
            pass
    except OSError as error:
        raise _cannot_write(path, error) from error


def write_text(path: Path, text: str) -> None:
    """Write a text file as `write_atomically` does. Raises StorageError."""
    write_atomically(path, lambda file: file.write(text.encode()))


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let `write` fill a file under a temporary name beside `path`, and rename it when it is on
    disk.

    Raises StorageError; a file that was at `path` before is then intact.
    """
    verify_writable(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    _remove_orphans(path)
    try:
        with temporary.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _remove_orphans(path: Path) -> None:
    """Remove temporary files that processes left which were killed while they wrote `path`."""
    for orphan in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        process = orphan.name.split(".")[-2]
        if process.isdecimal() and not _is_running(int(process)):
            with suppress(OSError):
                orphan.unlink()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)  # asks only
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
