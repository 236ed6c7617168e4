"""List and read kept matches, as far as a visitor may see them.

Reading a long match takes seconds, so its entry in a list is remembered until its file changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.play.played import PlayedMatch, PlayedRound
from zhaifei.policies.play.record_lines import printable
from zhaifei.policies.play.records import RecordError, kept_matches, read_match

MOST_LISTED = 100
_MOST_REMEMBERED = 1000


class Kept(NamedTuple):
    """A kept match."""

    name: str
    """The printable name of its file."""
    match: PlayedMatch
    left_out: tuple[ZhaifeiError, ...] = ()
    """The errors for lines that cannot be read."""


class Entry(NamedTuple):
    """The facts that a list shows of a kept match."""

    rules: Rules
    rounds: int
    you: int | None
    score: list[int]
    """[seat] the penalty points, or the dice left."""
    rank: int | None
    """The rank of the person, from 1; None if no person played."""
    is_whole: bool
    """Whether all lines can be read."""


_File = tuple[Path, int, int]
"""A file, its size in bytes and the time it was last written, in ns."""
_entries: dict[_File, Entry | ZhaifeiError] = {}


def visible(own: Collection[str] | None) -> list[Path]:
    """Return the records that a visitor may see, newest first: all, or only those in `own`."""
    return [path for path in reversed(kept_matches()) if own is None or path.name in own]


def remembered(path: Path) -> Entry | ZhaifeiError | None:
    """Return the entry of a record or the reason why it cannot be read, without reading it; None if
    neither is known yet."""
    try:
        return _entries.get(_file(path))
    except OSError as error:
        return RecordError("cannot read it: {why}", why=error.strerror or error)


def read_entry(path: Path) -> None:
    """Read a record, so that `remembered` knows it."""
    try:
        file = _file(path)  # before it is read: it may grow meanwhile
        kept = _read(path)
    except OSError:
        return
    except ZhaifeiError as error:
        found: Entry | ZhaifeiError = error
    else:
        match = kept.match
        rounds = len(match.rounds)
        ranks = {one.seat: one.rank for one in match.standings()}
        rank = None if match.you is None else ranks[match.you]
        found = Entry(match.rules, rounds, match.you, match.score, rank, not kept.left_out)
    while len(_entries) >= _MOST_REMEMBERED:
        _entries.pop(next(iter(_entries)), None)
    _entries[file] = found


def find(own: Collection[str] | None, name: str) -> Kept:
    """Return the match in the record of this name. Raise ZhaifeiError if there is no such record,
    or if the visitor may not see it."""
    for path in visible(own):
        if printable(path.name) == name:
            return _read(path)
    raise ZhaifeiError("there is no record {name!r}", name=name)


def _file(path: Path) -> _File:
    told = path.stat()
    return path, told.st_size, told.st_mtime_ns


def _read(path: Path) -> Kept:
    left_out: list[ZhaifeiError] = []
    name = printable(path.name)
    match = shown(read_match(path, left_out.append, name))
    return Kept(name, match, tuple(left_out))


def shown(match: PlayedMatch) -> PlayedMatch:
    """Return a match without its seed, and without the dice of others in a round that has not
    ended. That round may still be played, and the dice follow from the seed."""
    return replace(match, seed=None, rounds=tuple(_shown(match, one) for one in match.rounds))


def _shown(match: PlayedMatch, played: PlayedRound) -> PlayedRound:
    if played.is_over(match.rules):
        return played
    own = tuple(hand if seat == match.you else None for seat, hand in enumerate(played.hands))
    return replace(played, hands=own)
