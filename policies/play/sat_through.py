"""A player who learns, brought through a match that is written down.

Whoever asks for one decision at a time, and keeps nothing between the questions, tells each time
the rounds that have ended and the view of the player. The learner takes every decision of those
rounds again, with the same random numbers, and learns from each round as it ends. It is then the
same as a learner who sat through the match: in its memory, its account (`policies.learning.budget`)
and its next random number. So what the budget promises to two players holds after it too.

An action that was taken in place of the learner's own is an exception: it is not noticed here. The
round is counted as if the learner had taken its own, and the promise leaves out such rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zhaifei.game.hands import Hand
from zhaifei.game.rounds import Round
from zhaifei.game.views import View, view_of
from zhaifei.policies.play.playing import only_choice
from zhaifei.policies.players.decider import Remembers
from zhaifei.policies.players.player import Player


class Played(NamedTuple):
    """A round of a match that has ended."""

    starter: int
    hands: tuple[Hand, ...]
    """[seat] the dice, ascending."""
    actions: tuple[int, ...]
    """What was done, as `game.bids` numbers it; the last action ended the round."""


class SatThrough:
    """The learning `player` in a `seat` of a match; its random numbers follow from `seed`."""

    def __init__(self, player: Player, seat: int, seed: int) -> None:
        decider = player.sit(np.random.default_rng([seed, seat]))
        assert isinstance(decider, Remembers), "the player learns"
        self._decider, self._seat = decider, seat
        self._rounds = 0
        """How many rounds it has learned from."""
        self._asked = 0
        """One more than the bids there were at its last decision in the round in progress."""

    def is_before(self, rounds: Sequence[Played], view: View) -> bool:
        """Return whether the learner has not come past this decision, so that it can take it."""
        return (self._rounds, self._asked) <= (len(rounds), len(view.history))

    def decide(self, rounds: Sequence[Played], view: View) -> int:
        """Return the action of the player who has this view, after all `rounds` of the match that
        have ended, oldest first. The decision must come after the last one that was asked for."""
        for played in rounds[self._rounds :]:
            self._live_through(Round(view.rules, played.hands, played.starter), played.actions)
        for bids, made in enumerate(view.history):
            if made.seat == self._seat and bids >= self._asked:
                before = view.bids[:bids]
                starter = view.history[0].seat
                self._take(view_of(view.rules, self._seat, view.dice, starter, before))
        return self._take(view)

    def _live_through(self, round_: Round, actions: Sequence[int]) -> None:
        """Take the decisions of a round that were not taken yet, and learn from it."""
        for action in actions:
            is_new = round_.turn == self._seat and len(round_.history) >= self._asked
            if is_new and only_choice(round_) is None:
                self._take(round_.view())
            round_.take(action)
        self._decider.remember(round_, self._seat)
        self._rounds, self._asked = self._rounds + 1, 0

    def _take(self, view: View) -> int:
        self._asked = len(view.history) + 1
        return self._decider.decide(view)
