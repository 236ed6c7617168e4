"""Decisions in which another action would have earned more against the people at the table.

A review grades decisions by the policy, whoever sits there. Against some people another action
earns more, as `query --seen` would have said from the rounds before. Such a decision is no mistake:
the policy's action is right against players of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zhaifei.game.bids import challenge_action, mover_after
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.people import Person, learned, person_of
from zhaifei.policies.advice.seen import Advisers, SeenPerson, others_of
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.play.played import PlayedMatch, for_points
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.review.decisions import ReviewedDecision
from zhaifei.policies.review.reviewing import ReviewedMatch

LEAST = 0.02
"""Penalty points; smaller gains are not told."""


class Better(NamedTuple):
    """A decision in which another action would surely have earned more against these people."""

    number: int
    """The number of the round, from 1."""
    decision: ReviewedDecision
    action: str
    """The better action, in the notation of `game.notation`."""
    gain: float
    """How many penalty points more it earns than what was done, among these people."""
    margin: float
    """Half the width of the 95 % confidence interval of `gain`."""
    because_of: SeenPerson
    """The person on whom it depends most: the bidder who would have been challenged, or else the
    player who decides next."""


def better_against_people(
    advisers: Advisers, match: PlayedMatch, review: ReviewedMatch
) -> Iterator[Better]:
    """Yield the decisions of a reviewed match in which another action would surely have earned
    more, at least LEAST, against the people as the rounds before had shown them. Decisions that are
    errors by the policy are left out."""
    played = [for_points(match.rules, one) for one in match.rounds[: len(review.rounds)]]
    shown = [advisers(rules).shown(rules, one) for rules, one in played]
    for round_, (rules, _) in zip(review.rounds, played, strict=True):
        before = shown[: round_.number - 1]
        people = [
            learned(person_of(rules), [its[seat] for its in before])
            for seat in others_of(rules, review.seat)
        ]
        if not any(one.rounds for one in people):
            continue
        for decision in round_.decisions:
            found = None if decision.grade.is_error else _better(advisers(rules), decision, people)
            if found is not None:
                action, gain, margin = found
                ahead = _decides(rules, decision, action)
                seat = others_of(rules, review.seat)[ahead - 1]
                person = SeenPerson(match.seats[seat], people[ahead - 1])
                yield Better(round_.number, decision, action, gain, margin, person)


def _better(
    adviser: PeopleAdviser, decision: ReviewedDecision, people: Sequence[Person]
) -> tuple[str, float, float] | None:
    """Return the action that surely earns more, how much more, and the margin of that."""
    *_, advice = adviser.refine(decision.hand, decision.history, people)
    best = advice.ranked[0].action
    if best == decision.done:
        return None
    actions = best, decision.done
    earned = adviser.earned(decision.hand, decision.history, people, actions)
    difference = earned[0] - earned[1]
    gain, margin = float(difference.mean()), float(margin_of(difference))
    return (best, gain, margin) if gain - margin > 0.0 and gain >= LEAST else None


def _decides(rules: Rules, decision: ReviewedDecision, action: str) -> int:
    """Return how many seats after the player the person sits on whom the action depends most."""
    last = decision.history[-1] if decision.history else None
    distance = parse_action(rules, action, last) - challenge_action(rules) + 1
    if distance < 1:
        return 1
    bidder = mover_after(rules, decision.history[: len(decision.history) - distance])
    return (bidder - mover_after(rules, decision.history)) % rules.players or 1
