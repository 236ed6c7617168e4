"""Records of matches as files: read, written, and appended to while a match is played. Their lines
are those of `policies.play.record_lines`. Until a match is over, its record tells no dice that the
table has not seen, and no seed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from zhaifei.game.hands import Hand
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.stakes import dice_at
from zhaifei.game.views import View
from zhaifei.policies.play.played import YOU, PlayedMatch, PlayedRound, played_round
from zhaifei.policies.play.record_lines import (
    Line,
    RecordError,
    Tell,
    action_line,
    as_text,
    format_match,
    header_line,
    printable,
    result_line,
    round_line,
    seed_line,
)
from zhaifei.policies.play.record_reading import LONGEST_LINE, parse_match
from zhaifei.solver.files.atomic_files import (
    StorageError,
    cannot_write,
    verify_writable,
    write_text,
)
from zhaifei.solver.machine.system import BINARY
from zhaifei.solver.machine.user_directories import NoUserDirectory, user_directory

__all__ = [
    "YOU",
    "MatchRecorder",
    "PlayedMatch",
    "PlayedRound",
    "RecordError",
    "dated_matches",
    "kept_matches",
    "new_record",
    "read_match",
    "verify_new",
    "write_match",
]

_DIRECTORY, _SUFFIX = "matches", ".jsonl"
TIME = "%Y-%m-%dT%H-%M-%S.%fZ"


def read_match(path: Path, tell: Tell | None = None, source: str | None = None) -> PlayedMatch:
    """Return the match in a record file, which messages call `source`, by default by its path.

    With `tell`, lines that cannot be read are left out and told, as `parse_match` does. Raise
    RecordError, which names the line, as `parse_match` does.
    """
    try:
        if path.exists() and not path.is_file():
            raise RecordError("{path} is not a regular file", path=path)
        with path.open("rb") as file:
            return parse_match(_lines(file), source or printable(str(path)), tell)
    except OSError as error:
        raise RecordError(
            "cannot read {path}: {why}", path=path, why=error.strerror or error
        ) from error


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, cutting long lines to a prefix that still exceeds LONGEST_LINE."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE + 1)


def write_match(path: Path, match: PlayedMatch) -> None:
    """Write a whole record, completely or not at all. Raise StorageError."""
    write_text(path, format_match(match))


def kept_matches() -> list[Path]:
    """Return the records in the user's data directory in the order in which they were played,
    whatever they are called."""
    return [path for _, path in dated_matches()]


def dated_matches() -> list[tuple[str, Path]]:
    """Return the records as `kept_matches` does, each after a text by which they sort: when the
    file was last written to, in UTC, and its name."""
    found = []
    with suppress(NoUserDirectory):
        for path in (user_directory("data") / _DIRECTORY).glob(f"*{_SUFFIX}"):
            with suppress(OSError):  # it may have been removed meanwhile
                found.append((f"{_written(path):{TIME}} {printable(path.name)}", path))
    return sorted(found)


def _written(path: Path) -> datetime:
    """Return when a file was last written to, or now if that time is in the future."""
    return datetime.fromtimestamp(min(max(path.stat().st_mtime, 0.0), time.time()), UTC)


def new_record() -> Path:
    """Return the name of a new record in the user's data directory, which is made if need be; names
    sort by time. Raise NoUserDirectory or StorageError."""
    directory = user_directory("data") / _DIRECTORY
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(directory, error) from error
    return directory / f"{datetime.now(UTC):{TIME}}{_SUFFIX}"


def verify_new(path: Path) -> None:
    """Raise StorageError unless a new file can be written at `path`."""
    if os.path.lexists(path):
        raise _exists(path)
    verify_writable(path)


class MatchRecorder:
    """An Onlooker that appends a line to a file after every event, so that a crash loses nothing.

    `path` must not exist yet; None is a new file in the user's data directory. Once the file cannot
    be written any more, `tell` is called with the error, and nothing more is recorded. Use it in a
    `with` block, or call `close`, which adds the seed: a match without any decision leaves no file.
    """

    def __init__(
        self,
        match: Match,
        seats: Sequence[str],
        *,
        path: Path | None = None,
        you: int | None = None,
        seed: int | None = None,
        policy: str | None = None,
        tell: Tell = lambda error: None,
    ) -> None:
        """Create the file. Raise StorageError, or NoUserDirectory."""
        self._rules, self._seed, self._tell = match.rules, seed, tell
        self._decided = False
        self.path, descriptor = _create(path)
        self._file: int | None = descriptor
        its = PlayedMatch(match.rules, tuple(seats), you, None, policy, version("zhaifei"), ())
        self._append(header_line(its))

    def __enter__(self) -> MatchRecorder:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def begin(
        self, number: int, starter: int, score: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        """Record who starts, and the dice that may be shown."""
        hands = tuple(known.get(seat) for seat in range(len(score)))
        dice = dice_at(self._rules, score, starter)
        rolled = played_round(self._rules, starter, hands, (), dice=dice)
        self._append(round_line(number, rolled, self._rules))

    def act(self, view: View, action: int) -> None:
        """Record an action."""
        self._decided = True
        self._append(action_line(view.rules, view.seat, action))

    def settle(self, round_: Round, score: Sequence[int]) -> None:
        """Record who lost how much and all dice, and flush the file to the disk."""
        settlement = round_.settlement
        assert settlement is not None, "the round has ended"
        self._append(result_line(settlement.loser, settlement.cost, round_.hands))
        if self._file is not None:
            with suppress(OSError):  # where that is impossible, the system flushes later
                os.fsync(self._file)

    def close(self) -> None:
        """Add the seed and close the file; remove it if nobody has decided anything."""
        if self._seed is not None:
            self._append(seed_line(self._seed))
        if self._file is not None:
            os.close(self._file)
            self._file = None
            if not self._decided:
                self.path.unlink(missing_ok=True)

    def _append(self, line: Line) -> None:
        """Append a line in one piece: it is in the file even if the process is killed next."""
        if self._file is None:
            return
        text = as_text(line).encode()
        try:
            if os.write(self._file, text) < len(text):
                raise OSError("there is no space left for a whole line")
        except OSError as error:
            os.close(self._file)
            self._file = None
            self._tell(cannot_write(self.path, error))


def _create(path: Path | None) -> tuple[Path, int]:
    """Return a new file that is open for appending. Raise StorageError or NoUserDirectory."""
    while True:
        new = new_record() if path is None else path
        try:
            return new, os.open(
                new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | BINARY, 0o666
            )
        except FileExistsError as error:
            if path is not None:
                raise _exists(path) from error
        except OSError as error:
            raise cannot_write(new, error) from error


def _exists(path: Path) -> StorageError:
    return StorageError("cannot write {path}: it exists already", path=path)
