"""What is asked of policies, in worker processes: functions of modules, with small arguments.

`policy` is the file or the player that was named, or None for the known policy of the rules; what
was loaded and solved for the last few is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from game.bids import Bid
from game.hands import Hand
from game.rules import Rules, preset
from game.views import View
from policies.catalogue.known import known_record, load_known
from policies.measure.advice import Advice
from policies.play.lineup import FALLBACK, TableLineup, line_up, stand_in
from policies.play.table import question
from policies.players.table_policy import TablePolicy
from policies.review.decisions import ReviewedDecision, Reviewer

_KEPT = 2
"""So many policies are kept: a table has tens of megabytes."""
SECONDS = 1.5
"""In which a position is solved again for a hint or a review."""


class Loaded(NamedTuple):
    """A policy and what it is called."""

    policy: TablePolicy
    name: str
    path: str | None
    """Its file; None for a rule-based player."""


@lru_cache(_KEPT)
def loaded(policy: Path | None, rules: Rules | None) -> Loaded:
    """Return the policy; a rule-based player stands in where none is known. Raise ZhaifeiError."""
    if policy is None and known_record(rules or preset("zhaifei")) is None:
        return Loaded(stand_in(rules or preset("zhaifei")), FALLBACK, None)
    found, record = load_known(policy, rules)
    return Loaded(found, record.name, record.name)


@lru_cache(_KEPT)
def lineup(policy: Path | None, rules: Rules) -> TableLineup:
    """Return who plays the policy."""
    found = loaded(policy, rules)
    return line_up(found.policy, found.name, ())


@lru_cache(_KEPT)
def reviewer(policy: Path | None, rules: Rules) -> Reviewer:
    """Return what gives hints and reviews decisions by the policy."""
    return Reviewer(loaded(policy, rules).policy, SECONDS)


def decide(policy: Path | None, view: View, uniform: float) -> int:
    """Return the action of a player who sees this, and has drawn this number from [0, 1)."""
    hand, history = question(view)
    player = lineup(policy, view.rules).player
    return int(player.act(hand, history, np.array([uniform]))[0])


def advise(policy: Path | None, rules: Rules, hand: Hand, bids: Sequence[Bid]) -> Advice:
    """Return advice to the player to move."""
    return reviewer(policy, rules).adviser.advise(hand, bids)


def review(
    policy: Path | None, rules: Rules, seat: int, hand: Hand, bids: Sequence[Bid], action: int
) -> ReviewedDecision:
    """Return what a decision cost."""
    return reviewer(policy, rules).decision(seat, hand, bids, action)
