"""A policy that solves again, written out as one table: what it plays after each bid of the other
player, or after some of them only, with the rest as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.policies.players.resolving import Known, ResolvingPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.tables.recall import FULL, RecallTables, context_of, recall_tables
from zhaifei.solver.tables.strategy_table import (
    NO_NODE,
    StrategyTable,
    dense,
    node_of,
    strategy_after,
    strategy_table,
)

Ints = NDArray[np.int64]
Played = dict[int, tuple[Ints, NDArray[np.float32]]]
"""By context: [row] the actions, and [row, hand] how probable they are."""
_CHUNK = 100_000
"""Rows that are copied at a time."""


class Spliced(NamedTuple):
    """A table, and what was solved for it."""

    table: StrategyTable
    solved: dict[History, Known]
    """By the history that ends with an odd bid."""


class _Splicer:
    """Walks what each player may meet who plays a policy, whatever the other one does."""

    def __init__(self, policy: ResolvingPolicy, least: float) -> None:
        self.policy, self.least = policy, least
        self.bids = bid_tables(policy.rules)
        self.recall = recall_tables(policy.rules, FULL)
        self.played: Played = {}
        self.solved: dict[History, Known] = {}

    def walk(
        self, history: History, seat: int, reach: NDArray[np.float64], known: Known, solving: bool
    ) -> None:
        """Write down what the player in `seat` plays from `history` on, where their range is
        `reach` [hand]; where its mass is too small, nothing is solved again."""
        count = self.bids.claimed.size
        if len(history) % 2 != seat:
            for bid in self._raises(history):
                after = (*history, bid)
                next_known = self.policy.standing(after, seat).known if solving else known
                if next_known is not known:
                    self.solved[after] = next_known
                self.walk(after, seat, reach, next_known, solving)
            return
        made = np.array(history, dtype=np.int64)
        if node_of(known.table(history), made, len(history)) == NO_NODE:
            return  # every hand challenges, as a table does that lacks the history
        played = self.policy.played(known, history)
        self.played[context_of(self.recall, made, len(history))] = _rows(played)
        for bid in np.flatnonzero(played[:, :count].any(axis=0)).tolist():
            part, after = reach * played[:, bid], (*history, bid)
            on = bool(solving and part.sum() > self.least)
            next_known = self.policy.standing(after, seat).known if on else known
            self.walk(after, seat, part, next_known, on)

    def _raises(self, history: History) -> list[int]:
        last = history[-1] if history else -1
        legal: list[int] = np.flatnonzero(self.bids.legal[last + 1]).tolist()
        return legal


def spliced(policy: ResolvingPolicy, least: float) -> Spliced:
    """Return the table of what `policy` plays in both seats, where nothing is solved again after
    own bids with less probability than `least`: it loses no more than that by what is left out."""
    splicer = _Splicer(policy, least)
    prior = splicer.bids.prior[0].astype(np.float64)
    for seat in (0, 1):
        splicer.walk((), seat, prior, policy.standing((), seat).known, True)
    return Spliced(_table(splicer.recall, splicer.played), splicer.solved)


def overlaid(plain: TablePolicy, solved: Mapping[History, Known]) -> StrategyTable:
    """Return the table of `plain`, with what is played instead after the histories that were
    `solved`, up to the next of them. Each ends with a bid of the other player; it comes up if the
    player has played what the table returned says. Probabilities are not rounded."""
    over = _Overlay(bid_tables(plain.rules), plain.table.recall, solved)
    for history, known in solved.items():
        over.write(history, known)
    new = np.concatenate([np.array([*over.played], dtype=np.int64), *over.gone])
    return _joined(plain.table, ~np.isin(plain.table.context, new), over.table())


class _Overlay:
    """Collects what is played after the histories that were solved."""

    def __init__(
        self, bids: BidTables, recall: RecallTables, solved: Mapping[History, Known]
    ) -> None:
        self._bids, self._recall, self._solved = bids, recall, solved
        self.played: Played = {}
        self.gone: list[Ints] = []
        """Contexts of histories after which every hand challenges."""

    def write(self, history: History, known: Known) -> None:
        """Write down what the player to move plays from `history` on, up to the next solution."""
        code, made = self._recall.code[0], np.array(history, dtype=np.int64)
        context = context_of(self._recall, made, made.size)
        table = known.table(history)
        if node_of(table, made, made.size) == NO_NODE:
            self.gone.append(np.array([context]))
            return
        played = strategy_after(table, self._bids, history)
        self.played[context] = _rows(played)
        end = self._bids.claimed.size
        for bid in np.flatnonzero(played[:, :end].any(axis=0)).tolist():
            replies = np.arange(self._bids.first_raise[bid + 1], end)
            contexts = context + code[bid + 1] + code[replies + 1]
            stored = _among(contexts, table.context)
            self.gone.append(contexts[~stored])
            for reply in replies[stored].tolist():
                after = (*history, bid, reply)
                if after not in self._solved:
                    self.write(after, known)

    def table(self) -> StrategyTable:
        """Return what was written down."""
        return _table(self._recall, self.played)


def _among(some: Ints, ascending: Ints) -> NDArray[np.bool_]:
    """Return which of `some` are among others. `np.isin` would sort a large table each time."""
    place = np.minimum(np.searchsorted(ascending, some), ascending.size - 1)
    among: NDArray[np.bool_] = ascending[place] == some
    return among


def _rows(played: NDArray[np.float64]) -> tuple[Ints, NDArray[np.float32]]:
    """Return what is `played` [hand, action] as rows of a table."""
    actions = np.flatnonzero(played.any(axis=0))
    return actions, played[:, actions].T.astype(np.float32)


def _table(recall: RecallTables, played: Played) -> StrategyTable:
    """Return what is `played` as a table."""
    rows = [(context, *played[context]) for context in sorted(played)]
    return strategy_table(
        recall,
        np.array([context for context, _, _ in rows], dtype=np.int64),
        np.cumsum([0, *(len(actions) for _, actions, _ in rows)]),
        np.concatenate([actions for _, actions, _ in rows]).astype(np.int16),
        np.concatenate([probability for _, _, probability in rows]),
    )


def _joined(one: StrategyTable, kept: NDArray[np.bool_], other: StrategyTable) -> StrategyTable:
    """Return the nodes of `one` that are `kept` [node], and those of `other`, all different from
    them."""
    rows = np.flatnonzero(np.repeat(kept, one.end_row - one.first_row))
    context = np.concatenate([one.context[kept], other.context])
    length = np.concatenate([(one.end_row - one.first_row)[kept], other.end_row - other.first_row])
    order = np.argsort(context)
    first_row = np.concatenate([[0], np.cumsum(length[order])])
    start = np.empty_like(length)
    start[order] = first_row[:-1]
    place = np.repeat(start - np.cumsum(length) + length, length) + np.arange(length.sum())
    action = np.empty(place.size, dtype=np.int16)
    action[place] = np.concatenate([one.action[rows], other.action])
    probability = np.empty((place.size, one.hands), dtype=np.float32)
    for first in range(0, rows.size, _CHUNK):
        some = slice(first, min(first + _CHUNK, rows.size))
        probability[place[some]] = dense(one, rows[some]) * np.float32(one.unit)
    probability[place[rows.size :]] = dense(other)
    return strategy_table(one.recall, context[order], first_row, action, probability)
