"""Tabular Q-learning for `increment`, after D. Oehm 2018, *Q-learning example with Liar's Dice in
R*.

The learner decides whether to raise or to challenge; `policies.players.q_player` describes the
states of its values, and which face it names.

Only situations with a choice are *decisions*: opening a round is not. The outcome of a decision is
known at the next one, often rounds later, or when the match is over for the player. Then

    Q[state, action] += alpha * (reward + gamma * max Q[next state] - Q[state, action])

where the maximum is 0 after the end. The reward is the sum over the rounds that ended in between. A
round counts -1 if the player lost a die and 1 if another player did, but -10 or 10 if it lost or
won the match. While learning, one decision in ten is drawn uniformly. Ties are always broken
uniformly, because the values of all unvisited states are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.views import View
from zhaifei.policies.players.q_player import CHALLENGE, QPlayer, QValues


@dataclass(frozen=True)
class QLearningSettings:
    """The settings of Q-learning."""

    alpha: float = 0.1
    """The step size: how far a value moves towards the observed return."""
    gamma: float = 0.9
    """The discount of a reward per decision."""
    explores: float = 0.1
    """The probability that a decision is drawn uniformly while learning."""
    round_reward: float = 1.0
    match_reward: float = 10.0


def reward_of(ended: Round, seat: int, settings: QLearningSettings) -> tuple[float, bool]:
    """Return the reward for a round, and whether the match is over for the player in `seat`, who
    had dice in it."""
    loser = cast(Settlement, ended.settlement).loser
    lost = loser == seat
    over = ended.dice[loser] == 1 and (lost or len(ended.seats) == 2)
    size = settings.match_reward if over else settings.round_reward
    return -size if lost else size, over


class QLearner(QPlayer):
    """Learns while it plays. `on_round` must be called after each round."""

    def __init__(
        self, values: QValues, random: np.random.Generator, settings: QLearningSettings, seat: int
    ) -> None:
        """`values` are changed in place."""
        super().__init__(values, random)
        self._settings, self._seat = settings, seat
        self._decision: tuple[int, ...] | None = None
        """The last decision of the match, as an index into `values`."""
        self._reward = 0.0
        """The sum of rewards since the last decision."""

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        state = self.state(view)
        self._learn(float(self.values[state].max()))
        explores = self._random.random() < self._settings.explores
        action = self._either() if explores else self._best(state)
        self._decision = (*state, action)
        return action == CHALLENGE

    def on_round(self, ended: Round) -> None:
        """Record that a round has ended. After the round in which the learner loses its last die or
        wins the match, more rounds may be reported, and the next match may begin."""
        if not ended.dice[self._seat]:
            return
        reward, over = reward_of(ended, self._seat, self._settings)
        self._reward += reward
        if over:
            self._learn(0.0)
            self._decision = None

    def _learn(self, following: float) -> None:
        """Update the value of the last decision, whose return is now known: the rewards since then
        plus the discounted value `following` of the present state."""
        if self._decision is not None:
            found = self._reward + self._settings.gamma * following
            self.values[self._decision] += self._settings.alpha * (
                found - self.values[self._decision]
            )
        self._reward = 0.0
