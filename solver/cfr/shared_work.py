"""Threads that walk growing trees, and the parts of a tree that they walk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding
from zhaifei.game.rules import Rules
from zhaifei.game.tables import longest_history
from zhaifei.solver.cfr.growing_tree import GrowingTree, Tree, count_below
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.root import Root
from zhaifei.solver.cfr.tree_averages import accumulate_below
from zhaifei.solver.cfr.tree_descent import (
    Gathered,
    Pace,
    Search,
    descend_below,
    gather_below,
    keys_of,
    new_gathered,
    take_averages,
)
from zhaifei.solver.cfr.tree_improve import improve_below
from zhaifei.solver.cfr.tree_respond import respond_below
from zhaifei.solver.cfr.tree_walk import Entries, TreeWalk, new_walk
from zhaifei.solver.machine.threads import Caller, Threads, piece_size, pieces, share

Places = NDArray[np.int64]
"""[n] indices into the starts of a part."""


class Notes(NamedTuple):
    """Actions by which responders gain by leaving the tree."""

    noted: NDArray[np.int64]
    """[n, 3] node, action, and key of the node's history."""
    gain: NDArray[np.float32]
    """[n] how much the action gains, if all else stays the same."""
    part: NDArray[np.int64]
    """[n] the number of the part that holds the node."""

    def chosen(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Notes:
        """Return the notes in `rows`, in this order."""
        return Notes(self.noted[rows], self.gain[rows], self.part[rows])


_NO_NOTES = Notes(
    np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int64)
)


def best_first(notes: Sequence[Notes]) -> Notes:
    """Return all `notes`, the largest gains first. Ties are ordered by key and action, so the order
    depends neither on the order of walks nor on how the tree is cut into parts."""
    together = Notes(*map(np.concatenate, zip(_NO_NOTES, *notes, strict=True)))
    noted = together.noted
    return together.chosen(np.lexsort((noted[:, 1], noted[:, 2], -together.gain)))


class Part:
    """A growing tree with the ranges that enter its starts, and the values found there."""

    def __init__(self, grown: GrowingTree) -> None:
        players, hands = grown.tree.dealt.shape
        starts = grown.starts
        self.grown = grown
        self.entries = Entries(
            starts,
            np.zeros((starts.size, players, hands), dtype=np.float32),
            np.zeros((starts.size, players), dtype=np.float32),
        )
        self.entered = np.ones(starts.size, dtype=np.bool_)
        """[start] whether walks begin at the start."""
        self.values = np.zeros((players, starts.size, hands), dtype=np.float32)
        """[player, start, hand] the values that the latest walks found."""
        self.seconds = 0.0
        """The seconds that improving walks have taken so far, summed over threads."""
        self.gathered: Gathered | None = None
        """What walks have gathered for the next step of a descent; None before the first walk."""
        self._groups: list[Places] | None = None

    def deal(self, ranges: NDArray[np.float32]) -> None:
        """Set the `ranges` [player, hand] of all players at the root for the walks that follow."""
        self.entries.ranges[:], self.entries.mass[:] = ranges, ranges.sum(axis=1)

    def enter(self, reach: NDArray[np.float32]) -> None:
        """Set the `reach` [start, hand] of the player who moves at the root for the walks that
        follow. The starts must be children of the root."""
        self.entries.ranges[:, 0], self.entries.mass[:, 0] = reach, reach.sum(axis=1)

    def earned(self, player: int) -> NDArray[np.float32]:
        """Return [start, hand] the values that the latest walks for `player` found. The next walks
        overwrite them."""
        found: NDArray[np.float32] = self.values[player]
        return found

    def gathering(self) -> Gathered:
        """Return `gathered`, which is filled with zeros before the first walk. Raise
        OutOfMemory."""
        if self.gathered is None:
            self.gathered = new_gathered(self.grown)
        return self.gathered

    def take_averages(self) -> None:
        """Make the averages the current strategy, except at the starts themselves."""
        take_averages(self.grown.tree, int(self.grown.starts[0]))

    def forget_averages(self) -> None:
        """Set all averages, and what was dealt, to 0."""
        self.grown.tree.average[: self.grown.numbers] = 0
        self.grown.tree.dealt[:] = 0.0

    def groups(self) -> list[Places]:
        """Return the starts at which walks begin, in groups with about the same number of nodes
        below them, the largest groups first. A start with more nodes is a group by itself."""
        if self._groups is None:
            sizes = np.zeros(self.entries.node.size, dtype=np.int64)
            count_below(self.grown.tree, self.entries.node, sizes)
            most = piece_size(int(sizes.sum()))
            order = np.argsort(-sizes, kind="stable")
            group = (np.cumsum(sizes[order]) - 1) // most
            self._groups = np.split(order, np.flatnonzero(np.diff(group)) + 1)
        if self.entered.all():
            return self._groups
        return [places[self.entered[places]] for places in self._groups]

    def forget_groups(self) -> None:
        """Discard the groups, because the tree has changed."""
        self._groups = None


class Crew:
    """A pool of `threads` threads that share walks; with None the caller does the work
    (`solver.machine.threads.Caller`). Raises ZhaifeiError for fewer than one thread."""

    def __init__(self, rules: Rules, root: Root, threads: int | None) -> None:
        self.threads = Caller() if threads is None else Threads(threads)
        depth = longest_history(bidding(rules).after) + 3
        self._walks = [new_walk(root, depth) for _ in range(threads or 1)]

    def improve(self, parts: Sequence[Part], player: int, step: Step) -> None:
        """Improve `player` in all `parts`, and write the values of the starts to the player into
        the parts' values."""

        def improve_some(thread: int, job: tuple[Part, Places]) -> None:
            part, places = job
            walk, values, began = self._walks[thread], part.values[player], perf_counter()
            improve_below(part.grown.tree, walk, places, part.entries, player, step, values)
            part.seconds += perf_counter() - began

        share(self.threads, _groups(parts), improve_some)

    def gather(self, parts: Sequence[Part], search: Search) -> None:
        """Do a `search` in all `parts`, and write the values of the starts into the walker's values
        of the parts. Raise OutOfMemory."""
        for part in parts:
            part.gathering()

        def gather_some(thread: int, job: tuple[Part, Places]) -> None:
            part, places = job
            walk, values, began = self._walks[thread], part.earned(search.walker), perf_counter()
            tree, entries, gathered = part.grown.tree, part.entries, part.gathering()
            gather_below(tree, walk, places, entries, search, gathered, values)
            part.seconds += perf_counter() - began

        share(self.threads, _groups(parts), gather_some)

    def descend(self, parts: Sequence[Part], pace: Pace, step: Step) -> None:
        """Change the current strategies in all `parts` by what walks have gathered, and forget that
        (`solver.cfr.descent`). The starts themselves are left to the caller."""

        def descend_some(thread: int, job: tuple[Tree, NDArray[np.int64], range, Gathered]) -> None:
            tree, keys, nodes, gathered = job
            descend_below(tree, nodes.start, nodes.stop, keys, pace, step, gathered)

        jobs: list[tuple[Tree, NDArray[np.int64], range, Gathered]] = []
        for part in parts:
            gathered, part.gathered = part.gathered, None
            if gathered is not None:  # some walk has come into this part
                tree, keys = part.grown.tree, np.zeros(len(part.grown), dtype=np.int64)
                keys_of(tree, keys)
                below = pieces(int(part.grown.starts[0]), len(part.grown))
                jobs += [(tree, keys, nodes, gathered) for nodes in below]
        share(self.threads, jobs, descend_some)

    def accumulate(self, parts: Sequence[Part], players: Sequence[int], step: Step) -> None:
        """Add the current strategies of `players` in all `parts` to their averages."""

        def accumulate_some(thread: int, job: tuple[int, Part, Places]) -> None:
            player, part, places = job
            walk = self._walks[thread]
            accumulate_below(part.grown.tree, walk, places, part.entries, player, step)

        share(self.threads, _jobs(players, parts), accumulate_some)

    def respond(self, parts: Sequence[Part], players: Sequence[int], least: float) -> list[Notes]:
        """Write into the values of all `parts` what best responses of `players` to the average
        earn.

        Return the actions that gain at least `least` by leaving the tree, in any order. Parts are
        numbered in the order of `parts`.
        """
        notes: list[Notes] = []

        def respond_some(thread: int, job: tuple[int, Part, Places]) -> None:
            player, part, places = job
            tree, entries, values = part.grown.tree, part.entries, part.values[player]
            walk = self._walks[thread]
            respond_below(tree, walk, places, entries, player, least, values)
            if walk.notes[0] > walk.noted_gain.size:
                walk = self._walks[thread] = _with_room(walk)
                respond_below(tree, walk, places, entries, player, least, values)
            found = slice(int(walk.notes[0]))
            number = np.full(found.stop, parts.index(part))
            notes.append(Notes(walk.noted[found].copy(), walk.noted_gain[found].copy(), number))

        share(self.threads, _jobs(players, parts), respond_some)
        return notes


def _groups(parts: Sequence[Part]) -> list[tuple[Part, Places]]:
    return [(part, places) for part in parts for places in part.groups()]


def _jobs(players: Sequence[int], parts: Sequence[Part]) -> list[tuple[int, Part, Places]]:
    return [(player, *group) for player, group in product(players, _groups(parts))]


def _with_room(walk: TreeWalk) -> TreeWalk:
    """Return `walk` with room for as many notes as the last walks wanted to make."""
    room = int(walk.notes[0])
    return walk._replace(
        noted=np.zeros((room, 3), dtype=np.int64), noted_gain=np.zeros(room, dtype=np.float32)
    )
