"""Compare the values of two actions by playing the rest of the round many times.

Where the others' hands are read from their bids (`policies.players.reading_policy`), the values in
the advice are risks that assume the next player's answer. To measure the cost of an action, the
others' hands are drawn from their ranges instead, and the rest of the round is played out with the
policy in every seat. Both actions get the same hands and random numbers, so common noise cancels
out. The random numbers depend only on the question: equal questions get equal answers, and the
answers to different questions are independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import mover_of
from zhaifei.game.rules import Rules
from zhaifei.policies.play.simulation import DEVIATIONS, play_dealt
from zhaifei.policies.players.player import Batched, BatchPlayer

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ROUNDS = 512, 2048
"""The number of rounds played out: at first, and if the first do not allow a grade."""
_SEED = 18


class Compared(NamedTuple):
    """The values of two actions, in penalty points."""

    one: float
    other: float
    margin: float
    """Half the width of the 95% confidence interval of the difference."""


@dataclass(frozen=True)
class _Forced(Batched):
    """A BatchPlayer that begins with a given action, and then plays like `player`."""

    player: BatchPlayer
    bids: int
    """The number of bids before the action."""
    action: int
    """The first action."""

    @property
    def rules(self) -> Rules:
        """See BatchPlayer."""
        return self.player.rules

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """See BatchPlayer."""
        if history.shape[1] == self.bids:
            return np.full(hand.size, self.action)
        return self.player.act(hand, history, uniform)


def compare(
    player: BatchPlayer,
    hand: int,
    history: Sequence[int],
    ranges: Sequence[Floats],
    actions: tuple[int, int],
    rounds: int,
) -> Compared:
    """Return the values of two `actions` for the player to move, whose hand has the index `hand`,
    if `player` then plays in all seats. `ranges` [player, hand] are the ranges of the others in the
    order of turns, each summing to 1."""
    rules, made = player.rules, len(history)
    random = np.random.default_rng([_SEED, hand, *history])
    mover = mover_of(rules, history)
    dealt = np.full((rounds, rules.players), hand, dtype=np.int64)
    for ahead, range_ in enumerate(ranges, 1):
        seat = (mover + ahead) % rules.players
        dealt[:, seat] = random.choice(range_.size, size=rounds, p=range_ / range_.sum())
    state = random.bit_generator.state
    earned = []
    for action in actions:
        random.bit_generator.state = state
        players: list[BatchPlayer] = [player] * rules.players
        players[mover] = _Forced(player, made, action)
        ended = play_dealt(players, rules, dealt, random, history)
        earned.append(utilities_of(ended.points)[:, mover])
    one, other = earned
    margin = DEVIATIONS * float((one - other).std(ddof=1)) / math.sqrt(rounds)
    return Compared(float(one.mean()), float(other.mean()), margin)


def utilities_of(points: NDArray[np.int64]) -> Floats:
    """Return [round, seat] the utilities of penalty points [round, seat]. Each player pays their
    own points, and earns an equal share of the points of every other player."""
    players = points.shape[-1]
    total = points.sum(axis=-1, keepdims=True)
    earned: Floats = (total - players * points) / (players - 1)
    return earned
