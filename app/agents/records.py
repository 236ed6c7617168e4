"""The kept records of matches, which agents may read by name: what stands beside them is out of
their reach."""

from __future__ import annotations

from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.play.played import PlayedMatch
from zhaifei.policies.play.records import kept_matches, read_match

_SHOWN = 5
"""The most names that an error lists."""


def record_names() -> list[str]:
    """Return the names of the kept records, in the order in which they were played."""
    return [path.name for path in kept_matches()]


def kept_record(name: str) -> PlayedMatch:
    """Return the kept match of this name. Raise ZhaifeiError if no record has it, and RecordError
    if the record cannot be read."""
    return read_match(_path(name), source=name)


def _path(name: str) -> Path:
    kept = {path.name: path for path in kept_matches()}
    if name not in kept:
        raise ZhaifeiError(
            "no record is called {name!r}; the latest are {names}",
            name=name,
            names=", ".join([*kept][-_SHOWN:]) or "-",
        )
    return kept[name]
