"""The most probable positions that a policy solves again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import domain
from zhaifei.game.hands import probabilities
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.resolving import Known, ResolvingPolicy
from zhaifei.solver.bounds import History

Floats = NDArray[np.float64]
LEAST = 1e-8
"""Positions with a smaller probability are not searched for."""


class Position(NamedTuple):
    """A history after which a position was solved."""

    history: History
    known: Known
    probability: float
    """The probability that a round reaches the position."""


class _Line(NamedTuple):
    """A history that rounds reach; the most probable line compares as the least."""

    order: float
    history: History
    seat: int
    """The seat of the policy."""
    own: Floats
    """[hand] the probability of the hand times the policy's probability of its bids with it."""
    other: Floats
    """[opponent, hand] the probability of the hand times the opponent's probability of its bids
    with it."""


def likeliest(policy: ResolvingPolicy, opponents: Sequence[Policy]) -> Iterator[Position]:
    """Yield the positions that `policy` solves again, the most probable first. Probabilities are
    exact, for rounds with a uniformly drawn opponent and seat."""
    bids, prior = domain(policy.rules), np.array(probabilities(policy.rules))
    waiting: list[_Line] = []
    for seat in (0, 1):
        heappush(waiting, _Line(-0.5, (), seat, prior, np.tile(prior, (len(opponents), 1))))
    while waiting:
        line = heappop(waiting)
        history, own_turn = line.history, len(line.history) % 2 == line.seat
        if own_turn:
            known = policy.standing(history, line.seat).known
            if known.solution is not None and known.solution.made == history:
                yield Position(history, known, -line.order)
            played = policy.played(known, history)[np.newaxis]
        else:
            made = [bids[bid] for bid in history]
            played = np.array([one.strategy(made) for one in opponents])
        for bid in np.flatnonzero(played[..., : len(bids)].any(axis=(0, 1))).tolist():
            own = line.own * played[0, :, bid] if own_turn else line.own
            other = line.other if own_turn else line.other * played[..., bid]
            probability = 0.5 * float(own.sum() * other.sum(axis=1).mean())
            if probability >= LEAST:
                heappush(waiting, _Line(-probability, (*history, bid), line.seat, own, other))
