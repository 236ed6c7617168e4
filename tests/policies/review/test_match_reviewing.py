"""Reviews of matches for dice: each round is reviewed as the round for one point that it is."""

from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest

from tests.policies.small_policies import poor_match_policy
from zhaifei.app.terminal.printed.review import lost_by_player
from zhaifei.game.bids import action_of, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_hand, parse_step
from zhaifei.game.positions import round_rules
from zhaifei.game.public_state import DECLINE, FORFEIT, PublicState
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.hints import Advisers
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, for_points, played_round
from zhaifei.policies.players.match_policy import MatchPlayer, MatchPolicy
from zhaifei.policies.review.decisions import Reviewer, reviewer_of
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.luck import START, round_luck
from zhaifei.policies.review.reviewing import (
    known_players,
    review_match,
    review_round,
    summarise,
)

RULES = preset("knockout", players=2, dice=2, faces=3)
LONE = ("you", "honest")


@pytest.fixture(scope="module")
def policy() -> MatchPolicy:
    return poor_match_policy(RULES, 3)


def played(text: str, *hands: str, starter: int = 0, rules: Rules = RULES) -> PlayedRound:
    dice = tuple(map(len, hands))
    state, actions = PublicState(rules, dice, starter), []
    for word in text.split():
        actions.append(parse_step(rules, word))
        state.take(actions[-1])
    dealt = [parse_hand(rules, hand, left) for hand, left in zip(hands, dice, strict=True)]
    return played_round(rules, starter, dealt, actions, dice=dice)


ROUNDS = (
    played("f1x2 pass f1x3 pass f2x3 c", "12", "33"),
    played("f1x2 pass f2x2 pass forfeit", "2", "13", starter=1),
    played("f1x2 c", "1", "2"),
)


def matches(*rounds: PlayedRound, rules: Rules = RULES) -> PlayedMatch:
    return PlayedMatch(rules, LONE, 0, 1, None, version("zhaifei"), rounds)


@pytest.mark.parametrize("one", ROUNDS)
def test_a_round_for_a_point_has_the_same_bids_challenge_and_loser(one: PlayedRound) -> None:
    own, found = for_points(RULES, one)
    opener = one.starter
    assert own == round_rules(RULES, (one.dice[opener], one.dice[1 - opener]))
    assert found.bids(own) == one.bids(RULES)
    assert not {DECLINE, FORFEIT} & {*found.actions}
    before, after = one.replayed(RULES), found.replayed(own)
    assert isinstance(before, Round)
    assert isinstance(after, Round)
    assert before.challenged == after.challenged
    assert (found.loser, found.losses, found.dice) == (one.loser, one.losses, one.dice)


def test_an_invalid_first_bid_leaves_nothing_to_review() -> None:
    one = played("forfeit", "12", "33")
    assert one.loser == 0
    own, found = for_points(RULES, one)
    assert (found.actions, found.loser) == ((), None)
    assert found.decisions(own, 0) == []


def test_rounds_for_points_are_what_they_are() -> None:
    rules = Rules.of(dice=1, faces=3)
    one = played("f1x2 c", "1", "2", rules=rules)
    assert for_points(rules, one) == (rules, one)


def test_each_round_is_reviewed_by_the_policy_of_its_position(policy: MatchPolicy) -> None:
    found, advisers = (
        review_match(reviewer_of(policy, 0.0), matches(*ROUNDS)),
        Advisers(policy, None),
    )
    for one, its in zip(ROUNDS, found.rounds, strict=True):
        own, round_ = for_points(RULES, one)
        position = (one.dice[one.starter], one.dice[1 - one.starter])
        by_hand = review_round(Reviewer(advisers, position), round_, 0)
        assert policy.at(position).rules == own
        assert its.decisions == by_hand.decisions
        assert its.points == one.losses
        assert its.stakes == policy.stakes(position, 0 if one.starter == 0 else 1)
        assert all(each.stakes == its.stakes for each in its.decisions)
    lost = sum(one.loser == 0 for one in ROUNDS)
    summary = summarise([found])
    assert (summary.rounds, summary.lost, summary.dice) == (3, lost, lost)
    assert lost_by_player(summary) == f"{lost} dice lost"
    assert lost_by_player(replace(summary, lost=0, dice=0)) == "0 dice lost"
    assert lost_by_player(summarise([])) == "0 penalty points taken"


def test_values_of_a_decision_are_those_of_the_round(policy: MatchPolicy) -> None:
    """Challenging 飞2×3 with 3 3 against a range: the value lies between losing and winning."""
    rules, round_ = for_points(RULES, ROUNDS[0])
    found = review_round(reviewer_of(policy, 0.0).at(rules.dice_by_player), round_, 1)
    values = [value for one in found.decisions for value in (one.value, one.best_value)]
    assert np.all(np.abs(values) <= 1.0 + 1e-9)
    assert [one.done for one in found.decisions] == ["飞1×3", "challenge"]


def test_draws_of_a_player_who_follows_the_policy_are_luck() -> None:
    policy = poor_match_policy(RULES, 30)
    rules, round_ = for_points(RULES, ROUNDS[0])
    reviewer = reviewer_of(policy, 0.0).at(rules.dice_by_player)
    own = policy.at(rules.dice_by_player)
    by_hand = round_luck(own, reviewer.seat_values, round_, 0, {1: own}, START)
    found = review_round(reviewer, round_, 0, known={1: MatchPlayer(RULES, policy, "it")})
    assert found.luck == by_hand
    assert by_hand.draws != 0.0
    full = preset("knockout", players=2)
    seated = replace(matches(rules=full), seats=("you", "knockout-2p"))
    assert [*known_players(seated)] == [1]
    assert known_players(matches(rules=full)) == {}  # honest draws by a rule


def test_a_bid_that_the_policy_does_not_consider_has_an_unknown_cost() -> None:
    rules = preset("classic", dice=(3, 3), faces=4)
    policy = poor_match_policy(rules, 1)
    found = reviewer_of(policy, 0.0)
    advised = {one.action for one in found.adviser.advise((1, 1, 1), ()).actions}
    left_out = [bid for bid in legal_bids(found.rules, None) if str(bid) not in advised]
    assert left_out
    one = found.decision(0, (1, 1, 1), (), action_of(found.rules, left_out[0]))
    assert (one.done, one.played, one.grade) == (str(left_out[0]), 0.0, Grade.UNCLEAR)
    assert one.charged == 0.0


def test_matches_of_other_rules_are_refused(policy: MatchPolicy) -> None:
    other = preset("classic", players=2, dice=2, faces=3)
    with pytest.raises(ZhaifeiError, match="the match was played by other rules"):
        review_match(reviewer_of(policy, 0.0), matches(rules=other))
    fewer = preset("knockout", dice=(2, 1), faces=3)
    assert review_match(reviewer_of(policy, 0.0), matches(rules=fewer)).rounds == ()
