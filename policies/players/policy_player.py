"""A player that plays a policy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.player import Batched
from zhaifei.policies.players.policy import DrawingPolicy, Policy, strategies_of
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.resolving import ResolvingPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.tables.queries import query
from zhaifei.solver.tables.sampling import NO_ACTION


@dataclass(frozen=True)
class PolicyPlayer(Batched):
    """Plays a policy: it draws each decision from the strategy of its hand.

    Raise ZhaifeiError for a table with negative, infinite or NaN probabilities.
    """

    policy: Policy
    name: str = "policy"

    def __post_init__(self) -> None:
        # Kernels are compiled on the assumption that there is no NaN. Compact tables have no NaN.
        policy = self.policy
        if isinstance(policy, ReadingPolicy | ResolvingPolicy):
            policy = policy.plain
        if isinstance(policy, TablePolicy) and policy.table.steps == 1:
            stored = policy.table.share
            if not (stored.min() >= 0.0 and stored.max() < np.inf):
                raise ZhaifeiError(
                    "{player} has probabilities from {least} to {most}: it is damaged",
                    player=self,
                    least=stored.min(),
                    most=stored.max(),
                )

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> Rules:
        """See BatchPlayer."""
        return self.policy.rules

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See BatchPlayer. Raise ZhaifeiError if the policy returns an invalid strategy."""
        if not isinstance(self.policy, DrawingPolicy):
            return self._query(hand, history, uniform)
        action = self.policy.draw(hand, history, uniform)
        if (action == NO_ACTION).any():
            raise ZhaifeiError("{player} has hands without a strategy: it is damaged", player=self)
        return action

    def _query(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """Query the policy once for each different history."""
        action = np.empty(hand.size, dtype=np.int64)
        different, group = np.unique(history, axis=0, return_inverse=True)
        histories = [tuple(bids_made) for bids_made in different.tolist()]
        answers = query(bid_tables(self.rules), strategies_of(self.policy), histories)
        for place, strategy in enumerate(answers):
            rounds = np.flatnonzero(group == place)
            upto = strategy[hand[rounds]].cumsum(axis=1)
            # Take the first action whose cumulative probability exceeds the number drawn.
            drawn = uniform[rounds, np.newaxis] * upto[:, -1:]
            action[rounds] = (upto <= drawn).sum(axis=1)
        return action
