"""What one player remembers of the others, round after round.

A challenge shows all hands, so it is known with which hand each bid was made. For each other player
the memory keeps the posterior probabilities of the styles and limits of `policies.learning.manners`
and the odds that the player follows a table. Given a hand, the style decides the bids and the limit
decides what is challenged, so style and limit stay independent.

People change. After each round the logarithm of what was learned before is multiplied by KEPT, so
the last 1 / (1 - KEPT) rounds count most.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import challenge_action, mover_of, places_by
from zhaifei.policies.learning.reading import LearnedReading, People

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

KEPT = 0.98
"""The share of what was learned that is kept after each round."""
MOST = 12.0
"""The largest logarithm of odds, so that nobody takes too long to change their mind."""


class Memory:
    """The memory of one player in several matches at once, which have nothing to do with each
    other. Axis `player` is that of the others, in the order of turns after this player."""

    def __init__(self, reading: LearnedReading, matches: int, follows: float) -> None:
        """`follows` is the probability that a player who has never bid follows the table."""
        self._reading, players = reading, reading.rules.players
        prior, shape = reading.kinds.prior(1), (matches, players - 1, 1)
        self._style, self._limit = (np.tile(np.log(one), shape) for one in prior)
        """[match, player, kind] the logarithm of the probability of each."""
        self._first_style, self._first_limit = self._style[0, 0].copy(), self._limit[0, 0].copy()
        """[kind] the same of a player who has never bid."""
        self._first_odds = math.log(follows / (1.0 - follows))
        self.odds = np.full(shape[:2], self._first_odds)
        """[match, player] the logarithm of the odds that each player follows the table."""

    def people(self, matches: Ints) -> People:
        """Return what is believed about the others in each of the `matches` [turn]."""
        return People(
            self.odds[matches], np.exp(self._style[matches]), np.exp(self._limit[matches])
        )

    def learned(self, matches: Ints) -> Floats:
        """Return [turn] the logarithm of how many times likelier the earlier rounds are if all
        others follow the table than if none of them does."""
        learned: Floats = (self.odds[matches] - self._first_odds).sum(axis=1)
        return learned

    def add(self, matches: Ints, place: int, dealt: Ints, history: Ints, action: Ints) -> None:
        """Add a round to each of the `matches` [round], in which this player was at the `place` in
        the order of turns from the opener. `dealt` [round, place] are the hands that the challenge
        has shown, `history` [round, bid] the bids, and `action` [round] what ended the round."""
        players = self._reading.rules.players
        for player in range(players - 1):
            other = (place + 1 + player) % players
            self._add(matches, player, other, dealt[:, other], history, action)

    def _add(
        self, matches: Ints, player: int, place: int, hand: Ints, history: Ints, action: Ints
    ) -> None:
        """Add what the `player`, who was at this `place` with the `hand` [round], has done."""
        style, limit, table = self._likelihoods(place, hand, history, action)
        its = matches, player
        seen = np.logaddexp.reduce(self._style[its] + style, axis=1)
        seen += np.logaddexp.reduce(self._limit[its] + limit, axis=1)
        first = self._first_odds
        odds = first + KEPT * (self.odds[its] - first) + table - seen
        self.odds[its] = odds.clip(-MOST, MOST)
        for kept, before, likelihood in (
            (self._style, self._first_style, style),
            (self._limit, self._first_limit, limit),
        ):
            now = before + KEPT * (kept[its] - before) + likelihood
            kept[its] = now - np.logaddexp.reduce(now, axis=1, keepdims=True)

    def _likelihoods(
        self, place: int, hand: Ints, history: Ints, action: Ints
    ) -> tuple[Floats, Floats, Floats]:
        """Return the logarithm of the probability of what the player at the `place` has done:
        [round, style] in each style, [round, limit] with each limit, and [round] by the table."""
        reading, kinds = self._reading, self._reading.kinds
        rules, rounds, bids = reading.rules, np.arange(hand.size), history[0].tolist()
        style = np.zeros((hand.size, len(kinds.shares)))
        limit, table = np.zeros((hand.size, self._limit.shape[2])), np.zeros(hand.size)
        for made in places_by(rules, bids, place):
            before, bid = history[:, :made], history[:, made]
            style += np.log(kinds.styles(before, bid)[rounds, :, hand])
            limit += np.log(kinds.raised(before)[rounds, :, hand])
            table += np.log(reading.following(before, bid)[rounds, hand])
        if mover_of(rules, bids) == place:
            ends = action == challenge_action(rules)
            challenged = 1.0 - kinds.raised(history)
            usual = np.einsum("l,rlh->rh", np.exp(self._first_limit), challenged)
            follower = reading.likelihood_of_challenges(history, usual)
            limit[ends] += np.log(challenged[rounds, :, hand])[ends]
            table[ends] += np.log(follower[rounds, hand])[ends]
        return style, limit, table
