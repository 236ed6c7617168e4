"""Trees cut in two: walks of both parts find what a walk of the whole finds."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.twins.tree_twin import WALKS, nodes_of, random_tree
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import growing_tree, tree_averages, tree_improve, tree_respond, tree_walk
from zhaifei.solver.cfr.cutting import children_of, mark_below, part_of, rest_of, with_children
from zhaifei.solver.cfr.growing_tree import NONE, GrowingTree
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.row_precision import noise_for
from zhaifei.solver.cfr.tree_walk import Entries, TreeWalk, new_walk
from zhaifei.solver.files.state import StateError

CASES = [
    (Rules.of(dice=2, faces=2, first_count=1), 120),
    (preset("liars_dice", faces=3), 35),
    (Rules.of(players=3, dice=1, faces=2, first_count=1, jump_challenge=True), 90),
]
STEP = Step(
    np.float32(0.75),
    np.float32(0.4),
    np.float32(3.0),
    7,
    noise_for(1000),
    tremble=np.float32(0.1),
)
both_ways = in_both_ways(growing_tree, *WALKS)
cases = pytest.mark.parametrize(("rules", "size"), CASES, ids=str)
Walked = Callable[[GrowingTree, TreeWalk, int, int], None]
"""A walk from a node on, with the frame above it at some depth."""


def cut(rules: Rules, whole: GrowingTree, history: tuple[int, ...]) -> tuple[GrowingTree, ...]:
    """What is not below the `history`, and what is."""
    root, node = root_of(bid_tables(rules)), nodes_of(whole.state())[history]
    rest, part = GrowingTree(root), GrowingTree(root, stem=history[:-1], starts=history[-1:])
    rest.replace(rest_of(whole, np.array([node])))
    rest.leave_elsewhere(np.array([nodes_of(rest.state())[history]]))
    part.restore(part_of(whole, np.array([node])))
    return rest, part


def entered(rules: Rules, grown: GrowingTree, node: int, ranges: np.ndarray, mass: np.ndarray):
    walk = new_walk(grown.tree.root, 60)
    entries = Entries(np.array([node]), ranges[np.newaxis], mass[np.newaxis])
    return walk, int(tree_walk.enter(grown.tree, walk, entries, 0))


@cases
def test_both_parts_find_what_the_whole_finds(rules, size, both_ways):
    walks: dict[str, Callable[[int], Walked]] = {
        "improve": lambda walker: (
            lambda grown, walk, node, above: tree_improve.improve(
                grown.tree, walk, node, above, walker, STEP
            )
        ),
        "accumulate": lambda walker: (
            lambda grown, walk, node, above: tree_averages.accumulate(
                grown.tree, walk, node, above, walker, STEP
            )
        ),
        "respond": lambda walker: (
            lambda grown, walk, node, above: tree_respond.respond(
                grown.tree, walk, node, above, walker, 1e-6
            )
        ),
    }
    rng, reached, noted = np.random.default_rng(0), 0, 0
    whole = random_tree(rules, 2, size)
    before = {name: array.copy() for name, array in whole.state().items()}
    nodes = nodes_of(before)
    inner = [h for h, node in nodes.items() if h and before["first_child"][node] != NONE]
    for history in inner[:: max(1, len(inner) // 12)]:
        for name, walk_of in walks.items():
            for walker in range(rules.players):
                ranges = rng.random(whole.tree.root.ranges.shape, dtype=np.float32)
                mass, go = ranges.sum(axis=1), walk_of(walker)
                whole.replace(before)
                rest, part = cut(rules, whole, history)
                opening = nodes[history[:1]]
                walk, above = entered(rules, whole, opening, ranges, mass)
                go(whole, walk, opening, above)

                looked = {key: array.copy() for key, array in rest.state().items()}
                start = nodes_of(looked)[history[:1]]
                of_rest, above = entered(rules, rest, start, ranges, mass)
                go(rest, of_rest, start, above)
                elsewhere, found = rest.tree.elsewhere, nodes_of(part.state())
                notes = set()
                if elsewhere.reached[0]:
                    reached += 1
                    place = found[history]
                    of_part, high = entered(
                        rules, part, place, elsewhere.ranges[0], elsewhere.mass[0]
                    )
                    go(part, of_part, place, high)
                    elsewhere.values[0] = of_part.value[high]
                    notes |= set(map(tuple, of_part.noted[: of_part.notes[0], 1:].tolist()))
                for key in ("regret", "average"):
                    rest.state()[key][:] = looked[key]
                of_rest, above = entered(rules, rest, start, ranges, mass)
                go(rest, of_rest, start, above)
                # What is gained above the cut depends on the values below it.
                notes |= set(map(tuple, of_rest.noted[: of_rest.notes[0], 1:].tolist()))
                if name != "accumulate":
                    assert of_rest.value[above].tobytes() == walk.value[above].tobytes()
                if name == "respond":
                    assert set(map(tuple, walk.noted[: walk.notes[0], 1:].tolist())) <= notes
                    noted += int(walk.notes[0])
                for one, here in nodes.items():
                    there, at = (rest, nodes_of(rest.state()).get(one))
                    if at is None:
                        there, at = part, found[one]
                    for key in ("regret", "average"):
                        right, row = whole.state()[key][here], there.state()[key][at]
                        assert row.tobytes() == right.tobytes(), (name, one, key)
    assert reached > 20
    assert noted > 20


@cases
def test_what_is_cut_can_be_put_together_again(rules, size, both_ways):
    whole = random_tree(rules, 3, size)
    state, root = whole.state(), root_of(bid_tables(rules))
    leaves_only = [
        node
        for node in range(1, len(whole))
        if state["first_child"][node] != NONE
        and (state["first_child"][children_of(whole, node)] == NONE).all()
    ]
    assert len(leaves_only) > 3
    for node in leaves_only[:5]:
        children = children_of(whole, node)
        rows = {name: state[name][children] for name in ("action", "regret", "average")}
        rest, again = GrowingTree(root), GrowingTree(root)
        rest.replace(rest_of(whole, np.array([node])))
        assert len(rest) == len(whole) - children.size
        history = next(h for h, one in nodes_of(state).items() if one == node)
        again.replace(with_children(rest, nodes_of(rest.state())[history], rows))
        again.verify()
        for name, array in again.state().items():
            assert array.tobytes() == state[name].tobytes(), name


def test_a_part_is_refused_where_it_does_not_begin_as_it_should():
    rules = CASES[0][0]
    whole = random_tree(rules, 2, 120)
    history = next(
        h
        for h, node in nodes_of(whole.state()).items()
        if len(h) == 2 and whole.tree.first_child[node] != NONE
    )
    _, part = cut(rules, whole, history)
    root, state = root_of(bid_tables(rules)), part.state()
    other = next(bid for bid in root.actions.tolist() if bid != history[0])
    for stem, starts in (((other,), history[1:]), (history[:1], (history[1] + 1,)), ((), history)):
        with pytest.raises(StateError, match="the saved tree is broken at node"):
            GrowingTree(root, stem=stem, starts=starts).restore(state)


def test_all_that_is_below_is_marked():
    parent = np.array([NONE, 0, 0, 1, 3, 2], dtype=np.int32)
    for mark in (mark_below, mark_below.py_func):
        marked = np.array([False, True, False, False, False, False])
        mark(parent, marked)
        assert marked.tolist() == [False, True, False, True, True, False]
