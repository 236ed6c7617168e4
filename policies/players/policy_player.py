"""A player that plays a policy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.positions import Position
from zhaifei.game.rules import Rules
from zhaifei.policies.players.player import Batched
from zhaifei.policies.players.policy import DrawingPolicy, Policy, drawn_by_query
from zhaifei.solver.tables.sampling import NO_ACTION


@dataclass(frozen=True)
class PolicyPlayer(Batched):
    """Plays a policy: it draws each decision from the strategy of its hand."""

    policy: Policy
    name: str = "policy"

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> Rules:
        """See BatchPlayer."""
        return self.policy.rules

    def at(self, position: Position) -> Policy:
        """Return the policy that is played in rounds at `position`: the only one."""
        return self.policy

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See BatchPlayer. Raise ZhaifeiError if the policy returns an invalid strategy."""
        if not isinstance(self.policy, DrawingPolicy):
            return drawn_by_query(self.policy, hand, history, uniform)
        action = self.policy.draw(hand, history, uniform)
        if (action == NO_ACTION).any():
            raise ZhaifeiError("{player} has hands without a strategy: it is damaged", player=self)
        return action
