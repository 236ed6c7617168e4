"""The arena for penalty points: a round robin in all seats with the same dice, with a cross table,
ratings and counts of how each player plays.

A cell of the cross table is the difference in penalty points per round and seat, the column's minus
the row's, at the tables where both sit. With two players it is the value of the row against the
column. All tables share the same dice and the same uniform numbers from which players draw. Where a
strategy file sits, each seating has its own numbers (`policies.players.plug_in.memory`). Seating
and margins are explained in `policies.measure.comparison`; `policies.measure.match_arena` is the
arena for variants in which dice are lost.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import known_record
from zhaifei.policies.catalogue.names import load_player, player_names
from zhaifei.policies.catalogue.shipped import shipped_policy
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
from zhaifei.policies.measure.evaluation import refine_duel
from zhaifei.policies.measure.ratings import Rating, ratings
from zhaifei.policies.play.simulation import Dealt, Ended, deal, play_dealt
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.plug_in.memory import forget, has_memory
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import Bounds

ExactValues = Mapping[tuple[int, int], Bounds]
"""{(row, column): penalty points per round that the row earns against the column}."""

_EXACT_GAP = 1e-5
"""Penalty points; a value whose interval is at most this wide is shown as exact."""
_EXACT_SECONDS = 120.0
"""The time limit of an exact value; strategy tables of the full game take a second once loaded."""


@dataclass
class ArenaCounts(PlayCounts):
    """Counts of what one player did in rounds for penalty points, summed over all its seats."""

    points: int = 0
    """Penalty points that it took."""
    jumps: int = 0
    """Its jump challenges (跳开): challenges of a bid before the last."""

    @property
    def penalty_rate(self) -> float:
        """Penalty points that it took per round."""
        return self.points / self.rounds


@dataclass(frozen=True)
class Standings:
    """The results of an arena after some deals."""

    deals: int
    """Deals played so far."""
    rounds: int
    """Rounds played so far, at all tables."""
    planned: int
    """Rounds of the whole arena, at all tables."""
    cells: list[list[Estimate]]
    """[row, column] penalty points per round and seat: the column's minus the row's."""
    counts: list[ArenaCounts]
    """[player]"""
    ratings: list[Rating | None] | None
    """[player] None for a player that never lost a round; None instead of the list while the
    likelihood has no finite maximum: see `policies.measure.ratings`."""


def everybody(rules: Rules) -> list[str]:
    """Return the names of the default entrants: all named players of `rules`, and the known policy
    for them, if there is one, instead of the shipped one."""
    known, shipped = known_record(rules), shipped_policy(rules)
    named = [name for name in player_names(rules) if name != shipped]
    return [*named, *([] if known is None else [known.name])]


def entrants(names: Sequence[str], rules: Rules) -> list[BatchPlayer]:
    """Return the players of these names. Raises ZhaifeiError as `verify_names` and
    `policies.catalogue.names.load_player` do."""
    verify_names(names)
    return [load_player(name, rules) for name in names]


def play_arena(players: Sequence[BatchPlayer], rounds: int, seed: int) -> Iterator[Standings]:
    """Yield standings after each batch of deals, until about `rounds` rounds have been played at
    each table; at least two deals are played.

    Equal arguments give equal standings. Raises as `policies.play.simulation.play_rounds` does.
    """
    forget(players)
    rules = players[0].rules
    plan = [seatings(table) for table in matchups(len(players), rules.players)]
    deals = max(2, math.ceil(rounds / max(map(len, plan))))
    slow = has_memory(players)
    shared = deal(rules, deals, seed, slow=slow)
    own = {
        (table, number): deal(rules, deals, seed, slow=slow, place=(table, number))
        for table, of_table in enumerate(plan)
        for number, seating in enumerate(of_table)
        if has_memory(players[entrant] for entrant in seating)
    }
    tally = _Tally(players, plan)
    for batch in shared:
        tally.play(batch, {place: next(deals_there) for place, deals_there in own.items()})
        yield tally.standings(deals)


def exact_values(players: Sequence[BatchPlayer]) -> Iterator[dict[tuple[int, int], Bounds]]:
    """Yield exact values {(row, column): penalty points per round that the row earns against the
    column, averaged over both seats}: first an empty dict, then one more after each pair.

    Only pairs of which both play a strategy table have values, and only in two-player rules. A pair
    whose interval is still too wide when its time is up is left out.
    """
    found: dict[tuple[int, int], Bounds] = {}
    yield found
    if players[0].rules.players > 2:
        return
    tabular = [
        (place, one.policy)
        for place, one in enumerate(players)
        if isinstance(one, PolicyPlayer) and isinstance(one.policy, TablePolicy)
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

    def __init__(self, players: Sequence[BatchPlayer], plan: list[list[Seating]]) -> None:
        self._players, self._plan = players, plan
        self._rules = players[0].rules
        self._counts = [ArenaCounts() for _ in players]
        self._comparison = Comparison(plan, len(players))

    def play(self, shared: Dealt, own: Mapping[tuple[int, int], Dealt]) -> None:
        """Play some deals at all tables: `own` {(table, number of the seating): deals} or, in other
        seatings, the `shared` ones."""
        number = len(shared[0])
        tables = range(len(self._plan))
        self._comparison.add(number, (self._at(table, shared, own) for table in tables))

    def _at(
        self, place: int, shared: Dealt, own: Mapping[tuple[int, int], Dealt]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play the deals at one table. Return [deal, entrant] penalty points saved per seat, and
        rounds lost."""
        table, deals = self._plan[place], len(shared[0])
        points, lost = np.zeros((2, deals, len(self._players)))
        every = np.arange(deals)
        for number, seating in enumerate(table):
            players = [self._players[entrant] for entrant in seating]
            dealt, random = own.get((place, number), shared)
            ended = play_dealt(players, self._rules, dealt, copy.deepcopy(random))
            self._count(seating, ended)
            loser = np.array(seating)[ended.loser]
            points[every, loser] += ended.cost
            lost[every, loser] += 1.0
        return -points / np.maximum(self._comparison.held[place] * len(table), 1), lost

    def _count(self, seating: Seating, ended: Ended) -> None:
        """Add the rounds of `ended` to the counts of the entrants in `seating`."""
        jumps = (ended.distance > 1) & self._rules.stakes.jump_challenge
        false = ~ended.true
        for seat, entrant in enumerate(seating):
            counts = self._counts[entrant]
            challenged, challenges = ended.bidder == seat, ended.challenger == seat
            counts.rounds += ended.bids.size
            counts.points += int(ended.cost[ended.loser == seat].sum())
            counts.bids += int(((ended.bids - seat + len(seating) - 1) // len(seating)).sum())
            counts.length += int(ended.bids.sum())
            counts.challenges += int(challenges.sum())
            counts.right += int((challenges & false).sum())
            counts.jumps += int((challenges & jumps).sum())
            counts.challenged += int(challenged.sum())
            counts.true += int((challenged & ended.true).sum())

    def standings(self, deals: int) -> Standings:
        """Return the standings so far; `deals` is how many the whole arena plays."""
        compared = self._comparison
        saved, margin = compared.better()
        return Standings(
            compared.deals,
            compared.deals * compared.per_deal,
            deals * compared.per_deal,
            [estimates(*row) for row in zip(saved, margin, strict=True)],
            copy.deepcopy(self._counts),
            ratings(compared.held.astype(np.float64), compared.decided, compared.covariance()),
        )
