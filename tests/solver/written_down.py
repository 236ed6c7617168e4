"""Equilibria of linear programmes, written down as tables."""

import numpy as np

from tests.solver import plain_game
from tests.solver.sequence_form import Strategy, equilibrium
from zhaifei.game.rules import Rules
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_table


def both(rules: Rules) -> Strategy:
    """An equilibrium, for whoever is in turn."""
    return lambda history: equilibrium(rules, len(history) % 2)[1](history)


def written_down(rules: Rules, strategy: Strategy) -> StrategyTable:
    """The table that remembers all bids and plays this."""
    nodes = {}
    for history in plain_game.histories(rules):
        actions = plain_game.legal_actions(rules, history)
        # With full recall a context is the set of bids made, one bit each.
        nodes[sum(1 << bid for bid in history)] = (actions, strategy(history)[:, actions].T)
    ordered = [nodes[context] for context in sorted(nodes)]
    return strategy_table(
        recall_tables(rules, "full"),
        np.array(sorted(nodes), dtype=np.int64),
        np.cumsum([0, *(len(actions) for actions, _ in ordered)]),
        np.concatenate([actions for actions, _ in ordered]).astype(np.int16),
        np.concatenate([shares for _, shares in ordered]).astype(np.float32),
    )
