"""Nodes are found by hashing as by searching."""

from typing import Any

import numpy as np
import pytest

from tests.policies.small_policies import every_other_node, histories, random_policy
from tests.solver.kernels import in_both_ways
from zhaifei.game.bids import action_of
from zhaifei.game.rules import Rules
from zhaifei.solver.tables import node_index as module
from zhaifei.solver.tables.recall import context_of
from zhaifei.solver.tables.strategy_table import NO_NODE, node_of

both_ways = in_both_ways(module)


@pytest.mark.parametrize("players", [2, 3])
def test_every_history_has_the_node_that_a_search_finds(players: int, both_ways: str) -> None:
    rules = Rules.of(players=players, dice=1, faces=3 if players == 2 else 2)
    table = every_other_node(random_policy(rules)).table
    index, found = module.node_index(table), []
    for history in histories(rules):
        bids = np.array([action_of(rules, bid) for bid in history], dtype=np.int64)
        context = context_of(table.recall, bids, bids.size)
        found.append(module.indexed_node(index, context))
        assert found[-1] == node_of(table, bids, bids.size)
    assert sorted({*found}) == [NO_NODE, *range(table.context.size)]


def test_nodes_that_share_a_slot_are_told_apart(both_ways: str) -> None:
    rules: Any = Rules.of(players=2, dice=1, faces=2)
    table = random_policy(rules).table
    size = table.context.size
    # All contexts have the same remainder, so that each probes the slots of all before it.
    alike = table._replace(context=np.arange(size) * (2 * size + 1))
    index = module.node_index(alike)
    for node, context in enumerate(alike.context.tolist()):
        assert module.indexed_node(index, context) == node
        assert module.indexed_node(index, context + 1) == NO_NODE
