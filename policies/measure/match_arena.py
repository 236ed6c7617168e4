"""Everybody against everybody in matches in which dice are lost: who wins how many, how strong that
makes each, and how each plays.

The cross table tells how much more of the matches the row wins than the column, per seat that they
hold, at the tables where both sit. Of each deal, which is the starter and all dice that are rolled
in a match, one match is played in each seating at each table. Who sits where, and what the margins
are, is told in `policies.measure.comparison`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from game.elimination import Elimination, EliminationRound
from game.rules import Rules
from policies.catalogue.names import load_decider
from policies.measure.comparison import (
    Comparison,
    Conduct,
    Estimate,
    Floats,
    Seating,
    estimates,
    seatings,
    tables,
    verify_names,
)
from policies.measure.ratings import Rating, ratings_of_winners
from policies.play.elimination import play_match
from policies.play.simulation import DEVIATIONS
from policies.players.decider import Decider

_MATCHES = 4000
"""That take a quarter of a minute."""
_DEALS = 10
"""So many at least, or margins would tell little."""


@dataclass
class MatchHabits(Conduct):
    """How one player plays in matches, counted over all seats that it holds. Rounds are those that
    it had dice in; what an invalid bid brings about is no challenge of its own."""

    matches: int = 0
    """That it sat in; one for each seat."""
    won: int = 0
    match_length: int = 0
    """Rounds of these matches, with it or without."""
    dice_lost: int = 0
    forfeits: int = 0
    """Rounds that an invalid bid of its own has ended."""
    out_of_turn: int = 0
    """Of the challenges,"""
    out_of_turn_right: int = 0
    """and of those that were right."""


@dataclass(frozen=True)
class MatchStandings:
    """What is known after some deals."""

    deals: int
    matches: int
    """Played so far, at all tables."""
    planned: int
    """The matches that it takes in all."""
    wins: list[Estimate]
    """[player] the share of matches that it wins, per seat that it holds."""
    cells: list[list[Estimate]]
    """[row, column] how much more the row wins."""
    alone: list[list[Estimate | None]] | None
    """[row, column] what the row wins alone among copies of the column; None if nobody sits so."""
    habits: list[MatchHabits]
    ratings: list[Rating | None] | None
    """None for who never won, and for all while some never won against some others: see
    `policies.measure.ratings`."""


def match_entrants(names: Sequence[str], rules: Rules, seed: int) -> list[Decider]:
    """The players of these names. Raises ZhaifeiError as `verify_names` and
    `policies.catalogue.names.load_decider` do."""
    verify_names(names)
    draws = np.random.default_rng([seed, 1]).spawn(len(names))
    return [load_decider(name, rules, random) for name, random in zip(names, draws, strict=True)]


def default_matches(number: int, rules: Rules) -> int:
    """How many matches are played at each table of so many entrants if nothing is said."""
    everywhere = tables(number, rules.players)
    return max(_MATCHES // len(everywhere), _DEALS * len(seatings(everywhere[0])))


def play_matches(
    players: Sequence[Decider],
    rules: Rules,
    matches: int,
    seed: int,
    on_match: Callable[[int, int], None] = lambda done, planned: None,
) -> Iterator[MatchStandings]:
    """The standings as they grow, from the second deal on, until about so many matches have been
    played at each table. Equal arguments and players that draw equal numbers, equal standings.

    `on_match` is told how many have been played, and how many it will be in all.
    """
    plan = [seatings(table) for table in tables(len(players), rules.players)]
    deals = max(2, math.ceil(matches / max(map(len, plan))))
    tally = _Tally(players, rules, plan, deals, on_match)
    for place in range(deals):
        tally.play([seed, 0, place])
        if place > 0:
            yield tally.standings()


class _Tally:
    """What has been counted so far."""

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
        self._habits = [MatchHabits() for _ in players]
        self._played, self._planned = 0, deals * self._comparison.per_deal
        self._on_match = on_match

    def play(self, seed: Sequence[int]) -> None:
        """All tables, with the starter and the dice that `seed` gives."""
        self._comparison.add(1, (self._at(table, seed) for table in range(len(self._plan))))

    def _at(self, place: int, seed: Sequence[int]) -> tuple[Floats, Floats]:
        """[1, entrant] the matches won per seat, and matches won, at one table."""
        table = self._plan[place]
        won = np.zeros((1, len(self._players)))
        for seating in table:
            match = Elimination(self._rules, np.random.default_rng(seed))
            seated = [self._players[entrant] for entrant in seating]
            winner = play_match(match, seated, partial(self._count, seating))
            self._enter(seating, len(match.outcomes), winner)
            won[0, seating[winner]] += 1.0
        return won / np.maximum(self._comparison.held[place] * len(table), 1), won

    def _enter(self, seating: Seating, rounds: int, winner: int) -> None:
        """Adds a match to the habits of who sat there."""
        for seat, entrant in enumerate(seating):
            habits = self._habits[entrant]
            habits.matches += 1
            habits.won += seat == winner
            habits.match_length += rounds
        self._played += 1
        self._on_match(self._played, self._planned)

    def _count(self, seating: Seating, state: EliminationRound) -> None:
        """Adds a round."""
        outcome, bids = state.outcome, len(state.history)
        assert outcome is not None
        for place, seat in enumerate(state.seats):
            habits = self._habits[seating[seat]]
            habits.rounds += 1
            habits.length += bids
            habits.bids += len(range(place, bids, len(state.seats)))
        self._habits[seating[outcome.loser]].dice_lost += 1
        if outcome.settlement is not None:
            bidder = self._habits[seating[outcome.settlement.bidder]]
            bidder.challenged += 1
            bidder.true += outcome.settlement.bid_was_true
        if outcome.forfeiter is not None:
            self._habits[seating[outcome.forfeiter]].forfeits += 1
        elif outcome.settlement is not None:
            challenger, right = outcome.settlement.challenger, not outcome.settlement.bid_was_true
            habits = self._habits[seating[challenger]]
            habits.challenges += 1
            habits.right += right
            if challenger != state.bidder(bids):
                habits.out_of_turn += 1
                habits.out_of_turn_right += right

    def standings(self) -> MatchStandings:
        """What has been found out."""
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
            copy.deepcopy(self._habits),
            ratings_of_winners(compared.held.astype(np.float64), compared.decided, covariance),
        )

    def _alone(self) -> list[list[Estimate | None]] | None:
        """See MatchStandings."""
        number = len(self._players)
        if number >= self._rules.players:
            return None
        found: list[list[Estimate | None]] = [[None] * number for _ in range(number)]
        mean, margin = self._comparison.decided_here()
        for place, table in enumerate(self._plan):
            one, other = table[0][:2]
            rate = mean[place, one] / len(table), margin[place, one] / len(table)
            found[one][other] = Estimate(*map(float, rate))
        return found
