"""The solver's view of its tree, and the tree that is wholly in this process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.growing_tree import GrowingTree
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.shared_work import Crew, Notes, Part, best_first
from zhaifei.solver.cfr.small_shares import without_small_shares
from zhaifei.solver.cfr.tree_descent import Pace, Search
from zhaifei.solver.cfr.tree_strategy import average_strategy
from zhaifei.solver.tables.recall import RecallTables
from zhaifei.solver.tables.strategy_table import StrategyTable


class SolversTree(Protocol):
    """The tree as `solver.cfr.tree_cfr` uses it. Results of a tree are bit-identical wherever its
    parts live.

    Values are [start, hand], float32, in penalty points. Before walks, the solver writes the
    players' ranges into the entries of `part`.
    """

    part: Part
    """The part that holds the root; its starts are all children of the root."""

    def __len__(self) -> int:
        """Return the number of nodes."""

    @property
    def decisions(self) -> int:
        """The number of nodes with children."""

    def improve(self, player: int, step: Step) -> NDArray[np.float32]:
        """Improve `player` below the root; return the values of the starts to the player."""

    def gather(self, search: Search) -> NDArray[np.float32]:
        """Do a `search` below the root, for the next `descend`. Return what the starts are worth to
        the player who is paid, by hand of the walker. Raise OutOfMemory."""

    def descend(self, pace: Pace, step: Step) -> None:
        """Change the current strategy below the starts by what has been gathered, and forget
        that."""

    def take_averages(self) -> None:
        """Make the averages the current strategy below the starts."""

    def forget_averages(self) -> None:
        """Set all averages, and what was dealt, to 0."""

    def accumulate(self, players: Sequence[int], step: Step) -> None:
        """Add the current strategies of `players` below the root to their averages."""

    def respond(self, players: Sequence[int], least: float) -> tuple[NDArray[np.float32], Notes]:
        """Return [player, start, hand] what best responses of `players` to the average earn, and
        the actions that gain at least `least` by leaving the tree, the best first."""

    def grow(self, notes: Notes, remembered: float) -> None:
        """Add the actions of `notes`, as `GrowingTree.grow` does, and raise its errors."""

    def halve_averages(self, times: int) -> None:
        """Halve all averages of a large tree, and what was dealt, `times` times."""

    def without_small_shares(self, least: float) -> AbstractContextManager[None]:
        """Leave the shares below `least` out of all averages for a while, as
        `solver.cfr.small_shares.without_small_shares` does."""

    def average(self, recall: RecallTables, least: float) -> StrategyTable:
        """Return the average strategy, as `solver.cfr.tree_strategy.average_strategy` does."""


class OwnTree:
    """A SolversTree that is wholly in this process."""

    def __init__(self, grown: GrowingTree, crew: Crew) -> None:
        self.part, self._crew = Part(grown), crew

    def __len__(self) -> int:
        return len(self.part.grown)

    @property
    def decisions(self) -> int:
        """See SolversTree."""
        return self.part.grown.decisions

    def improve(self, player: int, step: Step) -> NDArray[np.float32]:
        """See SolversTree."""
        self._crew.improve([self.part], player, step)
        return self.part.earned(player)

    def gather(self, search: Search) -> NDArray[np.float32]:
        """See SolversTree."""
        self._crew.gather([self.part], search)
        return self.part.earned(search.walker)

    def descend(self, pace: Pace, step: Step) -> None:
        """See SolversTree."""
        self._crew.descend([self.part], pace, step)

    def take_averages(self) -> None:
        """See SolversTree."""
        self.part.take_averages()

    def forget_averages(self) -> None:
        """See SolversTree."""
        self.part.forget_averages()

    def accumulate(self, players: Sequence[int], step: Step) -> None:
        """See SolversTree."""
        self._crew.accumulate([self.part], players, step)

    def respond(self, players: Sequence[int], least: float) -> tuple[NDArray[np.float32], Notes]:
        """See SolversTree."""
        notes = self._crew.respond([self.part], players, least)
        return self.part.values.copy(), best_first(notes)

    def grow(self, notes: Notes, remembered: float) -> None:
        """See SolversTree."""
        self.part.grown.grow(notes.noted[:, 0], notes.noted[:, 1], remembered)
        self.part.forget_groups()

    def halve_averages(self, times: int) -> None:
        """See SolversTree."""
        self.part.grown.halve_averages(times)

    def without_small_shares(self, least: float) -> AbstractContextManager[None]:
        """See SolversTree."""
        return without_small_shares(self.part.grown, least)

    def average(self, recall: RecallTables, least: float) -> StrategyTable:
        """See SolversTree."""
        return average_strategy(self.part.grown.tree, recall, least, threads=self._crew.threads)
