"""Positions worth drilling: the player's own mistakes, and the policy's hardest decisions.

A decision is *hard* if two conditions hold. The policy mixes, so that it plays no action with a
probability above MIXED. And one of the two obvious actions is a mistake: the challenge of the last
bid, or the raise that is most likely true by the own dice alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zhaifei.game.bids import (
    Bid,
    action_of,
    challenge_action,
    domain,
    legal_bids,
    mover_after,
    state_after,
)
from zhaifei.game.hands import hand_index
from zhaifei.game.match import roll
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import Advice
from zhaifei.policies.players.rule_based import chances
from zhaifei.policies.review.decisions import Reviewer
from zhaifei.policies.review.deck import Card, Source
from zhaifei.policies.review.grades import LIMITS, Grade
from zhaifei.policies.review.reviewing import ReviewedMatch

MIXED = 0.9
HARD_COSTS = LIMITS[Grade.INACCURACY]
"""The lower confidence bound that the cost of the wrong action must reach."""


def mistakes(match: ReviewedMatch) -> list[Card]:
    """Return the positions of a match in which an error was made."""
    return [
        Card(match.rules, one.hand, one.history, Source.MISTAKE)
        for round_ in match.rounds
        for one in round_.decisions
        if one.grade.is_error
    ]


def hard_positions(
    reviewer: Reviewer, random: np.random.Generator, rounds: int
) -> Iterator[Card | None]:
    """Yield the hard positions of `rounds` rounds in which all play the policy, and None after each
    round, so that the caller may stop."""
    for _ in range(rounds):
        yield from _of_round(reviewer, random)
        yield None


def _of_round(reviewer: Reviewer, random: np.random.Generator) -> Iterator[Card]:
    rules, dealt = reviewer.rules, roll(reviewer.rules, random)
    history: tuple[Bid, ...] = ()
    while True:
        hand = dealt[mover_after(rules, history)]
        played = reviewer.playing.strategy(history)[hand_index(rules, hand)]
        if played.max() <= MIXED and is_hard(reviewer, reviewer.adviser.advise(hand, history)):
            yield Card(rules, hand, history, Source.HARD)
        action = int(random.choice(played.size, p=played / played.sum()))
        if action >= challenge_action(rules):
            return
        history = (*history, domain(rules)[action])


def is_hard(reviewer: Reviewer, advice: Advice) -> bool:
    """Return whether the decision is hard."""
    if max(one.probability for one in advice.actions) > MIXED:
        return False
    tempting = [reviewer.judged(0, advice, action) for action in obvious(reviewer.rules, advice)]
    return any(one.cost - one.margin >= HARD_COSTS for one in tempting)


def obvious(rules: Rules, advice: Advice) -> list[int]:
    """Return the obvious actions: the challenge of the last bid, and the raise that is most likely
    true by the own dice alone, the weakest if several tie."""
    found = [challenge_action(rules)] if advice.history else []
    raises = legal_bids(rules, *state_after(rules, advice.history))
    raises = tuple(bid for bid in raises if not bid.doubled)
    if raises:
        alone = chances(rules)[:, hand_index(rules, advice.hand)]
        found.append(max((action_of(rules, bid) for bid in raises), key=lambda bid: alone[bid]))
    return found
