"""Policies that are strategy tables, as solvers compute them, and the files of such tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import states_after
from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    challenge_action,
    domain,
    verify_history,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.policies.players.policy import SingleQueries, drawn_by_query
from zhaifei.solver.abstraction import WHOLE, Abstraction, considered_tables
from zhaifei.solver.bidding import legal_endings
from zhaifei.solver.bounds import History
from zhaifei.solver.files.storage import StorageError, load, save
from zhaifei.solver.response.full_recall import opening_values
from zhaifei.solver.tables.packing import PackedTable, pack
from zhaifei.solver.tables.recall import FULL, RecallTables, recall_tables
from zhaifei.solver.tables.sampling import NO_ACTION, sample
from zhaifei.solver.tables.strategy_table import (
    StrategyTable,
    StrategyTableError,
    arrays_of,
    strategy_table,
    table_of,
    verify_strategy,
    write_strategy,
)

_OPENING_COST = "opening_cost"


@dataclass(frozen=True)
class TablePolicy(SingleQueries):
    """A Policy read from a StrategyTable.

    If the table is of an `abstraction`, `strategy` and `draw` still take every history of the game
    and answer with legal actions. Whatever walks the table itself takes `tables` for the rules, and
    histories as `actions` and `read` return them.
    """

    rules: Rules
    recall: str
    """What an information set remembers, in the notation of `solver.tables.recall`."""
    source: StrategyTable | PackedTable
    """The table, or the arrays of a file, which are unpacked when they are needed."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """How the policy was computed: engine, iterations, seed, value for the opener, ..."""
    stored_opening_cost: NDArray[np.float16] | None = None
    """[opening, hand] float16, `opening_cost` as a file stores it; None if no file did."""
    abstraction: Abstraction = WHOLE
    """The bids that the table knows, and how it reads the others."""

    @property
    def table(self) -> StrategyTable:
        """The whole table. Raises StrategyTableError if the arrays of a file do not describe a
        table."""
        return self.source if isinstance(self.source, StrategyTable) else self.source.whole

    @property
    def tables(self) -> BidTables:
        """The rules as the table knows them: without bids that its abstraction leaves out."""
        return considered_tables(self.rules, self.abstraction)

    def upto(self, history: Sequence[int]) -> StrategyTable:
        """Return a table that stores `history` and its prefixes, as far as the policy does; see
        `below`."""
        return self._part(history, below=False)

    def below(self, history: Sequence[int]) -> StrategyTable:
        """Return a table that stores `history`, its prefixes and the histories that continue it, as
        far as the policy does. It may be read from a file much faster than the whole table. Raise
        as `table` does."""
        return self._part(history, below=True)

    def _part(self, history: Sequence[int], *, below: bool) -> StrategyTable:
        if isinstance(self.source, StrategyTable):
            return self.source
        return self.source.part(history, below=below)

    @property
    def remembers_all(self) -> bool:
        """Whether an information set remembers every bid, so that each node is one history."""
        return self.source.recall.is_full

    @cached_property
    def opening_cost(self) -> NDArray[np.float16]:
        """[opening, hand] float16, the penalty points per round that each hand loses by each
        opening, in the order of the bids. The loss is relative to the hand's best opening, if all
        others follow this policy and a best response follows the opening. Unless a file stored it,
        it is computed, in seconds for a large table.

        Raises StrategyTableError if the policy does not remember all bids, or is damaged.
        """
        if self.stored_opening_cost is not None:
            return self.stored_opening_cost
        values = opening_values(self.tables, self.table)
        cost: NDArray[np.float16] = (values.max(axis=0) - values).astype(np.float16)
        return cost

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy. After a history that training never reached, every hand challenges."""
        bids = self.actions(history)
        result: NDArray[np.float64] = np.empty((len(hands(self.rules)), action_count(self.rules)))
        write_strategy(self.upto(bids.tolist()), self.tables, bids, bids.size, result)
        # Stored probabilities are rounded; their sums differ from 1 by a few rounding units.
        sums = result.sum(axis=1, keepdims=True)
        # The file may have been altered. The negations make NaN fail too.
        if (
            not (np.all(sums > 0.0) and np.all(sums < np.inf))
            or result[:, self._illegal(bids)].any()
        ):
            raise ZhaifeiError("the policy takes illegal actions: it is damaged")
        result /= sums
        return self.spoken(history, result)

    def spoken(self, history: Sequence[Bid], played: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `played` [hand, action], the table's strategy after its reading of `history`, as a
        strategy after `history`. Works in place."""
        return self.abstraction.spoken(_numbers(self.rules, history[-1:]), played)

    def _illegal(self, bids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return [action] whether an action is illegal after these bids, as `actions` returns
        them."""
        tables = self.tables
        raises = tables.legal[states_after(self.rules, bids[np.newaxis])[0]]
        return ~np.append(raises, legal_endings(tables, bids.tolist()))

    def actions(self, history: Sequence[Bid]) -> NDArray[np.int64]:
        """Return [bid] int64, the history as kernels and the table read it. Raise IllegalBid."""
        verify_history(self.rules, tuple(history))
        return np.array(self.abstraction.read(_numbers(self.rules, history)), dtype=np.int64)

    def read(self, history: Sequence[Bid]) -> tuple[Bid, ...]:
        """Return the bids for which the table takes `history`. Raise IllegalBid."""
        bids = domain(self.rules)
        return tuple(bids[bid] for bid in self.actions(history))

    @cached_property
    def _has_probabilities(self) -> bool:
        """Whether no stored number is negative, infinite or NaN, as kernels that draw take for
        granted. Compact tables cannot hold such a number."""
        stored = self.table.share
        return self.table.steps > 1 or bool(stored.min() >= 0.0 and stored.max() < np.inf)

    def draw(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See DrawingPolicy. After a history that training never reached, it challenges."""
        if self.abstraction != WHOLE:
            return drawn_by_query(self, hand, history, uniform)
        action = np.full(hand.size, NO_ACTION)
        if not self._has_probabilities:
            return action
        challenge = challenge_action(self.rules)
        sample(self.table, challenge, hand, np.ascontiguousarray(history), uniform, action)
        return action


def _numbers(rules: Rules, history: Sequence[Bid]) -> History:
    return tuple(action_of(rules, bid) for bid in history)


def save_policy(path: Path, policy: TablePolicy) -> None:
    """Write a policy file atomically. Raise StorageError, or StrategyTableError for a policy with
    full recall that takes illegal actions.

    With three players or more and full recall the file also stores `opening_cost`. It takes
    seconds to compute, while the first answer of `query`, which needs it, takes a fraction of a
    second. With two players nothing needs it.
    """
    assert policy.abstraction == WHOLE, "the rounds of a match are saved together"
    header = {"rules": policy.rules.to_dict(), "recall": policy.recall, "training": policy.training}
    arrays = table_arrays(policy)
    if policy.rules.players > 2 and policy.remembers_all:
        arrays[_OPENING_COST] = policy.opening_cost
    save(path, "policy", header, arrays)


def table_arrays(policy: TablePolicy) -> dict[str, NDArray[Any]]:
    """Return the arrays of the table as a file stores them. Raise StrategyTableError for a table
    with full recall that takes illegal actions."""
    if isinstance(policy.source, PackedTable):
        return dict(policy.source.arrays)
    if policy.table.steps > 1:
        return pack(policy.tables, policy.table)
    return arrays_of(policy.table)


def load_policy(path: Path) -> TablePolicy:
    """Read a policy file. Arrays that are not packed stay on disk until they are used, and packed
    arrays stay packed until then. Raise StorageError."""
    header, arrays = load(path, "policy")
    try:
        rules, recall = header.rules(), header.text("recall")
        cost = arrays.pop(_OPENING_COST, None)
        table = table_in(path, bid_tables(rules), recall_tables(rules, recall), arrays)
        if cost is not None:
            _verify_opening_cost(bid_tables(rules), cost)
        return TablePolicy(rules, recall, table, dict(header.record("training")), cost)
    except ZhaifeiError as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: ZhaifeiError) -> StorageError:
    """Return the error for a policy file at `path` in which something is wrong."""
    return StorageError("{path} does not describe a policy: {error}", path=path, error=error)


def table_in(
    path: Path, tables: BidTables, recall: RecallTables, arrays: Mapping[str, NDArray[Any]]
) -> StrategyTable | PackedTable:
    """Return the table that these arrays of the file at `path` hold. Raise StrategyTableError."""
    if "packed" in arrays:
        return PackedTable(tables, recall, arrays, lambda error: damaged(path, error))
    table = table_of(recall, arrays)
    verify_strategy(tables, table)
    return table


def opening_policy(rules: Rules) -> TablePolicy:
    """Return a policy whose table stores nothing but the start of a round, where every hand makes
    the weakest bid."""
    recall, tables = recall_tables(rules, FULL), bid_tables(rules)
    weakest = np.flatnonzero(tables.legal[0])[:1].astype(np.int16)
    played = np.ones((1, tables.hands), dtype=np.float32)
    start = np.zeros(1, dtype=np.int64)
    return TablePolicy(
        rules, FULL, strategy_table(recall, start, np.array([0, 1]), weakest, played)
    )


def _verify_opening_cost(tables: BidTables, cost: NDArray[Any]) -> None:
    """Raise StrategyTableError unless `cost` is [opening, hand] float16, at least 0 and at most the
    largest difference between two outcomes of a round."""
    right = cost.dtype == np.float16 and cost.shape == (tables.legal[0].sum(), tables.hands)
    most = np.float16(tables.most_cost * (1.0 + 1.0 / (tables.players - 1)))
    # The negation makes NaN fail too.
    if not (right and cost.min() >= 0.0 and cost.max() <= most):
        raise StrategyTableError("the costs of openings are damaged")
