"""Players whose bids a solved policy does not expect, for benchmarks of re-solving."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import states_after
from zhaifei.game.bids import Bid
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.policy import Policy, SingleQueries
from zhaifei.policies.players.rule_based import NAMES, rule_based
from zhaifei.policies.players.table_policy import TablePolicy

STRATEGY_FILES = sorted((Path(__file__).parent / "opponents").glob("*.py"))
"""Strategies of other kinds, each in a file."""
DEVIATES = 0.2
"""The probability that a `Deviating` player deviates."""


class Deviating(SingleQueries):
    """A Policy that plays `plain`, but after an earlier bid deviates with the probability DEVIATES.
    It then makes a bid drawn uniformly from the weakest third of all legal bids."""

    def __init__(self, plain: TablePolicy) -> None:
        self._plain = plain

    @property
    def rules(self) -> Rules:
        """See Policy."""
        return self._plain.rules

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy."""
        played = self._plain.strategy(history)
        if not history:
            return played
        tables, made = bid_tables(self.rules), self._plain.actions(history)[np.newaxis]
        (state,) = states_after(self.rules, made)
        first, end = int(tables.first_raise[state]), tables.claimed.size
        if first < end:
            any_ = max(1, (end - first) // 3)
            played *= 1.0 - DEVIATES
            played[:, first : first + any_] += DEVIATES / any_
        return played


def opponents(plain: TablePolicy) -> list[Policy]:
    """Return a player who deviates from `plain`, and all rule-based players."""
    return [Deviating(plain), *(rule_based(name, plain.rules) for name in NAMES)]
