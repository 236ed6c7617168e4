"""Hands that count alike below a node: partitions, and trees whose rows hold classes."""

from itertools import combinations

import numpy as np
import pytest
from numba import typeof

from tests.solver.kernels import in_both_ways
from tests.solver.plain_game import mover
from tests.solver.twins.tree_twin import absent, by_hand, class_of, nodes_of, random_tree, set_rows
from zhaifei.game.bids import back_of, challenge_action
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver import hand_classes
from zhaifei.solver.cfr import growing_tree
from zhaifei.solver.cfr.growing_tree import ROOT, GrowingTree
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.hand_classes import ALONE, Partitions
from zhaifei.solver.response.several_players import best_response_in
from zhaifei.solver.response.table_search import best_response
from zhaifei.solver.tables.strategy_table import strategy_after

both_ways = in_both_ways(growing_tree, hand_classes)

GAMES = [
    (Rules.of(dice=2, faces=4), 300),
    (Rules.of(dice=2, faces=3, doubled=(2,), ones_end_fei=True), 150),
    (Rules.of(players=3, dice=1, faces=4, jump_challenge=True), 200),
    (Rules.of(players=3, dice=1, faces=4, doubled=(2, 4)), 200),
]
games = pytest.mark.parametrize(("rules", "size"), GAMES, ids=str)


# Partitions


def test_kernels_are_not_compiled_again_for_trees_with_more_partitions():
    partitions = Partitions(root_of(bid_tables(preset("zhaifei", dice=3))).matches)
    before = typeof(partitions.classes)
    partitions.of(np.array([1, 2]))
    assert partitions.classes.size.size > 1
    assert typeof(partitions.classes) == before


def test_classes_are_the_hands_that_count_alike_for_all_named_kinds():
    matches = root_of(bid_tables(preset("zhaifei", dice=3))).matches
    partitions, kinds = Partitions(matches), len(matches)
    named = [
        sum(1 << kind for kind in some)
        for n in (0, 1, 2, 11)
        for some in combinations(range(kinds), n)
    ]
    found = partitions.of(np.array(named))
    assert found.shape == (len(named),)
    for kinds_named, partition in zip(named, found.tolist(), strict=True):
        chosen = [kind for kind in range(kinds) if kinds_named >> kind & 1]
        counted = [tuple(matches[chosen, hand].tolist()) for hand in range(matches.shape[1])]
        firsts = [hand for hand in range(len(counted)) if counted[hand] not in counted[:hand]]
        wanted = [[counted[first] for first in firsts].index(one) for one in counted]
        classes = partitions.classes
        assert classes.size[partition] == len(firsts)
        assert classes.class_of[partition].tolist() == wanted
        assert classes.first[partition, : len(firsts)].tolist() == firsts
        for place, first in enumerate(firsts):
            assert classes.matches[partition, :, place].tolist() == matches[:, first].tolist()


def test_sets_that_divide_hands_alike_share_a_partition():
    partitions = Partitions(root_of(bid_tables(preset("zhaifei", dice=1, faces=3))).matches)
    every = (1 << len(partitions.classes.matches[0])) - 1
    assert partitions.of(np.array([[every, 0], [0, every]])).tolist() == [[ALONE, 1], [1, ALONE]]
    assert partitions.classes.size.tolist() == [3, 1]


def test_a_range_is_merged_class_by_class(both_ways):
    partitions = Partitions(root_of(bid_tables(preset("zhaifei", dice=3))).matches)
    fine, coarse = partitions.of(np.array([0b1110, 0b0100])).tolist()
    classes, rng = partitions.classes, np.random.default_rng(0)
    hand_by_hand = rng.integers(1, 9, size=classes.class_of.shape[1]).astype(np.float32)
    wanted = [np.bincount(classes.class_of[one], hand_by_hand) for one in (fine, coarse)]
    range_, merged, sums = np.full((3, 4, hand_by_hand.size), 7, dtype=np.float32)
    range_[0, : wanted[0].size] = wanted[0]
    hand_classes.merge(classes, fine, coarse, range_[0], merged[0], sums)
    assert merged[0, : wanted[1].size].tolist() == wanted[1].tolist()
    assert (merged[0, wanted[1].size :] == 7).all()


# Trees


def kinds_below(rules: Rules, nodes: dict, history: tuple[int, ...]) -> set[int]:
    """The kinds of all bids that may be settled at or below `history`."""
    kind, found = bid_tables(rules).kind, set()
    for longer in nodes:
        if longer[: len(history)] == history and longer:
            action = longer[-1]
            if action >= challenge_action(rules):
                ending = action - challenge_action(rules)
                action = longer[-1 - back_of(rules, ending)]
            found.add(int(kind[action]))
    return found


@games
def test_each_node_tells_apart_what_its_subtree_tells_apart(rules, size):
    grown = random_tree(rules, 1, size, merged=True)
    tree, nodes = grown.tree, nodes_of(grown.state())
    partitions, coarser = Partitions(tree.root.matches), 0
    for history, node in nodes.items():
        inner = tree.first_child[node] != growing_tree.NONE and node != ROOT
        kinds = sum(1 << kind for kind in kinds_below(rules, nodes, history)) if inner else 0
        expected = partitions.of(np.array([kinds]))[0] if inner else ALONE
        ours = tree.classes.class_of[tree.partition[node]].tolist()
        assert ours == partitions.classes.class_of[expected].tolist()
        coarser += inner and tree.classes.size[tree.partition[node]] < len(hands(rules))
        assert tree.row[node] == (tree.row[node - 1] + width(grown, node - 1) if node else 0)
    assert coarser > 5
    assert (
        grown.numbers
        == tree.row[-1] + width(grown, len(grown) - 1)
        < len(grown) * len(hands(rules))
    )


def width(grown: GrowingTree, node: int) -> int:
    return int(class_of(grown, node).max()) + 1


@games
def test_growth_divides_classes_and_their_averages_by_reach(rules, size, both_ways):
    grown, rng, divided = random_tree(rules, 2, size // 2, merged=True), np.random.default_rng(3), 0
    for _ in range(3):
        set_rows(grown, "average", rng.exponential(size=(len(grown), len(hands(rules)))))
        grown.tree.dealt[:] = rng.exponential(size=grown.tree.dealt.shape)
        before, former = by_hand(grown), nodes_of(grown.state())
        places = {history: class_of(grown, node).copy() for history, node in former.items()}
        outside = absent(rules, former)
        chosen = [outside[place] for place in rng.permutation(len(outside))[: len(outside) // 6]]
        parents = np.array([former[history[:-1]] for history in chosen])
        grown.grow(parents, np.array([history[-1] for history in chosen]), 0.0)
        after, nodes = by_hand(grown), nodes_of(grown.state())
        for history, node in former.items():
            now = nodes[history]
            np.testing.assert_array_equal(after["regret"][now], before["regret"][node])
            fine, coarse = class_of(grown, now), places[history]
            if fine.max() == coarse.max():
                np.testing.assert_array_equal(after["average"][now], before["average"][node])
                continue
            divided += 1
            turns = [mover(rules, history[:place]) for place in range(len(history))]
            acted = [place for place in range(len(turns) - 1) if turns[place] == turns[-1]]
            came = history[: acted[-1] + 1] if acted else ()
            if came:
                numbers = (
                    after["average"][nodes[came]]
                    / np.bincount(class_of(grown, nodes[came]))[class_of(grown, nodes[came])]
                )
            else:
                numbers = grown.tree.dealt[turns[-1]]
            share = np.bincount(fine, numbers)[fine] / np.bincount(coarse, numbers)[coarse]
            wanted = share * before["average"][node]
            np.testing.assert_allclose(after["average"][now], wanted, rtol=1e-5)
    assert divided > 10


def after(solver: TreeCFR, passes: int) -> float:
    """The NashConv of a run after more passes."""
    while solver.passes < passes:
        solver.advance()
    return solver.measure().nash_conv


@pytest.mark.parametrize("large", [False, True])
@games
def test_merged_trees_train_as_others_do(rules, size, large):
    hand_by_hand, merged = (TreeCFR(rules, large=large, merged=one) for one in (False, True))
    begun, ended = (
        [after(solver, passes) for solver in (hand_by_hand, merged)] for passes in (10, 150)
    )
    assert merged.grown.numbers / len(merged.grown) < 0.9 * len(hands(rules))
    # Rounding drives two runs apart, with several players to equilibria of their own.
    assert begun[1] == pytest.approx(begun[0], rel=1e-3)
    if rules.players == 2:
        assert ended[1] == pytest.approx(ended[0], rel=0.5, abs=2e-3)
    else:
        assert max(ended) < begun[0] / 30.0
    # What is certified of the written strategy is what training measured.
    measured, table = merged.respond(1.0).nash_conv, merged.average()
    if rules.players == 2:
        certified = 2 * best_response(merged.bids, table).exploitability.upper
    else:

        def answers(histories):
            return [strategy_after(table, merged.bids, history) for history in histories]

        found = [best_response_in(merged.bids, seat, answers) for seat in range(rules.players)]
        certified = sum(bounds.upper for bounds in found)
    assert certified == pytest.approx(measured, abs=2e-4 if large else 2e-5)
