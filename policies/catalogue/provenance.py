"""How the shipped players were made, and the work and time that it took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from zhaifei.policies.catalogue.shipped import SOLVED, data_files
from zhaifei.solver.files.storage import kind_of, load_header

_UNITS = ("iterations", "steps", "matches")


class Provenance(NamedTuple):
    """How one player was made."""

    name: str
    work: int
    unit: str
    """The unit of `work`, a member of _UNITS."""
    seconds: float
    """Wall-clock time."""
    command: str


def provenances() -> Iterator[Provenance]:
    """Yield the provenance of every shipped player that was solved or learned. Raise
    StorageError."""
    for path in data_files():
        training = load_header(path, kind_of(path)).record("training")
        unit = next(unit for unit in _UNITS if unit in training)
        if path.stem in SOLVED:
            solved = SOLVED[path.stem]
            command, seconds = solved.command, solved.seconds
        else:
            command, seconds = training.text("command"), training.number("seconds")
        yield Provenance(path.stem, training.whole(unit), unit, seconds, command)
