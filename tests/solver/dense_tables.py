"""Tables with other rows, and arrays of tables as the first versions stored them."""

import numpy as np

from solver.tables.strategy_table import StrategyTable, dense, strategy_table


def with_rows(table: StrategyTable, probability: np.ndarray) -> StrategyTable:
    """The table in which rows [row, hand] are these, whatever they add up to."""
    return strategy_table(table.recall, table.context, table.first_row, table.action, probability)


def earlier_arrays(table: StrategyTable) -> dict[str, np.ndarray]:
    """The arrays of a file of the first versions, which holds the probabilities of all hands."""
    names = ("context", "first_row", "action")
    return {**{name: getattr(table, name) for name in names}, "probability": dense(table)}
