"""Reviews of one round, computed in a worker process."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from zhaifei.app.server.advice.known import known, reviewer
from zhaifei.app.server.asked import Fields
from zhaifei.game.bids import action_count
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_action
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.policies.play.lineup import verify_seat
from zhaifei.policies.play.played import PlayedRound, round_after
from zhaifei.policies.review.decisions import ReviewedDecision
from zhaifei.policies.review.luck import RoundLuck
from zhaifei.policies.review.reviewing import review_round


class Ended(NamedTuple):
    """A round that has ended, and whose decisions are asked about."""

    rules: Rules
    opener: int
    """The seat that opened the round."""
    hands: tuple[tuple[int, ...], ...]
    """[seat] the dice."""
    actions: tuple[int, ...]
    """The bids, the doubles and the ending."""
    seat: int


def review(policy: Path | None, asked: Ended) -> Fields:
    """Return what each decision of a seat cost, and the luck of the seat in the round. Raise
    ZhaifeiError for a round that cannot be or has not ended, and where no policy is known."""
    verify_seat(asked.rules, asked.seat + 1)
    played = played_of(asked)
    if known(policy, asked.rules) is None:
        raise ZhaifeiError("no policy is known for these rules: nothing says what decisions cost")
    found = review_round(reviewer(policy, asked.rules), played, asked.seat, known={})
    assert found.luck is not None, "the round has ended"
    return {
        "decisions": [_decision(asked.rules, one) for one in found.decisions],
        "luck": _luck(found.luck),
    }


def played_of(asked: Ended) -> PlayedRound:
    """Return the round. Raise ZhaifeiError for one that cannot be or has not ended."""
    rules = asked.rules
    verify_seat(rules, asked.opener + 1)
    round_ = Round(rules, asked.hands, asked.opener)
    for action in asked.actions[len(round_.history) :]:
        verify_number(rules, action)
        round_.take(action)
    if not round_.is_over:
        raise ZhaifeiError("the round has not ended")
    return round_after(round_, round_.hands, asked.actions)


def verify_number(rules: Rules, action: int) -> None:
    """Raise ZhaifeiError unless there is an action with this number."""
    if not 0 <= action < action_count(rules):
        raise ZhaifeiError("there is no action {number}", number=action)


def _decision(rules: Rules, one: ReviewedDecision) -> Fields:
    last = one.history[-1] if one.history else None
    return {
        "place": len(one.history),
        "action": parse_action(rules, one.done, last),
        "value": one.value,
        "best": parse_action(rules, one.best, last),
        "best_value": one.best_value,
        "cost": one.cost,
        "margin": one.margin,
        "grade": one.grade.value,
    }


def _luck(told: RoundLuck) -> Fields:
    return {"dice": told.dice, "luck": told.luck, "skill": told.skill, "earned": told.earned}
