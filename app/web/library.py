"""Kept matches, as far as a visitor may see them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from game.errors import ZhaifeiError
from game.match import standings
from policies.play.played import PlayedMatch, PlayedRound
from policies.play.records import kept_matches, read_match

MOST_LISTED = 100


class Kept(NamedTuple):
    """A kept match."""

    name: str
    """Of its file."""
    match: PlayedMatch


def visible(own: Collection[str] | None) -> list[Path]:
    """Return the records that a visitor may see, newest first: all, or only those in `own`."""
    return [path for path in reversed(kept_matches()) if own is None or path.name in own]


def listed(own: Collection[str] | None) -> list[Kept]:
    """Return the newest matches that can be read."""
    found = []
    for path in visible(own)[:MOST_LISTED]:
        try:
            found.append(Kept(path.name, shown(read_match(path))))
        except ZhaifeiError:
            continue
    return found


def find(own: Collection[str] | None, name: str) -> Kept:
    """Return the match in the record of this name. Raise ZhaifeiError if there is none, or if the
    visitor may not see it."""
    for path in visible(own):
        if path.name == name:
            return Kept(name, shown(read_match(path)))
    raise ZhaifeiError("there is no record {name!r}", name=name)


def shown(match: PlayedMatch) -> PlayedMatch:
    """Return a match without the dice of others in a round that has not ended, which may still be
    played, and without the seed, from which they follow."""
    return replace(match, seed=None, rounds=tuple(_shown(match, one) for one in match.rounds))


def _shown(match: PlayedMatch, played: PlayedRound) -> PlayedRound:
    if played.challenged(match.rules) is not None:
        return played
    own = tuple(hand if seat == match.you else None for seat, hand in enumerate(played.hands))
    return replace(played, hands=own)


def rank_of(match: PlayedMatch, seat: int) -> int:
    """Return the rank of a seat, from 1."""
    return next(one.rank for one in standings(match.points) if one.seat == seat)
