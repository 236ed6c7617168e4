"""A worker holds parts of a tree and walks them on request.

A worker knows nothing of the rest of the tree. Each message has the players' ranges at the starts
of its parts, and is answered with the values of the starts. Regrets and averages leave a worker
only to move to another worker.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding
import numba
import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr.cutting import State, children_of, part_of
from zhaifei.solver.cfr.growing_tree import GrowingTree, count_below
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.row_precision import noise_for
from zhaifei.solver.cfr.shared_work import Crew, Notes, Part
from zhaifei.solver.cfr.small_shares import without_small_shares
from zhaifei.solver.cfr.tree_descent import Pace, Search
from zhaifei.solver.cfr.tree_strategy import Cut, PartOfTable, average_of_part
from zhaifei.solver.files.state import StateError
from zhaifei.solver.files.storage import Kind, StorageError, load, save
from zhaifei.solver.machine.kernel_directory import digest_of_sources
from zhaifei.solver.machine.memory import OutOfMemory, spare, used
from zhaifei.solver.tables.recall import FULL, recall_tables


class Span(NamedTuple):
    """The place of a part in a tree: the actions from the root to the stem's end, and the actions
    that start the part."""

    stem: tuple[int, ...]
    starts: tuple[int, ...]


class Ranges(NamedTuple):
    """The ranges of some players at some starts of a part."""

    place: NDArray[np.int64]
    """[n] the index of the start."""
    players: tuple[int, ...]
    range: NDArray[np.float32]
    """[n, player, hand] the ranges, in the order of `players`."""
    mass: NDArray[np.float32]
    """[n, player] the sum of each range."""


class Averages(NamedTuple):
    """The averages above a part, which the part needs before it grows or returns its own."""

    stem: NDArray[Any]
    """[node, hand] the averages of the stem and the starts, as stored."""
    dealt: NDArray[np.float32]
    """[player, hand] the hands dealt."""


class Facts(NamedTuple):
    """The facts that a worker reports about itself."""

    host: str
    process: int
    threads: int
    spare: float
    """Bytes of free memory on the worker's machine."""
    versions: dict[str, str]
    """The versions that must be equal for bit-identical results."""


class Size(NamedTuple):
    """The size of a part, its stem included."""

    nodes: int
    decisions: int


class Division(NamedTuple):
    """The result of dividing a part."""

    opened: State
    """If the part had one start, the rows of that start's children: `action`, `regret` and
    `average`; otherwise empty."""
    sizes: dict[int, Size]
    """The sizes of the new parts."""


class Worth(NamedTuple):
    """A worker's answer for a part."""

    values: NDArray[np.float32]
    """[start that was asked for, hand] the values in penalty points."""
    seconds: float
    """Processor seconds that the walk of the part took."""


class Load(NamedTuple):
    """The load of a worker."""

    seconds: float
    """Wall-clock seconds that the worker has walked so far."""
    used: float
    """Bytes of memory that the worker uses."""
    spare: float
    """Bytes of free memory on its machine; 0 if unknown."""

    def after(self, taken: float) -> Load:
        """Return the load with `taken` additional bytes in use."""
        return Load(self.seconds, self.used + taken, max(0.0, self.spare - taken))


class PassStep(NamedTuple):
    """A `Step` for one player."""

    player: int
    bare: Step
    """The step without its noise, which every worker has."""


def versions() -> dict[str, str]:
    """Return the versions that must be equal on all machines for bit-identical results. Compiled
    code depends on the kind of processor."""
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
    """Holds parts of the tree of `rules`, by number, and walks them with `threads` threads."""

    def __init__(self, rules: Rules, threads: int | None, *, large: bool) -> None:
        self._rules, self._large = rules, large
        self._root = root_of(bid_tables(rules))
        self._crew = Crew(rules, self._root, threads)
        self._threads = threads or 1
        self._noise = noise_for(self._root.ranges.shape[1])
        self._parts: dict[int, Part] = {}
        self._seconds = 0.0
        self._left_out = ExitStack()
        """Restores the averages from which small shares are left out."""

    def facts(self) -> Facts:
        """Return the facts about this process."""
        return Facts(platform.node(), os.getpid(), self._threads, spare(), versions())

    def load(self) -> Load:
        """Return the worker's load."""
        return Load(self._seconds, used(), spare())

    # Holding

    def take(self, number: int, span: Span, state: Mapping[str, NDArray[Any]]) -> Size:
        """Hold a part under `number`. Raise OutOfMemory, or StateError for a state that does not
        fit the span; the part is not held then."""
        grown = GrowingTree(self._root, large=self._large, stem=span.stem, starts=span.starts)
        grown.restore(state)
        self._parts[number] = Part(grown)
        return self._size(number)

    def drop(self, number: int) -> None:
        """Stop holding a part."""
        del self._parts[number]

    def state(self, number: int) -> State:
        """Return the state of a part: the arrays themselves, not copies."""
        return self._parts[number].grown.state()

    def drop_all(self) -> None:
        """Stop holding all parts."""
        self._parts.clear()

    def save(self, directory: Path, passes: int) -> None:
        """Write each part into a file of the `directory`, as it is after `passes` passes. Raise
        StorageError."""
        for number, part in self._parts.items():
            grown = part.grown
            header = {"stem": grown.stem, "starts": grown.start_actions, "passes": passes}
            save(part_path(directory, passes, number), _KIND, header, grown.state())

    def restore(self, directory: Path, passes: int, spans: Mapping[int, Span]) -> dict[int, Size]:
        """Hold the parts with these numbers and `spans` that were saved after `passes` passes.
        Raise StorageError or OutOfMemory."""
        sizes = {}
        for number, span in spans.items():
            path = part_path(directory, passes, number)
            header, arrays = load(path, _KIND)
            try:
                found = header.get("stem"), header.get("starts"), header.get("passes")
                if found != ([*span.stem], [*span.starts], passes):
                    raise StateError("it belongs to another run")
                sizes[number] = self.take(number, span, arrays)
            except StateError as error:
                raise StorageError(
                    "{path} is not the part that was saved: {error}", path=path, error=error
                ) from error
        return sizes

    def weights(self, number: int) -> dict[int, int]:
        """Return the number of nodes below each action by which a part can be divided, its own node
        included. These actions are the starts of the part, or the children of its only start."""
        grown = self._parts[number].grown
        nodes = self._divisible(grown)
        sizes = np.zeros(nodes.size, dtype=np.int64)
        count_below(grown.tree, nodes, sizes)
        return dict(zip(grown.tree.action[nodes].tolist(), sizes.tolist(), strict=True))

    def divide(self, number: int, starts: Mapping[int, tuple[int, ...]]) -> Division:
        """Replace a part by new parts, each with some of the actions of `weights` as its `starts`,
        by new number. Nodes that are not below these starts are left to the caller. Raise
        OutOfMemory; the old part is still held then."""
        grown = self._parts[number].grown
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
        opened = (
            {}
            if grown.starts.size > 1
            else {
                name: array[nodes].copy()
                for name, array in grown.state().items()
                if name in ("action", "regret", "average")
            }
        )
        del self._parts[number]
        return Division(opened, {new: self._size(new) for new in starts})

    @staticmethod
    def _divisible(grown: GrowingTree) -> NDArray[np.int64]:
        if grown.starts.size > 1:
            return grown.starts
        return children_of(grown, int(grown.starts[0]))

    # Walking

    def improve(self, step: PassStep, asked: Mapping[int, Ranges]) -> tuple[dict[int, Worth], Load]:
        """Improve a player below the starts that are `asked` for. Return for each part the values
        of these starts for the player, and the load."""

        def walk(parts: list[Part]) -> None:
            self._crew.improve(parts, step.player, self._with_noise(step.bare))

        return self._valued(walk, step.player, asked)

    def gather(self, search: Search, asked: Mapping[int, Ranges]) -> tuple[dict[int, Worth], Load]:
        """Do a `search`, whose step is bare, below the starts that are `asked` for. Return for each
        part the values of these starts, and the load."""

        def walk(parts: list[Part]) -> None:
            self._crew.gather(parts, search._replace(step=self._with_noise(search.step)))

        return self._valued(walk, search.walker, asked)

    def _valued(
        self, walk: Callable[[list[Part]], None], walker: int, asked: Mapping[int, Ranges]
    ) -> tuple[dict[int, Worth], Load]:
        """Do a `walk` of the parts that are `asked` for; return what it finds, and the load."""
        began = time.perf_counter()
        parts = self._entered(asked)
        before = [part.seconds for part in parts]
        walk(parts)
        self._seconds += time.perf_counter() - began
        worths = {
            number: Worth(part.values[walker, ranges.place], part.seconds - earlier)
            for (number, ranges), part, earlier in zip(asked.items(), parts, before, strict=True)
        }
        return worths, self.load()

    def descend(self, pace: Pace, bare: Step) -> None:
        """Change the current strategy in all parts by what they have gathered."""
        self._crew.descend([*self._parts.values()], pace, self._with_noise(bare))

    def take_averages(self) -> None:
        """Make the averages of all parts the current strategy."""
        for part in self._parts.values():
            part.take_averages()

    def forget_averages(self) -> None:
        """Set the averages of all parts to 0."""
        for part in self._parts.values():
            part.forget_averages()

    def halve_averages(self, times: int) -> None:
        """Halve the averages of all parts `times` times."""
        for part in self._parts.values():
            part.grown.halve_averages(times)

    def _with_noise(self, bare: Step) -> Step:
        return bare._replace(noise=self._noise)

    def accumulate(self, step: PassStep, asked: Mapping[int, Ranges]) -> None:
        """Add the player's strategy below the starts that are `asked` for to the player's
        average."""
        began = time.perf_counter()
        parts = self._entered(asked)
        self._crew.accumulate(parts, [step.player], self._with_noise(step.bare))
        self._seconds += time.perf_counter() - began

    def respond(
        self, asked: Mapping[int, Mapping[int, Ranges]], least: float
    ) -> tuple[dict[int, dict[int, NDArray[np.float32]]], list[Notes]]:
        """Return two results for the starts that are `asked` for: by player and part, the values of
        a best response to the average; and the actions that gain `least` or more by leaving the
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

    def leave_out(self, least: float) -> None:
        """Leave the shares below `least` out of the averages of all parts, until
        `restore_averages`. The trunk has the whole stems, and their averages."""
        for part in self._parts.values():
            own = 1 + len(part.grown.stem)
            self._left_out.enter_context(without_small_shares(part.grown, least, own))

    def restore_averages(self) -> None:
        """Restore all averages after `leave_out`."""
        self._left_out.close()

    def _entered(self, asked: Mapping[int, Ranges]) -> list[Part]:
        """Write the players' ranges into the parts that are `asked` for, and return these parts."""
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
        """Make room in each part for the given number of new actions. Raise OutOfMemory."""
        for number, added in actions.items():
            self._parts[number].grown.reserve(added)

    def grow(
        self,
        actions: Mapping[int, NDArray[np.int64]],
        above: Mapping[int, Averages],
        remembered: float,
    ) -> dict[int, Size]:
        """Add the `actions` [n, 2], node and action, to each part as `GrowingTree.grow` does.
        Return the sizes of these parts."""
        for number, added in actions.items():
            part = self._parts[number]
            self._learn(part, above[number])
            # Arrays from another process are read-only, which is another type for kernels.
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
            tree, cut = part.grown.tree, Cut(stem=1 + len(part.grown.stem))
            found[number] = average_of_part(
                tree, recall, least, steps, cut, threads=self._crew.threads
            )
        return found

    @staticmethod
    def _learn(part: Part, above: Averages) -> None:
        tree = part.grown.tree
        tree.average[: above.stem.size] = above.stem.reshape(-1)
        tree.dealt[:] = above.dealt

    def _size(self, number: int) -> Size:
        return Size(len(self._parts[number].grown), self._parts[number].grown.decisions)
