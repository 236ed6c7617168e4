"""What one player remembers of the others, round after round.

A challenge shows all hands, so it is known with which hand each bid was made. For each other player
the memory keeps the posterior probabilities of the styles and limits of `policies.players.manners`
and the odds that the player follows a table, or is one of some programs. Given a hand, the style
decides the bids and the limit decides what is challenged, so style and limit stay independent.

People change. After each round the logarithm of what was learned before is multiplied by KEPT, so
the last 1 / (1 - KEPT) rounds count most.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import challenge_action, domain, mover_of, places_by
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.players.kinds import LIMIT_SHARES, People
from zhaifei.policies.players.manners import SHARES
from zhaifei.policies.players.table_reading import log_odds

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]

PROGRAM = 0.1
"""How many times likelier somebody is each program than of the styles, before they have bid."""
KEPT = 0.98
"""The share of what was learned that is kept after each round."""
HOPELESS = 10.0
"""A program that is this far behind, as a logarithm of odds, is not asked. What was learned of it
fades, so it is asked again after about nine rounds."""
MOST = 12.0
"""The largest logarithm of odds, so that nobody takes too long to change their mind."""


class Shown(NamedTuple):
    """The logarithm of the probability of what one player did in some rounds, with the hand that
    was shown."""

    style: Floats
    """[round, style] of the bids in each style."""
    limit: Floats
    """[round, limit] of challenging, and of not challenging, with each limit."""
    table: Floats
    """[round] of all of it by the table."""


def unknown_people(turns: int, players: int, follows: float, programs: int = 0) -> People:
    """Return what is believed about this number of `players` who have never bid. Each follows the
    table with the probability `follows`. Otherwise they may be one of some `programs`."""
    odds = np.full((turns, players), log_odds(follows))
    style, limit = (np.tile(one, (turns, players, 1)) for one in (SHARES, LIMIT_SHARES))
    return People(odds, style, limit, np.full((turns, players, programs), math.log(PROGRAM)))


def _behind(case: Floats) -> Floats:
    """Return how far each case [round, case] is behind the likeliest one. The cases are relative to
    players of the styles, of whom it is 0."""
    behind: Floats = case - np.maximum(case.max(axis=1, keepdims=True), 0.0)
    return behind


class Memory:
    """The memory of one player in several matches at once, which have nothing to do with each
    other. Axis `player` is that of the others, in the order of turns after this player."""

    def __init__(self, first: People) -> None:
        """`first` is what is believed in each match, one turn for each, before the first round."""
        self._first = first
        self.odds = first.odds.copy()
        """[match, player] the logarithm of the odds that each player follows the table."""
        self._first_style, self._first_limit = np.log(first.style), np.log(first.limit)
        self._style, self._limit = self._first_style.copy(), self._first_limit.copy()
        """[match, player, kind] the logarithm of the probability of each."""
        self.program = first.program.copy()
        """See People."""

    def people(self, matches: Ints) -> People:
        """Return what is believed about the others in each of the `matches` [turn]."""
        return People(
            self.odds[matches],
            np.exp(self._style[matches]),
            np.exp(self._limit[matches]),
            self.program[matches],
        )

    def learned(self, matches: Ints) -> Floats:
        """Return [turn] the logarithm of how many times likelier the earlier rounds are if all
        others follow the table than if none of them does."""
        now, first = self.people(matches).following, self._first.of(matches).following
        learned: Floats = (now - first).sum(axis=1)
        return learned

    def doubted(self, matches: Ints, player: int) -> Bits:
        """Return [round, program] whether it is still possible that the `player` is the program, so
        that the program is worth asking."""
        now = np.column_stack([self.odds[matches, player], self.program[matches, player]])
        found: Bits = _behind(now)[:, 1:] > -HOPELESS
        return found

    def add(self, matches: Ints, player: int, shown: Shown, program: Floats | None = None) -> None:
        """Add what a round in each of the `matches` [round] has shown of the `player`. `program`
        [round, program] is the logarithm of the probability of all of it by each program. It is NaN
        for a program that was not asked, which stays as far behind as it was, but for fading. None
        says nothing of programs: each counts as much, against players of the styles, as it did."""
        its = matches, player
        seen = np.logaddexp.reduce(self._style[its] + shown.style, axis=1)
        seen += np.logaddexp.reduce(self._limit[its] + shown.limit, axis=1)
        first = np.column_stack([self._first.odds[its], self._first.program[its]])
        now = np.column_stack([self.odds[its], self.program[its]])
        nothing = np.tile(seen[:, np.newaxis], self.program.shape[2])
        likelihood = np.column_stack([shown.table, nothing if program is None else program])
        case = first + KEPT * (now - first) + likelihood - seen[:, np.newaxis]
        most = np.maximum(np.nanmax(case, axis=1, keepdims=True), 0.0)
        case = np.where(np.isnan(case), most + KEPT * _behind(now), case)
        case = np.maximum(case, most - MOST) - np.maximum(0.0, most - MOST)
        self.odds[its], self.program[its] = case[:, 0], case[:, 1:]
        for kept, before, likelihood in (
            (self._style, self._first_style, shown.style),
            (self._limit, self._first_limit, shown.limit),
        ):
            now = before[its] + KEPT * (kept[its] - before[its]) + likelihood
            kept[its] = now - np.logaddexp.reduce(now, axis=1, keepdims=True)


def shown_by(reading: LearnedReading, place: int, hand: Ints, history: Ints, action: Ints) -> Shown:
    """Return what rounds show of the player who was at this `place` in the order of turns from the
    opener, with the `hand` [round]. `history` [round, bid] are the bids, and `action` [round] is
    what ended the round. Doubles (劈), and the answers to them, show nothing."""
    kinds, rules, rounds = reading.kinds, reading.rules, np.arange(hand.size)
    bids = history[0].tolist()
    style = np.zeros((hand.size, len(kinds.each)))
    limit, table = np.zeros((hand.size, len(LIMIT_SHARES))), np.zeros(hand.size)
    plain = [not domain(rules)[bid].doubled for bid in bids]
    for made in places_by(rules, bids, place):
        before, bid = history[:, :made], history[:, made]
        if all(plain[: made + 1]):
            style += np.log(kinds.styles(before, bid)[rounds, :, hand])
            limit += np.log(kinds.raised(before)[rounds, :, hand])
            table += np.log(reading.following(before, bid)[rounds, hand])
    if mover_of(rules, bids) == place and all(plain):
        ends = action == challenge_action(rules)
        challenged = 1.0 - kinds.raised(history)
        usual = np.einsum("l,rlh->rh", LIMIT_SHARES, challenged)
        follower = reading.likelihood_of_challenges(history, usual)
        limit[ends] += np.log(challenged[rounds, :, hand])[ends]
        table[ends] += np.log(follower[rounds, hand])[ends]
    return Shown(style, limit, table)
