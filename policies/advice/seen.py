"""What records show of the people at a table, against whom `query --seen` advises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from zhaifei.game.bids import Bid, mover_after
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.people import Person, learned, person_of
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.play.played import PlayedMatch, for_points
from zhaifei.policies.players.match_policy import SolvedPolicy

Advisers = Callable[[Rules], PeopleAdviser]
"""Returns what advises in rounds by some rules."""


def advisers_of(policy: SolvedPolicy) -> Advisers:
    """Return what advises by `policy`, and keeps the adviser for each rules."""

    @cache
    def adviser(rules: Rules) -> PeopleAdviser:
        return PeopleAdviser(rules, policy.at(rules.dice_by_player))

    return adviser


class Record(NamedTuple):
    """A record of a match at the table."""

    source: str
    """The name of the file, as messages call it."""
    match: PlayedMatch
    seat: int
    """The seat of the player who asks, from 0."""


class SeenPerson(NamedTuple):
    """A person at the table of some records."""

    name: str
    """The name in the last record."""
    person: Person


def people_seen(advisers: Advisers, rules: Rules, records: Sequence[Record]) -> list[SeenPerson]:
    """Return what one record or more, oldest first, show of the others, in the order of turns after
    the player who asks. In all records, the same people sit in this order. Raise ZhaifeiError for a
    match that is not by `rules`."""
    for record in records:
        if record.match.rules != rules:
            raise ZhaifeiError(
                "{file} is a match by {rules}; the question is about {other}",
                file=record.source,
                rules=record.match.rules,
                other=rules,
            )
    rounds = []
    for record in records:
        for own, played in (for_points(rules, one) for one in record.match.rounds):
            shown = advisers(own).shown(own, played)
            rounds.append([shown[seat] for seat in others_of(rules, record.seat)])
    found, last = [], records[-1]
    for place, seat in enumerate(others_of(rules, last.seat)):
        person = learned(person_of(rules), [its[place] for its in rounds])
        found.append(SeenPerson(last.match.seats[seat], person))
    return found


def others_of(rules: Rules, seat: int) -> list[int]:
    """Return the seats of the others, in the order of turns after `seat`."""
    return [(seat + ahead) % rules.players for ahead in range(1, rules.players)]


def seat_after(rules: Rules, history: Sequence[Bid], ahead: int) -> int:
    """Return the seat, in the order of turns from the opener, of the player who sits `ahead` seats
    after the player to move."""
    return (mover_after(rules, history) + ahead) % rules.players
