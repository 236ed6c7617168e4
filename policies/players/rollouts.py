"""Choose among actions by playing the rest of the round out.

A policy of several players chooses by its table, which is for players who all follow it, or by
immediate risks. Playing the round out (`policies.players.playing_out`) measures what an action
earns if the policy goes on from there. Taking the best action is one step of policy improvement
(Tesauro & Galperin 1996, "On-line policy improvement using Monte-Carlo search").

**Which actions.** The policy's own choices are played out, and the actions with the least immediate
risk: at first many actions in a few rounds, then the best of these in more rounds.

**The choice** is the action that earned most, if it earned more than the policy's usual choice by
more than the 95% margin of their difference, in the same rounds. Otherwise it is the policy's
strategy, without actions that surely earn DOMINATED less than its usual choice.

No action's interval lies above that of the action chosen most often. The reason is that the margin
of a difference is at most the sum of both margins, as its standard deviation is at most the sum of
both standard deviations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import legal_endings, states_after
from zhaifei.game.bids import domain, mover_of
from zhaifei.game.rules import Rules
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.players.player import Batched
from zhaifei.policies.players.playing_out import SEED, PlayingOut, drawn_index
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.solver.playouts.walk import FOLLOWER, TABLE

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STEPS = (128, 8), (512, 6), (2048, 4)
"""The number of rounds in each step, and of the actions that are played out in it."""
DOMINATED = 0.01
"""Penalty points."""


class Tried(NamedTuple):
    """Actions that were played out."""

    actions: Ints
    """[place] the actions, ascending."""
    played: Floats
    """[place] the probability with which the policy takes each action."""
    earned: Floats
    """[place, round] what each action earned, in penalty points: the same hands and random numbers
    for all actions."""

    @property
    def values(self) -> Floats:
        """[place] the value of each action, in penalty points."""
        values: Floats = self.earned.mean(axis=1)
        return values

    @property
    def usual(self) -> int:
        """The place of the action that the policy takes most often."""
        return int(self.played.argmax())

    @property
    def overrules(self) -> bool:
        """Whether another action surely earns more than the usual one."""
        return bool(self.gains[self.values.argmax()] > 0.0)

    @property
    def gains(self) -> Floats:
        """[place] how much more than the usual action each action surely earns, in penalty
        points."""
        gain = self.earned - self.earned[self.usual]
        gains: Floats = gain.mean(axis=1) - margin_of(gain)
        return gains

    @property
    def chosen(self) -> Floats:
        """[place] the probability with which each action is chosen."""
        lost = self.earned[self.usual] - self.earned
        kept = np.where(lost.mean(axis=1) - margin_of(lost) <= DOMINATED, self.played, 0.0)
        if self.overrules:
            kept = np.where(np.arange(kept.size) == self.values.argmax(), 1.0, 0.0)
        chosen: Floats = kept / kept.sum()
        return chosen


class Rollouts:
    """Plays out the actions of a policy of several players."""

    def __init__(self, policy: ReadingPolicy, seed: int = SEED) -> None:
        self.policy, self.rules = policy, policy.rules
        self._playing = PlayingOut(policy, seed)

    def refine(self, hand: int, bids: Sequence[int], follower: int = FOLLOWER) -> Iterator[Tried]:
        """Yield what actions earn with `hand` after `bids`, from more and more rounds for fewer and
        fewer actions. Others who follow the table are of the kind `follower`
        (`policies.players.playing_out`). Equal questions get equal answers."""
        history = [domain(self.rules)[bid] for bid in bids]
        actions, values = self._legal(hand, bids)
        played = self.policy.strategy(history)[hand, actions]
        for rounds, most in STEPS:
            places = np.sort(np.lexsort((-values, -played))[:most])
            actions, played = actions[places], played[places]
            earned = self.earned(hand, bids, actions.tolist(), rounds, follower)
            tried = Tried(actions, played, earned)
            values = tried.values
            yield tried

    def earned(
        self,
        hand: int,
        bids: Sequence[int],
        actions: Sequence[int],
        rounds: int,
        follower: int = FOLLOWER,
    ) -> Floats:
        """Return [action, round] what each of the `actions` after `bids` earns with `hand`, in
        penalty points. All actions meet the same hands and random numbers."""
        dealt = self._playing.deal(hand, bids, rounds, follower=follower)
        played = self._playing.play(dealt, bids, actions)
        return played.utilities(mover_of(self.rules, bids), self.rules.players)

    def _legal(self, hand: int, bids: Sequence[int]) -> tuple[Ints, Floats]:
        """Return [place] the legal actions, and [place] their values by immediate risk."""
        history, own = np.array([bids], dtype=np.int64), np.array([hand])
        legal = self.policy.plain.tables.legal[states_after(self.rules, history)[0]]
        actions = np.flatnonzero(np.append(legal, legal_endings(self.rules, history)[0]))
        if not len(bids):
            return actions, self.policy.opening_values(np.zeros(1), own)[0]
        return actions, self.policy.reading.values(own, tuple(bids))[0, actions]


@dataclass(frozen=True)
class RolloutPlayer(Batched):
    """Plays out the first of the STEPS twice: among others who follow the table and read hands, and
    among others who play the table alone. The policy's strategy is replaced by another action only
    if that action surely earns more among both, since nobody knows who sits there."""

    policy: ReadingPolicy
    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> Rules:
        """See BatchPlayer."""
        return self.policy.rules

    @cached_property
    def rollouts(self) -> Rollouts:
        """What plays rounds out."""
        return Rollouts(self.policy)

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """See BatchPlayer."""
        questions = np.column_stack([hand, history])
        different, place = np.unique(questions, axis=0, return_inverse=True)
        action = np.empty(hand.size, dtype=np.int64)
        for number, (one, *bids) in enumerate(different.tolist()):
            asking = place.reshape(-1) == number
            actions, share = self.choice(one, bids)
            action[asking] = actions[drawn_index(share, uniform[asking])]
        return action

    def choice(self, hand: int, bids: Sequence[int]) -> tuple[Ints, Floats]:
        """Return [place] actions and [place] the probability with which the player takes each."""
        reading, plain = (next(self.rollouts.refine(hand, bids, one)) for one in (FOLLOWER, TABLE))
        gains = np.minimum(reading.gains, plain.gains)
        if gains.max() > 0.0:
            return reading.actions, (gains == gains.max()).astype(np.float64)
        return reading.actions, reading.played
