"""Best responses to random callers in a match in which dice are lost: exact.

Use this engine for matches of `increment`. It is exact because random callers reveal nothing about
their dice, so there are no ranges; no other engine covers matches.

A *caller* challenges every bid with the same probability, whatever it holds, and otherwise names
any face. So the dice that the responder does not see stay as they were rolled. In a round only four
things count: how many dice everybody has, the own hand, the current bid, and who is to move. A
match goes through *tables*: how many dice each seat has, the responder's seat first. Every round
costs somebody a die, so tables are solved in order of the dice on them, each by backward induction
over the counts that are bid. Nothing is sampled, and nothing is left out.

Bids go up by exactly one, and no face is wild (`Raising.ONE_MORE`). Faces are then interchangeable,
so only the *shape* of a hand counts: how many dice show its most frequent face, the next most
frequent, and so on.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.chances import at_least
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import Raising, RulesError
from zhaifei.game.rules import Rules

_MOST_TABLES = 20_000
"""Each table takes about a millisecond."""


class Shapes(NamedTuple):
    """All shapes of a given number of dice."""

    counts: NDArray[np.int64]
    """[shape, rank] how many dice show the most frequent face, the next, ...: never increasing."""
    probability: NDArray[np.float64]
    """[shape]"""


class Plan(NamedTuple):
    """The actions of the best response at one table."""

    challenges: NDArray[np.bool_]
    """[count, shape, rank] whether to challenge a bid of this count on the face of this rank in the
    own shape."""
    raises: NDArray[np.int8]
    """[count, shape] the rank of the face to bid after a bid of this count; count 0 is for
    opening."""


class MatchResponse(NamedTuple):
    """A best response, and its value."""

    value: dict[tuple[int, ...], NDArray[np.float64]]
    """[seat] the responder's probability of winning the match if this seat starts the next round,
    for each table. Seats without dice have no meaning."""
    plans: dict[tuple[int, ...], Plan]
    """The responder's plan, for each table with two players or more, the responder among them."""

    @property
    def wins(self) -> float:
        """Return the probability of winning a match from its beginning; the first starter is drawn
        at random."""
        return float(self.value[max(self.value)].mean())


@lru_cache
def shapes(dice: int, faces: int) -> Shapes:
    """Return all shapes of `dice` dice."""
    falling = combinations_with_replacement(range(dice, -1, -1), faces)
    counts = [shape for shape in falling if sum(shape) == dice]
    ways = [
        # Assignments of dice to faces, times assignments of faces to ranks.
        factorial(dice)
        // prod(map(factorial, shape))
        * (factorial(faces) // prod(factorial(shape.count(same)) for same in set(shape)))
        for shape in counts
    ]
    return Shapes(np.array(counts), np.array(ways) / faces**dice)


def respond_to_callers(rules: Rules, challenges: float) -> MatchResponse:
    """Return the best response to callers in all other seats, who challenge with probability
    `challenges`.

    Raises RulesError unless each bid has to count one die more and the loser of a round loses one,
    and ZhaifeiError if there are too many tables.
    """
    _verify(rules)
    every = product(range(rules.dice + 1), repeat=rules.players)
    value: dict[tuple[int, ...], NDArray[np.float64]] = {}
    plans: dict[tuple[int, ...], Plan] = {}
    for table in sorted(every, key=sum):
        if table[0] == 0 or sum(table) == table[0]:
            value[table] = np.full(rules.players, float(table[0] > 0))
        else:
            value[table], plans[table] = _solve(rules, challenges, table, value)
    return MatchResponse(value, plans)


def _verify(rules: Rules) -> None:
    plain = rules.loses_dice and rules.bidding.raising is Raising.ONE_MORE
    if (
        not plain
        or rules.stakes.winner_starts
        or rules.bidding.forced_opening
        or rules.bidding.unbounded
    ):
        raise RulesError("a best response to callers is known only for `increment`, of any size")
    tables = (rules.dice + 1) ** rules.players
    if tables > _MOST_TABLES:
        raise ZhaifeiError(
            "a best response to callers goes through {tables} tables with {players} players of "
            "{dice} dice each; that is done for {most} at most",
            tables=tables,
            players=rules.players,
            dice=rules.dice,
            most=_MOST_TABLES,
        )


def _solve(
    rules: Rules,
    challenges: float,
    table: tuple[int, ...],
    value: dict[tuple[int, ...], NDArray[np.float64]],
) -> tuple[NDArray[np.float64], Plan]:
    """Return the value of `table` and the plan for it. All tables with fewer dice must be
    solved."""
    seats = [seat for seat, dice in enumerate(table) if dice]
    lost = np.array([_after_loss(table, seat, value) for seat in seats])[:, np.newaxis, np.newaxis]
    bidder = np.roll(lost, 1, axis=0)
    counts, probability = shapes(table[0], rules.faces)
    total, others = sum(table), sum(table[1:])
    likely = np.array(at_least(others, 1, rules.faces))
    plan = Plan(
        np.ones((total + 1, *counts.shape), dtype=np.bool_),
        np.zeros((total + 1, len(counts)), dtype=np.int8),
    )
    # [place, shape, rank] the value of the match when the player in this place faces a bid of the
    # current count on the face of this rank. Places are in turn order, the responder first. The
    # largest count cannot be raised and has to be challenged.
    faced = np.zeros((len(seats), *counts.shape))
    for count in range(total, -1, -1):
        # [place, shape] the value of raising.
        following = np.roll(faced, -1, axis=0)
        raised = following.mean(axis=2)
        raised[0] = following[0].max(axis=1)
        plan.raises[count] = following[0].argmax(axis=1)
        if count == 0:
            break
        true = likely[np.clip(count - counts, 0, others + 1)]
        challenged = true * lost + (1.0 - true) * bidder
        if count == total:
            faced = challenged
            continue
        faced = challenges * challenged + (1.0 - challenges) * raised[:, :, np.newaxis]
        plan.challenges[count] = challenged[0] > raised[0][:, np.newaxis]
        faced[0] = np.maximum(challenged[0], raised[0][:, np.newaxis])
    opened = np.zeros(rules.players)
    opened[seats] = raised @ probability
    return opened, plan


def _after_loss(
    table: tuple[int, ...], seat: int, value: dict[tuple[int, ...], NDArray[np.float64]]
) -> float:
    """Return the value of the match after `seat` loses a die. The next round is started by this
    seat, or by the next seat that still has dice."""
    left = tuple(dice - (place == seat) for place, dice in enumerate(table))
    starter = seat
    while not left[starter]:
        starter = (starter + 1) % len(left)
    return float(value[left][starter])
