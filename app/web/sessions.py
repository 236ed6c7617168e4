"""Keep what a server remembers of its visitors across restarts.

Each visitor who has something to lose has a file in the user's data directory. Its name is a hash
of the cookie, so a reader of the directory cannot pass for a visitor.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from zhaifei.app.locale import LANGUAGES
from zhaifei.app.web.chosen_rules import Kept
from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files.atomic_files import write_text
from zhaifei.solver.machine.user_directories import user_directory

_DIRECTORY, _SUFFIX = "visitors", ".json"
_MOST_KEPT = 400
DAY, LONGEST_KEPT = 86_400.0, 90 * 86_400.0
"""Seconds for which visitors are remembered: those who needed a token, and those of this
computer."""
_LONGEST_FILE = 1_000_000
"""Most bytes of a session file."""


@dataclass(frozen=True)
class Session:
    """The remembered state of a visitor."""

    language: str
    """One of LANGUAGES."""
    dark: bool | None
    records: tuple[str, ...]
    """The names of the records of this visitor's matches."""
    playing: str | None
    """The name of the record of the match in progress."""
    stand_in: str | None
    """The policy that gives hints in the match if no policy is known for its rules."""
    policy: str | None
    """The file of the policy that was named for the match, if any."""
    match_rules: Kept | None = None
    """The rules chosen for the next match, if they are not the usual ones."""
    table_rules: Kept | None = None
    """The rules chosen for a table with real dice, if they are not the usual ones."""

    @property
    def is_empty(self) -> bool:
        """Whether the visitor has nothing to lose."""
        return not (self.records or self.playing or self.match_rules or self.table_rules)


class Sessions:
    """The sessions of one server. `place` is its address, and whether visitors need a token there.
    Visitors are forgotten after `seconds`."""

    def __init__(self, place: str, seconds: float = LONGEST_KEPT) -> None:
        self._place, self._seconds = place, seconds

    def find(self, secret: str) -> Session | None:
        """Return the session of the visitor with this cookie, or None."""
        with suppress(OSError, ValueError, TypeError, ZhaifeiError):
            path = self._path(secret)
            about = path.stat()
            if about.st_size > _LONGEST_FILE or about.st_mtime < time.time() - self._seconds:
                return None
            session = _session(json.loads(path.read_text(encoding="utf-8")))
            with suppress(OSError):
                path.touch()
            return session
        return None

    def keep(self, secret: str, session: Session) -> None:
        """Remember a visitor, if files can be written."""
        with suppress(OSError, ZhaifeiError):
            path = self._path(secret)
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                _forget_oldest(path.parent)
            write_text(path, json.dumps(asdict(session)))

    def _path(self, secret: str) -> Path:
        """Return the file of a visitor. Raise NoUserDirectory if there is no data directory."""
        name = sha256(f"{self._place} {secret}".encode("utf-8", "replace")).hexdigest()
        return user_directory("data") / _DIRECTORY / f"{name}{_SUFFIX}"


def _forget_oldest(directory: Path) -> None:
    """Delete old sessions, and the oldest ones if there are too many, to make room for another
    file."""
    files = sorted(directory.glob(f"*{_SUFFIX}"), key=lambda one: one.stat().st_mtime)
    old = time.time() - LONGEST_KEPT
    for place, path in enumerate(files):
        if place <= len(files) - _MOST_KEPT or path.stat().st_mtime < old:
            path.unlink(missing_ok=True)


def _session(fields: dict[str, object]) -> Session:
    """Return a session as it was written. Raise TypeError or ValueError if it is invalid."""
    found = Session(**fields)  # type: ignore[arg-type]
    names = [*found.records, *(one for one in (found.playing,) if one is not None)]
    texts = [*names, found.stand_in or "", found.policy or ""]
    if found.language not in LANGUAGES or found.dark not in (None, True, False):
        raise ValueError("no such language or light")
    if not all(isinstance(one, str) for one in texts):
        raise TypeError("names are texts")
    if not all(isinstance(one, dict | None) for one in (found.match_rules, found.table_rules)):
        raise TypeError("rules are objects")
    return Session(**{**asdict(found), "records": tuple(found.records)})
