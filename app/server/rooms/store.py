"""Rooms in a file of SQLite: each change is one transaction."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zhaifei.app.server.rooms.room import Room
from zhaifei.app.server.rooms.written import read, written
from zhaifei.solver.files.atomic_files import StorageError
from zhaifei.solver.machine.user_directories import make_data_directory

KEPT = 7 * 86_400
"""Seconds after the last change for which a room is kept."""
_NAME = "rooms.sqlite"
_TABLE = "CREATE TABLE IF NOT EXISTS rooms (code TEXT PRIMARY KEY, changed REAL, room TEXT)"
_SAVE = "INSERT OR REPLACE INTO rooms VALUES (?, ?, ?)"


def usual_path() -> Path:
    """Return the file in the user's directory for data. Raise NoUserDirectory."""
    return make_data_directory() / _NAME


class Store:
    """The rooms that are kept. Everything raises StorageError if the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _storing(path):
            # The server's loop may run in another thread than the one that began it.
            self._file = sqlite3.connect(path, check_same_thread=False)
            path.chmod(0o600)  # it has everybody's dice
            with self._file:
                self._file.execute(_TABLE)

    def save(self, room: Room) -> None:
        """Write a room as it is now."""
        with _storing(self.path), self._file:
            self._file.execute(_SAVE, (room.code, time.time(), written(room)))

    def find(self, code: str) -> Room | None:
        """Return the room with this code, or None if no room has it that this version can read."""
        query = "SELECT room FROM rooms WHERE code = ? AND changed >= ?"
        with _storing(self.path):
            row = self._file.execute(query, (code, time.time() - KEPT)).fetchone()
        if row is not None:
            with suppress(ValueError, TypeError, KeyError):
                return read(row[0])
        return None

    def number(self) -> int:
        """Return how many rooms there are, after forgetting old ones."""
        with _storing(self.path), self._file:
            self._file.execute("DELETE FROM rooms WHERE changed < ?", (time.time() - KEPT,))
            return int(self._file.execute("SELECT COUNT(*) FROM rooms").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@contextmanager
def _storing(path: Path) -> Iterator[None]:
    """Raise StorageError for an error of SQLite or of the system in the block."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StorageError("cannot use {path}: {why}", path=path, why=error) from error
