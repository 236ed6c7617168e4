"""People at a table: how each of them plays, as somebody says or as their dice have shown.

A Person is what a Memory holds of one player, in a form that questions and pages can keep. Before
the first round it is the belief about an unknown player or, where somebody says how they bid, about
a player of that character:

    careful: mostly of the styles sharp, careful and plausible, so that bids tell much
    bluffs:  mostly of the styles plausible, flat, bold and bluffs, so that bids tell less

Nobody bluffs always. The shares of `bluffs` were chosen among `aggressive` and among `bluffs` of
`benchmarks/opponents`, by the points that the advice saves; more weight on the style bluffs saves
less. What dice have shown counts on top of a character. A Portrait says it in few words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.hands import hand_index
from zhaifei.game.rules import Rules
from zhaifei.policies.learning.manners import SHARES, STYLES
from zhaifei.policies.learning.memory import Memory, Shown, shown_by
from zhaifei.policies.learning.player import follows_at
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.players.kinds import LIMIT_SHARES, LIMITS, People

_ONE = np.zeros(1, dtype=np.int64)
_GOES_ON = -1
"""Stands for the ending of a round that nobody has ended."""


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
"""The share of a character's styles; the rest is that of an unknown player."""
_FOLLOWS = 0.05
"""The probability with which a player of a known character follows the table."""


class Person(NamedTuple):
    """What is believed about a player before a round."""

    odds: float
    """The logarithm of the odds that the player follows the table."""
    style: tuple[float, ...]
    """[style] the probability of each style of `policies.learning.manners` otherwise."""
    limit: tuple[float, ...]
    """[limit] the probability of each limit of `policies.players.kinds` otherwise."""
    rounds: int = 0
    """The number of rounds in which the player's dice were shown."""


def person_of(rules: Rules, character: Character | None = None) -> Person:
    """Return what is believed about a player who has never bid; None is an unknown character."""
    style, follows = np.array(SHARES), follows_at(rules)
    if character is not None:
        its = _STYLES_OF[character]
        style = (1.0 - _SAID) * style + _SAID * np.array([its.get(one, 0.0) for one in STYLES])
        follows = _FOLLOWS
    return Person(math.log(follows / (1.0 - follows)), tuple(style.tolist()), LIMIT_SHARES)


def people_of(persons: Sequence[Person]) -> People:
    """Return what is believed about these persons, in one turn."""
    return People(
        np.array([[one.odds for one in persons]]),
        np.array([[one.style for one in persons]]),
        np.array([[one.limit for one in persons]]),
        np.zeros((1, len(persons), 0)),
    )


# What rounds show


def shown_in(
    reading: LearnedReading, rules: Rules, played: PlayedRound
) -> tuple[Shown | None, ...]:
    """Return [seat] what a recorded round, for penalty points by `rules`, shows of each player.
    None stands for a player whose dice are not known, or who did nothing."""
    if rules.table.uneven:
        return (None,) * rules.players
    history = np.array([[action_of(rules, bid) for bid in played.bids(rules)]], dtype=np.int64)
    ends = [one for one in played.actions if one >= challenge_action(rules)] or [_GOES_ON]
    found: list[Shown | None] = []
    for seat, hand in enumerate(played.hands):
        place = (seat - played.starter) % rules.players
        if hand is None or not history.size:
            found.append(None)
            continue
        its = np.array([hand_index(rules, hand)]), history, np.array(ends)
        shown = shown_by(reading, place, *its)
        found.append(shown if any(one.any() for one in shown) else None)
    return tuple(found)


def learned(first: Person, rounds: Iterable[Shown | None]) -> Person:
    """Return what is believed about a person after `rounds`, oldest first, if `first` is what was
    believed before."""
    memory, number = Memory(people_of([first])), first.rounds
    for shown in rounds:
        if shown is not None:
            memory.add(_ONE, 0, shown)
            number += 1
    people = memory.people(_ONE)
    style, limit = (tuple(one[0, 0].tolist()) for one in (people.style, people.limit))
    return Person(float(people.odds[0, 0]), style, limit, number)


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
}


_KNOWN = 0.2
"""A limit is told if this much of the probability lies elsewhere than before the first round."""


class Portrait(NamedTuple):
    """What is believed about a person, in few words."""

    manner: Manner
    """The likeliest manner."""
    probability: float
    """How likely it is."""
    limit: float | None
    """The person challenges bids that seem less likely than this, on average over what is believed;
    None if too little is known of it."""
    rounds: int
    """The number of rounds in which the person's dice were shown."""


def portrait_of(person: Person) -> Portrait:
    """Return the portrait of a person."""
    follows = 1.0 / (1.0 + math.exp(-person.odds))
    shares = dict.fromkeys(Manner, 0.0)
    shares[Manner.FOLLOWS] = follows
    for style, share in zip(STYLES, person.style, strict=True):
        shares[_MANNER_OF[style]] += (1.0 - follows) * share
    likeliest = max(shares, key=shares.__getitem__)
    limit, known = np.array(person.limit), 0.5 * np.abs(np.subtract(person.limit, LIMIT_SHARES))
    mean = float(limit @ LIMITS) if known.sum() >= _KNOWN else None
    return Portrait(likeliest, shares[likeliest], mean, person.rounds)
