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

No action's interval lies above that of the action chosen most often, because the margin of a
difference is at most the sum of both margins. This follows from the triangle inequality: the
standard deviation of a difference is at most the sum of both, and its range at most twice that of
all figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import legal_endings, states_after
from zhaifei.game.bids import domain, mover_of
from zhaifei.game.rules import Rules
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.players.kinds import People
from zhaifei.policies.players.player import Batched
from zhaifei.policies.players.playing_out import SEED, PlayingOut, Programs, drawn_index
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.solver.playouts.walk import FOLLOWER, TABLE

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STEPS = (128, 8), (512, 6), (4096, 4)
"""The number of rounds in each step, and of the actions that are played out in it."""
DOMINATED = 0.01
"""Penalty points."""
TOGETHER = 2**17
"""The most rounds of one action that are played out together; they take 100 MB."""


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

    def among(self, people: People, mover: int, programs: Programs | None = None) -> Rollouts:
        """Return the same among players of whom something is believed, as `PlayingOut.among`
        does."""
        found = copy(self)
        found._playing = self._playing.among(people, mover, programs)
        return found

    def refine(self, hand: int, bids: Sequence[int], follower: int = FOLLOWER) -> Iterator[Tried]:
        """Yield what actions earn with `hand` after `bids`, from more and more rounds for fewer and
        fewer actions. Others who follow the table are of the kind `follower`
        (`policies.players.playing_out`). Equal questions get equal answers."""
        for (tried,) in self.refine_hands(np.array([hand]), bids, follower):
            yield tried

    def try_out(
        self, hand: int, bids: Sequence[int], actions: Ints, played: Floats, values: Floats
    ) -> Iterator[Tried]:
        """Yield what `actions` [place] earn, as `refine` does, for a player who takes them with the
        probability `played` [place] and expects of them the `values` [place]."""
        own, figures = np.array([hand]), (played[np.newaxis], values[np.newaxis])
        for (tried,) in self._try_out(own, bids, FOLLOWER, actions[np.newaxis], *figures):
            yield tried

    def refine_hands(
        self, own: Ints, bids: Sequence[int], follower: int = FOLLOWER
    ) -> Iterator[list[Tried]]:
        """Return what `refine` yields for each of the hands `own` [hand]. All are played out
        together, which takes much less time than one after the other."""
        actions, values = self._legal(own, bids)
        history = [domain(self.rules)[bid] for bid in bids]
        played = self.policy.strategy(history)[own][:, actions[0]]
        return self._try_out(own, bids, follower, actions, played, values)

    def _try_out(
        self,
        own: Ints,
        bids: Sequence[int],
        follower: int,
        actions: Ints,
        played: Floats,
        values: Floats,
    ) -> Iterator[list[Tried]]:
        """Yield what `actions` [hand, place] earn, as `refine_hands` does."""
        for rounds, most in STEPS:
            places = np.sort(np.lexsort((-values, -played))[:, :most])
            actions = np.take_along_axis(actions, places, 1)
            played = np.take_along_axis(played, places, 1)
            earned = self._earned(own, bids, actions, rounds, follower)
            tried = [Tried(*its) for its in zip(actions, played, earned, strict=True)]
            values = np.stack([one.values for one in tried])
            yield tried

    def earned(self, hand: int, bids: Sequence[int], actions: Sequence[int], rounds: int) -> Floats:
        """Return [action, round] what each of the `actions` after `bids` earns with `hand`, in
        penalty points. All actions meet the same hands and random numbers."""
        own, each = np.array([hand]), np.array([actions])
        earned: Floats = self._earned(own, bids, each, rounds, FOLLOWER)[0]
        return earned

    def earned_by_range(
        self, weights: Floats, bids: Sequence[int], action: int, rounds: int
    ) -> tuple[Ints, Floats]:
        """Return [round] hands by their `weights` [hand], and [round] what the `action` after
        `bids` earns with them, in penalty points. The rounds of different actions are
        independent."""
        dealt = self._playing.deal_range(weights, bids, action, rounds)
        played = self._playing.play(dealt, bids, [action])
        mover = mover_of(self.rules, bids)
        earned: Floats = played.utilities(mover, self.rules.players)[0]
        return dealt.hand[:, mover], earned

    def _earned(
        self, own: Ints, bids: Sequence[int], actions: Ints, rounds: int, follower: int
    ) -> Floats:
        """Return [hand, place, round] what `actions` [hand, place] after `bids` earn with the hands
        `own` [hand], as `earned` does."""
        mover, players = mover_of(self.rules, bids), self.rules.players
        found = np.empty((*actions.shape, rounds))
        together = max(1, TOGETHER // rounds)
        for first in range(0, own.size, together):
            some = slice(first, first + together)
            dealt = self._playing.deal(own[some].tolist(), bids, rounds, follower=follower)
            played = self._playing.play(dealt, bids, actions[some].T.repeat(rounds, axis=1))
            earned = played.utilities(mover, players)
            found[some] = earned.reshape(actions.shape[1], -1, rounds).transpose(1, 0, 2)
        return found

    def _legal(self, own: Ints, bids: Sequence[int]) -> tuple[Ints, Floats]:
        """Return [hand, place] the legal actions, and [hand, place] their values by immediate
        risk."""
        history = np.array([bids], dtype=np.int64)
        legal = self.policy.plain.tables.legal[states_after(self.rules, history)[0]]
        actions = np.flatnonzero(np.append(legal, legal_endings(self.rules, history)[0]))
        if bids:
            values = self.policy.reading.values(own, tuple(bids))[:, actions]
        else:
            values = self.policy.opening_values(np.zeros(own.size), own)
        return np.tile(actions, (own.size, 1)), values


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
