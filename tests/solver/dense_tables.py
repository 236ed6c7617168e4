"""Tables with other rows, and arrays of tables as the first versions stored them."""

import numpy as np

from zhaifei.solver.tables.strategy_table import StrategyTable, dense, starts, strategy_table


def with_rows(table: StrategyTable, probability: np.ndarray) -> StrategyTable:
    """The table in which rows [row, hand] are these, whatever they add up to."""
    return strategy_table(table.recall, table.context, starts(table), table.action, probability)


def earlier_arrays(table: StrategyTable) -> dict[str, np.ndarray]:
    """The arrays of a file of the first versions, which holds the probabilities of all hands."""
    return {
        "context": table.context,
        "first_row": starts(table),
        "action": table.action,
        "probability": dense(table),
    }


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
