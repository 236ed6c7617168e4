"""Everybody against everybody, in all seats with the same dice: who saves how many penalty points
against whom, how strong that makes each, and how each plays.

The cross table tells how many points the column's player takes more than the row's in a round,
per seat that they hold, at the tables where both sit; of two players that is what the row earns
against the column. All tables have the same dice and the same numbers to draw by. Who sits where,
and what the margins are, is told in `policies.measure.comparison`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from game.rules import Rules
from policies.catalogue.known import known_record
from policies.catalogue.names import load_player, player_names
from policies.measure.comparison import (
    Comparison,
    Conduct,
    Estimate,
    Floats,
    Ints,
    Seating,
    estimates,
    seatings,
    tables,
    verify_names,
)
from policies.measure.evaluation import refine_duel
from policies.measure.ratings import Rating, ratings
from policies.play.simulation import Ended, deal, play_dealt
from policies.players.player import Player, PolicyPlayer
from policies.players.plug_in.player import PlugInPlayer
from policies.players.table_policy import TablePolicy
from solver.bounds import Bounds

Exact = Mapping[tuple[int, int], Bounds]
"""Exact values by row and column of the cross table."""

_EXACT_GAP = 1e-5
_EXACT_SECONDS = 120.0
"""What an exact value may take; tables of the full game take a second, once they are read."""


@dataclass
class Habits(Conduct):
    """How one player plays for points, counted over all seats that it holds."""

    points: int = 0
    """Penalty points taken."""
    jumps: int = 0
    """Challenges of bids before the last: 跳开."""

    @property
    def penalty_rate(self) -> float:
        """Penalty points per round."""
        return self.points / self.rounds


@dataclass(frozen=True)
class Standings:
    """What is known after some deals."""

    deals: int
    rounds: int
    """Played so far, at all tables."""
    planned: int
    """The rounds that it takes in all."""
    cells: list[list[Estimate]]
    """[row, column] penalty points per round and seat that the column takes more."""
    habits: list[Habits]
    ratings: list[Rating | None] | None
    """None for who never loses, and for all while some never lose to some others: see
    `policies.measure.ratings`."""


def everybody(rules: Rules) -> list[str]:
    """The names of those who need not be named: all who have names and play by the rules, and the
    policy that is known for them, if there is one."""
    known = known_record(rules)
    return [*player_names(rules), *([] if known is None else [known.name])]


def entrants(names: Sequence[str], rules: Rules) -> list[Player]:
    """The players of these names. Raises ZhaifeiError as `verify_names` and
    `policies.catalogue.names.load_player` do."""
    verify_names(names)
    return [load_player(name, rules) for name in names]


def play_arena(players: Sequence[Player], rounds: int, seed: int) -> Iterator[Standings]:
    """The standings as they grow, until about so many rounds have been played at each table. Equal
    arguments, equal standings. Raises as `policies.play.simulation.play_rounds` does."""
    rules = players[0].rules
    plan = [seatings(table) for table in tables(len(players), rules.players)]
    deals = max(2, math.ceil(rounds / max(map(len, plan))))
    tally = _Tally(players, plan)
    slow = any(isinstance(one, PlugInPlayer) for one in players)
    for dealt, random in deal(rules, deals, seed, slow=slow):
        tally.play(dealt, random)
        yield tally.standings(deals)


def exact_values(players: Sequence[Player]) -> Iterator[dict[tuple[int, int], Bounds]]:
    """What one player earns against another in a round, in both seats alike, for pairs (row,
    column) of entrants whose strategies are tables, at tables of two: yielded as it grows, first
    empty."""
    found: dict[tuple[int, int], Bounds] = {}
    yield found
    if players[0].rules.players > 2:
        return
    known = [
        (place, one.policy)
        for place, one in enumerate(players)
        if isinstance(one, PolicyPlayer) and isinstance(one.policy, TablePolicy)
    ]
    for (row, policy), (column, other) in combinations(known, 2):
        *_, seats = refine_duel(policy, other, gap=_EXACT_GAP, seconds=_EXACT_SECONDS)
        value = (seats[0] + seats[1]) / 2.0
        if value.gap <= _EXACT_GAP:  # not if time ran out
            back = Bounds(-value.upper, -value.lower)
            found = {**found, (row, column): value, (column, row): back}
        yield found


class _Tally:
    """What has been counted so far."""

    def __init__(self, players: Sequence[Player], plan: list[list[Seating]]) -> None:
        self._players, self._plan = players, plan
        self._rules = players[0].rules
        self._habits = [Habits() for _ in players]
        self._comparison = Comparison(plan, len(players))

    def play(self, dealt: Ints, random: np.random.Generator) -> None:
        """All tables, with these hands [deal, seat]."""
        tables = range(len(self._plan))
        self._comparison.add(len(dealt), (self._at(table, dealt, random) for table in tables))

    def _at(self, place: int, dealt: Ints, random: np.random.Generator) -> tuple[Floats, Floats]:
        """[deal, entrant] the points saved per seat, and rounds lost, at one table."""
        table = self._plan[place]
        points, lost = np.zeros((2, len(dealt), len(self._players)))
        every = np.arange(len(dealt))
        for seating in table:
            players = [self._players[entrant] for entrant in seating]
            ended = play_dealt(players, self._rules, dealt, copy.deepcopy(random))
            self._count(seating, ended)
            loser = np.array(seating)[ended.loser]
            points[every, loser] += ended.distance
            lost[every, loser] += 1.0
        return -points / np.maximum(self._comparison.held[place] * len(table), 1), lost

    def _count(self, seating: Seating, ended: Ended) -> None:
        """Adds to the habits of who sits there."""
        jumps, false = ended.distance > 1, ~ended.true
        for seat, entrant in enumerate(seating):
            habits = self._habits[entrant]
            challenged, challenges = ended.bidder == seat, ended.challenger == seat
            habits.rounds += ended.bids.size
            habits.points += int(ended.distance[ended.loser == seat].sum())
            habits.bids += int(((ended.bids - seat + len(seating) - 1) // len(seating)).sum())
            habits.length += int(ended.bids.sum())
            habits.challenges += int(challenges.sum())
            habits.right += int((challenges & false).sum())
            habits.jumps += int((challenges & jumps).sum())
            habits.challenged += int(challenged.sum())
            habits.true += int((challenged & ended.true).sum())

    def standings(self, deals: int) -> Standings:
        """What has been found out, of so many deals that are planned."""
        compared = self._comparison
        saved, margin = compared.better()
        return Standings(
            compared.deals,
            compared.deals * compared.per_deal,
            deals * compared.per_deal,
            [estimates(*row) for row in zip(saved, margin, strict=True)],
            copy.deepcopy(self._habits),
            ratings(compared.held.astype(np.float64), compared.decided, compared.covariance()),
        )  # fmt: skip
