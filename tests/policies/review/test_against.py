"""Where another action would have earned more against the people at the table."""

import functools
from collections.abc import Sequence

import pytest

from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.hands import Hand
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.people import Manner, portrait_of
from zhaifei.policies.advice.seen import others_of
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.play.played import PlayedMatch, played_round
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.against import LEAST, Better, better_against_people
from zhaifei.policies.review.decisions import reviewer_of
from zhaifei.policies.review.reviewing import review_match
from zhaifei.solver.cfr.tree_cfr import TreeCFR

RULES = Rules.of(players=2, dice=2, faces=3)
Round = tuple[int, Sequence[Hand], str]
"""The seat that opens, all hands, and the bids; then the last bid is challenged."""
BEFORE: Round = (1, ((2, 2), (3, 3)), "z3x3 z4x3")
"""Seat 1 opens as high as two threes let, and challenges a raise that is false."""
LOWER: Round = (1, ((2, 2), (3, 3)), "f4x3 z4x3")
"""Seat 1 opens a little lower, as none of the program's players would."""


@pytest.fixture(scope="module")
def policy() -> TablePolicy:
    training = TreeCFR(RULES)
    while training.passes < 100:
        training.advance()
    return TablePolicy(RULES, "full", training.average())


def match_of(*rounds: Round) -> PlayedMatch:
    found = []
    for starter, hands, bids in rounds:
        actions = [action_of(RULES, bid) for bid in parse_history(RULES, bids)]
        found.append(played_round(RULES, starter, hands, [*actions, challenge_action(RULES)]))
    return PlayedMatch(RULES, ("you", "阿明"), 0, None, None, "0", tuple(found))


def better(policy: TablePolicy, match: PlayedMatch) -> list[Better]:
    review = review_match(reviewer_of(policy, 0.0), match, luck=False)

    @functools.cache
    def adviser(rules: Rules) -> PeopleAdviser:
        return PeopleAdviser(rules, policy)

    return list(better_against_people(adviser, match, review))


def test_against_whom_nothing_is_known_nothing_is_told(policy: TablePolicy) -> None:
    assert better(policy, match_of(BEFORE)) == []


def test_challenging_somebody_who_has_always_had_the_dice_is_told(policy: TablePolicy) -> None:
    challenged: Round = (1, ((1, 3), (3, 3)), "f4x3")
    match = match_of(*[BEFORE] * 10, *[LOWER] * 2, challenged)
    review = review_match(reviewer_of(policy, 0.0), match, luck=False)
    (decision,) = review.rounds[12].decisions
    assert decision.done == "challenge"
    assert not decision.grade.is_error
    (one,) = [one for one in better(policy, match) if one.number == 13]
    assert one.decision == decision
    assert one.action == "斋3×3"
    assert one.gain - one.margin > 0.0
    assert one.gain >= LEAST
    assert one.because_of.name == "阿明"
    assert one.because_of.person.rounds == 12
    assert portrait_of(one.because_of.person).manner is Manner.BOLD


def test_errors_by_the_policy_are_left_out(policy: TablePolicy) -> None:
    blunder: Round = (1, ((3, 3), (3, 3)), "z3x3")
    match = match_of(*[BEFORE] * 12, blunder)
    review = review_match(reviewer_of(policy, 0.0), match, luck=False)
    assert review.rounds[12].decisions[0].grade.is_error
    assert [one for one in better(policy, match) if one.number == 13] == []


def test_the_others_are_in_the_order_of_turns() -> None:
    assert others_of(Rules.of(players=4, dice=2), 2) == [3, 0, 1]
