"""The arena for matches in which dice are lost: a round robin in all seats with the same dice, with
a cross table, ratings and counts of how each player plays.

A cell of the cross table is the difference in matches won per seat, the row's minus the column's,
at the tables where both sit. A deal is the first starter and all dice that are rolled in a match;
each deal is played once in each seating at each table. Where a strategy file sits, each seating has
a starter and dice of its own (`policies.players.plug_in.memory`). Seating and margins are explained
in `policies.measure.comparison`; `policies.measure.arena` is the arena for penalty points.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import load_decider
from zhaifei.policies.measure.comparison import (
    Comparison,
    Estimate,
    PlayCounts,
    Seating,
    estimates,
    matchups,
    seatings,
    verify_names,
)
from zhaifei.policies.measure.ratings import Rating, ratings_of_winners
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.play.simulation import DEVIATIONS
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.plug_in.memory import apart, forget, has_memory

_MATCHES = 4000
"""The default number of matches over all tables: about 15 seconds."""
_DEALS = 10
"""The default number of deals is at least this: with fewer, margins would say little."""


@dataclass
class MatchCounts(PlayCounts):
    """Counts of what one player did in matches, summed over all its seats.

    `rounds` counts the rounds in which it had dice. An invalid bid that ends a round counts as a
    forfeit, not as a challenge.
    """

    matches: int = 0
    """Matches that it played in, once for each seat that it held."""
    won: int = 0
    """Matches that it won."""
    match_length: int = 0
    """Rounds of these matches, including those after it was out."""
    dice_lost: int = 0
    """Dice that it lost."""
    forfeits: int = 0
    """Rounds that ended by an invalid bid of its own."""
    out_of_turn: int = 0
    """Those of its challenges that were made out of turn."""
    out_of_turn_right: int = 0
    """Those of its challenges out of turn that found the bid false."""


@dataclass(frozen=True)
class MatchStandings:
    """The results of an arena of matches after some deals."""

    deals: int
    """Deals played so far."""
    matches: int
    """Matches played so far, at all tables."""
    planned: int
    """Matches of the whole arena, at all tables."""
    wins: list[Estimate]
    """[player] the share of matches that it wins per seat."""
    cells: list[list[Estimate]]
    """[row, column] the share of matches that the row wins per seat, minus the column's."""
    alone: list[list[Estimate | None]] | None
    """[row, column] the share of matches that the row wins among copies of the column, None on the
    diagonal; None instead of the list if there are enough entrants to fill a table."""
    counts: list[MatchCounts]
    """[player]"""
    ratings: list[Rating | None] | None
    """[player] None for a player that never won a match; None instead of the list while the
    likelihood has no finite maximum: see `policies.measure.ratings`."""


def match_entrants(names: Sequence[str], rules: Rules, seed: int) -> list[Decider]:
    """Return the players of these names; each draws from its own generator, seeded with `seed`.

    Raises ZhaifeiError as `verify_names` and `policies.catalogue.names.load_decider` do.
    """
    verify_names(names)
    draws = np.random.default_rng([seed, 1]).spawn(len(names))
    return [load_decider(name, rules, random) for name, random in zip(names, draws, strict=True)]


def default_matches(entrants: int, rules: Rules) -> int:
    """Return how many matches are played at each table if the user names no number."""
    tables = matchups(entrants, rules.players)
    return max(_MATCHES // len(tables), _DEALS * len(seatings(tables[0])))


def play_matches(
    players: Sequence[Decider],
    rules: Rules,
    matches: int,
    seed: int,
    on_match: Callable[[int, int], None] = lambda done, planned: None,
) -> Iterator[MatchStandings]:
    """Yield standings after each deal from the second on, until about `matches` matches have been
    played at each table.

    Equal arguments give equal standings if the players draw equal numbers. `on_match` is called
    after each match with the number of matches played and the number of the whole arena. Raises
    what the players raise.
    """
    forget(players)
    plan = [seatings(table) for table in matchups(len(players), rules.players)]
    deals = max(2, math.ceil(matches / max(map(len, plan))))
    tally = _Tally(players, rules, plan, deals, on_match)
    for number in range(deals):
        tally.play(seed, number)
        if number > 0:
            yield tally.standings()


def _dice(seed: int, deal: int, place: tuple[int, ...]) -> np.random.Generator:
    """Return the generator of the starter and the dice of a deal: at a `place` of its own, or the
    one that all tables share."""
    if place:
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*place, deal)))
    return np.random.default_rng([seed, 0, deal])


class _Tally:
    """Plays deals at all tables and counts the results."""

    def __init__(
        self,
        players: Sequence[Decider],
        rules: Rules,
        plan: list[list[Seating]],
        deals: int,
        on_match: Callable[[int, int], None],
    ) -> None:
        self._players, self._rules, self._plan = players, rules, plan
        self._comparison = Comparison(plan, len(players))
        self._counts = [MatchCounts() for _ in players]
        self._played, self._planned = 0, deals * self._comparison.per_deal
        self._on_match = on_match

    def play(self, seed: int, deal: int) -> None:
        """Play the deal with this number, starter and dice, at all tables."""
        tables = range(len(self._plan))
        self._comparison.add(1, (self._at(table, seed, deal) for table in tables))

    def _at(
        self, place: int, seed: int, deal: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play the deal at one table. Return [1, entrant] matches won per seat, and matches won."""
        table = self._plan[place]
        won = np.zeros((1, len(self._players)))
        for number, seating in enumerate(table):
            seated = apart([self._players[entrant] for entrant in seating])
            own = (place, number) if has_memory(seated) else ()
            match = Match(self._rules, _dice(seed, deal, own))
            winner = play_match(match, seated, partial(self._count_round, seating))
            self._count_match(seating, match.played, winner)
            won[0, seating[winner]] += 1.0
        return won / np.maximum(self._comparison.held[place] * len(table), 1), won

    def _count_match(self, seating: Seating, rounds: int, winner: int) -> None:
        """Add a match to the counts of the entrants in `seating`."""
        for seat, entrant in enumerate(seating):
            counts = self._counts[entrant]
            counts.matches += 1
            counts.won += seat == winner
            counts.match_length += rounds
        self._played += 1
        self._on_match(self._played, self._planned)

    def _count_round(self, seating: Seating, state: Round) -> None:
        """Add a round to the counts of the entrants in `seating`."""
        settled, bids = state.settlement, len(state.history)
        assert settled is not None
        for place, seat in enumerate(state.seats):
            counts = self._counts[seating[seat]]
            counts.rounds += 1
            counts.length += bids
            counts.bids += len(range(place, bids, len(state.seats)))
        self._counts[seating[settled.loser]].dice_lost += 1
        challenge = settled.challenge
        if challenge is not None:
            bidder = self._counts[seating[challenge.bidder]]
            bidder.challenged += 1
            bidder.true += settled.bid_was_true
        if settled.forfeiter is not None:
            self._counts[seating[settled.forfeiter]].forfeits += 1
        elif challenge is not None:
            counts, right = self._counts[seating[challenge.challenger]], not settled.bid_was_true
            counts.challenges += 1
            counts.right += right
            if challenge.challenger != state.bidder(bids):
                counts.out_of_turn += 1
                counts.out_of_turn_right += right

    def standings(self) -> MatchStandings:
        """Return the standings so far."""
        compared = self._comparison
        better, margin = compared.better()
        covariance, won = compared.covariance(), compared.decided.sum(axis=0)
        seats = compared.deals * compared.seats
        return MatchStandings(
            compared.deals,
            self._played,
            self._planned,
            estimates(won / seats, DEVIATIONS * np.sqrt(np.diag(covariance)) / seats),
            [estimates(*row) for row in zip(better, margin, strict=True)],
            self._alone(),
            copy.deepcopy(self._counts),
            ratings_of_winners(compared.held.astype(np.float64), compared.decided, covariance),
        )

    def _alone(self) -> list[list[Estimate | None]] | None:
        """See MatchStandings."""
        entrants = len(self._players)
        if entrants >= self._rules.players:
            return None
        found: list[list[Estimate | None]] = [[None] * entrants for _ in range(entrants)]
        mean, margin = self._comparison.decided_by_table()
        for place, table in enumerate(self._plan):
            one, other = table[0][:2]
            rate = mean[place, one] / len(table), margin[place, one] / len(table)
            found[one][other] = Estimate(*map(float, rate))
        return found
