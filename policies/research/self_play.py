"""Self-play, thousands of rounds in lockstep.

All rounds that have not ended have the same number of bids. So the same seat decides in all of
them, and a learner is queried for one batch of actions at a time.

The learner sits in all seats; or in one seat of each round, drawn anew, among other players.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import State, ends_fei
from zhaifei.game.hands import roll_hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID
from zhaifei.policies.play.simulation import endings, settled, utilities_of
from zhaifei.policies.players.encoding import (
    Bits,
    Floats,
    Ints,
    history_bits,
    information_state_tensors,
    legal_actions,
    legal_after_bids,
)
from zhaifei.policies.players.network import inputs_of
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.seat_features import seat_features


class Situations(NamedTuple):
    """Rounds that have not ended, in all of which the learner decides in the same seat."""

    seat: int
    round: Ints
    """[decision] the number of the round."""
    hand: Ints
    """[decision] the hand of the seat, as in `game.hands.hands`."""
    history: Ints
    """[decision, bid] the bids, oldest first."""
    made: Bits
    """[decision, action] whether the bid was made."""

    @property
    def last(self) -> Ints:
        """[decision] the last bid, or NO_BID."""
        return self.history[:, -1] if self.history.size else np.full(self.hand.size, NO_BID)

    def observed(self, rules: Rules) -> Floats:
        """Return [decision, input] the observations."""
        return observations(rules, np.full(self.hand.size, self.seat), self.hand, self.made)

    def legal(self, rules: Rules) -> Bits:
        """Return [decision, action] whether the action is legal."""
        return legal_after_bids(rules, self.history)


def observations(rules: Rules, seat: Ints, hand: Ints, made: Bits) -> Floats:
    """Return [decision, input] float32, what learners observe in `seat` [decision] with `hand`
    [decision] after the bids `made` [decision, action]: information state tensors with two players,
    and `policies.players.seat_features` with more."""
    if rules.players == 2:
        return information_state_tensors(rules, seat, hand, made)
    result = np.empty((hand.size, inputs_of(rules)), dtype=np.float32)
    lengths = made.sum(axis=1)
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        # Each bid comes after all bids that it may follow (`game.bids.domain`).
        history = np.nonzero(made[rows])[1].reshape(rows.size, length)
        result[rows] = seat_features(rules, hand[rows], history)
    return result


def legal_after(rules: Rules, last: Ints, made: Bits) -> Bits:
    """Return [decision, action] whether an action is legal after the bid `last` [decision] if the
    bids `made` [decision, action] were made."""
    automaton, state = bidding(rules), last + 1
    number = {one: place for place, one in enumerate(automaton.states)}
    ones = np.array([ends_fei(rules, bid) for bid in automaton.bids])
    ended = made[:, : ones.size][:, ones].any(axis=1)
    after_ones = [number.get(State(bid, True), -1) for bid in (None, *automaton.bids)]
    state = np.where(ended, np.array(after_ones)[state], state)
    legal: Bits = legal_actions(rules)[state]
    return legal


Floats64 = NDArray[np.float64]


class Decisions(NamedTuple):
    """All decisions of a learner in some rounds. The decisions of one seat in one round are
    consecutive, in the order in which they were taken; the last of them is `final`."""

    seat: Ints
    hand: Ints
    made: Bits
    """[decision, action] whether the bid had been made."""
    last: Ints
    action: Ints
    reward: Floats
    """[decision] for final decisions, the utility of the round: the loser pays the points, and the
    others earn equal shares of them; 0 for the other decisions."""
    final: Bits
    taken: Ints
    """[decision] its place in the order in which decisions were taken, over all rounds."""


Decide = Callable[[Situations], Ints]
"""Returns the actions [decision], which must be legal."""


def play(
    rules: Rules,
    rounds: int,
    decide: Decide,
    random: np.random.Generator,
    others: Sequence[BatchPlayer] = (),
) -> Decisions:
    """Play `rounds` rounds with `decide` in all seats and dice from `random`. Return all decisions
    that `decide` took.

    With `others`, `decide` takes one seat of each round, drawn at random, and each of the other
    seats is taken by one of `others`, drawn at random too.
    """
    dealt = roll_hands(rules, rounds, random)
    draws = random.spawn(1)[0]  # so that the learner draws the same numbers whoever plays
    sits = _seats(rules, rounds, len(others), draws)
    steps: list[tuple[Situations, Ints]] = []

    def act(seat: int, number: Ints, hand: Ints, history: Ints, uniform: Floats64) -> Ints:
        action, of_seat = np.empty(hand.size, dtype=np.int64), sits[number, seat]
        for place, other in enumerate(others):
            if (its := of_seat == place).any():
                action[its] = other.act(hand[its], history[its], uniform[its])
        if (own := of_seat == _LEARNER).any():
            made = history_bits(rules, history[own])
            now = Situations(seat, number[own], hand[own], history[own], made)
            action[own] = decide(now)
            steps.append((now, action[own]))
        return action

    names = ["the learner"] * rules.players
    utility = np.zeros(dealt.shape)
    for ending in endings(act, names, rules, dealt, draws):
        points = settled(rules, dealt[ending.rounds], ending).points
        utility[ending.rounds] = utilities_of(points)
    return _in_rows(steps, utility)


_LEARNER = -1
"""Stands for the learner among the numbers of players."""


def _seats(rules: Rules, rounds: int, others: int, random: np.random.Generator) -> Ints:
    """Return [round, seat] which player sits where: `_LEARNER`, or the number of one of the
    others."""
    sits = np.full((rounds, rules.players), _LEARNER)
    if others:
        sits = random.integers(others, size=sits.shape)
        sits[np.arange(rounds), random.integers(rules.players, size=rounds)] = _LEARNER
    return sits


def _in_rows(steps: list[tuple[Situations, Ints]], utility: Floats64) -> Decisions:
    """Return the decisions of `steps`, sorted by round and seat; `utility` is [round, seat]."""
    of_step = [situations for situations, _ in steps]
    round_ = np.concatenate([one.round for one in of_step])
    seat = np.concatenate([np.full(one.round.size, one.seat) for one in of_step])
    row = utility.shape[1] * round_ + seat
    taken = np.argsort(row, kind="stable")
    round_, seat, row = round_[taken], seat[taken], row[taken]
    final = np.append(np.diff(row) != 0, True)
    return Decisions(
        seat,
        np.concatenate([one.hand for one in of_step])[taken],
        np.concatenate([one.made for one in of_step])[taken],
        np.concatenate([one.last for one in of_step])[taken],
        np.concatenate([action for _, action in steps])[taken],
        (utility[round_, seat] * final).astype(np.float32),
        final,
        taken,
    )
