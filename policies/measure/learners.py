"""Matches with players who learn: many matches at once, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.hands import roll_hands
from zhaifei.game.rules import Rules
from zhaifei.policies.learning.player import Learning, LearningPlayer
from zhaifei.policies.play.simulation import Ended, endings, settled
from zhaifei.policies.players.player import Batched, BatchPlayer, verify_rules
from zhaifei.policies.players.plug_in.memory import apart, forget

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
OfPoints = BatchPlayer | LearningPlayer
"""A player for penalty points."""


@dataclass
class Turning(Batched):
    """A player who plays as one player in the first rounds of a match, and as another one
    after that: somebody who changes, or who feigns to be weak and then strikes."""

    before: BatchPlayer
    after: BatchPlayer
    rounds: int
    """The number of rounds before the change."""
    played: int = 0
    """The number of rounds of the match so far."""

    def __str__(self) -> str:
        return f"{self.before}, then {self.after}"

    @property
    def rules(self) -> Rules:
        """See BatchPlayer."""
        return self.before.rules

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """See BatchPlayer."""
        player = self.before if self.played < self.rounds else self.after
        return player.act(hand, history, uniform)


class Matches:
    """The players of some matches, which have nothing to do with each other. Nobody who learns
    knows anything of the others before each match. Strategy files sit in all matches at once, so
    what they remember mixes all matches."""

    def __init__(self, players: Sequence[OfPoints], matches: int) -> None:
        """`players` is [seat]."""
        self._players, self._rules = apart(players), players[0].rules
        self._learning = {
            seat: Learning(player, matches)
            for seat, player in enumerate(self._players)
            if isinstance(player, LearningPlayer)
        }

    def begin(self, opener: Ints, random: np.random.Generator) -> None:
        """Begin a round in each match, which the seat `opener` [match] opens."""
        for seat, learning in self._learning.items():
            learning.begin((seat - opener) % self._rules.players, random.random(opener.size))

    def play(
        self, matches: Ints, opener: int, dealt: Ints, random: np.random.Generator
    ) -> Iterator[tuple[Ints, Ended]]:
        """Play a round, opened by the seat `opener`, in each of the `matches` [round]. `dealt` is
        [round, place] in the order of turns. Yield the numbers of the rounds that end after each
        number of bids, and how they ended, with players in the order of turns."""
        players = self._rules.players
        order = [(opener + place) % players for place in range(players)]

        def act(place: int, rounds: Ints, hand: Ints, history: Ints, uniform: Floats) -> Ints:
            if order[place] in self._learning:
                learning = self._learning[order[place]]
                return learning.act(matches[rounds], hand, history, uniform)
            player = self._players[order[place]]
            assert not isinstance(player, LearningPlayer), "it would be in the dict"
            return player.act(hand, history, uniform)

        names = [self._players[seat] for seat in order]
        for ending in endings(act, names, self._rules, dealt, random):
            rounds, history, action = ending
            yield rounds, settled(self._rules, dealt[rounds], ending)
            for seat, learning in self._learning.items():
                its = dealt[rounds], history, action
                learning.end(matches[rounds], order.index(seat), *its)


def play_matches(players: Sequence[OfPoints], matches: int, rounds: int, seed: int) -> Ints:
    """Return [match, round, seat] the penalty points of `players` [seat] in `matches` of `rounds`
    rounds each. The loser of a round opens the next, and each seat opens the first round of as many
    matches. Equal arguments give equal points. Raise as `policies.play.simulation.play_rounds`
    does."""
    rules = players[0].rules
    for player in players:
        verify_rules(player, rules)
    forget(players)
    dice, draws = (np.random.default_rng([seed, stream]) for stream in (0, 1))
    table = Matches(players, matches)
    points = np.zeros((matches, rounds, rules.players), dtype=np.int64)
    opener = np.arange(matches) % rules.players
    for number in range(rounds):
        for player in players:
            if isinstance(player, Turning):
                player.played = number
        table.begin(opener, draws)
        for seat in range(rules.players):
            at = np.flatnonzero(opener == seat)
            dealt = roll_hands(rules, at.size, dice)
            for ended, how in table.play(at, seat, dealt, draws.spawn(1)[0]):
                points[at[ended], number] = np.roll(how.points, seat, axis=1)
        opener = points[:, number].argmax(axis=1)
    return points
