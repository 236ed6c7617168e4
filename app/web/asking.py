"""What the explorer and the table with real dice ask of policies, in worker processes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from app.web.explorer import Explored, LockQuestion, Position, explore, explore_locked
from app.web.table_advice import (
    Evidence,
    Question,
    TableAdvice,
    advise_table,
    evidence_of,
    read_table,
)
from app.web.thinking import loaded, reviewer
from game.errors import ZhaifeiError
from game.rules import Rules
from policies.catalogue.solving import how_to_solve
from policies.measure.advice import Advice
from policies.play.played import PlayedRound
from policies.players.table_policy import TablePolicy

_KEPT = 12
"""So many positions are kept for other visitors: each takes up to a megabyte or two, and the
opening of two players seconds."""


def advise_at_table(policy: Path | None, question: Question) -> TableAdvice:
    """Return what to do at a table; where no policy is known, hands are read from the bids alone.
    Raise ZhaifeiError."""
    found = _known(policy, question.rules)
    adviser = None if found is None else reviewer(policy, question.rules).adviser
    return advise_table(found, adviser, question)


def read_at_table(policy: Path | None, question: Question) -> TableAdvice:
    """Return how likely bids are true, before `advise_at_table` knows what to do. Raise
    ZhaifeiError."""
    return read_table(_known(policy, question.rules), question)


def learn_from(policy: Path | None, rules: Rules, played: PlayedRound) -> Evidence:
    """Return what a round says of the players. Raise ZhaifeiError."""
    return evidence_of(_known(policy, rules), rules, played)


@lru_cache(_KEPT)
def explore_position(policy: Path | None, position: Position, seconds: float) -> Explored:
    """Return what is known of a position. Raise ZhaifeiError."""
    return explore(_needed(policy, position.rules), position, seconds)


def answer_locks(policy: Path | None, question: LockQuestion) -> Advice:
    """Return what to do against locks. Raise ZhaifeiError."""
    return explore_locked(_needed(policy, question.position.rules), question)


def _known(policy: Path | None, rules: Rules) -> TablePolicy | None:
    """Return the policy for these rules; None if only a rule-based player is known."""
    found = loaded(policy, rules)
    return None if found.record is None else found.policy


def _needed(policy: Path | None, rules: Rules) -> TablePolicy:
    found = _known(policy, rules)
    if found is None:
        raise ZhaifeiError(
            "no policy is known for these rules: {command} makes one", command=how_to_solve(rules)
        )
    return found
