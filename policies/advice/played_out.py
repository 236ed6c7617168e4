"""Values of actions by playing the rest of the round out, among several players.

A policy of several players chooses by the risks of an action or by its table. Neither is the value
of the action among the players who sit there. So the actions that may be best are played out
(`policies.players.playing_out`) against players who follow the table or are of another kind, as
their bids make likely. The advice leaves out an action if another one surely earns more.

**Which actions.** The policy's own choices are played out, and the actions with the highest values
before that: at first many actions in a few rounds, then the best of these in more rounds. Every
other action is unclear.

**Intervals** are 95% confidence intervals of the mean of independent rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_of, mover_of
from zhaifei.game.hands import hand_index
from zhaifei.game.notation import parse_action
from zhaifei.policies.advice.advice import Advice, PlayedOut
from zhaifei.policies.advice.choice import advised_surely
from zhaifei.policies.players.playing_out import PlayingOut
from zhaifei.policies.players.reading_policy import ReadingPolicy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STEPS = (128, 12), (512, 6), (2048, 4)
"""The number of rounds in each step, and of the actions that are played out in it."""
DEVIATIONS = 1.96
"""Half the width of a 95% confidence interval, in standard deviations."""


class Rollouts:
    """Plays out the actions of a policy of several players."""

    def __init__(self, policy: ReadingPolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self._playing = PlayingOut(policy)

    def refine(self, advice: Advice) -> Iterator[Advice]:
        """Yield `advice` with the values of actions that were played out, in more and more rounds.
        Equal advice gets equal values."""
        hand, bids = hand_index(self.rules, advice.hand), self._bids(advice.history)
        last = advice.history[-1] if advice.history else None
        actions = np.array([parse_action(self.rules, one.action, last) for one in advice.actions])
        played = self.policy.strategy(advice.history)[hand, actions]
        values = np.array([one.value for one in advice.actions])
        places = np.arange(actions.size)
        for rounds, most in STEPS:
            places = places[_promising(played[places], values[places], most)]
            earned = self.earned(hand, bids, actions[places].tolist(), rounds)
            values[places] = earned.mean(axis=1)
            errors = np.full(values.size, 2.0 * self.policy.plain.tables.most_cost)
            errors[places] = margin_of(earned)
            kept = advised_surely(played, values, errors)
            yield replace(
                advice,
                actions=tuple(
                    replace(one, probability=share, value=value, value_error=error)
                    for one, share, value, error in zip(
                        advice.actions, kept.tolist(), values.tolist(), errors.tolist(), strict=True
                    )
                ),
                ground=PlayedOut(rounds),
                overruled=bool(kept[played.argmax()] == 0.0),
            )

    def earned(self, hand: int, bids: Sequence[int], actions: Sequence[int], rounds: int) -> Floats:
        """Return [action, round] what each of the `actions` after `bids` earns with `hand`, in
        penalty points. All actions meet the same hands and random numbers."""
        dealt = self._playing.deal(hand, bids, rounds)
        played = self._playing.play(dealt, bids, actions)
        return played.utilities(mover_of(self.rules, bids), self.rules.players)

    def _bids(self, history: Sequence[Bid]) -> tuple[int, ...]:
        return tuple(action_of(self.rules, bid) for bid in history)


def margin_of(earned: Floats) -> Floats:
    """Return half the width of the 95% confidence interval of the mean over the last axis."""
    rounds = earned.shape[-1]
    deviation: Floats = earned.std(axis=-1, ddof=1)
    return DEVIATIONS * deviation / math.sqrt(rounds)


def _promising(played: Floats, values: Floats, most: int) -> Ints:
    """Return at most `most` places, ascending: those which the policy plays most often, then those
    with the highest values."""
    order = np.lexsort((-values, -played))
    return np.sort(order[:most])
