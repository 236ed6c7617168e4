"""Matches of a player who learns: many at once, round by round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.hands import roll_hands
from zhaifei.policies.learning.player import Learning, LearningPlayer
from zhaifei.policies.play.simulation import endings, settled
from zhaifei.policies.players.player import BatchPlayer, verify_rules
from zhaifei.policies.players.plug_in.memory import apart, forget

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def play_matches(
    learner: LearningPlayer, others: Sequence[BatchPlayer], matches: int, rounds: int, seed: int
) -> Ints:
    """Return [match, round, seat] the penalty points of `matches` of `rounds` rounds each, in which
    the learner has seat 0 and the `others` have the next seats.

    The loser of a round opens the next, and each seat opens the first round of as many matches. The
    learner knows nothing of the others before each match. Strategy files among the others sit in
    all matches at once, so what they remember mixes all matches. Equal arguments give equal points.
    Raise as `policies.play.simulation.play_rounds` does."""
    rules = learner.rules
    for other in others:
        verify_rules(other, rules)
    forget(others)
    dice, draws = (np.random.default_rng([seed, stream]) for stream in (0, 1))
    table = _Table(learner, apart(others), matches)
    points = np.zeros((matches, rounds, rules.players), dtype=np.int64)
    opener = np.arange(matches) % rules.players
    for number in range(rounds):
        table.learning.begin((-opener) % rules.players, draws.random(matches))
        for seat in range(rules.players):
            at = np.flatnonzero(opener == seat)
            dealt = roll_hands(rules, at.size, dice)
            points[at, number] = table.play(at, seat, dealt, draws.spawn(1)[0])
        opener = points[:, number].argmax(axis=1)
    return points


class _Table:
    """The learner and the others in some matches."""

    def __init__(
        self, learner: LearningPlayer, others: Sequence[BatchPlayer], matches: int
    ) -> None:
        self.learning, self._names = Learning(learner, matches), [learner, *others]
        self._others, self._rules = others, learner.rules

    def play(self, matches: Ints, opener: int, dealt: Ints, random: np.random.Generator) -> Ints:
        """Play a round, opened by the seat `opener`, in each of the `matches` [round]. `dealt` is
        [round, place] in the order of turns. Return [round, seat] the penalty points."""
        players, rules = self._rules.players, self._rules
        order = [(opener + place) % players for place in range(players)]

        def act(place: int, rounds: Ints, hand: Ints, history: Ints, uniform: Floats) -> Ints:
            if order[place] == 0:
                return self.learning.act(matches[rounds], hand, history, uniform)
            return self._others[order[place] - 1].act(hand, history, uniform)

        points = np.zeros(dealt.shape, dtype=np.int64)
        names = [self._names[seat] for seat in order]
        for ending in endings(act, names, rules, dealt, random):
            rounds, history, action = ending
            points[rounds[:, np.newaxis], order] = settled(rules, dealt[rounds], ending).points
            its = dealt[rounds], history, action
            self.learning.end(matches[rounds], order.index(0), *its)
        return points
