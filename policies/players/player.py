"""Who sits at the table: everything that takes decisions, for one hand or for thousands at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from game.bids import challenge_action
from game.errors import ZhaifeiError
from game.rules import Rules
from game.tables import bid_tables
from policies.players.network import LearnedPolicy
from policies.players.policy import Policy
from policies.players.table_policy import TablePolicy
from solver.tables.queries import asked
from solver.tables.sampling import NO_ACTION, sample
from solver.tables.strategy_table import EXACT


class Player(Protocol):
    """Decides for many rounds at once: rounds in step, so that all have as many bids.

    It is told nothing but what a player sees: the own hand and the bids. Errors name it by `str`.
    """

    @property
    def rules(self) -> Rules:
        """The variant that it plays."""

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """[round] the action in each of some rounds, in which it is this player's turn.

        `hand` [round] is the place of the own hand in `game.hands.hands`; `history` [round, bid]
        the bids made, oldest first, as actions of `game.bids`; `uniform` [round] a number drawn
        from [0, 1) for each decision, the only randomness there is: equal arguments, equal actions.
        """


def verify_rules(player: Player, rules: Rules) -> None:
    """Raises ZhaifeiError if `player` plays by other rules."""
    if player.rules != rules:
        raise ZhaifeiError(
            "{name} plays by other rules: {its}, not {rules}",
            name=player, its=player.rules, rules=rules,
        )  # fmt: skip


@dataclass(frozen=True)
class PolicyPlayer:
    """Plays a policy: each decision is drawn from the hand's strategy.

    Raises ZhaifeiError for a table that holds no probabilities.
    """

    policy: Policy
    name: str = "policy"

    def __post_init__(self) -> None:
        # Kernels are compiled as if there were no NaN; steps are none anyway.
        if isinstance(self.policy, TablePolicy) and self.policy.table.probability.dtype == EXACT:
            stored = self.policy.table.probability
            if not (stored.min() >= 0.0 and stored.max() < np.inf):
                raise ZhaifeiError(
                    "{player} has probabilities from {least} to {most}: it is damaged",
                    player=self, least=stored.min(), most=stored.max(),
                )  # fmt: skip

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> Rules:
        """See Player."""
        return self.policy.rules

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See Player. Raises ZhaifeiError if the policy's answer is no strategy."""
        if isinstance(self.policy, TablePolicy):
            return self._draw(self.policy, hand, history, uniform)
        if isinstance(self.policy, LearnedPolicy):
            return self.policy.draw(hand, history, uniform)
        return self._query(hand, history, uniform)

    def _draw(
        self,
        policy: TablePolicy,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        action = np.empty(hand.size, dtype=np.int64)
        challenge = challenge_action(policy.rules)
        sample(policy.table, challenge, hand, np.ascontiguousarray(history), uniform, action)
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
        answers = asked(bid_tables(self.rules), self.policy.strategies, histories)
        for place, strategy in enumerate(answers):
            rounds = np.flatnonzero(group == place)
            upto = strategy[hand[rounds]].cumsum(axis=1)
            # The first action up to which there is more than the number drawn.
            drawn = uniform[rounds, np.newaxis] * upto[:, -1:]
            action[rounds] = (upto <= drawn).sum(axis=1)
        return action


def short_name(one: object) -> str:
    """Return what a player is called at the table: files without their directories."""
    return Path(str(one)).name.removesuffix(".safetensors")
