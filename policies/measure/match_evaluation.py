"""Certified bounds of a best response's gain against a policy for whole matches of two players.

Each round is measured by itself (`policies.measure.evaluation`). `solver.value.matches` derives the
bound for the match and proves it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from zhaifei.game.messages import Message
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.match_policy import MatchPolicy
from zhaifei.solver.bounds import BestResponse, Bounds
from zhaifei.solver.value.matches import Position, Seats, gain_of, match_response


@dataclass(frozen=True)
class MatchEvaluation:
    """The results of best responses to a policy for matches."""

    rounds: dict[Position, BestResponse]
    """The best responses in each round, in penalty points; the loser of a round takes one."""
    response: dict[Position, Seats]
    """The probability that a best response wins the match, from each position on, as opener and as
    responder."""
    gain: Bounds
    """A best response's share of matches won from the start, minus one half."""
    seconds: float
    """Wall-clock time."""


def evaluate_match(
    policy: MatchPolicy,
    *,
    threads: int,
    seconds: float,
    on_progress: Callable[[Message], None] = lambda message: None,
) -> MatchEvaluation:
    """Return certified bounds after about `seconds`, or exact values earlier. Each round gets an
    equal share of the remaining time; Ctrl-C ends the measurement of the current round.

    Raise StrategyTableError if a table breaks its rules.
    """
    Evaluation(next(iter(policy.rounds.values())), threads)  # compiles before the time counts
    began = time.monotonic()
    rounds: dict[Position, BestResponse] = {}
    for done, (position, one) in enumerate(policy.rounds.items()):
        own, other = position
        on_progress(
            Message(
                "round {number} of {rounds}: {own} against {other} dice",
                number=done + 1,
                rounds=len(policy.rounds),
                own=own,
                other=other,
            )
        )
        left = max(0.0, began + seconds - time.monotonic()) / (len(policy.rounds) - done)
        found: Iterator[BestResponse] = Evaluation(one, threads).refine(seconds=left)
        rounds[position] = last_of(found, lambda result: None)
    of_match = match_response(policy.rules, {at: one.seats for at, one in rounds.items()})
    gain = gain_of(policy.rules, of_match)
    return MatchEvaluation(rounds, of_match, gain, time.monotonic() - began)
