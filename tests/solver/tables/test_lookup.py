"""Looking up many histories at once finds what looking up one does."""

import numpy as np
import pytest

from tests.policies.small_policies import every_other_node, histories, random_policy
from zhaifei.game.bids import action_of
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.tables.lookup import Lookup
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import NO_NODE, node_of, strategy_table

RULES = Rules.of(players=3, dice=1, faces=2, jump_challenge=True)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_nodes_and_rows_are_found_or_missed(dtype: type[np.generic]) -> None:
    policy = every_other_node(random_policy(RULES, dtype=dtype))
    table, lookup = policy.table, Lookup(bid_tables(RULES), policy.table)
    missed = 0
    for history in histories(RULES):
        bids = np.array([[action_of(RULES, bid) for bid in history]], dtype=np.int64)
        (node,) = lookup.nodes(bids)
        assert node == node_of(table, bids[0], len(history))
        missed += node == NO_NODE
        strategy = policy.strategy(history)
        for action in range(strategy.shape[1]):
            played = lookup.played(np.array([node]), np.array([action]))[0]
            expected = np.zeros(len(played)) if node == NO_NODE else strategy[:, action]
            assert played == pytest.approx(expected, abs=1e-6)
    assert 0 < missed < len(histories(RULES))


def test_many_histories_of_one_length_are_found_in_any_order() -> None:
    policy = random_policy(RULES)
    of_two = [history for history in histories(RULES) if len(history) == 2]
    bids = np.array([[action_of(RULES, bid) for bid in history] for history in of_two[::-1]])
    expected = [node_of(policy.table, one, 2) for one in bids]
    assert Lookup(bid_tables(RULES), policy.table).nodes(bids).tolist() == expected


def test_where_histories_do_not_fit_into_bits_they_are_found_too() -> None:
    rules = preset("zhaifei", players=3)
    recall = recall_tables(rules, FULL)
    codes = recall.code[0]
    context = np.sort(np.array([0, codes[40], codes[40] + codes[51]]))
    hands = bid_tables(rules).hands
    table = strategy_table(
        recall,
        context,
        np.arange(4),
        np.full(3, 60, dtype=np.int16),
        np.ones((3, hands), dtype=np.float32),
    )
    lookup = Lookup(bid_tables(rules), table)
    found = lookup.nodes(np.array([[39, 50], [39, 51]]))
    assert found.tolist() == [node_of(table, np.array([39, 50]), 2), NO_NODE]
    assert found[0] != NO_NODE
