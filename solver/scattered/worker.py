"""What a worker does: it holds parts of a tree and walks them when it is asked to.

A worker knows nothing of the rest. Each message tells for the starts of its parts what the players
hold there, and is answered by what the starts are worth; regrets and averages never leave it but to
move to another worker.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding
import numba
import numpy as np
from numpy.typing import NDArray

from game.rules import Rules
from game.tables import bid_tables
from solver.cfr.crew import Crew, Notes, Part
from solver.cfr.cutting import State, children_of, part_of
from solver.cfr.growing_tree import GrowingTree, count_below
from solver.cfr.narrow import noise_for
from solver.cfr.regret_matching import Step
from solver.cfr.root import root_of
from solver.cfr.tree_strategy import PartOfTable, average_of_part
from solver.kernel_directory import digest_of_sources
from solver.memory import OutOfMemory, spare, used
from solver.state import StateError
from solver.storage import Kind, StorageError, load, save
from solver.tables.recall import FULL, recall_tables


class Span(NamedTuple):
    """Which part of a tree: actions from the root on."""

    stem: tuple[int, ...]
    starts: tuple[int, ...]


class Ranges(NamedTuple):
    """What some players hold at some starts of a part."""

    place: NDArray[np.int64]
    """[n] which of the starts,"""
    players: tuple[int, ...]
    range: NDArray[np.float32]
    """[n, player, hand] in the order of `players`,"""
    mass: NDArray[np.float32]
    """[n, player] and its sum."""


class Averages(NamedTuple):
    """What a part has to know of the averages above it before it grows or tells its own."""

    stem: NDArray[Any]
    """[node, hand] those of the stem and the starts, as they are stored,"""
    dealt: NDArray[np.float32]
    """[player, hand] and what was dealt."""


class Facts(NamedTuple):
    """What a worker tells of itself."""

    host: str
    process: int
    threads: int
    spare: float
    """Bytes of memory that nobody uses there."""
    versions: dict[str, str]
    """What equal bits need to be equal."""


class Size(NamedTuple):
    """Of a part, its stem included."""

    nodes: int
    decisions: int


class Division(NamedTuple):
    """What is left of a part when it is divided."""

    opened: State
    """If it had one start, the rows of the children of that: `action`, `regret` and `average`;
    else nothing."""
    sizes: dict[int, Size]
    """Of the new parts."""


class Worth(NamedTuple):
    """What a worker answers for a part."""

    values: NDArray[np.float32]
    """[start that was asked for, hand] in penalty points,"""
    seconds: float
    """and how long the walk of the part took, of one processor."""


class Load(NamedTuple):
    """How a worker is doing."""

    seconds: float
    """How long it has walked so far, by the clock,"""
    used: float
    """the bytes of memory that it takes,"""
    spare: float
    """and those that nobody uses on its machine; 0 if that is not known."""

    def after(self, taken: float) -> Load:
        """Return how it is doing with so many bytes more."""
        return Load(self.seconds, self.used + taken, max(0.0, self.spare - taken))


class PassStep(NamedTuple):
    """A `Step` for one player, without the noise, which every worker has."""

    player: int
    halvings: int
    """How often averages are to be halved before."""
    keep_positive: np.float32
    keep_negative: np.float32
    weight: np.float32
    passes: int
    seldom: np.float32

    def step(self, noise: NDArray[np.uint16]) -> Step:
        """Return the step with the `noise`."""
        return Step(
            self.keep_positive, self.keep_negative, self.weight, self.passes, noise, self.seldom
        )


def versions() -> dict[str, str]:
    """Return what has to be the same on all machines for their results to be the same bit for bit:
    compiled code depends on the kind of processor."""
    return {
        "zhaifei": digest_of_sources(),
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "numba": numba.__version__,
        "processor": str(llvmlite.binding.get_host_cpu_name()),
    }


_KIND: Kind = "part"


def part_path(directory: Path, passes: int, number: int) -> Path:
    """Return the file of a part in a checkpoint."""
    return directory / f"{passes}-{number}.safetensors"


class Worker:
    """Holds parts of the tree of `rules`, by number, and walks them with so many threads."""

    def __init__(self, rules: Rules, threads: int | None, *, large: bool) -> None:
        self._rules, self._large = rules, large
        self._root = root_of(bid_tables(rules))
        self._crew = Crew(rules, self._root, threads)
        self._threads = threads or 1
        self._noise = noise_for(self._root.ranges.shape[1])
        self._parts: dict[int, Part] = {}
        self._seconds = 0.0

    def facts(self) -> Facts:
        """Return what there is to know of this process."""
        return Facts(platform.node(), os.getpid(), self._threads, spare(), versions())

    def load(self) -> Load:
        """Return how it is doing."""
        return Load(self._seconds, used(), spare())

    # Holding

    def take(self, number: int, span: Span, state: Mapping[str, NDArray[Any]]) -> Size:
        """Hold a part, from now on under this `number`. Raises OutOfMemory, and StateError for a
        state that is none of the span; it is then not held."""
        grown = GrowingTree(
            self._root, large=self._large, stem=span.stem, starts=span.starts
        )  # fmt: skip
        grown.restore(state)
        self._parts[number] = Part(grown)
        return self._size(number)

    def drop(self, number: int) -> None:
        """Hold a part no longer."""
        del self._parts[number]

    def state(self, number: int) -> State:
        """Return the state of a part: the arrays themselves, not copies."""
        return self._parts[number].grown.state()

    def drop_all(self) -> None:
        """Hold nothing any longer."""
        self._parts.clear()

    def save(self, directory: Path, passes: int) -> None:
        """Write each part into a file of the `directory`, as it is after so many passes. Raises
        StorageError."""
        for number, part in self._parts.items():
            grown = part.grown
            header = {"stem": grown.stem, "starts": grown.start_actions, "passes": passes}
            save(part_path(directory, passes, number), _KIND, header, grown.state())

    def restore(self, directory: Path, passes: int, spans: Mapping[int, Span]) -> dict[int, Size]:
        """Hold the parts with these numbers and `spans` that were saved after so many passes.
        Raises StorageError, and OutOfMemory."""
        sizes = {}
        for number, span in spans.items():
            path = part_path(directory, passes, number)
            header, arrays = load(path, _KIND)
            try:
                found = header.get("stem"), header.get("starts"), header.get("passes")
                if found != ([*span.stem], [*span.starts], passes):
                    raise StateError("it is of another run")
                sizes[number] = self.take(number, span, arrays)
            except StateError as error:
                raise StorageError(
                    "{path} is not the part that was saved: {error}", path=path, error=error
                ) from error
        return sizes

    def weights(self, number: int) -> dict[int, int]:
        """Return how many nodes there are from each action on by which a part can be divided: from
        its starts on, or from the children of its only start."""
        grown = self._parts[number].grown
        nodes = self._divisible(grown)
        sizes = np.zeros(nodes.size, dtype=np.int64)
        count_below(grown.tree, nodes, sizes)
        return dict(zip(grown.tree.action[nodes].tolist(), sizes.tolist(), strict=True))

    def divide(self, number: int, starts: Mapping[int, tuple[int, ...]]) -> Division:
        """Hold, in place of a part, as many parts as there are new numbers, which have these
        `starts` among the actions of `weights`. What is not below them is left to the caller.
        Raises OutOfMemory, and holds what it held."""
        grown = self._parts[number].grown
        grown.arrange()
        nodes = self._divisible(grown)
        actions = grown.tree.action[nodes].tolist()
        stem = grown.stem if grown.starts.size > 1 else (*grown.stem, *grown.start_actions)
        try:
            for new, chosen in starts.items():
                places = [actions.index(action) for action in chosen]
                self.take(new, Span(stem, chosen), part_of(grown, nodes[places]))
        except OutOfMemory:
            for new in starts:
                self._parts.pop(new, None)
            raise
        opened = {} if grown.starts.size > 1 else {
            name: array[nodes].copy() for name, array in grown.state().items()
            if name in ("action", "regret", "average")
        }  # fmt: skip
        del self._parts[number]
        return Division(opened, {new: self._size(new) for new in starts})

    @staticmethod
    def _divisible(grown: GrowingTree) -> NDArray[np.int64]:
        if grown.starts.size > 1:
            return grown.starts
        return children_of(grown, int(grown.starts[0]))

    # Walking

    def improve(self, step: PassStep, asked: Mapping[int, Ranges]) -> tuple[dict[int, Worth], Load]:
        """Halve the averages as often as is due, and improve a player below the starts that are
        `asked` for; return for each part what these are worth to the player."""
        began = time.perf_counter()
        for part in self._parts.values():
            part.grown.halve_averages(step.halvings)
        parts = self._entered(asked)
        before = [part.seconds for part in parts]
        self._crew.improve(parts, step.player, step.step(self._noise))
        self._seconds += time.perf_counter() - began
        worths = {
            number: Worth(part.values[step.player, ranges.place], part.seconds - earlier)
            for (number, ranges), part, earlier in zip(asked.items(), parts, before, strict=True)
        }
        return worths, self.load()

    def accumulate(self, step: PassStep, asked: Mapping[int, Ranges]) -> None:
        """Add what a player plays below the starts that are `asked` for to their average."""
        began = time.perf_counter()
        parts = self._entered(asked)
        self._crew.accumulate(parts, [step.player], step.step(self._noise))
        self._seconds += time.perf_counter() - began

    def respond(
        self, asked: Mapping[int, Mapping[int, Ranges]], least: float
    ) -> tuple[dict[int, dict[int, NDArray[np.float32]]], list[Notes]]:
        """For each player and each part, return what a best response to the average earns at the
        starts that are `asked` for; and the actions that gain `least` or more by leaving the
        tree."""
        values: dict[int, dict[int, NDArray[np.float32]]] = {}
        notes = []
        for player, parts_asked in asked.items():
            parts = self._entered(parts_asked)
            numbers = np.array([*parts_asked])
            for found in self._crew.respond(parts, [player], least):
                notes.append(found._replace(part=numbers[found.part]))
            values[player] = {
                number: part.values[player, parts_asked[number].place]
                for number, part in zip(parts_asked, parts, strict=True)
            }
        return values, notes

    def _entered(self, asked: Mapping[int, Ranges]) -> list[Part]:
        """Write what the players hold into the parts that are `asked` for, and return these."""
        parts = [self._parts[number] for number in asked]
        for part, ranges in zip(parts, asked.values(), strict=True):
            places = np.ix_(ranges.place, np.array(ranges.players))
            part.entries.ranges[places] = ranges.range
            part.entries.mass[places] = ranges.mass
            part.entered[:] = False
            part.entered[ranges.place] = True
        return parts

    # Growing

    def reserve(self, actions: Mapping[int, int]) -> None:
        """Make room for so many actions to be added to each part. Raises OutOfMemory."""
        for number, added in actions.items():
            self._parts[number].grown.reserve(added)

    def grow(
        self,
        actions: Mapping[int, NDArray[np.int64]],
        above: Mapping[int, Averages],
        remembered: float,
    ) -> dict[int, Size]:
        """Add to each part these `actions` [n, 2], node and action, as `GrowingTree.grow` does;
        return the sizes of these parts."""
        for number, added in actions.items():
            part = self._parts[number]
            self._learn(part, above[number])
            # What came from another process cannot be written, and is another type for kernels.
            nodes, chosen = np.array(added.T)
            part.grown.grow(nodes, chosen, remembered)
            part.forget_groups()
        return {number: self._size(number) for number in actions}

    def average(
        self, above: Mapping[int, Averages], least: float, steps: int
    ) -> dict[int, PartOfTable]:
        """Return the average strategy in each part, as `average_of_part` does."""
        recall, found = recall_tables(self._rules, FULL), {}
        for number, averages in above.items():
            part = self._parts[number]
            self._learn(part, averages)
            stem = 1 + len(part.grown.stem)
            found[number] = average_of_part(part.grown.tree, recall, least, steps, stem)
        return found

    @staticmethod
    def _learn(part: Part, above: Averages) -> None:
        tree = part.grown.tree
        tree.average[: len(above.stem)] = above.stem
        tree.dealt[:] = above.dealt

    def _size(self, number: int) -> Size:
        return Size(len(self._parts[number].grown), self._parts[number].grown.decisions)
