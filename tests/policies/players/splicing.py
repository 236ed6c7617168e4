"""A policy that solves again, written out as one table: after every bid of the other player."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import bid_tables
from policies.players.resolving import Known, ResolvingPolicy
from solver.bounds import History
from solver.tables.recall import FULL, context_of, recall_tables
from solver.tables.strategy_table import NO_NODE, StrategyTable, node_of, strategy_table


class Spliced(NamedTuple):
    """A table, and how many positions were solved for it."""

    table: StrategyTable
    solved: int


class _Splicer:
    """Walks what each player may meet who plays a policy, whatever the other one does."""

    def __init__(self, policy: ResolvingPolicy, least: float) -> None:
        self.policy, self.least = policy, least
        self.bids = bid_tables(policy.rules)
        self.played: dict[History, NDArray[np.float64]] = {}
        self.solved = 0

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
                self.solved += next_known is not known
                self.walk(after, seat, reach, next_known, solving)
            return
        if node_of(known.table, np.array(history, dtype=np.int64), len(history)) == NO_NODE:
            return  # every hand challenges, as a table does that lacks the history
        played = self.played[history] = self.policy.played(known, history)
        for bid in np.flatnonzero(played[:, :count].any(axis=0)).tolist():
            part, after = reach * played[:, bid], (*history, bid)
            on = bool(solving and part.sum() > self.least)
            next_known = self.policy.standing(after, seat).known if on else known
            self.walk(after, seat, part, next_known, on)

    def _raises(self, history: History) -> list[int]:
        last = history[-1] if history else -1
        raises = range(self.bids.first_raise[last + 1], self.bids.claimed.size)
        return [bid for bid in raises if history or self.bids.opens[bid]]


def spliced(policy: ResolvingPolicy, least: float) -> Spliced:
    """Return the table of what `policy` plays in both seats, where nothing is solved again after
    own bids with less probability than `least`: it loses no more than that by what is left out."""
    splicer = _Splicer(policy, least)
    prior = splicer.bids.prior.astype(np.float64)
    for seat in (0, 1):
        splicer.walk((), seat, prior, policy.standing((), seat).known, True)
    recall, rows = recall_tables(policy.rules, FULL), []
    for history, played in splicer.played.items():
        context = context_of(recall, np.array(history, dtype=np.int64), len(history))
        rows.append((context, np.flatnonzero(played.any(axis=0)), played))
    rows.sort(key=lambda row: row[0])
    table = strategy_table(
        recall,
        np.array([context for context, _, _ in rows], dtype=np.int64),
        np.cumsum([0, *(len(actions) for _, actions, _ in rows)]),
        np.concatenate([actions for _, actions, _ in rows]).astype(np.int16),
        np.concatenate([played[:, actions].T for _, actions, played in rows]).astype(np.float32),
    )
    return Spliced(table, splicer.solved)
