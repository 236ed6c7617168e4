"""People at a table: how each of them plays, as somebody says or as their dice have shown.

A Person is what a Memory holds of one player, in a form that questions and pages can keep. Before
the first round it is the belief about an unknown player or, where somebody says how they bid, about
a player of that character:

    careful: mostly of the styles sharp, careful and plausible, so that bids tell much
    bluffs:  mostly of the styles plausible, flat, bold and bluffs, so that bids tell less

Nobody bluffs always. The shares of `bluffs` were chosen among `aggressive` and among `bluffs` of
`benchmarks/opponents`, by the points that the advice saves; more weight on the style bluffs saves
less. Whoever is said to be of a character is hardly taken for a program
(`policies.learning.programs`) until their dice have shown it. What dice have shown counts on top of
a character. A Portrait says it in few words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from zhaifei.game.rules import Rules
from zhaifei.policies.advice.shown import PlayShown
from zhaifei.policies.learning.memory import PROGRAM, Memory
from zhaifei.policies.learning.player import follows_at
from zhaifei.policies.learning.programs import EVERY, POLICY, READER, program_names
from zhaifei.policies.players.kinds import LIMIT_SHARES, LIMITS, People
from zhaifei.policies.players.manners import SHARES, STYLES
from zhaifei.policies.players.table_reading import log_odds

_ONE = np.zeros(1, dtype=np.int64)


class Character(Enum):
    """How somebody says that a player bids."""

    CAREFUL = "careful"
    BLUFFS = "bluffs"


CHARACTERS = tuple(Character)
_STYLES_OF = {
    Character.CAREFUL: {"sharp": 0.4, "careful": 0.4, "plausible": 0.2},
    Character.BLUFFS: {"plausible": 0.4, "flat": 0.3, "bold": 0.2, "bluffs": 0.1},
}
_SAID = 0.9
"""The share of a character's styles; the rest is that of an unknown player, who may be a
program."""
_FOLLOWS = 0.05
"""The probability with which a player of a known character follows the table."""


class Person(NamedTuple):
    """What is believed about a player before a round."""

    odds: float
    """The logarithm of the odds that the player follows the table."""
    style: tuple[float, ...]
    """[style] the probability of each style of `policies.players.manners` otherwise."""
    limit: tuple[float, ...]
    """[limit] the probability of each limit of `policies.players.kinds` otherwise."""
    program: tuple[float, ...]
    """[program] the logarithm of how many times likelier the player is each program of
    `policies.learning.programs` than of the styles."""
    rounds: int = 0
    """The number of rounds in which the player did something, and their dice were shown."""


def person_of(rules: Rules, character: Character | None = None) -> Person:
    """Return what is believed about a player who has never bid; None is an unknown character."""
    style, follows, program = np.array(SHARES), follows_at(rules), math.log(PROGRAM)
    if character is not None:
        its = _STYLES_OF[character]
        style = (1.0 - _SAID) * style + _SAID * np.array([its.get(one, 0.0) for one in STYLES])
        follows, program = _FOLLOWS, program + math.log(1.0 - _SAID)
    odds, programs = log_odds(follows), len(program_names(rules))
    return Person(odds, tuple(style.tolist()), LIMIT_SHARES, (program,) * programs)


def people_of(persons: Sequence[Person]) -> People:
    """Return what is believed about these persons, in one turn."""
    return People(
        np.array([[one.odds for one in persons]]),
        np.array([[one.style for one in persons]]),
        np.array([[one.limit for one in persons]]),
        np.array([[one.program for one in persons]]),
    )


def learned(first: Person, rounds: Iterable[PlayShown | None]) -> Person:
    """Return what is believed about a person after `rounds`, oldest first, if `first` is what was
    believed before. Programs are asked only while the person may still be one of them."""
    memory, number = Memory(people_of([first])), first.rounds
    for shown in rounds:
        if shown is None or not (shown.is_told or number > first.rounds):
            continue  # nothing can fade yet
        memory.add(_ONE, 0, shown.shown, shown.by_programs(memory.doubted(_ONE, 0)))
        number += shown.is_told
    people = memory.people(_ONE)
    style, limit, program = (
        tuple(one[0, 0].tolist()) for one in (people.style, people.limit, people.program)
    )
    return Person(float(people.odds[0, 0]), style, limit, program, number)


# In words


class Manner(Enum):
    """How a person plays, in a word."""

    FOLLOWS = "follows"
    """By the policy's table."""
    HOLDS = "holds"
    """Bids what the own dice support."""
    BLUFFS = "bluffs"
    """Bids say little about the dice."""
    BOLD = "bold"
    """Bids as high as the own dice let."""
    CLIMBS = "climbs"
    """Raises as little as possible."""
    STAYS = "stays"
    """Raises the face that was named last."""


_MANNER_OF = {
    "plausible": Manner.HOLDS,
    "sharp": Manner.HOLDS,
    "careful": Manner.HOLDS,
    "flat": Manner.BLUFFS,
    "bluffs": Manner.BLUFFS,
    "bold": Manner.BOLD,
    "climbs": Manner.CLIMBS,
    "stays": Manner.STAYS,
    "honest": Manner.HOLDS,
    "probabilistic": Manner.HOLDS,
    "conservative": Manner.HOLDS,
    "aggressive": Manner.BOLD,
    "face-by-face": Manner.CLIMBS,
    "best-supported": Manner.HOLDS,
    READER: Manner.HOLDS,
    POLICY: Manner.FOLLOWS,
}
"""The manner of each style and program."""


_SURE = 0.5
"""A program is named if it is at least this likely."""
_KNOWN = 0.2
"""A limit is told if this much of the probability lies elsewhere than before the first round."""


class Portrait(NamedTuple):
    """What is believed about a person, in few words."""

    manner: Manner
    """The likeliest manner."""
    program: str | None
    """The program that the person plays like, if that is likelier than not. Whoever plays like the
    policy has the manner FOLLOWS, and no program."""
    probability: float
    """How likely the program is, or without one the manner."""
    limit: float | None
    """The person challenges bids that seem less likely than this, on average over what is believed;
    None if too little is known of it."""
    rounds: int
    """The number of rounds in which the person's dice were shown."""


def portrait_of(person: Person) -> Portrait:
    """Return the portrait of a person."""
    case = np.array([0.0, person.odds, *person.program])
    styles, table, *programs = np.exp(case - np.logaddexp.reduce(case)).tolist()
    by_name = dict(zip(EVERY, programs, strict=False))
    shares = dict.fromkeys(Manner, 0.0)
    shares[Manner.FOLLOWS] = table
    for name, share in zip(STYLES, person.style, strict=True):
        shares[_MANNER_OF[name]] += styles * share
    for name, share in by_name.items():
        shares[_MANNER_OF[name]] += share
    manner = max(shares, key=shares.__getitem__)
    named = [name for name, share in by_name.items() if share >= _SURE and name != POLICY]
    probability = by_name[named[0]] if named else shares[manner]
    return Portrait(
        manner, named[0] if named else None, probability, _limit_of(person), person.rounds
    )


def _limit_of(person: Person) -> float | None:
    """Return what is kept as the limit of a Portrait."""
    known = 0.5 * np.abs(np.subtract(person.limit, LIMIT_SHARES)).sum()
    return float(np.dot(person.limit, LIMITS)) if known >= _KNOWN else None
