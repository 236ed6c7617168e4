"""What two players who conspire leave to the third, who plays a strategy table: certified bounds.

`solver.response.coalition` says what is computed, and proves it. The table is what is measured,
without reading: where nothing is stored it challenges, and two who know that bid what is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from game.rules import Rules
from game.tables import bid_tables
from policies.players.table_policy import TablePolicy
from solver.bounds import Bounds
from solver.cfr.tree_cfr import TreeCFR
from solver.response.coalition import STARTS, Silent, Talking
from solver.value.self_play import self_play

_PASSES = 3000
"""In which small games are solved, to NashConv of less than 1e-4."""


@dataclass(frozen=True)
class Coalition:
    """What one player earns in a round, in penalty points, if the two others conspire."""

    alone: Bounds
    """If nobody conspires and all play the policy."""
    talking: Bounds
    """If the two see each other's dice; exact without a cut."""
    silent: Bounds
    """If the two see only their own: of the best such pair of strategies."""


def coalitions(
    policy: TablePolicy, *, cut: float = 0.0, starts: int = STARTS
) -> Iterator[tuple[Coalition, ...]]:
    """Yield [seat] the coalitions against the players in the seats done so far: first none, then
    one more after each seat.

    With 0 `starts` no silent pair is looked for, which takes far longer than the rest; the upper
    bound is then what the policy earns alone. A `cut` leaves out histories that come up with
    less mass, and widens the intervals accordingly: see `Talking`.

    Raises CoalitionError unless there are three players, without 跳开, and the policy remembers all
    bids.
    """
    tables = bid_tables(policy.rules)
    talking, silent = Talking(tables, policy.table), Silent(tables, policy.table)
    found: tuple[Coalition, ...] = ()
    yield found
    for seat, alone in enumerate(self_play(tables, policy.table).seats):
        talked = talking.value(seat, cut)
        upper = alone.upper
        if starts > 0:
            upper = min(upper, silent.value(seat, starts))
        together = Bounds(talked.value, talked.value + talked.left)
        found = (*found, Coalition(alone, together, Bounds(talked.value, upper)))
        yield found


@dataclass(frozen=True)
class SolvedGame:
    """A small game, solved, and what coalitions leave there."""

    dice: int
    """Of each player."""
    nash_conv: float
    """Of the solution, in penalty points a round."""
    seats: tuple[Coalition, ...]


def solved_game(rules: Rules) -> SolvedGame:
    """Solve and measure a game of three that is small enough to look for silent pairs."""
    training = TreeCFR(rules)
    for _ in range(_PASSES):
        training.advance()
    policy = TablePolicy(rules, "full", training.strategy())
    *_, seats = coalitions(policy)
    return SolvedGame(rules.dice, training.nash_conv, seats)
