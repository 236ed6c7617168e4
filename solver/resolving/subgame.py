"""Solve the rest of a round from a two-player position."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.solver.abstraction import WHOLE, Abstraction, considered_tables
from zhaifei.solver.cfr.gadget import Gadget
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables.held import Held
from zhaifei.solver.tables.strategy_table import StrategyTable

_FIRST_LOOK, _LOOKS = 20, 1.4
"""The passes before the gap is first measured, and the factor between two measurements. A
measurement costs as much as two or three passes."""


class Ranges(NamedTuple):
    """The players' ranges at a position. Arrays are [hand] float64, and each sums to 1."""

    own: NDArray[np.float64]
    """The range of the player to move, who solves."""
    other: NDArray[np.float64]
    """The believed range of the other player, who made the last bid."""


class Alternatives(NamedTuple):
    """What the other player can get without coming to the position (`solver.cfr.gadget`)."""

    value: NDArray[np.float64]
    """[hand] the alternative in penalty points, expected over the own range."""
    prior: NDArray[np.float64]
    """[hand] the other player's range over hands with a choice; it sums to 1."""
    share: float
    """The share of the other's range that is the believed range and has no choice."""


class Effort(NamedTuple):
    """Limits of solving, which stops as soon as one is reached."""

    gap: float = 0.003
    """Penalty points that best responses may gain, summed over both players, in the solved game."""
    passes: int = 1000
    seconds: float = float("inf")
    work: float = float("inf")
    """Decisions of the tree that all passes together go through: unlike seconds, the same on every
    machine. A processor does some 200,000 in a second."""


class Solution(NamedTuple):
    """Strategies for both players after the bids `made`."""

    made: tuple[int, ...]
    table: StrategyTable
    """The strategies at `made` and at histories that continue it."""
    other: NDArray[np.float64]
    """[hand] the range with which the other player comes to the position in the solution; it sums
    to 1."""
    gap: float
    """What best responses gain, summed over both players, in the game that was solved."""
    passes: int

    @property
    def size(self) -> int:
        """The bytes of the table's arrays."""
        return self.table.nbytes


def solve(
    rules: Rules,
    made: Sequence[int],
    ranges: Ranges,
    alternatives: Alternatives | None,
    effort: Effort,
    held: Sequence[Held] = (),
    abstraction: Abstraction = WHOLE,
) -> Iterator[Solution]:
    """Yield ever better solutions after the bids `made`, at least one, until a limit of `effort` is
    reached. Players consider the bids of the `abstraction`.

    Without `alternatives` the other player has the believed range. Strategies in `held`, at
    histories that continue `made`, are played whatever they earn. Time counts from the first
    solution on, since kernels may have to be compiled before it.

    Nothing is random; without a limit of seconds, equal arguments give equal solutions.
    """
    training = _training(rules, made, ranges, alternatives, held, abstraction)
    look, deadline, work = _FIRST_LOOK, float("inf"), 0
    while True:
        training.advance()
        work += training.decisions
        late = time.monotonic() >= deadline or work >= effort.work
        if not late and training.passes < min(look, effort.passes):
            continue
        gap = training.measure().nash_conv
        yield _solution(training, gap)
        if late or gap <= effort.gap or training.passes >= effort.passes:
            return
        if deadline == float("inf"):
            deadline = time.monotonic() + effort.seconds
        look = int(_LOOKS * look)


def _training(
    rules: Rules,
    made: Sequence[int],
    ranges: Ranges,
    alternatives: Alternatives | None,
    held: Sequence[Held],
    abstraction: Abstraction,
) -> TreeCFR:
    """Return a training that has not begun."""
    gadget, other = None, ranges.other
    if alternatives is not None:
        free = (1.0 - alternatives.share) * alternatives.prior
        forced = alternatives.share * ranges.other
        parts = (part.astype(np.float32) for part in (free, forced, alternatives.value))
        gadget, other = Gadget(*parts), free + forced
    both = np.stack([ranges.own, other]).astype(np.float32)
    root = root_of(considered_tables(rules, abstraction), made, both)
    return TreeCFR(rules, threads=None, root=root, gadget=gadget, held=held)


def _solution(training: TreeCFR, gap: float) -> Solution:
    """Return the current average as a Solution."""
    other = training.average_ranges()[1].astype(np.float64)
    made = tuple(training.root.made.tolist())
    return Solution(made, training.average(), other / other.sum(), gap, training.passes)
