"""Policies that are tables of strategies, as solvers compute them, and the files of such tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid, action_count, action_of, challenge_action, verify_history
from game.errors import ZhaifeiError
from game.hands import hands
from game.rules import Rules
from game.tables import BidTables, bid_tables
from policies.players.policy import SingleQueries
from solver.storage import StorageError, load, save
from solver.tables.packing import pack, unpack
from solver.tables.recall import RecallTables, recall_tables
from solver.tables.sampling import sample
from solver.tables.strategy_table import (
    COMPACT,
    StrategyTable,
    StrategyTableError,
    strategy_table,
    verify_strategy,
    write_strategy,
)

_ARRAYS = ("context", "first_row", "action", "probability")


@dataclass(frozen=True)
class TablePolicy(SingleQueries):
    """A Policy read from a StrategyTable."""

    rules: Rules
    recall: str
    """What an information set remembers, in the notation of `solver.tables.recall`."""
    table: StrategyTable
    training: Mapping[str, Any] = field(default_factory=dict)
    """How it was computed: engine, iterations, seed, value for the opener, ..."""

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy. After a history that training never reached, every hand challenges."""
        bids = self.actions(history)
        result: NDArray[np.float64] = np.empty((len(hands(self.rules)), action_count(self.rules)))
        write_strategy(self.table, bid_tables(self.rules), bids, len(history), result)
        # Stored probabilities are rounded; their sums are within a few units of 1.
        sums = result.sum(axis=1, keepdims=True)
        # The file may have been altered. NaN must fail too, hence the negations.
        if (
            not (np.all(sums > 0.0) and np.all(sums < np.inf))
            or result[:, self._illegal(bids)].any()
        ):
            raise ZhaifeiError("the policy takes illegal actions: it is damaged")
        result /= sums
        return result

    def _illegal(self, bids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return [action] whether an action is illegal after these bids."""
        tables = bid_tables(self.rules)
        weaker = ~tables.opens
        if bids.size:
            weaker = np.arange(tables.claimed.size) < tables.first_raise[bids[-1] + 1]
        return np.append(weaker, np.arange(tables.challenges) >= bids.size)

    def actions(self, history: Sequence[Bid]) -> NDArray[np.int64]:
        """Return [bid] int64, the history as kernels read it. Raise IllegalBid."""
        verify_history(self.rules, tuple(history))
        return np.array([action_of(self.rules, bid) for bid in history], dtype=np.int64)

    def draw(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See DrawingPolicy. After a history that training never reached, it challenges."""
        action = np.empty(hand.size, dtype=np.int64)
        challenge = challenge_action(self.rules)
        sample(self.table, challenge, hand, np.ascontiguousarray(history), uniform, action)
        return action


def save_policy(path: Path, policy: TablePolicy) -> None:
    """Write a policy file atomically. Raise StorageError."""
    header = {
        "rules": policy.rules.to_dict(), "recall": policy.recall, "training": policy.training
    }  # fmt: skip
    if policy.table.probability.dtype == COMPACT:
        arrays = pack(bid_tables(policy.rules), policy.table)
    else:
        arrays = {name: getattr(policy.table, name) for name in _ARRAYS}
    save(path, "policy", header, arrays)


def load_policy(path: Path) -> TablePolicy:
    """Read a policy file. Arrays that are not packed stay on disk until they are used. Raise
    StorageError."""
    header, arrays = load(path, "policy")
    try:
        rules, recall = header.rules(), header.text("recall")
        table = _table(bid_tables(rules), recall_tables(rules, recall), arrays)
        return TablePolicy(rules, recall, table, dict(header.record("training")))
    except ZhaifeiError as error:
        raise StorageError(
            "{path} does not describe a policy: {error}", path=path, error=error
        ) from error


def _table(
    tables: BidTables, recall: RecallTables, arrays: Mapping[str, NDArray[Any]]
) -> StrategyTable:
    """Return the table that the arrays of a file hold. Raise StrategyTableError."""
    if "share" in arrays:
        return unpack(tables, recall, arrays)
    # Small, or written by the first version.
    if arrays.keys() != {*_ARRAYS}:
        raise StrategyTableError("the file has other arrays than a strategy")
    table = strategy_table(recall, *(arrays[name] for name in _ARRAYS))
    verify_strategy(tables, table)
    return table
