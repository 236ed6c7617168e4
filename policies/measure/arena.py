"""The arena: a round robin in all seats with the same dice, with a cross table, ratings and counts
of how each player plays.

A *unit* of play is a round for penalty points, or a match in which dice are lost
(`game.stakes.Unit`). A *deal* is all the chance of a unit; each deal is played once in each seating
at each table. In a round the score of a seat is the penalty points that it saves, and the loser is
the decisive result. In a match the score is a match won, and the winner is the decisive result.

A cell of the cross table is the row's score per unit and seat minus the column's, at the tables
where both sit. With two players and penalty points it is the value of the row against the column.
Players who learn sit in matches of `policies.learning.player.ROUNDS` rounds, in which one seat
opens all rounds. If one takes part, a deal is all the chance of such a match, and the score of a
seat is the penalty points that it saves in one of its rounds.

Players draw from the same uniform numbers at all tables for penalty points, and from their own
generators in matches. Where a strategy file sits, each seating has its own dice and numbers
(`policies.players.plug_in.memory`). Seating and margins are explained in
`policies.measure.comparison`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import cast

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.hands import roll_hands
from zhaifei.game.match import Match
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import Unit, unit_of_play
from zhaifei.policies.catalogue.known import known_record
from zhaifei.policies.catalogue.names import (
    load_decider,
    player_named,
    player_names,
)
from zhaifei.policies.catalogue.shipped import shipped_policy
from zhaifei.policies.learning.player import ROUNDS, LearningPlayer
from zhaifei.policies.measure.comparison import (
    Comparison,
    Estimate,
    Seating,
    estimates,
    matchups,
    seatings,
    verify_names,
)
from zhaifei.policies.measure.evaluation import refine_duel
from zhaifei.policies.measure.learners import Matches, OfPoints
from zhaifei.policies.measure.play_counts import PlayCounts, count_match, count_round, count_rounds
from zhaifei.policies.measure.ratings import Rating, ratings, ratings_of_winners
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.play.simulation import Dealt, deal, play_dealt
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.plug_in.memory import apart, forget, has_memory
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import Bounds

Entrants = Sequence[OfPoints] | Sequence[Decider]
"""[player] players of rounds for penalty points, or of matches."""
ExactValues = Mapping[tuple[int, int], Bounds]
"""{(row, column): penalty points per round that the row earns against the column}."""

_ROUNDS = 100_000
"""The default number of rounds at each table: takes a minute or less in all."""
_MATCHES = 4000
"""The default number of matches over all tables: about 15 seconds."""
_DEALS = 10
"""The default number of deals of matches is at least this: with fewer, margins say little."""
_EXACT_GAP = 1e-5
"""Penalty points; a value whose interval is at most this wide is shown as exact."""
_EXACT_SECONDS = 120.0
"""The time limit of an exact value; strategy tables of the full game take a second once loaded."""


@dataclass(frozen=True)
class Standings:
    """The results of an arena after some deals."""

    rules: Rules
    deals: int
    """Deals played so far."""
    played: int
    """Units played so far, at all tables."""
    planned: int
    """Units of the whole arena, at all tables."""
    rates: list[Estimate]
    """[player] the share of rounds that it loses, or of matches that it wins, per seat."""
    cells: list[list[Estimate]]
    """[row, column] the row's score per unit and seat, minus the column's."""
    alone: list[list[Estimate | None]] | None
    """[row, column] the share of rounds that the row loses, or of matches that it wins, among
    copies of the column. It is None on the diagonal, and None instead of the list if there are
    enough entrants to fill a table."""
    counts: list[PlayCounts]
    """[player]"""
    ratings: list[Rating | None] | None
    """[player] None for a player that never lost a round or never won a match; None instead of the
    list while the likelihood has no finite maximum: see `policies.measure.ratings`."""

    @property
    def unit(self) -> Unit:
        """The unit of play."""
        return unit_of_play(self.rules)


def everybody(rules: Rules) -> list[str]:
    """Return the names of the default entrants: all named players of `rules`, and the known policy
    for them, if there is one, instead of the shipped one."""
    known, shipped = known_record(rules), shipped_policy(rules)
    named = [name for name in player_names(rules) if name != shipped]
    return [*named, *([] if known is None else [known.name])]


def entrants(names: Sequence[str], rules: Rules, seed: int) -> Entrants:
    """Return the players of these names; in matches each draws from its own generator, seeded with
    `seed`. Raise ZhaifeiError as `verify_names`, `player_named` and `load_decider` do."""
    verify_names(names)
    if unit_of_play(rules) is Unit.ROUND:
        return [cast("OfPoints", player_named(name, rules)) for name in names]
    draws = np.random.default_rng([seed, 1]).spawn(len(names))
    return [load_decider(name, rules, random) for name, random in zip(names, draws, strict=True)]


def default_units(entrants: int, rules: Rules) -> int:
    """Return how many units are played at each table if the user names no number."""
    if unit_of_play(rules) is Unit.ROUND:
        return _ROUNDS
    tables = matchups(entrants, rules.players)
    return max(_MATCHES // len(tables), _DEALS * len(seatings(tables[0])))


def play_arena(
    players: Entrants,
    rules: Rules,
    units: int,
    seed: int,
    on_match: Callable[[int, int], None] = lambda done, planned: None,
) -> Iterator[Standings]:
    """Yield standings after each batch of deals, until about `units` units have been played at each
    table. At least two deals are played before the first standings.

    Equal arguments give equal standings if the players draw equal numbers. `on_match` is called
    after each match, which takes longer than a round, with the number of matches played and of the
    whole arena. Raise what the players raise, and as `policies.play.simulation.play_rounds` does.
    """
    tally = _tally_of(players, rules, units, on_match)
    for _ in tally.play(seed):
        if tally.comparison.deals > 1:
            yield tally.standings()


def final_standings(
    players: Entrants,
    rules: Rules,
    units: int,
    seed: int,
    on_match: Callable[[int, int], None] = lambda done, planned: None,
) -> Standings:
    """Return the last standings that `play_arena` yields. In matches each deal is a batch, and all
    the standings together take longer than play."""
    tally = _tally_of(players, rules, units, on_match)
    for _ in tally.play(seed):
        pass
    return tally.standings()


def _tally_of(
    players: Entrants, rules: Rules, units: int, on_match: Callable[[int, int], None]
) -> _Tally:
    """Return an empty tally for about `units` units at each table, at least two deals."""
    forget(players)
    plan = [seatings(table) for table in matchups(len(players), rules.players)]
    length = ROUNDS if any(isinstance(one, LearningPlayer) for one in players) else 1
    deals = max(2, math.ceil(units / max(map(len, plan)) / length))
    return _Tally(players, rules, plan, (deals, length), on_match)


def exact_values(players: Entrants) -> Iterator[dict[tuple[int, int], Bounds]]:
    """Yield exact values {(row, column): penalty points per round that the row earns against the
    column, averaged over both seats}: first an empty dict, then one more after each pair.

    Only pairs of which both play a strategy table have values, and only in two-player rules. A pair
    whose interval is still too wide when its time is up is left out.
    """
    found: dict[tuple[int, int], Bounds] = {}
    yield found
    tabular = [
        (place, one.policy)
        for place, one in enumerate(players)
        if isinstance(one, PolicyPlayer)
        and isinstance(one.policy, TablePolicy)
        and one.rules.players == 2
    ]
    for (row, policy), (column, other) in combinations(tabular, 2):
        *_, seats = refine_duel(policy, other, gap=_EXACT_GAP, seconds=_EXACT_SECONDS)
        value = (seats[0] + seats[1]) / 2.0
        if value.gap <= _EXACT_GAP:  # not if time ran out
            back = Bounds(-value.upper, -value.lower)
            found = {**found, (row, column): value, (column, row): back}
        yield found


class _Tally:
    """Plays deals at all tables and counts the results."""

    def __init__(
        self,
        players: Entrants,
        rules: Rules,
        plan: list[list[Seating]],
        size: tuple[int, int],
        on_match: Callable[[int, int], None],
    ) -> None:
        """`size` is the number of deals, and that of the units of one deal in one seating."""
        self._players, self._rules, self._plan = players, rules, plan
        self._deals, self._length = size
        self._unit, self._on_match = unit_of_play(rules), on_match
        self.comparison = Comparison(plan, len(players))
        self._counts = [PlayCounts() for _ in players]
        self._planned = self._deals * self.comparison.per_deal * self._length

    def play(self, seed: int) -> Iterator[None]:
        """Play all deals at all tables, and yield after each batch."""
        own = {
            place: self._dealt(seed, place)
            for table, of_table in enumerate(self._plan)
            for number, seating in enumerate(of_table)
            for place in [(table, number)]
            if has_memory(self._players[entrant] for entrant in seating)
        }
        for shared in self._dealt(seed, ()):
            here = {place: next(deals) for place, deals in own.items()}
            tables = range(len(self._plan))
            self.comparison.add(len(shared[0]), (self._at(one, shared, here) for one in tables))
            yield

    def _dealt(self, seed: int, place: Sequence[int]) -> Iterator[Dealt]:
        """Yield the deals in batches, [deal, ...] and a generator: at a `place` of their own, or
        the ones that all tables share."""
        if self._unit is Unit.ROUND:
            slow = has_memory(self._players)
            yield from deal(self._rules, self._deals, seed, slow=slow, place=place)
            return
        for one in range(self._deals):
            own = np.random.SeedSequence(seed, spawn_key=(*place, one))
            yield np.array([one]), np.random.default_rng(own if place else [seed, 0, one])

    def _at(
        self, place: int, shared: Dealt, own: Mapping[tuple[int, int], Dealt]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play some deals at one table: `own` {(table, number of the seating): deals} or, in other
        seatings, the `shared` ones. Return [deal, entrant] the score per seat, and the number of
        decisive results."""
        table = self._plan[place]
        score, decided = np.zeros((2, len(shared[0]), len(self._players)))
        for number, seating in enumerate(table):
            scored, decides = self._play(seating, *own.get((place, number), shared))
            for seat, entrant in enumerate(seating):
                score[:, entrant] += scored[:, seat]
                decided[:, entrant] += decides[:, seat]
        return score / np.maximum(self.comparison.held[place] * len(table), 1), decided

    def _play(
        self, seating: Seating, dealt: NDArray[np.int64], random: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play some deals in a seating, and count them. Return [deal, seat] the scores, and the
        numbers of decisive results: both per unit."""
        counts, random = [self._counts[entrant] for entrant in seating], copy.deepcopy(random)
        if self._unit is Unit.ROUND:
            return self._play_rounds(seating, dealt, random, counts)
        one_by_one = cast("Sequence[Decider]", self._players)
        match, seated = Match(self._rules, random), apart([one_by_one[one] for one in seating])
        winner = play_match(match, seated, partial(count_round, counts))
        count_match(counts, match.played, winner)
        played = sum(one.units for one in self._counts) // self._rules.players
        self._on_match(played, self._planned)
        won = np.arange(self._rules.players)[np.newaxis] == winner
        return won.astype(np.float64), won.astype(np.float64)

    def _play_rounds(
        self,
        seating: Seating,
        dealt: NDArray[np.int64],
        random: np.random.Generator,
        counts: Sequence[PlayCounts],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play rounds as `_play` does: one for each deal or, with players who learn, a match of
        rounds, of which the deal has the first hands."""
        of_points = cast("Sequence[OfPoints]", self._players)
        players, jumps = [of_points[one] for one in seating], self._rules.stakes.jump_challenge
        if self._length == 1:
            ended = play_dealt(cast("Sequence[BatchPlayer]", players), self._rules, dealt, random)
            count_rounds(counts, ended, jumps=jumps)
            return -ended.points.astype(np.float64), (ended.points > 0).astype(np.float64)
        matches, every = Matches(players, len(dealt)), np.arange(len(dealt))
        taken, lost = np.zeros((2, *dealt.shape))
        dice, draws = random.spawn(2)
        for _ in range(self._length):
            matches.begin(np.zeros_like(every), draws)
            for rounds, ended in matches.play(every, 0, dealt, draws.spawn(1)[0]):
                count_rounds(counts, ended, jumps=jumps)
                taken[rounds] += ended.points
                lost[rounds] += ended.points > 0
            dealt = roll_hands(self._rules, len(dealt), dice)
        return -taken / self._length, lost / self._length

    def standings(self) -> Standings:
        """Return the standings so far, after two deals or more."""
        compared = self.comparison
        better, margin = compared.better()
        covariance, seats = compared.covariance(), compared.deals * compared.seats
        deviation = np.sqrt(np.diag(covariance))
        rated = ratings if self._unit is Unit.ROUND else ratings_of_winners
        return Standings(
            self._rules,
            compared.deals,
            compared.deals * compared.per_deal * self._length,
            self._planned,
            estimates(compared.decided.sum(axis=0) / seats, DEVIATIONS * deviation / seats),
            [estimates(*row) for row in zip(better, margin, strict=True)],
            self._alone(),
            copy.deepcopy(self._counts),
            rated(compared.held.astype(np.float64), compared.decided, covariance),
        )

    def _alone(self) -> list[list[Estimate | None]] | None:
        """See Standings."""
        entrants = len(self._players)
        if entrants >= self._rules.players:
            return None
        found: list[list[Estimate | None]] = [[None] * entrants for _ in range(entrants)]
        mean, margin = self.comparison.decided_by_table()
        for place, table in enumerate(self._plan):
            one, other = table[0][:2]
            rate = mean[place, one] / len(table), margin[place, one] / len(table)
            found[one][other] = Estimate(*map(float, rate))
        return found
