"""Training with parts of the tree elsewhere, against the same in one piece: bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from zhaifei.game.rules import Rules, preset
from zhaifei.solver.cfr import descent
from zhaifei.solver.cfr.growing_tree import NONE, GrowingTree
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.scattered.scattered_tree import Cutting, ScatteredTree, _bundles
from zhaifei.solver.scattered.transport import InProcess
from zhaifei.solver.scattered.worker import Load
from zhaifei.solver.tables import packing, strategy_table
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import arrays_of

TWO = Rules.of(dice=2, faces=3)
THREE = Rules.of(players=3, dice=1, faces=3, first_count=1, jump_challenge=True)
EIGHT = Rules.of(players=8, dice=1, faces=2)
"""With trembles."""
FINE = Cutting(loose=30, share=0.05, least=15, uneven=1.05)
"""Many small parts, also deep in the tree."""


def scattered(
    rules: Rules, workers: int, cutting: Cutting = FINE, large: bool | None = None
) -> tuple[TreeCFR, InProcess]:
    held = InProcess(rules, workers, None, large=bool(large))
    solver = TreeCFR(
        rules,
        threads=None,
        large=large,
        merged=False,
        plant=lambda grown, crew: ScatteredTree(grown, crew, held, cutting),
    )
    return solver, held


def history_of(grown: GrowingTree, node: int) -> tuple[int, ...]:
    found = []
    while grown.tree.parent[node] != NONE:
        found.append(int(grown.tree.action[node]))
        node = int(grown.tree.parent[node])
    return tuple(found[::-1])


def rows_of(grown: GrowingTree) -> dict[tuple[int, ...], tuple[bytes, bytes]]:
    rows = grown.state()["regret"], grown.state()["average"]
    return {
        history_of(grown, node): (rows[0][node].tobytes(), rows[1][node].tobytes())
        for node in range(len(grown))
    }


def all_rows(solver: TreeCFR, held: InProcess) -> dict[tuple[int, ...], tuple[bytes, bytes]]:
    """Of the trunk and of what is below the starts of all parts."""
    found = rows_of(solver.grown)
    for worker in held._workers:
        for part in worker._parts.values():
            stem = 1 + len(part.grown.stem) + len(part.grown.start_actions)
            rows = rows_of(part.grown)
            above = {history_of(part.grown, node) for node in range(stem)}
            new = {history: row for history, row in rows.items() if history not in above}
            assert not found.keys() & new.keys()
            found |= new
    return found


def verify_equal(solver: TreeCFR, held: InProcess, whole: TreeCFR) -> None:
    assert solver.passes == whole.passes
    assert solver.decisions == whole.decisions
    assert len(solver._tree) == len(whole.grown)
    assert all_rows(solver, held) == rows_of(whole.grown)
    assert solver.nash_conv == whole.nash_conv or np.isnan(whole.nash_conv)
    one, other = arrays_of(solver.strategy()), arrays_of(whole.strategy())
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize(
    ("rules", "large", "passes"),
    [
        (TWO, False, 60),
        (TWO, True, 60),
        (THREE, False, 60),
        (THREE, True, 60),
        (EIGHT, False, 40),
        (preset("liars_dice", faces=3), True, 80),
    ],
    ids=str,
)
def test_training_in_parts_is_training_in_one_piece(rules, large, passes, workers, monkeypatch):
    monkeypatch.setattr(descent, "_REGRET_PASSES", 30)
    whole = TreeCFR(rules, threads=1, large=large, merged=False)
    solver, held = scattered(rules, workers, large=large)
    for until in (passes // 3, passes):
        while whole.passes < until:
            whole.advance()
            solver.advance()
        verify_equal(solver, held, whole)
    spans = [one.span for one in solver._tree.holdings.values()]
    assert len(spans) > 3
    assert max(len(span.stem) for span in spans) > 0


class Full(InProcess):
    """Workers that have no memory for what they are to take, now and then."""

    refused = 0

    def call(self, method, arguments):
        if method in ("take", "divide") and self._is_full():
            raise OutOfMemory("no room")
        return super().call(method, arguments)

    def move(self, number, span, source, target):
        if self._is_full():
            raise OutOfMemory("no room")
        super().move(number, span, source, target)

    def _is_full(self) -> bool:
        self.refused += 1
        return self.refused % 3 > 0


def test_where_workers_have_no_memory_for_it_nothing_is_moved():
    held = Full(TWO, 3, None, large=True)
    solver = TreeCFR(
        TWO,
        threads=None,
        large=True,
        merged=False,
        plant=lambda grown, crew: ScatteredTree(grown, crew, held, FINE),
    )
    whole = TreeCFR(TWO, threads=None, large=True, merged=False)
    while whole.passes < 40:
        whole.advance()
        solver.advance()
    verify_equal(solver, held, whole)
    assert held.refused > 10


def test_a_tree_that_workers_have_no_memory_for_is_as_it_was():
    class Small(InProcess):
        def call(self, method, arguments):
            if method == "reserve" and arguments:
                raise OutOfMemory("no room")
            return super().call(method, arguments)

    held = Small(TWO, 2, None, large=False)
    solver = TreeCFR(
        TWO,
        threads=None,
        plant=lambda grown, crew: ScatteredTree(
            grown, crew, held, Cutting(loose=0, share=0.05, least=15)
        ),
    )
    while not solver._tree.holdings:
        solver.advance()
    before, nodes = all_rows(solver, held), len(solver._tree)
    with pytest.raises(OutOfMemory):
        solver.grow(solver.respond(0.0))
    assert len(solver._tree) == nodes
    assert all_rows(solver, held) == before


class Telling(InProcess):
    """Workers that say of themselves what a test gives them to say."""

    def __init__(self, workers: int) -> None:
        super().__init__(TWO, workers, None, large=False)
        self.loads: tuple[Load, ...] = ()
        self.slow: dict[int, float] = {}
        """[worker] how long each part takes it, by its own word."""

    def call(self, method, arguments):
        answers = super().call(method, arguments)
        if method != "improve":
            return answers
        return {
            worker: (
                {
                    number: worth._replace(seconds=self.slow.get(worker, worth.seconds))
                    for number, worth in worths.items()
                },
                self.loads[worker] if self.loads else load,
            )
            for worker, (worths, load) in answers.items()
        }


def grown_with(workers: Telling, cutting: Cutting = FINE) -> tuple[TreeCFR, ScatteredTree]:
    """Training whose tree is in many parts, none of which has been measured since the last was
    moved."""
    solver = TreeCFR(
        TWO, threads=None, plant=lambda grown, crew: ScatteredTree(grown, crew, workers, cutting)
    )
    while solver.passes < 30:
        solver.advance()
    assert isinstance(solver._tree, ScatteredTree)
    return solver, solver._tree


def test_parts_move_to_workers_who_are_done_sooner():
    workers = Telling(2)
    workers.slow = {0: 1.0, 1: 1.0}  # measured, one that shares its processor would count as slow
    solver, tree = grown_with(workers)
    assert max(tree.nodes) < 1.5 * min(tree.nodes)
    workers.slow = {0: 9.0, 1: 1.0}
    solver.improve()
    costs = tree._costs()
    before = tree._work(costs)
    assert before[0] > 2 * before[1]
    tree.balance()
    after = tree._work(costs)
    assert after.sum() == before.sum()
    assert after.max() < 1.3 * after.min()
    whole = TreeCFR(TWO, threads=None)
    while whole.passes < 30:
        whole.advance()
    whole.improve()
    verify_equal(solver, workers, whole)


def test_a_part_does_not_move_back_and_forth_between_workers_who_have_the_same_to_do(monkeypatch):
    """Sums round: 0.3 + 0.1 - 0.3 is more than 0.1, on whichever worker the part is."""
    workers = Telling(2)
    workers.slow = {0: 1.0, 1: 1.0}
    _, tree = grown_with(workers)
    (one, part, *_), (other, *_) = (
        [number for number, held in tree.holdings.items() if held.worker == worker]
        for worker in (0, 1)
    )
    monkeypatch.setattr(tree, "holdings", {n: tree.holdings[n] for n in (one, other, part)})
    monkeypatch.setattr(tree, "_costs", lambda: {one: 0.3, other: 0.3, part: 0.1})
    tree._even_out()
    assert tree.holdings[part].worker == 0


def test_parts_move_away_from_a_machine_that_is_nearly_out_of_memory():
    workers = Telling(3)
    solver, tree = grown_with(workers, replace(FINE, uneven=100.0))  # nothing else moves
    nodes = tree.nodes
    size = 1.0 * nodes[0] * solver.grown.node_bytes
    workers.loads = (
        Load(1.0, 9 * size, 0.5 * size),
        Load(1.0, size, size),
        Load(1.0, size, 9 * size),
    )
    solver.improve()
    tree.balance()
    assert tree.nodes[0] < nodes[0]
    assert tree.nodes[1] == nodes[1]
    assert tree.loads[0].spare >= 0.1 * (tree.loads[0].used + tree.loads[0].spare)
    assert tree.nodes.sum() == nodes.sum()


def test_where_all_machines_are_nearly_out_of_memory_nothing_moves():
    workers = Telling(2)
    solver, tree = grown_with(workers)
    held = {number: one.worker for number, one in tree.holdings.items()}
    workers.loads, workers.slow = (Load(1.0, 1e6, 1e3), Load(1.0, 1e6, 1e3)), {0: 9.0}
    solver.improve()
    tree.balance()
    assert {number: tree.holdings[number].worker for number in held} == held


@pytest.mark.parametrize("many", [5, 1 << 13])
def test_put_together_by_openings_a_file_holds_the_same(many, monkeypatch):
    monkeypatch.setattr(strategy_table, "_EXACT_ENTRIES", 0)
    monkeypatch.setattr(packing, "_MANY_NODES", many)
    solver, _ = scattered(TWO, 2)
    while solver.passes < 60:
        solver.advance()
    tree = solver._tree
    assert isinstance(tree, ScatteredTree)
    recall, least = recall_tables(TWO, FULL), solver.least_stored
    parts = dict(tree.average_by_opening(recall, least))
    assert sorted(action for openings in parts for action in openings) == [
        *tree.part.grown.start_actions
    ]
    whole = tree.average(recall, least)
    assert all(part.nodes < whole.nodes for part in parts.values())
    expected, found = (
        packing.pack(solver.bids, whole),
        packing.pack_parts(solver.bids, parts.items()),
    )
    assert found is not None
    assert len(found["blocks"]) > 3
    assert (found["blocks"][:, 1] >= 0).any() == (many == 5)
    for name, array in expected.items():
        assert array.tobytes() == found[name].tobytes(), name


@pytest.mark.parametrize(
    ("sizes", "bundles"),
    [
        ({}, []),
        ({1: 5}, [[1]]),
        ({1: 5, 2: 5, 3: 30, 4: 2}, [[1, 2], [3], [4]]),
        ({1: 10, 2: 1, 3: 9, 4: 1}, [[1], [2, 3], [4]]),
    ],
)
def test_sisters_are_bundled_in_their_order(sizes, bundles):
    assert _bundles(sizes, 10) == bundles
