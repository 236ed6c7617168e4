"""Rows of tables: what kernels read of sparse ones is what all probabilities say."""

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.random_tables import with_holes
from zhaifei.game.rules import Rules
from zhaifei.solver.tables import context_filter as filter_module
from zhaifei.solver.tables import rows as module
from zhaifei.solver.tables.context_filter import context_filter
from zhaifei.solver.tables.strategy_table import StrategyTable, dense

TWO = Rules.of(dice=2, faces=2)
JUMPS = Rules.of(players=3, dice=1, faces=2, jump_challenge=True)
both_ways = in_both_ways(module, filter_module)


@pytest.fixture(
    params=[(TWO, np.float32), (TWO, np.uint8), (JUMPS, np.uint16), (JUMPS, np.float32)],
    ids=lambda param: f"{param[0].players} {param[1].__name__}",
    scope="module",
)
def table(request) -> StrategyTable:
    rules, dtype = request.param
    return with_holes(rules, 0.1, 2, dtype)


def all_of(table: StrategyTable, node: int) -> np.ndarray:
    return dense(table, np.arange(table.first_row[node], table.end_row[node])).astype(np.float64)


def test_rows_and_sums_are_those_of_all_probabilities(table, both_ways) -> None:
    for node in range(table.nodes):
        rows, played = all_of(table, node), np.full(table.hands, 7.0)
        np.testing.assert_array_equal(module.rows_at(table, node), rows)
        for place, row in enumerate(rows):
            number = int(table.first_row[node]) + place
            module.read_row(table, node, number, played)
            np.testing.assert_array_equal(played, row)
            shares = [module.share_at(table, node, number, hand) for hand in range(table.hands)]
            np.testing.assert_array_equal(shares, row)
        module.sum_rows(table, node, played)
        np.testing.assert_allclose(played, rows.sum(axis=0), rtol=1e-12)


def test_compact_tables_store_nothing_of_the_challenge_of_the_last_bid(table) -> None:
    challenge = table.recall.code.shape[1] - 1
    stored = np.diff(table.first_entry)[table.action == challenge]
    assert stored.size > 10
    assert stored.any() == (table.steps == 1)
    for node in range(table.nodes):
        last = table.action[table.end_row[node] - 1]
        has = challenge in table.action[table.first_row[node] : table.end_row[node]]
        assert module.has_rest(table, node) == (has and table.steps > 1)
        assert has or last != challenge


def test_rows_of_several_nodes_are_read_at_once(table, both_ways) -> None:
    nodes = np.array([0, table.nodes - 1, 0])
    rows = np.array([table.first_row[0], table.end_row[-1] - 1, -1])
    played = np.full((3, table.hands), 7.0)
    module.read_rows(table, nodes, rows, played)
    np.testing.assert_array_equal(played[:2], dense(table, rows[:2]))
    assert not played[2].any()


def test_a_filter_lets_all_that_is_stored_pass_and_little_else(both_ways) -> None:
    random = np.random.default_rng(0)
    stored, others = random.integers(0, 2**62, (2, 2000))
    known = context_filter(stored)
    assert 16 * stored.size <= known.size <= 32 * stored.size
    assert all(filter_module.may_be_known(known, context) for context in stored)
    passed = sum(filter_module.may_be_known(known, context) for context in others)
    assert passed < 2000 / 16 + 4 * np.sqrt(2000 / 16)
