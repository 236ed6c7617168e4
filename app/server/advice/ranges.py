"""Answers about a whole range, or about its hands with some dice, computed in a worker process."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from zhaifei.app.server.advice.decisions import bids_of, ground_fields, no_such_hand
from zhaifei.app.server.advice.known import needed, reviewer
from zhaifei.app.server.asked import Fields
from zhaifei.game.bids import Bid
from zhaifei.game.hands import Hand, verify_hand_left, with_dice
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import RangeAction, RangeAdvice

_KEPT = 12
"""Number of positions kept for other questions. Each takes up to two megabytes; the opening of two
players takes seconds to compute."""


class Explored(NamedTuple):
    """A position, and dice that the player in turn holds there."""

    rules: Rules
    history: tuple[int, ...]
    """The bids and doubles of the round so far, as actions."""
    held: tuple[int, ...]
    """A whole hand or only some of it; without dice, the whole range is asked about."""


def advise_range(policy: Path | None, asked: Explored) -> Fields:
    """Return the share and value of each legal action over the range, or over its hands with the
    dice that are held, and on what the numbers rest. Raise ZhaifeiError if the position cannot be,
    or no policy is known for its rules."""
    rules = asked.rules
    bids, held = bids_of(rules, asked.history), verify_hand_left(rules, asked.held)
    chosen = with_dice(rules, held)
    if not chosen.any():
        raise no_such_hand()
    needed(policy, rules)
    found = _found(policy, rules, bids)
    if len(held) == rules.dice:
        found = _with_hand(policy, found, held)
    return {"selected": found.share(chosen), **_written(found.among(chosen))}


@lru_cache(_KEPT)
def _found(policy: Path | None, rules: Rules, bids: tuple[Bid, ...]) -> RangeAdvice:
    return reviewer(policy, rules).adviser.advise_range(bids)


def _with_hand(policy: Path | None, found: RangeAdvice, hand: Hand) -> RangeAdvice:
    """Return the advice with what is said of one hand alone, where only the range as a whole was
    played out."""
    if found.played is None:
        return found
    return found.told(reviewer(policy, found.rules).adviser.advise(hand, found.history))


def _written(advice: RangeAdvice) -> Fields:
    """Return the advice with actions as numbers, those most often taken first. Values that are
    unclear are None."""
    return {
        "value": advice.value,
        "error": advice.value_error,
        "actions": [_row(advice, one) for one in advice.ranked],
        "chance": advice.true[0][1] if advice.true else None,
        "believed": advice.believed.value,
        "ground": ground_fields(advice.ground),
    }


def _row(advice: RangeAdvice, one: RangeAction) -> Fields:
    last = advice.history[-1] if advice.history else None
    of_all = (one.value_of_all, one.error_of_all) if one.is_clear else (None, None)
    return {
        "action": parse_action(advice.rules, one.action, last),
        "share": one.share,
        "value": one.value,
        "error": one.value_error,
        "value_of_all": of_all[0],
        "error_of_all": of_all[1],
    }
