"""Functions by which worker processes query policies for the explorer and the table with real
dice."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from zhaifei.app.server.advice.known import known, needed, people, reviewer
from zhaifei.app.web.explorer import (
    LockQuestion,
    Position,
    explore,
    explore_alone,
    explore_locked,
)
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import Advice, RangeAdvice
from zhaifei.policies.advice.table import (
    TableAdvice,
    TableQuestion,
    advise_table,
    read_table,
)
from zhaifei.policies.learning.memory import Shown
from zhaifei.policies.play.played import PlayedRound

_KEPT = 12
"""Number of positions kept for other visitors. Each takes up to two megabytes; the opening of two
players takes seconds to compute."""


def advise_at_table(policy: Path | None, question: TableQuestion) -> TableAdvice:
    """Return advice at a table; where no policy is known, hands are read from the bids alone. Raise
    ZhaifeiError if the question has no answer."""
    found = known(policy, question.rules)
    adviser = None if found is None else reviewer(policy, question.rules).adviser
    return advise_table(people(policy, question.rules), adviser, question)


def read_at_table(policy: Path | None, question: TableQuestion) -> TableAdvice:
    """Return how likely bids are true, before the advice of `advise_at_table` is known. Raise
    ZhaifeiError if the question has no answer."""
    return read_table(people(policy, question.rules), question)


def learn_from(policy: Path | None, rules: Rules, played: PlayedRound) -> tuple[Shown | None, ...]:
    """Return [seat] what a round shows of each player. Raise ZhaifeiError if it is invalid."""
    return people(policy, rules).shown(rules, played)


@lru_cache(_KEPT)
def explore_position(policy: Path | None, position: Position, seconds: float) -> RangeAdvice:
    """Return what is known of a position. Raise ZhaifeiError if no policy is known for its
    rules."""
    return explore(needed(policy, position.rules), position, seconds)


@lru_cache(_KEPT)
def explore_hand(policy: Path | None, position: Position) -> Advice:
    """Return the advice for the whole hand that is held at a position. Raise ZhaifeiError if no
    policy is known for its rules."""
    return explore_alone(needed(policy, position.rules), position)


def answer_locks(policy: Path | None, question: LockQuestion) -> Advice:
    """Return the advice against locks. Raise ZhaifeiError if the locks are invalid."""
    return explore_locked(needed(policy, question.position.rules), question)
