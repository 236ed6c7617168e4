"""Tables with other rows than a given table has."""

import numpy as np

from zhaifei.solver.tables.strategy_table import StrategyTable, dense, starts, strategy_table


def with_rows(table: StrategyTable, probability: np.ndarray) -> StrategyTable:
    """The table in which rows [row, hand] are these, whatever they add up to."""
    return strategy_table(table.recall, table.context, starts(table), table.action, probability)


def start_of(table: StrategyTable) -> StrategyTable:
    """The table of the start of a round alone."""
    kept = np.arange(table.end_row[0])
    return strategy_table(
        table.recall,
        table.context[:1].copy(),
        np.array([0, kept.size]),
        table.action[kept],
        dense(table, kept),
    )
