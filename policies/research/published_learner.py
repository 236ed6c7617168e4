"""Q-learning in `published`, step by step as in the program of D. Oehm 2018, *Q-learning example
with Liar's Dice in R*.

Settings, rewards and decisions are those of `policies.research.q_learner`. What is learned from
differs:

- Every raise and every challenge is a step, whoever makes it; the first bid of a round is not a
  step. A step leads from the state after the previous step, often in an earlier round, to the state
  after itself, both as `PublishedPlayer` sees them. It counts as a challenge if the learner
  challenges, otherwise as a raise.
- A challenge makes two steps. The first leads to the state in which the challenger answers the bid.
  The second leads to the same state without the lost die, and carries the reward.
- The learner learns when the match is over for it, from all steps in order.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np

from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.views import SeatBid, View
from zhaifei.policies.players.q_player import (
    CHALLENGE,
    RAISE,
    PublishedPlayer,
    QValues,
    State,
    published_state,
)
from zhaifei.policies.research.q_learner import QLearningSettings, reward_of


class Step(NamedTuple):
    """A step of a match."""

    state: State
    """The state in which the step ends."""
    action: int
    reward: float = 0.0


class PublishedLearner(PublishedPlayer):
    """Learns while it plays. `on_round` must be called after each round."""

    def __init__(
        self, values: QValues, random: np.random.Generator, settings: QLearningSettings, seat: int
    ) -> None:
        """`values` are changed in place."""
        super().__init__(values, random)
        self._settings, self._seat = settings, seat
        self._steps: list[Step] = []
        """The steps of the match."""

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        explores = self._random.random() < self._settings.explores
        return (self._either() if explores else self._best(self.state(view))) == CHALLENGE

    def on_round(self, ended: Round) -> None:
        """Record that a round has ended. After the round in which the learner loses its last die or
        wins the match, more rounds may be reported, and the next match may begin."""
        if not ended.dice[self._seat]:
            return
        reward, over = reward_of(ended, self._seat, self._settings)
        self._steps += self._steps_of(ended, reward)
        if over:
            self._learn()
            self._steps = []

    def _steps_of(self, ended: Round, reward: float) -> list[Step]:
        bids = [SeatBid(ended.bidder(place), bid) for place, bid in enumerate(ended.history)]
        seat, dice, table = self._seat, ended.hands[self._seat], sum(ended.dice)

        def state(bid: SeatBid, face: int) -> State:
            missing = bid.bid.count - dice.count(face)
            return published_state(ended.rules, missing, len(dice), table)

        states = [
            state(bid, self.face_counted(bids[: place + 1], seat)) for place, bid in enumerate(bids)
        ]
        steps = [Step(raised, RAISE) for raised in states[1:]]
        settled = cast(Settlement, ended.settlement)
        answered, action = states[-1], RAISE
        if settled.challenge is not None and settled.challenge.challenger == seat:
            answered, action = state(bids[-1], bids[-1].bid.face), CHALLENGE
        left = (table - 1, len(dice) - (settled.loser == seat), answered[2])
        return [*steps, Step(answered, action), Step(left, action, reward)]

    def _learn(self) -> None:
        alpha, gamma = self._settings.alpha, self._settings.gamma
        for before, step in pairwise(self._steps):
            place = (*before.state, step.action)
            found = step.reward + gamma * self.values[step.state].max()
            self.values[place] += alpha * (found - self.values[place])
