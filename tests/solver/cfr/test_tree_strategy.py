import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.twins.tree_twin import (
    History,
    Twin,
    by_hand,
    least_by_hand,
    nodes_of,
    random_tree,
)
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import tree_strategy
from zhaifei.solver.cfr.growing_tree import GrowingTree, Tree
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.machine import threads as threads_of_machine
from zhaifei.solver.machine.threads import CALLER, Threads
from zhaifei.solver.tables import storing
from zhaifei.solver.tables import strategy_table as strategy
from zhaifei.solver.tables.recall import context_of, recall_tables
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import (
    NO_NODE,
    STEPS,
    StrategyTable,
    arrays_of,
    dense,
    node_of,
    starts,
    strategy_after,
)

SMALL = [
    (Rules.of(dice=2, faces=2), 70),
    (preset("liars_dice", faces=3), 35),
    (Rules.of(dice=2, faces=2, first_count=1), 200),
]
LEAST = 0.9
"""The least average that is kept: many averages of random trees are smaller."""

both_ways = in_both_ways(tree_strategy, storing)
small = pytest.mark.parametrize(("rules", "size"), SMALL, ids=str)


def table_of(rules: Rules, tree: Tree, least: float = LEAST) -> StrategyTable:
    return tree_strategy.average_strategy(tree, recall_tables(rules, "full"), least)


def context(rules: Rules, history: History) -> int:
    # What lies behind the end of the history is not to be read.
    actions = np.array([*history, len(domain(rules)) - 1], dtype=np.int64)
    return context_of(recall_tables(rules, "full"), actions, len(history))


def expected(rules: Rules, grown: GrowingTree, least: float) -> dict[History, dict[int, list]]:
    """[hand] by action, of each history where some hand raises: what averages of at least `least`
    add up to is 1, and hands that have none challenge, or open with the first that is kept. No move
    follows a move of the same player that is left out. Where nobody raises in a history that leads
    to one of these, everybody challenges."""
    twin, found = Twin(rules, by_hand(grown)), {}
    nodes = nodes_of(grown.state())
    for history in sorted(twin.average, key=len):
        if history and history[-1] == twin.challenge:
            continue
        before = history[: max(0, len(history) + 1 - rules.players)]  # the player's move before
        if before and before[-1] not in found.get(before[:-1], ()):
            continue
        own = [history[:length] for length in range(len(before), 0, -rules.players)]
        enough = np.logical_and.reduce(
            [twin.average[move] >= least_by_hand(grown, nodes[move], least) for move in own]
        )
        shares = {a: twin.average[(*history, a)] for a in twin.children(history)}
        shares = {
            a: np.where(
                (share >= least_by_hand(grown, nodes[*history, a], least)) & enough, share, 0.0
            )
            for a, share in shares.items()
        }
        raises = [a for a, share in shares.items() if a != twin.challenge and share.any()]
        if not raises:
            continue
        kept = sorted(raises) + ([twin.challenge] if history else [])
        fallback, total = kept[-1] if history else kept[0], sum(shares[a] for a in kept)
        found[history] = {
            a: [
                share / whole if whole > 0 else float(a == fallback)
                for share, whole in zip(shares[a], total, strict=True)
            ]
            for a in kept
        }
    for history in list(found):
        for length in range(1, len(history)):
            all_challenge = {twin.challenge: [1.0] * grown.tree.dealt.shape[1]}
            found.setdefault(history[:length], all_challenge)
    return found


def moved(rules: Rules, grown: GrowingTree, least: float) -> dict[History, np.ndarray]:
    """[hand] by how much probabilities may be off at most, at each history."""
    twin, nodes = Twin(rules, by_hand(grown)), nodes_of(grown.state())
    found = {}
    for history, actions in expected(rules, grown, least).items():
        shares = np.array([twin.average[(*history, action)] for action in actions])
        leasts = [least_by_hand(grown, nodes[*history, action], least) for action in actions]
        total = np.where(shares >= leasts, shares, 0.0).sum(axis=0)
        grain = np.minimum(leasts[0] / np.maximum(total, leasts[0]), 1.0)
        found[history] = np.maximum(grain, 1 / STEPS) + 1e-6
    return found


def verify(
    rules: Rules, table: StrategyTable, wanted: dict, tolerance: dict[History, np.ndarray] | float
) -> None:
    contexts = {context(rules, history): history for history in wanted}
    assert len(contexts) == len(wanted)
    assert table.context.tolist() == sorted(contexts)
    assert table.end_row[-1] == len(table.action) == len(dense(table))
    for node, known in enumerate(table.context.tolist()):
        rows = slice(table.first_row[node], table.end_row[node])
        actions = wanted[contexts[known]]
        assert table.action[rows].tolist() == list(actions)
        found = rows_at(table, node) * table.unit
        most = tolerance if isinstance(tolerance, float) else tolerance[contexts[known]]
        assert (np.abs(found - np.array(list(actions.values()))) <= most).all()
        np.testing.assert_allclose(found.sum(axis=0), 1.0, atol=1e-6)


@small
def test_exact_tables_hold_the_averages_divided_by_their_sums(rules, size, both_ways):
    grown = random_tree(rules, 0, size)
    wanted, table = expected(rules, grown, 1e-30), table_of(rules, grown.tree)
    assert dense(table).dtype == np.float32
    verify(rules, table, wanted, 1e-6)
    # Some histories have no node, and some hands get to others with nothing to go by.
    assert 10 < len(wanted) < grown.decisions
    played = [p for actions in wanted.values() for p in zip(*actions.values(), strict=True)]
    assert sum(probability[-1] == 1.0 for probability in played) > 5


@pytest.mark.parametrize("merged", [False, True], ids=["hands", "classes"])
@small
def test_compact_tables_leave_out_what_is_hardly_played(
    rules, size, merged, both_ways, monkeypatch
):
    monkeypatch.setattr(strategy, "_EXACT_ENTRIES", 0)
    histories, raises = 0, 0
    for seed in range(4):
        grown = random_tree(rules, seed, size, merged=merged)
        every, wanted = expected(rules, grown, 1e-30), expected(rules, grown, LEAST)
        table = table_of(rules, grown.tree)
        assert dense(table).dtype == np.uint16
        verify(rules, table, wanted, moved(rules, grown, LEAST))
        histories += len(every) - len(wanted)
        raises += sum(len(every[history]) - len(actions) for history, actions in wanted.items())
    assert histories > 3
    assert raises > 3


@small
def test_what_each_player_does_joins_to_what_all_do(rules, size, both_ways, monkeypatch):
    monkeypatch.setattr(strategy, "_EXACT_ENTRIES", 0)
    tree, recall = random_tree(rules, 0, size).tree, recall_tables(rules, "full")
    whole = tree_strategy.average_strategy(tree, recall, LEAST)
    each = [
        tree_strategy.average_strategy(tree, recall, LEAST, player=own)
        for own in range(rules.players)
    ]
    # All have the start of a round.
    assert sum(one.context.size for one in each) == whole.context.size + rules.players - 1
    assert min(one.context.size for one in each) < whole.context.size
    joined = tree_strategy.joined_by_player(recall, each)
    for name, array in arrays_of(whole).items():
        np.testing.assert_array_equal(arrays_of(joined)[name], array)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("threads", [CALLER, Threads(3)], ids=["caller", "threads"])
@small
def test_tables_are_the_same_in_pieces(rules, size, threads, exact, monkeypatch):
    if not exact:
        monkeypatch.setattr(strategy, "_EXACT_ENTRIES", 0)
    tree, recall = random_tree(rules, 0, size).tree, recall_tables(rules, "full")
    whole = arrays_of(tree_strategy.average_strategy(tree, recall, LEAST))
    monkeypatch.setattr(threads_of_machine, "_LEAST_PIECE", 3)
    assert len(threads_of_machine.pieces(0, int(tree.used[0]))) > 10
    found = arrays_of(tree_strategy.average_strategy(tree, recall, LEAST, threads=threads))
    assert found.keys() == whole.keys()
    for name, array in whole.items():
        np.testing.assert_array_equal(found[name], array)


def test_hands_of_which_nothing_is_left_challenge_or_open_with_the_first(both_ways, monkeypatch):
    monkeypatch.setattr(strategy, "_EXACT_ENTRIES", 0)
    rules = preset("liars_dice", faces=3)
    grown = GrowingTree(root_of(bid_tables(rules)))
    grown.grow(np.array([1, 1]), np.array([5, 3]), 0.0)
    nodes, average = nodes_of(grown.state()), grown.state()["average"]
    average[nodes[(0,)]] = [1.0, 3.0, 0.1]
    average[nodes[(1,)]] = [0.4, 1.0, 0.1]
    average[nodes[(2,)]] = [3.0, 0.0, 0.4]
    average[nodes[(0, 6)]] = [2.0, 9.0, 0.1]
    average[nodes[(0, 3)]] = [0.4, 3.0, 0.3]
    average[nodes[(0, 5)]] = [0.4, 0.4, 0.4]
    table = table_of(rules, grown.tree, 0.5)
    assert table.context.tolist() == [0, 1]
    assert starts(table).tolist() == [0, 3, 5]
    assert table.action.tolist() == [0, 1, 2, 3, 6]
    assert dense(table).tolist() == [
        [1024, 3072, 4096],
        [0, 1024, 0],
        [3072, 0, 0],
        [0, 1024, 0],
        [4096, 3072, 4096],
    ]
    average[nodes[(0,)]] = 0.4
    table = table_of(rules, grown.tree, 0.5)
    assert table.action.tolist() == [1, 2, 3, 6]
    assert dense(table)[:2].tolist() == [[0, STEPS, STEPS], [STEPS, 0, 0]]


def test_the_less_a_hand_gets_there_the_more_what_it_does_is_rounded(both_ways, monkeypatch):
    monkeypatch.setattr(strategy, "_EXACT_ENTRIES", 0)
    rules = preset("liars_dice", faces=3)
    grown = GrowingTree(root_of(bid_tables(rules)))
    grown.grow(np.array([1, 1]), np.array([5, 3]), 0.0)
    nodes, average = nodes_of(grown.state()), grown.state()["average"]
    for action in range(3):
        average[nodes[(action,)]] = 0.0
    average[nodes[(0,)]] = [7.0, 0.6, 3.0]
    average[nodes[(1,)]] = [3.0, 0.7, 1.7]
    table = table_of(rules, grown.tree, 0.5)
    # 0.5 of an average of 10, 1.3 and 4.7: no more than 204, 1575 and 435 steps of 4096.
    assert dense(table)[:2].tolist() == [[2816, 2048, 2560], [1280, 2048, 1536]]


@small
def test_what_a_table_plays_is_what_the_tree_plays(rules, size):
    grown = random_tree(rules, 3, size)
    twin, bids, table = Twin(rules, grown.state()), bid_tables(rules), table_of(rules, grown.tree)
    number, missing, tried = len(domain(rules)), 0, 0
    for history in nodes_of(grown.state()):
        if number in history:
            continue
        actions = np.array([*history, 0], dtype=np.int64)
        missing += node_of(table, actions, len(history)) == NO_NODE
        wanted = np.zeros((len(hands(rules)), number + 1))
        played = twin.played(twin.average, history) if twin.children(history) else {}
        for action, share in (played or {number: 1.0}).items():
            wanted[:, action] = share
        reached = np.ones(len(hands(rules)), dtype=bool)
        if not history:
            # No hand ever got to the start without an average in training.
            reached = sum(twin.average[(a,)] for a in twin.children(())) > 0
        for length in range(len(history) - 1, 0, -2):  # after the player's own moves
            reached &= twin.average[history[:length]] > 0
        tried += reached.sum()
        found = strategy_after(table, bids, history)
        np.testing.assert_allclose(found[reached], wanted[reached], atol=1e-6)
    assert missing > 5
    assert tried > 50


def test_averages_too_small_for_division_are_left_out():
    rules = preset("liars_dice", faces=3)
    grown = GrowingTree(root_of(bid_tables(rules)))
    grown.state()["average"][1:7] = [[1e-40, 1.0, 1e-37]] + 5 * [[1e-40, 1e-40, 3e-37]]
    table = table_of(rules, grown.tree)
    assert dense(table)[:, 0].tolist() == [1, 0, 0, 0, 0, 0]
    assert dense(table)[:, 1].tolist() == [1, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(dense(table)[:, 2], np.array([1, 3, 3, 3, 3, 3]) / 16)


def test_contexts_of_the_full_game_are_those_of_full_recall():
    rules = preset("zhaifei")
    grown, rng = GrowingTree(root_of(bid_tables(rules))), np.random.default_rng(4)
    number = len(domain(rules))
    for _ in range(8):
        nodes = nodes_of(grown.state())
        raised = {
            (*h, bid)
            for h in nodes
            if h and h[-1] < number - 10 and rng.random() < 0.4
            for bid in range(int(bid_tables(rules).first_raise[h[-1] + 1]), number, 29)
        } - set(nodes)
        ordered = sorted(raised)
        parents = np.array([nodes[h[:-1]] for h in ordered], dtype=np.int64)
        grown.grow(parents, np.array([h[-1] for h in ordered], dtype=np.int64), 0.0)
    grown.state()["average"][:] = rng.random((len(grown), 1))
    nodes, table = nodes_of(grown.state()), table_of(rules, grown.tree)
    inner = [h for h, node in nodes.items() if grown.tree.first_child[node] >= 0]
    assert max(map(len, inner)) > 2
    assert table.context.tolist() == sorted(context(rules, history) for history in inner)
    for history in inner[::7]:
        actions = np.array([*history, 0], dtype=np.int64)
        node = node_of(table, actions, len(history))
        rows = slice(table.first_row[node], table.end_row[node])
        assert table.action[rows].tolist() == sorted(
            h[-1] for h in nodes if len(h) == len(history) + 1 and h[:-1] == history
        )
