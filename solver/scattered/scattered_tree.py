"""A tree in parts: its *trunk* is in this process, and workers hold the parts that begin at leaves
of the trunk.

**A walk** of the trunk needs the values of the parts, and the workers need the ranges at the starts
of the parts. So each walk is done twice. The first walk finds the ranges, with whatever values the
parts had. Then all that it wrote is undone, the workers are called, and the second walk uses their
answers.

Trees in parts are not merged (`solver.hand_classes`): the partition of a node would depend on
other parts. Results are bit-identical to those of such a tree in one piece, however it is cut and
wherever the parts live. Both walks use the kernel that walks whole trees (`solver.cfr.tree_walk`).
The workers begin with the same ranges and sums that the kernel would have had there. Nothing that
the workers return is added up in another order. Pseudo-random choices of a pass depend only on the
history.

**Cutting.** As the tree grows, the subtrees below the root are handed to workers in bundles of
siblings. A part that is too large for the balance is divided between its starts. If it has only one
start, it is divided between the children of that start, which then join the trunk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.cutting import State, children_of, part_of, rest_of, with_children
from zhaifei.solver.cfr.growing_tree import ROOT, GrowingTree, count_below, is_leaf
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.shared_work import Crew, Notes, Part, best_first
from zhaifei.solver.cfr.small_shares import without_small_shares
from zhaifei.solver.cfr.tree_descent import Pace, Search
from zhaifei.solver.cfr.tree_strategy import Cut, average_of_part, table_of_parts
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.state import StateError
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.scattered.transport import Transport
from zhaifei.solver.scattered.worker import Averages, Load, PassStep, Ranges, Size, Span, Worth
from zhaifei.solver.tables.recall import RecallTables
from zhaifei.solver.tables.strategy_table import StrategyTable, steps_for

TRUNK = 0
"""The number of the trunk among the parts."""


@dataclass
class Holding:
    """A part that a worker holds."""

    span: Span
    worker: int
    size: Size
    seconds: float = 0.0
    """Processor seconds that walks of the part have taken since parts were last moved."""


class SavedPart(NamedTuple):
    """The facts about a saved part that the trunk needs."""

    number: int
    span: Span
    nodes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a file header."""
        stem, starts = self.span
        return {"number": self.number, "stem": stem, "starts": starts, "nodes": self.nodes}

    @classmethod
    def from_header(cls, header: Header) -> SavedPart:
        """Return the part that `to_dict` described. Raise HeaderError."""
        span = Span(header.wholes("stem"), header.wholes("starts"))
        return cls(header.whole("number", least=TRUNK + 1), span, header.whole("nodes"))


@dataclass(frozen=True)
class Cutting:
    """Thresholds for cutting, in nodes."""

    loose: int = 4000
    """The most nodes outside of parts below the trunk's leaves before they are handed to
    workers."""
    share: float = 0.125
    """The largest share of a worker's fair number of nodes that one part may have."""
    least: int = 2000
    """The number of nodes that a part may have in any case."""
    uneven: float = 1.1
    """The largest ratio of a worker's time to the mean of all workers."""
    tight: float = 0.1
    """A machine is nearly out of memory if less than this share of the memory that a worker uses
    and could use is left."""


_GAINING = 0.999
"""The largest share of the gap between two workers that a part may cost if it is moved. Sums are
rounded: with 1.0 a part that costs as much as the gap could move back and forth for ever."""


class ScatteredTree:
    """A SolversTree in parts (`solver.cfr.own_tree`)."""

    def __init__(
        self, grown: GrowingTree, crew: Crew, workers: Transport, cutting: Cutting | None = None
    ) -> None:
        """At first the whole tree is in the trunk `grown`, which the `crew` walks."""
        self.part, self._crew, self._workers = Part(grown), crew, workers
        self._cutting = cutting or Cutting()
        self.holdings: dict[int, Holding] = {}
        """The parts by number, from 1."""
        self._next = TRUNK + 1
        self._opened: set[tuple[int, ...]] = {()}
        """The histories in the trunk whose children are in the trunk, while the subtrees of these
        children belong to workers."""
        self._places: dict[int, NDArray[np.int64]] = {}
        """For each part, [start] the place of the start in the trunk's arrays of subtrees
        elsewhere."""
        self.loads = [Load(0.0, 0.0, 0.0)] * len(workers)
        """[worker] the load of each worker when it last walked."""

    def __len__(self) -> int:
        return len(self.part.grown) + sum(
            one.size.nodes - 1 - len(one.span.stem) - len(one.span.starts)
            for one in self.holdings.values()
        )

    @property
    def decisions(self) -> int:
        """See SolversTree. The starts of parts have children, but count as leaves in the trunk; the
        stems of parts are counted in the trunk."""
        return self.part.grown.decisions + sum(
            one.size.decisions - 1 - len(one.span.stem) for one in self.holdings.values()
        )

    # Walks

    def improve(self, player: int, step: Step) -> NDArray[np.float32]:
        """See SolversTree."""

        def walk() -> None:
            self._crew.improve([self.part], player, step)

        asked = self._looked(walk, _others(self._players, player))
        message = _pass_step(player, step)
        answers = self._workers.call(
            "improve", {worker: (message, asked[worker]) for worker in range(len(self._workers))}
        )
        self._learn(answers, asked)
        walk()
        return self.part.earned(player)

    def gather(self, search: Search) -> NDArray[np.float32]:
        """See SolversTree."""

        def walk() -> None:
            self._crew.gather([self.part], search)

        self.part.gathering()
        asked = self._looked(walk, _others(self._players, search.walker))
        message = search._replace(step=_bare(search.step))
        answers = self._workers.call(
            "gather", {worker: (message, asked[worker]) for worker in range(len(self._workers))}
        )
        self._learn(answers, asked)
        walk()
        return self.part.earned(search.walker)

    def _learn(
        self,
        answers: Mapping[int, tuple[dict[int, Worth], Load]],
        asked: Mapping[int, Mapping[int, Ranges]],
    ) -> None:
        """Note the loads of workers, and the values that they answer where they were `asked`."""
        for worker, (worths, load) in answers.items():
            self.loads[worker] = load
            for number, worth in worths.items():
                self.holdings[number].seconds += worth.seconds
                self._give(number, asked[worker][number], worth.values)

    def descend(self, pace: Pace, step: Step) -> None:
        """See SolversTree."""
        self._crew.descend([self.part], pace, step)
        self._tell("descend", pace, _bare(step))

    def take_averages(self) -> None:
        """See SolversTree."""
        self.part.take_averages()
        self._tell("take_averages")

    def forget_averages(self) -> None:
        """See SolversTree."""
        self.part.forget_averages()
        self._tell("forget_averages")

    def _tell(self, method: str, *arguments: Any) -> None:
        """Call a `method` of all workers with the same `arguments`."""
        self._workers.call(method, {worker: arguments for worker in range(len(self._workers))})

    def accumulate(self, players: Sequence[int], step: Step) -> None:
        """See SolversTree."""
        for player in players:

            def walk(player: int = player) -> None:
                self._crew.accumulate([self.part], [player], step)

            asked = self._looked(walk, (player,))
            message = _pass_step(player, step)
            self._workers.call(
                "accumulate", {worker: (message, parts) for worker, parts in asked.items()}
            )
            walk()

    def respond(self, players: Sequence[int], least: float) -> tuple[NDArray[np.float32], Notes]:
        """See SolversTree."""
        asked: dict[int, dict[int, dict[int, Ranges]]] = defaultdict(dict)
        for player in players:

            def walk(player: int = player) -> None:
                self._crew.respond([self.part], [player], float("inf"))

            for worker, parts in self._looked(walk, _others(self._players, player)).items():
                asked[worker][player] = parts
        answers = self._workers.call(
            "respond", {worker: (players_asked, least) for worker, players_asked in asked.items()}
        )
        notes = [one for _, found in answers.values() for one in found]
        for player in players:
            for worker, (values, _) in answers.items():
                for number, value in values.get(player, {}).items():
                    self._give(number, asked[worker][player][number], value)
            notes += self._crew.respond([self.part], [player], least)
        return self.part.values.copy(), best_first(notes)

    def _looked(
        self, walk: Callable[[], None], players: tuple[int, ...]
    ) -> defaultdict[int, dict[int, Ranges]]:
        """Return the ranges of `players` with which a `walk` of the trunk reaches the parts, by
        worker and part. Leave the trunk as it was."""
        tree, used = self.part.grown.tree, self.part.grown.numbers
        elsewhere = tree.elsewhere
        rows = (tree.regret[:used], tree.average[:used], *(self.part.gathered or ()))
        before = [array.copy() for array in rows]
        elsewhere.reached[:] = False
        walk()
        for array, kept in zip(rows, before, strict=True):
            array[:] = kept
        asked: defaultdict[int, dict[int, Ranges]] = defaultdict(dict)
        for number, places in self._places.items():
            reached = np.flatnonzero(elsewhere.reached[places])
            if reached.size:
                chosen = np.ix_(places[reached], np.array(players))
                ranges = Ranges(reached, players, elsewhere.ranges[chosen], elsewhere.mass[chosen])
                asked[self.holdings[number].worker][number] = ranges
        return asked

    def _give(self, number: int, asked: Ranges, values: NDArray[np.float32]) -> None:
        """Set the values [n, hand] of the starts that were `asked` for, for the next walk of the
        trunk."""
        places = self._places[number][asked.place]
        self.part.grown.tree.elsewhere.values[places] = values

    @property
    def _players(self) -> int:
        return len(self.part.grown.tree.dealt)

    # Growing

    def grow(self, notes: Notes, remembered: float) -> None:
        """See SolversTree. If a worker has not enough memory, nothing changes."""
        actions = {
            number: notes.noted[notes.part == number, :2] for number in (TRUNK, *self.holdings)
        }
        own = actions.pop(TRUNK)
        added = {number: len(some) for number, some in actions.items() if len(some)}
        self.part.grown.reserve(len(own))
        self._workers.call(
            "reserve",
            {
                worker: ({number: added[number] for number in numbers},)
                for worker, numbers in self._by_worker(added).items()
            },
        )
        above = {number: self._above(number) for number in added}
        answers = self._workers.call(
            "grow",
            {
                worker: (
                    {number: actions[number] for number in numbers},
                    {number: above[number] for number in numbers},
                    remembered,
                )
                for worker, numbers in self._by_worker(added).items()
            },
        )
        self._note(answers.values())
        self.part.grown.grow(own[:, 0], own[:, 1], remembered)
        self.part.forget_groups()
        self.balance()

    def halve_averages(self, times: int) -> None:
        """See SolversTree."""
        if times > 0:
            self.part.grown.halve_averages(times)
            self._tell("halve_averages", times)

    @contextmanager
    def without_small_shares(self, least: float) -> Iterator[None]:
        """See SolversTree."""
        try:
            self._tell("leave_out", least)
            with without_small_shares(self.part.grown, least):
                yield
        finally:
            self._tell("restore_averages")

    def average(self, recall: RecallTables, least: float) -> StrategyTable:
        """See SolversTree."""
        return self._table(recall, least, self.holdings)

    @property
    def average_steps(self) -> int:
        """The number of steps in which `average` stores a probability."""
        return steps_for(len(self), self._hands)

    def average_by_opening(
        self, recall: RecallTables, least: float
    ) -> Iterator[tuple[tuple[int, ...], StrategyTable]]:
        """Yield the average in parts, as `solver.tables.packing.pack_parts` takes it: for some
        openings at a time, the trunk and all parts below these openings."""
        by_openings: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for number, one in self.holdings.items():
            by_openings[one.span.stem[:1] or one.span.starts].append(number)
        starts = self.part.grown.start_actions
        others = {*starts} - {action for openings in by_openings for action in openings}
        by_openings[tuple(sorted(others))] = []
        for openings, numbers in by_openings.items():
            yield openings, self._table(recall, least, numbers)

    def _table(self, recall: RecallTables, least: float, numbers: Iterable[int]) -> StrategyTable:
        """Return the average in the trunk and in the parts with these `numbers`."""
        tree, steps = self.part.grown.tree, self.average_steps
        answers = self._workers.call(
            "average",
            {
                worker: ({number: self._above(number) for number in some}, least, steps)
                for worker, some in self._by_worker(numbers).items()
            },
        )
        found = {number: part for answer in answers.values() for number, part in answer.items()}
        filled = [self.holdings[number].span for number, part in found.items() if part.context.size]
        cut = Cut(leading=[self._node(span.stem) for span in filled])
        parts = [average_of_part(tree, recall, least, steps, cut, threads=self._crew.threads)]
        parts += [found[number] for number in sorted(found)]
        return table_of_parts(recall, parts, self._hands, steps)

    @property
    def _hands(self) -> int:
        return int(self.part.entries.ranges.shape[2])

    def _above(self, number: int) -> Averages:
        """Return the averages above a part that the part needs."""
        tree, places = self.part.grown.tree, self._places[number]
        starts = tree.elsewhere.node[places]
        nodes, node = [*starts[::-1].tolist()], int(tree.parent[starts[0]])
        while node >= ROOT:
            nodes.append(node)
            node = int(tree.parent[node])
        return Averages(self.part.grown.state()["average"][nodes[::-1]], tree.dealt.copy())

    def _by_worker(self, numbers: Iterable[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for number in numbers:
            found[self.holdings[number].worker].append(number)
        return found

    def _note(self, answers: Iterable[Mapping[int, Size]]) -> None:
        for sizes in answers:
            for number, size in sizes.items():
                one = self.holdings[number]
                one.seconds *= size.nodes / one.size.nodes
                one.size = size

    # Saving

    def save_parts(self, directory: Path, passes: int) -> list[SavedPart]:
        """Let the workers write their parts, as they are after `passes` passes, into files of the
        `directory`, which all of them must see. Return the argument of `restore_parts`. Raise
        StorageError."""
        self._tell("save", directory, passes)
        return [
            SavedPart(number, one.span, one.size.nodes) for number, one in self.holdings.items()
        ]

    def restore_parts(self, saved: Sequence[SavedPart], directory: Path, passes: int) -> None:
        """Let the workers hold exactly the parts that were `saved`, below the trunk that was saved
        with them and is already here. Raise StateError if the parts do not fit the trunk,
        StorageError, or OutOfMemory."""
        self._tell("drop_all")
        self.holdings = {}
        loads = [0] * len(self._workers)
        given: list[dict[int, Span]] = [{} for _ in loads]
        for one in sorted(saved, key=lambda part: (-part.nodes, part.number)):
            worker = int(np.argmin(loads))
            loads[worker] += one.nodes
            given[worker][one.number] = one.span
        answers = self._workers.call(
            "restore", {worker: (directory, passes, spans) for worker, spans in enumerate(given)}
        )
        for worker, sizes in answers.items():
            for number, size in sizes.items():
                self.holdings[number] = Holding(given[worker][number], worker, size)
        self._next = 1 + max(self.holdings, default=TRUNK)
        self._opened = {()} | {
            stem[:length]
            for stem in (one.span.stem for one in self.holdings.values())
            for length in range(len(stem) + 1)
        }
        self._find_parts()
        tree = self.part.grown.tree
        nodes = tree.elsewhere.node.tolist()
        if len({*nodes}) < len(nodes) or not all(is_leaf(tree, node) for node in nodes):
            raise StateError("a part overlaps another part or the trunk")

    # Cutting

    def balance(self) -> None:
        """Hand out subtrees of the trunk, divide parts that are too large, and even out the work of
        workers, as far as memory allows. Moving a part temporarily takes twice its memory."""
        with suppress(OutOfMemory):
            self._hand_out()
            most = max(self._cutting.least, int(self._cutting.share * self._fair))
            while large := [n for n, one in self.holdings.items() if one.size.nodes > most]:
                if not any([self._divide(number, most) for number in large]):
                    break
            self._even_out()
            self._relieve()
        for one in self.holdings.values():
            one.seconds = 0.0

    @property
    def nodes(self) -> NDArray[np.int64]:
        """[worker] the number of nodes that each worker holds."""
        nodes = np.zeros(len(self._workers), dtype=np.int64)
        for one in self.holdings.values():
            nodes[one.worker] += one.size.nodes
        return nodes

    @property
    def _fair(self) -> float:
        """The number of nodes that a worker should hold."""
        return sum(one.size.nodes for one in self.holdings.values()) / len(self._workers)

    def _hand_out(self) -> None:
        """Hand the subtrees of the trunk to workers, if they have many nodes."""
        grown = self.part.grown
        loose = {stem: self._loose(stem) for stem in sorted(self._opened)}
        if sum(sum(sizes.values()) for sizes in loose.values()) <= self._cutting.loose:
            return
        for stem, sizes in loose.items():
            for bundle in _bundles(sizes, self._cutting.least):
                node = self._node(stem)
                children = children_of(grown, node)
                starts = children[np.isin(grown.tree.action[children], bundle)]
                span = Span(stem, tuple(grown.tree.action[starts].tolist()))
                self._hand(span, part_of(grown, starts), self._lightest())
                self._cut_off(starts)

    def _loose(self, stem: tuple[int, ...]) -> dict[int, int]:
        """Return the number of nodes of each child of the history `stem`, by action, itself
        included. Omit children without children and children that are opened in the trunk."""
        grown = self.part.grown
        children = children_of(grown, self._node(stem))
        sizes = np.zeros(children.size, dtype=np.int64)
        count_below(grown.tree, children, sizes)
        actions = grown.tree.action[children].tolist()
        return {
            action: size
            for action, size in zip(actions, sizes.tolist(), strict=True)
            if size > 1 and (*stem, action) not in self._opened
        }

    def _node(self, history: tuple[int, ...]) -> int:
        """Return the node of the trunk with this history."""
        node = ROOT
        for action in history:
            node = self._child(node, action)
        return node

    def _child(self, node: int, action: int) -> int:
        children = children_of(self.part.grown, node)
        found = children[self.part.grown.tree.action[children] == action]
        if found.size == 0:
            raise StateError("a part begins where the trunk has no node")
        return int(found[0])

    def _hand(self, span: Span, state: State, worker: int) -> None:
        number, self._next = self._next, self._next + 1
        size = self._workers.call("take", {worker: (number, span, state)})[worker]
        self.holdings[number] = Holding(span, worker, size)

    def _cut_off(self, starts: NDArray[np.int64]) -> None:
        """Remove the subtrees below `starts`, which a worker has just taken."""
        self._replant(rest_of(self.part.grown, starts))

    def _replant(self, state: State) -> None:
        """Set the state of the trunk."""
        grown = self.part.grown
        grown.leave_elsewhere(np.zeros(0, dtype=np.int64))  # the nodes are renumbered
        grown.replace(state)
        self._find_parts()

    def _find_parts(self) -> None:
        """Find the leaves of the trunk where parts begin."""
        grown, nodes = self.part.grown, list[int]()
        self._places = {}
        for number, one in self.holdings.items():
            stem, first = self._node(one.span.stem), len(nodes)
            nodes += [self._child(stem, action) for action in one.span.starts]
            self._places[number] = np.arange(first, len(nodes))
        grown.leave_elsewhere(np.array(nodes, dtype=np.int64))
        self.part.forget_groups()

    def _divide(self, number: int, most: int) -> bool:
        """Divide a part into bundles of at most `most` nodes, if possible; return whether it was
        divided."""
        one = self.holdings[number]
        weights = self._workers.call("weights", {one.worker: (number,)})[one.worker]
        alone = len(one.span.starts) == 1
        sizes = {action: size for action, size in weights.items() if size > 1}
        bundles = _bundles(sizes, most if alone else most // 2)
        if not bundles or (not alone and len(bundles) < 2):
            return False
        stem = one.span.stem + one.span.starts if alone else one.span.stem
        order = [*weights]
        new = {
            self._next + place: tuple(sorted(bundle, key=order.index))
            for place, bundle in enumerate(bundles)
        }
        self._next += len(new)
        division = self._workers.call("divide", {one.worker: (number, new)})[one.worker]
        del self.holdings[number]
        nodes = sum(size.nodes for size in division.sizes.values())
        for added, starts in new.items():
            size = division.sizes[added]
            seconds = one.seconds * size.nodes / nodes
            self.holdings[added] = Holding(Span(stem, starts), one.worker, size, seconds)
        if alone:
            self._opened.add(stem)
            self._replant(with_children(self.part.grown, self._node(stem), division.opened))
        else:
            self._find_parts()
        return True

    def _lightest(self) -> int:
        return int(np.argmin(self._work(self._costs())))

    def _costs(self) -> dict[int, float]:
        """Return the duration of walks of each part, in any unit. It is as measured since parts
        were last moved, or in proportion to the nodes if it was not measured."""
        measured = [one for one in self.holdings.values() if one.seconds > 0.0]
        nodes = sum(one.size.nodes for one in measured)
        each = sum(one.seconds for one in measured) / nodes if measured else 1.0
        return {
            number: one.seconds or each * one.size.nodes for number, one in self.holdings.items()
        }

    def _work(self, costs: Mapping[int, float]) -> NDArray[np.float64]:
        """Return [worker] the sum of the costs of its parts."""
        work = np.zeros(len(self._workers))
        for number, one in self.holdings.items():
            work[one.worker] += costs[number]
        return work

    def _even_out(self) -> None:
        """Move parts from the worker with the most work to the worker with the least, while that
        helps."""
        costs = self._costs()
        while not self._tight().all():
            work = self._work(costs)
            source = int(np.argmax(work))
            target = int(np.argmin(np.where(self._tight(), np.inf, work)))
            gap = work[source] - work[target]
            fitting = [
                (costs[number], number)
                for number, one in self.holdings.items()
                if one.worker == source and costs[number] < _GAINING * gap
            ]
            if work[source] <= self._cutting.uneven * work.mean() or not fitting:
                return
            _, number = min(fitting, key=lambda found: (abs(gap / 2 - found[0]), found[1]))
            self._move(number, target)

    def _tight(self) -> NDArray[np.bool_]:
        """Return [worker] whether its machine is nearly out of memory."""
        return np.array(
            [
                0.0 < load.spare < self._cutting.tight * (load.used + load.spare)
                for load in self.loads
            ]
        )

    def _relieve(self) -> None:
        """Move parts away from workers whose machines are nearly out of memory, while another
        machine has more left, even after twice the size of the part, which the move takes."""
        for source in np.flatnonzero(self._tight()).tolist():
            largest = sorted(self._by_worker(self.holdings)[source], key=self._bytes, reverse=True)
            for number in largest:
                spare = [load.spare for load in self.loads]
                target = int(np.argmax(spare))
                if self._tight()[source] and spare[source] + 2 * self._bytes(number) < max(spare):
                    self._move(number, target)

    def _bytes(self, number: int) -> int:
        return self.holdings[number].size.nodes * self.part.grown.node_bytes

    def _move(self, number: int, target: int) -> None:
        one, size = self.holdings[number], self._bytes(number)
        self._workers.move(number, one.span, one.worker, target)
        self.loads[one.worker] = self.loads[one.worker].after(-size)
        self.loads[target] = self.loads[target].after(size)
        one.worker = target


def _others(players: int, player: int) -> tuple[int, ...]:
    return tuple(other for other in range(players) if other != player)


def _pass_step(player: int, step: Step) -> PassStep:
    return PassStep(player, _bare(step))


def _bare(step: Step) -> Step:
    """Return the step without its noise, which every worker has."""
    return step._replace(noise=step.noise[:0].copy())


def _bundles(sizes: Mapping[int, int], least: int) -> list[list[int]]:
    """Return the actions of `sizes` in bundles of consecutive actions. A bundle is closed before
    the action that would take it beyond `least` nodes."""
    bundles: list[list[int]] = []
    size = least
    for action, nodes in sizes.items():
        if not bundles or (size > 0 and size + nodes > least):
            bundles.append([])
            size = 0
        bundles[-1].append(action)
        size += nodes
    return bundles
