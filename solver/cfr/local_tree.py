"""A growing tree with the threads that work on it, all in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from solver.cfr.growing_tree import GrowingTree, count_below
from solver.cfr.regret_matching import Step
from solver.cfr.tree_averages import accumulate_below
from solver.cfr.tree_improve import improve_below
from solver.cfr.tree_respond import respond_below
from solver.cfr.tree_walk import Entries, TreeWalk, new_walk
from solver.threads import Caller, Threads

_MOST_GROUPS, _LEAST_GROUP = 128, 200
"""Into how many groups of nodes the work is divided, at most, and how many nodes one has at least:
a few tenths of a millisecond."""

Job = TypeVar("Job")
Places = NDArray[np.int64]
"""[n] places among the entries."""


class Notes(NamedTuple):
    """Actions by which responders gain by leaving the tree."""

    noted: NDArray[np.int64]
    """[n, 3] node, action, and the key of the node's history,"""
    gain: NDArray[np.float32]
    """[n] and how much they gain, if all else stays as it is."""


NO_NOTES = Notes(np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.float32))


def joined(notes: Sequence[Notes]) -> Notes:
    """Return all `notes`, in this order."""
    noted, gains = zip(NO_NOTES, *notes, strict=True)
    return Notes(np.concatenate(noted), np.concatenate(gains))


def best_first(notes: Notes) -> Notes:
    """Return the `notes`, those that gain most first. Among equals the key of the history decides,
    and the action, so that the order does not hang on that of the walks."""
    order = np.lexsort((notes.noted[:, 1], notes.noted[:, 2], -notes.gain))
    return Notes(notes.noted[order], notes.gain[order])


class Response(NamedTuple):
    """What best responses to the average strategy earn from the entries on."""

    values: NDArray[np.float32]
    """[player, entry, hand]"""
    notes: Notes
    """In any order."""


class LocalTree:
    """A tree and as many threads; with None the caller does the work (`solver.threads.Caller`)."""

    def __init__(self, grown: GrowingTree, threads: int | None, depth: int) -> None:
        """Walks go no deeper than `depth` bids. Raises ZhaifeiError for fewer than one thread."""
        self._threads = Caller() if threads is None else Threads(threads)
        self.grown = grown
        self._players = grown.tree.dealt.shape[0]
        self._walks = [new_walk(grown.tree.root, depth) for _ in range(threads or 1)]
        self._grouped: tuple[NDArray[np.int64], list[Places]] | None = None
        """The groups of some entries."""

    def improve(
        self, entries: Entries, player: int, step: Step, values: NDArray[np.float32]
    ) -> None:
        """Improve a player from the `entries` on. Write into `values` [entry, hand] what these are
        worth to the player."""
        tree = self.grown.tree

        def improve_some(thread: int, places: Places) -> None:
            improve_below(tree, self._walks[thread], places, entries, player, step, values)

        self._share(self._groups(entries), improve_some)

    def accumulate(self, entries: Entries, players: Sequence[int], step: Step) -> None:
        """Add what these `players` play below the `entries` to their averages."""
        tree = self.grown.tree

        def accumulate_some(thread: int, job: tuple[int, Places]) -> None:
            player, places = job
            accumulate_below(tree, self._walks[thread], places, entries, player, step)

        self._share([*product(players, self._groups(entries))], accumulate_some)

    def respond(self, entries: Entries, players: Sequence[int], least: float) -> Response:
        """Return best responses of these `players` to the average from the `entries` on, with the
        actions that gain `least` or more by leaving the tree. What others earn is left at 0."""
        tree = self.grown.tree
        values = np.zeros((self._players, *entries.ranges[:, 0].shape), dtype=np.float32)
        notes: list[Notes] = []

        def respond_some(thread: int, job: tuple[int, Places]) -> None:
            player, places = job
            walk = self._walks[thread]
            respond_below(tree, walk, places, entries, player, least, values[player])
            if walk.notes[0] > walk.noted_gain.size:
                walk = self._walks[thread] = _with_room(walk)
                respond_below(tree, walk, places, entries, player, least, values[player])
            found_here = slice(int(walk.notes[0]))
            notes.append(Notes(walk.noted[found_here].copy(), walk.noted_gain[found_here].copy()))

        self._share([*product(players, self._groups(entries))], respond_some)
        return Response(values, joined(notes))

    def forget_groups(self) -> None:
        """Divide the work anew: the tree has changed."""
        self._grouped = None

    def _groups(self, entries: Entries) -> list[Places]:
        """Return the `entries` in groups of about the same number of nodes below them, or of one
        with more; the largest first."""
        if self._grouped is None or self._grouped[0] is not entries.node:
            sizes = np.zeros(entries.node.size, dtype=np.int64)
            count_below(self.grown.tree, entries.node, sizes)
            most = max(_LEAST_GROUP, int(sizes.sum()) // _MOST_GROUPS)
            order = np.argsort(-sizes, kind="stable")
            group = (np.cumsum(sizes[order]) - 1) // most
            groups = np.split(order, np.flatnonzero(np.diff(group)) + 1)
            self._grouped = entries.node, groups
        return self._grouped[1]

    def _share(self, jobs: Sequence[Job], do: Callable[[int, Job], None]) -> None:
        """Do all `jobs`, shared among the threads; they start in order."""
        waiting: SimpleQueue[Job] = SimpleQueue()
        for job in jobs:
            waiting.put(job)

        def work(thread: int) -> None:
            while True:
                try:
                    job = waiting.get_nowait()
                except Empty:
                    return
                do(thread, job)

        self._threads.run(work)


def _with_room(walk: TreeWalk) -> TreeWalk:
    """Return `walk` with room for as many notes as there were."""
    room = int(walk.notes[0])
    return walk._replace(
        noted=np.zeros((room, 3), dtype=np.int64), noted_gain=np.zeros(room, dtype=np.float32)
    )
