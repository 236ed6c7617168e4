"""Certified bounds of what a best response wins against a policy for whole matches of two.

Each round is measured by itself (`policies.measure.evaluation`), where it was solved with fewer low
bids also in the whole round (`solver.value.idle_bids`); `solver.value.matches` says, with the
argument, what follows for the match.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from game.messages import Message
from policies.measure.anytime import last_of
from policies.measure.evaluation import Evaluation
from policies.players.match_policy import MatchPolicy
from solver.bounds import BestResponse, Bounds
from solver.value.idle_bids import in_the_whole_round
from solver.value.matches import Position, Seats, gain_of, match_response


@dataclass(frozen=True)
class MatchEvaluation:
    """What best responses to a policy for matches earn."""

    rounds: dict[Position, BestResponse]
    """In each round, in penalty points; the loser of a round pays one."""
    response: dict[Position, Seats]
    """The probability with which a best response wins the match, from each position on, as opener
    and as responder."""
    gain: Bounds
    """By how large a share of matches it wins more than half of them, from the start."""
    seconds: float
    """Wall-clock time."""


def evaluate_match(
    policy: MatchPolicy,
    *,
    threads: int,
    seconds: float,
    on_progress: Callable[[Message], None] = lambda message: None,
) -> MatchEvaluation:
    """Return certified bounds after about `seconds`, or exact ones before. Each round gets an equal
    share of the time that is left; Ctrl-C ends the one that is being measured.

    Raises StrategyTableError if a table breaks its rules.
    """
    Evaluation(next(iter(policy.rounds.values())), threads)  # compiles before time counts
    began = time.monotonic()
    rounds: dict[Position, BestResponse] = {}
    for done, (position, one) in enumerate(policy.rounds.items()):
        own, other = position
        on_progress(
            Message(
                "round {number} of {rounds}: {own} against {other} dice",
                number=done + 1, rounds=len(policy.rounds), own=own, other=other,
            )
        )  # fmt: skip
        left = max(0.0, began + seconds - time.monotonic()) / (len(policy.rounds) - done)
        found: Iterator[BestResponse] = Evaluation(one, threads).refine(seconds=left)
        response = last_of(found, lambda result: None)
        rounds[position] = in_the_whole_round(one.rules, one.strategy, response)
    of_match = match_response(policy.rules, {at: one.seats for at, one in rounds.items()})
    gain = gain_of(policy.rules, of_match)
    return MatchEvaluation(rounds, of_match, gain, time.monotonic() - began)
