"""Where the tree of a solver is, and who walks it: all of it here, or parts of it elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solver.cfr.crew import Crew, Notes, Part, best_first
from solver.cfr.growing_tree import GrowingTree
from solver.cfr.regret_matching import Step
from solver.cfr.tree_strategy import average_strategy
from solver.tables.recall import RecallTables
from solver.tables.strategy_table import StrategyTable


class SolversTree(Protocol):
    """What `solver.cfr.tree_cfr` asks of its tree. Its answers do not hang on where parts of it
    are, bit for bit. Values are [start, hand], float32, in penalty points; before walks, the solver
    writes what the players hold into the entries of `part`."""

    part: Part
    """The part that has the root, and all children of it as starts."""

    def __len__(self) -> int:
        """Return the number of nodes."""

    @property
    def decisions(self) -> int:
        """Nodes with children."""

    def improve(self, player: int, step: Step) -> NDArray[np.float32]:
        """Improve a player below the root; return what the starts are worth to the player."""

    def accumulate(self, players: Sequence[int], step: Step) -> None:
        """Add what these `players` play below the root to their averages."""

    def respond(self, players: Sequence[int], least: float) -> tuple[NDArray[np.float32], Notes]:
        """Return [player, start, hand] what best responses of these `players` to the average earn,
        and the actions that gain `least` or more by leaving the tree, the best first."""

    def grow(self, notes: Notes, remembered: float) -> None:
        """Add the actions of these `notes`, as `GrowingTree.grow` does, whose errors it raises."""

    def halve_averages(self, times: int) -> None:
        """Halve all averages of a large tree, and what was dealt, so many times."""

    def average(self, recall: RecallTables, least: float) -> StrategyTable:
        """Return the average strategy, as `solver.cfr.tree_strategy.average_strategy` does."""


class OwnTree:
    """A SolversTree that is here as a whole."""

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

    def average(self, recall: RecallTables, least: float) -> StrategyTable:
        """See SolversTree."""
        return average_strategy(self.part.grown.tree, recall, least)
