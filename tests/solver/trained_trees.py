"""Trees that several tests look at, trained once."""

from functools import lru_cache

from zhaifei.game.rules import Rules
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables.strategy_table import StrategyTable


@lru_cache
def trained(rules: Rules, passes: int) -> tuple[TreeCFR, StrategyTable]:
    """A tree, and its average as it measured it."""
    solver = TreeCFR(rules)
    for _ in range(passes):
        solver.advance()
    solver.measure()
    return solver, solver.average()
