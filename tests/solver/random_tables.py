"""Strategy tables with full recall and holes: histories without a node, nodes to which no row
leads, actions without a row. Also asked as any policy is."""

from collections.abc import Collection

import numpy as np

from tests.solver.black_boxes import Policy
from tests.solver.plain_game import histories, legal_actions
from zhaifei.game.bids import action_count
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.storing import store
from zhaifei.solver.tables.strategy_table import (
    STEPS,
    StrategyTable,
    strategy_after,
    strategy_table,
    verify_strategy,
)

KEPT = [0.0, 0.3, 0.7, 1.0]
"""The share of histories that have a node."""

History = tuple[int, ...]


def with_holes(
    rules: Rules, kept: float, seed: int = 0, dtype: type[np.generic] = np.float32
) -> StrategyTable:
    """A random strategy at a share of all histories, and always at the start."""
    rng = np.random.default_rng(seed)
    chosen = [history for history in histories(rules) if not history or rng.random() < kept]
    return drawn_at(rules, chosen, rng, dtype)


def grown(rules: Rules, nodes: int, seed: int = 0) -> StrategyTable:
    """Return a random strategy at about `nodes` histories. Each history extends another by one of
    the next few bids."""
    rng = np.random.default_rng(seed)
    found: dict[History, None] = {(): None}
    while len(found) < nodes:
        history = list(found)[rng.integers(len(found))]
        raises = [bid for bid in legal_actions(rules, history) if bid < len(bid_tables(rules).kind)]
        if raises:
            found[(*history, raises[min(int(rng.geometric(0.3)), len(raises)) - 1])] = None
    kept = [history for history in found if not history or rng.random() < 0.9]
    return drawn_at(rules, kept, rng, np.uint8)


def with_gaps(rules: Rules, nodes: int, seed: int, dtype: type[np.generic]) -> StrategyTable:
    """Return a random strategy at about `nodes` histories. Each history extends another by one bid
    or by two."""
    rng = np.random.default_rng(seed)
    kept = {(): True}
    while len(kept) < nodes:
        history = list(kept)[rng.integers(len(kept))]
        raises = [bid for bid in legal_actions(rules, history) if bid < len(bid_tables(rules).kind)]
        if raises:
            after = (*history, int(rng.choice(raises[:6])))
            kept[after] = bool(kept.get(after, not kept[history] or rng.random() < 0.8))
    return drawn_at(rules, [history for history, is_kept in kept.items() if is_kept], rng, dtype)


def drawn_at(
    rules: Rules, chosen: Collection[History], rng: np.random.Generator, dtype: type[np.generic]
) -> StrategyTable:
    """A random strategy at the `chosen` histories, with some of the legal actions, and with raises
    to others of them more often than not."""
    code, number = recall_tables(rules, "full").code[0], len(hands(rules))
    nodes, known = {}, set(chosen)
    for history in chosen:
        legal = legal_actions(rules, history)
        kept = [a for a in legal if rng.random() < (0.8 if (*history, a) in known else 0.3)]
        actions = kept or [int(rng.choice(legal))]
        shares = rng.dirichlet(np.full(len(actions), 0.7), size=number).T
        shares[shares < 0.1 * shares.max(axis=0)] = 0.0
        probability = np.empty(shares.shape, dtype=dtype)
        steps = {np.float32: 1, np.uint8: 255, np.uint16: STEPS}[dtype]
        shares = (shares / shares.sum(axis=0)).astype(np.float32)
        store.py_func(shares, steps, np.ones(number, dtype=np.int64), probability)
        nodes[int(sum(code[bid + 1] for bid in history))] = actions, probability
    contexts = sorted(nodes)
    table = strategy_table(
        recall_tables(rules, "full"),
        np.array(contexts, dtype=np.int64),
        np.cumsum([0, *(len(nodes[context][0]) for context in contexts)]),
        np.concatenate([nodes[context][0] for context in contexts]).astype(np.int16),
        np.concatenate([nodes[context][1] for context in contexts]),
    )
    verify_strategy(bid_tables(rules), table)
    return table


class AskedTable(Policy):
    """A table that answers as any policy does."""

    def __init__(self, rules: Rules, table: StrategyTable) -> None:
        super().__init__(rules, "uniform")
        self.table = table

    def strategy(self, history: History) -> np.ndarray:
        result = strategy_after(self.table, self.tables, history)
        assert result.shape == (len(hands(self.rules)), action_count(self.rules))
        return result
