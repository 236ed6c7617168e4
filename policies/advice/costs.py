"""What each action costs against the one that is advised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from zhaifei.policies.advice.advice import Advice, Floats, PlayedOut
from zhaifei.policies.players.intervals import margin_of

Earned = Callable[[Sequence[str]], Floats]
"""Returns [action, round] what actions earn in the rounds that advice was played out in."""


class Cost(NamedTuple):
    """What an action costs, in penalty points."""

    cost: float
    """The value of the advised action minus that of the action; below 0 within `margin`."""
    margin: float
    """A bound of the error of `cost`."""


def costs_of(advice: Advice, earned: Earned) -> dict[str, Cost]:
    """Return what each action with a clear value costs, by its name: nothing for the action that is
    advised most. Where actions were played out, `earned` gives their rounds, and `margin` is half
    the 95% interval of the difference, which the same hands and random numbers narrow."""
    best = advice.ranked[0]
    others = [one for one in advice.actions if one.is_clear and one is not best]
    found = {best.action: Cost(0.0, 0.0)}
    if not best.is_clear or not others:
        return found
    if not isinstance(advice.ground, PlayedOut):
        return found | {
            one.action: Cost(best.value - one.value, best.value_error + one.value_error)
            for one in others
        }
    first, *rounds = earned([best.action, *(one.action for one in others)])
    for one, points in zip(others, rounds, strict=True):
        lost = first - points
        found[one.action] = Cost(float(lost.mean()), float(margin_of(lost)))
    return found
