"""Tables whose probabilities sum to 1."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solver.dense_tables import with_rows
from tests.solver.kernels import in_both_ways
from tests.solver.measured import any_dtype, any_kind, case
from zhaifei.solver.tables import normalised as module
from zhaifei.solver.tables import rows
from zhaifei.solver.tables.normalised import normalise
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import StrategyTable, StrategyTableError, dense

both_ways = in_both_ways(module, rows)


def changed(table: StrategyTable, hand: int, value: float) -> StrategyTable:
    """The table in which a hand has this probability for every action of one node."""
    rows = dense(table)
    rows[table.first_row[1] : table.end_row[1], hand] = value
    return with_rows(table, rows)


@any_kind
@any_dtype
def test_scaled_rows_of_every_node_and_hand_sum_to_1(kind, dtype, both_ways):
    tested = case("2 faces", kind, dtype)
    table, scale = normalise(tested.tables, tested.table)
    for node in range(table.context.size):
        sums = rows_at(table, node).sum(axis=0)
        np.testing.assert_allclose(sums * scale[min(node, len(scale) - 1)], 1.0, rtol=1e-15)


def test_nodes_share_one_scale_where_it_is_the_same_for_all(both_ways):
    compact = case("2 faces", "random", np.uint8)  # whose rows sum to 255, exactly
    assert len(normalise(compact.tables, compact.table).scale) == 1
    exact = case("2 faces", "random", np.float32)
    assert len(normalise(exact.tables, exact.table).scale) == exact.table.context.size


def test_a_table_for_other_rules_is_refused():
    with pytest.raises(StrategyTableError, match="different rules"):
        normalise(case("2 faces").tables, case("3 faces").table)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_rows_that_are_no_probabilities_are_refused(value, both_ways):
    tested = case("2 faces", "uniform")
    with pytest.raises(StrategyTableError, match="negative or zero-sum probabilities"):
        normalise(tested.tables, changed(tested.table, 1, value))
