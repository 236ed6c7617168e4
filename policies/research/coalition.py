"""The value that two conspiring players leave to the third, who plays a strategy table: certified
bounds.

`policies.research.coalition_search` defines the values and proves the bounds. The table itself is
measured, without reading the others' bids. Where nothing is stored the table challenges, and two
conspirators who know that make true bids there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.research.coalition_search import STARTS, Silent, Talking
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.value.self_play import self_play

_PASSES = 3000
"""Passes in which small games are solved, to a NashConv of less than 1e-4."""


@dataclass(frozen=True)
class Coalition:
    """The value of a round for one player, in penalty points, if the two others conspire."""

    alone: Bounds
    """The value if nobody conspires and all play the policy."""
    talking: Bounds
    """The value if the two conspirators see each other's dice; exact without a cut."""
    silent: Bounds
    """The value if each conspirator sees only the own dice, against the best such pair of
    strategies."""


def coalitions(
    policy: TablePolicy, *, cut: float = 0.0, starts: int = STARTS
) -> Iterator[tuple[Coalition, ...]]:
    """Yield [seat] the coalitions against the players in the seats done so far: first an empty
    tuple, then one more seat each time.

    With 0 `starts` no silent pair is searched for, which takes far longer than the rest; the upper
    bound is then the policy's value if nobody conspires. A `cut` leaves out histories with less
    mass, and widens the intervals accordingly: see `Talking`.

    Raise CoalitionError unless there are three players, without 跳开, and the policy remembers all
    bids.
    """
    tables = bid_tables(policy.rules)
    talking, silent = Talking(tables, policy.table), Silent(tables, policy.table)
    found: tuple[Coalition, ...] = ()
    yield found
    for seat, alone in enumerate(self_play(tables, policy.table)):
        talked = talking.value(seat, cut)
        upper = alone.upper
        if starts > 0:
            upper = min(upper, silent.value(seat, starts))
        together = Bounds(talked.value, talked.value + talked.left)
        found = (*found, Coalition(alone, together, Bounds(talked.value, upper)))
        yield found


@dataclass(frozen=True)
class SolvedGame:
    """A small game that has been solved, and the values that coalitions leave in it."""

    dice: int
    """The number of dice of each player."""
    nash_conv: float
    """The NashConv of the solution, in penalty points per round."""
    seats: tuple[Coalition, ...]


def solved_game(rules: Rules) -> SolvedGame:
    """Solve and measure a game of three players that is small enough to search for silent pairs."""
    training = TreeCFR(rules)
    for _ in range(_PASSES):
        training.advance()
    policy = TablePolicy(rules, "full", training.strategy())
    *_, seats = coalitions(policy)
    return SolvedGame(rules.dice, training.nash_conv, seats)
