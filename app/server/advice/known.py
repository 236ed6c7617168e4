"""What a worker process keeps of policies between questions: the last few that were loaded.

`policy` is the file or the player that was named, or None for the known policy of the rules.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.catalogue.known import load_for
from zhaifei.policies.catalogue.solving import how_to_solve
from zhaifei.policies.play.lineup import Lineup, strongest_lineup
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.decisions import Reviewer, reviewer_of

_KEPT = 2
"""Number of policies kept: a table has tens of megabytes."""
_MEMORY = 1 << 24
"""Bytes of solved positions that each player of a process keeps."""


@lru_cache(_KEPT)
def lineup(policy: Path | None, rules: Rules) -> Lineup:
    """Return the lineup in which the policy plays that was named or is known for these rules. Raise
    ZhaifeiError if the policy cannot be loaded."""
    return strongest_lineup(policy, rules, _MEMORY)


@lru_cache(_KEPT)
def match_reviewer(policy: Path | None, rules: Rules) -> Reviewer:
    """Return the reviewer of a match, at its first position. Raise ZhaifeiError if no policy can be
    loaded."""
    found = lineup(policy, rules).policy
    if found is None:
        found = load_for(policy, rules).policy  # raises the error that describes what is missing
    return reviewer_of(found, memory=_MEMORY)


def reviewer(policy: Path | None, rules: Rules, of: Rules | None = None) -> Reviewer:
    """Return the reviewer that gives hints and reviews decisions by the policy, in rounds with the
    rules `of`, by default `rules` (`game.positions.round_rules`)."""
    return match_reviewer(policy, rules).at((of or rules).dice_by_player)


def needed(policy: Path | None, rules: Rules) -> TablePolicy:
    """Return the policy for these rules. Raise ZhaifeiError if only a rule-based player is
    known."""
    found = known(policy, rules)
    if found is None:
        raise ZhaifeiError(
            "no policy is known for these rules: {command} makes one", command=how_to_solve(rules)
        )
    return found


@lru_cache(_KEPT)
def people(policy: Path | None, rules: Rules) -> PeopleAdviser:
    """Return the adviser among people."""
    return PeopleAdviser(rules, known(policy, rules))


def known(policy: Path | None, rules: Rules) -> TablePolicy | None:
    """Return the policy for these rules; None if only a rule-based player is known."""
    found = lineup(policy, rules)
    if found.record is None or found.policy is None:
        return None
    return found.policy.at(rules.dice_by_player)
