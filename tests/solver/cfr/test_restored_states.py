"""What a checkpoint holds is checked before any kernel uses it: whatever a run cannot have left is
refused, with a valid checksum too."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from game.rules import Rules
from policies.training.engines import Setup
from solver.cfr import growing_tree
from solver.cfr.growing_tree import NONE, GrowingTree
from solver.state import StateError
from tests.solver.kernels import in_both_ways

both_ways = in_both_ways(growing_tree)
State = dict[str, NDArray[Any]]
Change = Callable[[State], object]

RULES = Rules(dice=1, faces=3)
SETUPS = {
    "exact": (Setup(Rules(dice=1, faces=2), "exact", "full", 0, 1), 4),
    "tree": (Setup(RULES, "tree", "full", 0, 1), 13),
    "mccfr": (Setup(RULES, "mccfr", "bid,bid", 3, 1), 12),
    "single-bid": (Setup(RULES, "single-bid", "bid", 0, 1), 4),
}


@cache
def saved(engine: str) -> State:
    """The state of a small run."""
    setup, advances = SETUPS[engine]
    run = setup.build()
    for _ in range(advances):
        run.advance_towards(10**9)
    return {name: array.copy() for name, array in run.state().items()}


def copied(engine: str) -> State:
    return {name: array.copy() for name, array in saved(engine).items()}


def put(name: str, place: Any, value: Any) -> Change:
    def change(state: State) -> None:
        state[name][place] = value

    change.__name__ = f"{name}{place} = {value}"
    return change


def retyped(name: str) -> Change:
    def change(state: State) -> None:
        state[name] = state[name].astype(np.int8)

    change.__name__ = f"{name} int8"
    return change


def shorter(name: str) -> Change:
    def change(state: State) -> None:
        state[name] = state[name][:-1]

    change.__name__ = f"{name} shorter"
    return change


def without(name: str) -> Change:
    def change(state: State) -> None:
        del state[name]

    change.__name__ = f"no {name}"
    return change


def own_child(state: State) -> None:
    """A walk would never end."""
    node = np.flatnonzero(state["first_child"] != NONE)[1]
    state["first_child"][node] = node


def sibling_of_itself(state: State) -> None:
    node = np.flatnonzero(state["sibling"] != NONE)[0]
    state["sibling"][node] = node


def shared_child(state: State) -> None:
    """Two nodes have the same children."""
    one, two = np.flatnonzero(state["first_child"] != NONE)[1:3]
    state["first_child"][two] = state["first_child"][one]


def lost_child(state: State) -> None:
    """The children of a node are nobody's."""
    node = np.flatnonzero(state["first_child"] != NONE)[1]
    state["first_child"][node] = NONE


def raise_that_is_lower(state: State) -> None:
    """A raise below a node gets the action of its parent."""
    inner = np.flatnonzero((state["parent"] > 0) & (state["action"] < state["action"].max()))[0]
    state["action"][inner] = state["action"][state["parent"][inner]]


def challenge_with_children(state: State) -> None:
    challenge = np.flatnonzero(state["action"] == state["action"].max())[0]
    state["first_child"][challenge] = challenge + 1


def same_row_twice(state: State) -> None:
    one, two = np.flatnonzero(state["row"] >= 0)[:2]
    state["row"][two] = state["row"][one]


def same_context_twice(state: State) -> None:
    state["context"][-1] = state["context"][-2]


def slots_that_overlap(state: State) -> None:
    state["first_slot"][-1] -= 1


TREE_LINKS = [
    own_child, sibling_of_itself, shared_child, lost_child, raise_that_is_lower,
    challenge_with_children,
    put("first_child", 0, 10**6), put("parent", 3, -2), put("sibling", 1, 2**31 - 1),
    put("action", 1, 999), put("action", 0, 0), put("parent", 1, 2),
]  # fmt: skip
CHANGES: dict[str, list[Change]] = {
    "tree": [
        *TREE_LINKS,
        put("regret", (1, 0), np.nan), put("average", (1, 0), -1.0), put("average", (1, 0), np.inf),
        put("passes", 0, -1), put("passes", 1, 10**9), put("earned", 0, 50.0),
        retyped("action"), shorter("regret"), shorter("passes"), without("sibling"),
    ],
    "mccfr": [
        same_row_twice, same_context_twice, slots_that_overlap,
        put("last", 1, 10**6), put("last", 1, -2), put("row", 0, 10**6), put("row", 0, -1),
        put("context", 0, 1), put("context", 1, -1), put("first_slot", 1, -1),
        put("top", 1, np.nan), put("regret", (0, 0), np.inf), put("average", (0, 0), np.nan),
        put("used", 0, 0), put("used", 1, 10**9), put("sweeps", 0, -1),
        put("opener_value", 1, np.nan), retyped("row"), shorter("top"), without("used"),
    ],
    "exact": [
        put("regret", (1, 0), np.nan), put("strategy", (1, 0), -1.0),
        put("average", (1, 0), np.inf), shorter("average"), retyped("strategy"), without("regret"),
    ],
    "single-bid": [shorter("regret"), retyped("regret"), without("regret")],
}  # fmt: skip
CASES = [(engine, change) for engine, changes in CHANGES.items() for change in changes]


@pytest.mark.parametrize("engine", SETUPS)
def test_a_state_that_was_saved_is_restored(engine: str) -> None:
    setup, _ = SETUPS[engine]
    again = setup.restored(copied(engine)).state()
    assert again.keys() == saved(engine).keys()
    for name, array in saved(engine).items():
        np.testing.assert_array_equal(again[name], array)


@pytest.mark.parametrize(
    ("engine", "change"), CASES, ids=[f"{engine} {change.__name__}" for engine, change in CASES]
)
def test_a_state_that_no_run_can_have_left_is_refused(engine: str, change: Change) -> None:
    setup, _ = SETUPS[engine]
    state = copied(engine)
    change(state)
    with pytest.raises(StateError) as caught:
        setup.restored(state)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", TREE_LINKS, ids=lambda change: change.__name__)
@pytest.mark.usefixtures("both_ways")
def test_the_check_of_links_finds_what_is_wrong(change: Change) -> None:
    state = copied("tree")
    setup, _ = SETUPS["tree"]
    grown: GrowingTree = setup.restored(state).grown  # type: ignore[attr-defined]
    openings = int(np.count_nonzero(grown.tree.bids.opens))

    def fault() -> int:
        seen = np.full(grown.tree.bids.claimed.size + 1, NONE, dtype=np.int32)
        return int(growing_tree._first_fault(grown.tree, openings, seen))

    assert fault() == NONE
    change(state)
    for name in ("action", "parent", "first_child", "sibling"):
        getattr(grown.tree, name)[: len(grown)] = state[name]
    assert fault() != NONE
