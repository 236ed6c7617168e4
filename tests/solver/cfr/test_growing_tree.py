import os

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.plain_game import legal_actions, mover
from tests.solver.twins.tree_twin import History, absent, nodes_of, random_tree
from zhaifei.game.bids import action_of, challenge_action, domain, legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.solver.cfr import growing_tree
from zhaifei.solver.cfr.growing_tree import NONE, ROOT, GrowingTree
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.files.state import StateError
from zhaifei.solver.machine import memory
from zhaifei.solver.machine.memory import OutOfMemory

TWO = Rules.of(dice=2, faces=2)
"""One bid between the openings may not open."""
SMALL = [(TWO, 60), (Rules.of(dice=2, faces=2, first_count=1), 400), (preset("liars_dice"), 400)]
CHALLENGE = challenge_action(TWO)

both_ways = in_both_ways(growing_tree)
small = pytest.mark.parametrize(("rules", "size"), SMALL, ids=str)


def copied(state: dict) -> dict:
    """A state is views of arrays that growth moves."""
    return {name: array.copy() for name, array in state.items()}


def contents(grown: GrowingTree) -> dict[History, tuple[bytes, bytes]]:
    """All that a tree means: the rows of each history."""
    state = grown.state()
    regret, average, nodes = state["regret"], state["average"], nodes_of(state)
    return {h: (regret[node].tobytes(), average[node].tobytes()) for h, node in nodes.items()}


def children_of(grown: GrowingTree, node: int) -> list[int]:
    """Nodes, in the order that walks take."""
    found, child = [], grown.tree.first_child[node]
    while child != NONE:
        found.append(int(child))
        child = grown.tree.sibling[child]
    return found


def verify(rules: Rules, grown: GrowingTree) -> None:
    """What kernels rely on."""
    tree, nodes = grown.tree, nodes_of(grown.state())
    assert len(nodes) == len(grown) == tree.used[0]
    assert (tree.action[ROOT], tree.parent[ROOT], tree.sibling[ROOT]) == (NO_BID, NONE, NONE)
    opened = [action_of(rules, bid) for bid in legal_bids(rules, None)]
    assert sorted(tree.action[children_of(grown, ROOT)]) == opened
    below = 1
    for history, node in nodes.items():
        children = children_of(grown, node)
        below += len(children)
        actions = tree.action[children].tolist()
        assert (tree.parent[children] == node).all()
        assert len(set(actions)) == len(actions)
        if not children:
            continue
        assert history[-1:] != (challenge_action(rules),)
        assert set(actions) <= set(legal_actions(rules, history))
        # The challenge is first, and at the start the weakest opening.
        assert actions[0] == (challenge_action(rules) if history else opened[0])
        assert len(actions) > 1
    assert below == len(grown)
    assert grown.decisions == sum(bool(children_of(grown, node)) for node in nodes.values())


def add(grown: GrowingTree, histories: list[History], remembered: float = 0.0) -> None:
    nodes = nodes_of(grown.state())
    parents = np.array([nodes[history[:-1]] for history in histories], dtype=np.int64)
    grown.grow(parents, np.array([h[-1] for h in histories], dtype=np.int64), remembered)


# Growing


@small
def test_a_tree_starts_with_all_openings_and_no_more(rules, size):
    grown = GrowingTree(root_of(bid_tables(rules)))
    verify(rules, grown)
    openings = [(action_of(rules, bid),) for bid in legal_bids(rules, None)]
    assert list(nodes_of(grown.state())) == [(), *openings]
    assert grown.decisions == 1
    assert not grown.tree.regret.any()
    assert not grown.tree.average.any()
    assert grown.state()["regret"].shape == (1 + len(openings), len(hands(rules)))


def test_the_challenge_joins_with_the_first_raise(both_ways):
    grown, (first, second, *_) = GrowingTree(root_of(bid_tables(TWO))), legal_actions(TWO, ())
    before = len(grown)
    raises = legal_actions(TWO, (first,))[:3]
    add(grown, [(first, raises[1]), (first, raises[0])])
    verify(TWO, grown)
    assert len(grown) == before + 3
    add(grown, [(first, raises[2]), (first, raises[1], second + 5), (second, second + 5)])
    verify(TWO, grown)
    found = set(nodes_of(grown.state()))
    assert found == {
        (),
        *((opening,) for opening in legal_actions(TWO, ())),
        (first, CHALLENGE),
        *((first, bid) for bid in raises),
        (first, raises[1], CHALLENGE),
        (first, raises[1], second + 5),
        (second, CHALLENGE),
        (second, second + 5),
    }
    assert grown.decisions == 4


@small
def test_trees_of_many_raises_hold_together(rules, size):
    grown = random_tree(rules, 1, size)
    verify(rules, grown)
    raises = [h for h in nodes_of(grown.state()) if len(h) > 1 and h[-1] < challenge_action(rules)]
    assert len(raises) >= size
    assert max(map(len, raises)) > 3


def test_what_was_challenged_until_now_is_remembered(both_ways):
    grown, rng = GrowingTree(root_of(bid_tables(TWO))), np.random.default_rng(0)
    (first, second, *_), reply = legal_actions(TWO, ()), 8
    add(grown, [(first, reply)])
    grown.state()["regret"][:] = rng.normal(size=(len(grown), 3))
    grown.state()["average"][:] = rng.exponential(size=(len(grown), 3))
    grown.tree.dealt[:] = rng.exponential(size=(2, 3))
    before = contents(grown)
    grand, averages = nodes_of(grown.state()), grown.state()["average"].copy()
    add(grown, [(first, reply, 9), (first, reply, 11), (second, 9), (first, 9)], 0.25)
    added = set(contents(grown)) - set(before)
    assert {h: rows for h, rows in contents(grown).items() if h in before} == before
    challenged = {(first, reply, CHALLENGE): (first,), (second, CHALLENGE): ()}
    assert added == {*challenged, (first, reply, 9), (first, reply, 11), (second, 9), (first, 9)}
    # Who may challenge came there by the action before the last: at first that is the deal.
    nodes = nodes_of(grown.state())
    for history in added:
        average = grown.state()["average"][nodes[history]]
        if history in challenged:
            came = challenged[history]
            expected = 0.25 * (averages[grand[came]] if came else grown.tree.dealt[1])
            np.testing.assert_array_equal(average, expected)
            assert average.all()
        else:
            assert not average.any()
        assert not grown.state()["regret"][nodes[history]].any()


@pytest.mark.parametrize("doubled", [(), (2, 4)])
@pytest.mark.parametrize(("players", "made"), [(3, ()), (3, (0, 1)), (4, ())])
def test_challenges_are_remembered_by_the_last_action_of_who_is_in_turn(
    players, made, doubled, both_ways
):
    rules = Rules.of(players=players, dice=1, faces=3, first_count=1, doubled=doubled)
    root = root_of(bid_tables(rules), made)
    grown, rng = random_tree(rules, 1, 600, root), np.random.default_rng(0)
    grown.tree.dealt[:] = rng.exponential(size=(players, 3))
    nodes, checked = nodes_of(grown.state()), set()
    leaves = [h for h, node in nodes.items() if h and grown.tree.first_child[node] == NONE]
    for history in leaves:
        if history[-1] >= challenge_action(rules):
            continue
        actions = legal_actions(rules, (*made, *history))
        if actions[0] >= challenge_action(rules):
            continue
        add(grown, [(*history, actions[0])], 0.25)
        found = nodes_of(grown.state())
        turns = [mover(rules, (*made, *history[:place])) for place in range(len(history) + 1)]
        acted = [place for place in range(len(history)) if turns[place] == turns[-1]]
        own = history[: acted[-1] + 1] if acted else ()  # up to the last own action
        player = (turns[-1] - turns[0]) % players
        reach = grown.state()["average"][found[own]] if own else grown.tree.dealt[player]
        challenge = found[(*history, challenge_action(rules))]
        np.testing.assert_array_equal(grown.state()["average"][challenge], 0.25 * reach)
        assert reach.all() or own
        checked.add(bool(own))
    assert checked == {False, True}


@small
def test_growth_keeps_what_there_was(rules, size):
    grown = random_tree(rules, 2, size // 2)
    rng = np.random.default_rng(2)
    for _ in range(4):
        before, outside = contents(grown), absent(rules, nodes_of(grown.state()))
        chosen = [outside[place] for place in rng.permutation(len(outside))[: len(outside) // 3]]
        add(grown, chosen)
        verify(rules, grown)
        after = contents(grown)
        assert set(chosen) <= set(after) - set(before)
        assert {h: rows for h, rows in after.items() if h in before} == before


# The order of nodes


@small
def test_growth_keeps_rows_and_their_order_and_puts_siblings_together(rules, size, both_ways):
    grown = random_tree(rules, 3, size)
    openings = len(legal_bids(rules, None))
    for _ in range(2):
        before, former = contents(grown), nodes_of(grown.state())
        add(grown, absent(rules, former)[::3])
        verify(rules, grown)
        grown.verify()
        nodes, after = nodes_of(grown.state()), contents(grown)
        assert {history: after[history] for history in before} == before
        assert np.all(np.diff([nodes[history] for history in former]) > 0)
        assert sorted(grown.tree.parent[1 : 1 + openings]) == [ROOT] * openings
        for node in nodes.values():
            children = children_of(grown, node)
            assert children == list(range(children[0], children[-1] + 1)) if children else True
            assert all(child > node for child in children)


def test_nodes_out_of_order_are_refused():
    saved = copied(random_tree(SMALL[1][0], 5, 300).state())
    leaf, order = saved["first_child"] == NONE, np.arange(len(saved["action"]))
    siblings = saved["sibling"][:-1] == order[1:]
    one = int(np.flatnonzero(siblings & leaf[:-1] & leaf[1:])[-1])
    order[[one, one + 1]] = one + 1, one
    for name in ("parent", "first_child", "sibling"):
        links = saved[name][order]
        saved[name] = np.where(links == NONE, NONE, order[links]).astype(np.int32)
    saved["action"] = saved["action"][order]
    grown = GrowingTree(root_of(bid_tables(SMALL[1][0])))
    with pytest.raises(StateError, match="the saved tree is broken at node"):
        grown.restore(saved)


def test_what_is_below_a_node_is_near_it():
    # All that is below the children of an opening lies together.
    grown = random_tree(SMALL[1][0], 6, 300)
    places: dict[int, list[int]] = {}
    for history, node in nodes_of(grown.state()).items():
        if len(history) > 1:
            places.setdefault(history[0], []).append(node)
    assert len(places) > 3
    for found in places.values():
        assert sorted(found) == list(range(min(found), max(found) + 1))
    # And in the order of the openings.
    firsts = [min(places[a]) for a in grown.tree.action[children_of(grown, ROOT)] if a in places]
    assert firsts == sorted(firsts)


@small
def test_nodes_are_counted_from_any_node_on(rules, size, both_ways):
    grown = random_tree(rules, 4, size)
    nodes = nodes_of(grown.state())
    starts = np.array([*nodes.values()])
    counts = np.full(starts.size, -1, dtype=np.int64)
    growing_tree.count_below(grown.tree, starts, counts)
    expected = [sum(other[: len(history)] == history for other in nodes) for history in nodes]
    assert counts.tolist() == expected


# State


@small
def test_what_is_restored_is_what_was_saved(rules, size):
    saved_tree = random_tree(rules, 7, size)
    saved = copied(saved_tree.state())
    # It makes no difference what was in use before.
    for used in (GrowingTree(root_of(bid_tables(rules))), random_tree(rules, 8, 2 * size // 3)):
        used.restore(saved)
        assert sorted(used.state()) == sorted(saved)
        for name, array in used.state().items():
            assert array.dtype == saved[name].dtype
            assert array.tobytes() == saved[name].tobytes(), name
        verify(rules, used)
        assert used.decisions == saved_tree.decisions


def test_what_is_added_after_a_smaller_tree_was_restored_is_new():
    grown = random_tree(SMALL[1][0], 9, 300)
    fresh = GrowingTree(root_of(bid_tables(SMALL[1][0])))
    saved = copied(fresh.state())
    grown.restore(saved)
    assert len(grown) == len(fresh)
    for one in (grown, fresh):
        add(one, [(0, bid) for bid in range(3, len(domain(SMALL[1][0])))])
    assert contents(grown) == contents(fresh)
    assert not grown.state()["regret"].any()
    assert not grown.state()["average"].any()


ENTRIES = (-(2**15), -2, -1, 0, 1, 2, 3, 4, 7, 20, 21, 2**15 - 1)


def small_tree() -> GrowingTree:
    grown = GrowingTree(root_of(bid_tables(TWO)))
    first, second, *_ = legal_actions(TWO, ())
    raises = legal_actions(TWO, (first,))[:3]
    add(grown, [(first, raises[1]), (first, raises[0]), (second, second + 5)])
    add(grown, [(first, raises[1], second + 5)])
    return grown


@pytest.mark.parametrize("name", ["parent", "first_child", "sibling"])
def test_no_link_can_be_another(name, both_ways):
    """Each link follows from all others."""
    grown, nodes = small_tree(), len(small_tree())
    grown.verify()
    links = getattr(grown.tree, name)
    for node in range(nodes):
        for entry in {*ENTRIES, node, nodes - 1, nodes, nodes + 1} - {int(links[node])}:
            before, links[node] = int(links[node]), entry
            with pytest.raises(StateError, match="the saved tree is broken at node"):
                grown.verify()
            links[node] = before
    grown.verify()


def test_actions_are_legal_and_no_child_comes_twice(both_ways):
    grown = small_tree()
    nodes = nodes_of(grown.state())
    for history, node in nodes.items():
        before = int(grown.tree.action[node])
        beside = [h[-1] for h in nodes if h[:-1] == history[:-1] and h != history and h]
        for entry in ENTRIES:
            grown.tree.action[node] = entry
            below = [h[len(history)] for h in nodes if h[:-1] == history and history]
            follow = legal_actions(TWO, (entry,)) if 0 <= entry < CHALLENGE else []
            possible = entry == before or (
                history
                and before != CHALLENGE
                and entry in legal_actions(TWO, history[:-1])
                and entry not in (*beside, CHALLENGE)
                and (len(history) > 1 or node > 1)
                and (not below or set(below) <= set(follow))
            )
            try:
                grown.verify()
                assert possible, (history, entry)
            except StateError:
                assert not possible, (history, entry)
        grown.tree.action[node] = before


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("regret", np.nan),
        ("regret", np.inf),
        ("regret", -1e38),
        ("dealt", np.nan),
        ("average", np.nan),
        ("average", -1e-3),
        ("average", np.inf),
    ],
)
def test_numbers_are_sound(name, entry):
    saved = copied(small_tree().state())
    saved[name][-1, -1] = entry
    with pytest.raises(StateError, match=f"{name} has a value that is not from"):
        GrowingTree(root_of(bid_tables(TWO))).restore(saved)


# Memory


def test_out_of_memory_leaves_the_tree_as_it_was(monkeypatch):
    grown = random_tree(SMALL[2][0], 10, 300)
    before, decisions = copied(grown.state()), grown.decisions
    arrays = [getattr(grown.tree, name) for name in before]
    sizes, size = [array.shape for array in arrays], sum(array.nbytes for array in arrays)
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(memory, "_MEMORY_SHARE", (size + 1000) / machine)
    openings = [node for h, node in nodes_of(before).items() if len(h) == 1]
    many = np.full(len(arrays[0]), openings[0], dtype=np.int64)
    complaint = f"a tree of {len(grown)} nodes fills the memory that may be used"
    with pytest.raises(OutOfMemory, match=complaint):
        grown.grow(many, np.full(len(many), 11, dtype=np.int64), 0.5)
    assert [array.shape for array in arrays] == sizes
    assert grown.decisions == decisions
    for name, array in grown.state().items():
        assert array.tobytes() == before[name].tobytes(), name
    # What needs no more memory is still granted.
    raise_ = absent(SMALL[2][0], nodes_of(before))[0]
    room = grown.tree.regret.size - grown.numbers
    assert room >= 2 * len(hands(SMALL[2][0]))
    add(grown, [raise_])
    assert raise_ in nodes_of(grown.state())
