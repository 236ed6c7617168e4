"""Reviews of rounds and matches, worked out by hand."""

from importlib.metadata import version
from itertools import count

import pytest

from tests.policies import resolving_policies
from tests.policies.small_policies import random_policy
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import Solved
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, played_round
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.decisions import Kind, Reviewer, reviewer_of
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.reviewing import (
    Estimate,
    Verdict,
    estimate,
    known_players,
    review_match,
    review_round,
    reviews_of_match,
    summarise,
)
from zhaifei.policies.review.seat_values import SeatValues

TWO = Rules.of(dice=1, faces=3, modes=(Mode.FEI,))
POLICY = random_policy(TWO, seed=0)
BID, RAISE = (action_of(TWO, parse_bid(text)) for text in ("f1x2", "f2x3"))
CHALLENGE = challenge_action(TWO)
WON = PlayedRound(0, (1, 1), ((1,), (3,)), (BID, CHALLENGE), (0, 1))
"""Seat 0 opens with a true bid, which seat 1 challenges."""
LOST = PlayedRound(1, (1, 1), ((2,), (2,)), (BID, RAISE, CHALLENGE), (1, 0))
"""Seat 0 raises to a false bid."""
BEGUN = PlayedRound(0, (1, 1), ((2,), (2,)), (BID,), None)


def match(*rounds: PlayedRound, seats: tuple[str, ...] = ("you", "honest")) -> PlayedMatch:
    return PlayedMatch(TWO, seats, 0, 1, None, version("zhaifei"), rounds)


def by_table() -> Reviewer:
    return reviewer_of(POLICY, seconds=0.0)


def test_each_decision_of_the_seat_is_reviewed() -> None:
    found = review_round(by_table(), LOST, 0)
    (one,) = found.decisions
    assert (one.hand, one.done, one.history) == ((2,), "飞2×3", (parse_bid("f1x2"),))
    assert found.luck is None
    (challenge,) = review_round(by_table(), WON, 1).decisions
    assert (challenge.kind, challenge.seat) == (Kind.CHALLENGE, 1)


def test_whose_dice_are_unknown_is_not_reviewed() -> None:
    hidden = PlayedRound(0, (1, 1), (None, (3,)), WON.actions, WON.losses)
    assert review_round(by_table(), hidden, 0).decisions == ()
    assert len(review_round(by_table(), hidden, 1).decisions) == 1


def test_a_round_is_lost_by_a_decision_that_made_it_likelier_than_not() -> None:
    found = review_round(by_table(), LOST, 0)
    (one,) = found.decisions
    # A player with value v loses with the probability (1 - v) / 2.
    losing, would = (1.0 - one.value) / 2.0, (1.0 - one.best_value) / 2.0
    assert found.to_blame == pytest.approx((losing - would) / losing)
    expected = Verdict.DECISION if found.to_blame > 0.5 else Verdict.LUCK
    assert found.verdict is expected
    assert review_round(by_table(), WON, 0).verdict is Verdict.NOT_LOST
    assert review_round(by_table(), BEGUN, 0).verdict is None


def test_a_match_is_the_sum_of_its_rounds() -> None:
    so_far = [*reviews_of_match(by_table(), match(WON, LOST, BEGUN))]
    found = review_match(by_table(), match(WON, LOST, BEGUN))
    summary = summarise([found])
    decisions = [one for round_ in found.rounds for one in round_.decisions]
    assert so_far[-1] == found
    assert [one.rounds for one in so_far] == [found.rounds[:done] for done in range(4)]
    assert (summary.rounds, summary.lost, summary.earned) == (2, 1, pytest.approx(0.0))
    assert summary.seats + summary.luck.total + summary.skill.total == pytest.approx(0.0)
    assert sum(summary.grades.values()) == len(decisions) == 3
    assert sum(part.decisions for part in summary.kinds.values()) == 3
    assert summary.cost == pytest.approx(sum(one.charged for one in decisions))
    errors = sorted((one.cost for one in decisions if one.grade.is_error), reverse=True)
    assert [one.cost for _, one in summary.costliest] == errors
    assert summary.grades[Grade.BEST] == sum(one.grade is Grade.BEST for one in decisions)


def odd_match() -> tuple[TablePolicy, PlayedMatch]:
    """A policy, and a match with bids that it never makes."""
    plain = resolving_policies.blueprint(30)
    rules, history = plain.rules, resolving_policies.odd_history(plain)
    challenge, dealt = challenge_action(rules), ((1, 2), (2, 3))
    rounds = (
        played_round(rules, 0, dealt, (*history, challenge)),
        played_round(rules, 1, dealt, (*history, history[-1] + 2, challenge)),
    )
    return plain, PlayedMatch(rules, ("you", "honest"), 0, 1, None, "0.0.1", rounds)


def test_the_same_match_gets_the_same_review_however_fast_the_machine_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain, played = odd_match()
    once = [review_match(reviewer_of(plain), played, seat) for seat in range(2)]
    decisions = [one for match in once for round_ in match.rounds for one in round_.decisions]
    assert any(isinstance(one.advice.ground, Solved) for one in decisions)
    clock = count(0.0, 1000.0)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    # In the other order too: what was solved before does not matter.
    again = [review_match(reviewer_of(plain), played, seat) for seat in (1, 0)]
    assert again[::-1] == once


def test_the_same_match_of_three_is_played_out_in_the_same_way() -> None:
    rules = Rules.of(players=3, dice=1, faces=2)
    policy = random_policy(rules)
    bids = [action_of(rules, parse_bid(text)) for text in ("f1x2", "f2x2", "f3x2")]
    dealt = ((1,), (2,), (1,))
    rounds = [played_round(rules, 0, dealt, (*bids, challenge_action(rules)))] * 2
    played = PlayedMatch(rules, ("you", "honest", "honest"), 0, 1, None, "0.0.1", tuple(rounds))
    once, again = (review_match(reviewer_of(policy), played, 2) for _ in range(2))
    assert once == again
    assert once.rounds[0].decisions == once.rounds[1].decisions


def test_matches_of_other_rules_and_of_nobody_are_refused() -> None:
    other = PlayedMatch(Rules(), ("you", "honest"), 0, 1, None, "0.1.0", ())
    with pytest.raises(ZhaifeiError, match="other rules"):
        review_match(by_table(), other)
    nobody = PlayedMatch(TWO, ("honest", "honest"), None, 1, None, "0.1.0", (WON,))
    with pytest.raises(ZhaifeiError, match="does not say which seat is yours"):
        review_match(by_table(), nobody)
    with pytest.raises(ZhaifeiError, match="no seat 3"):
        review_match(by_table(), nobody, 2)
    assert review_match(by_table(), nobody, 1).seat == 1


def test_players_are_known_by_names_that_mean_one_player() -> None:
    assert [*known_players(match(seats=("honest", "honest")))] == [1]
    assert known_players(match(seats=("you", "somebody"))) == {}
    assert [*known_players(match(seats=("you", "random")))] == [1]
    older = PlayedMatch(TWO, ("you", "honest"), 0, 1, None, "0.0.1", ())
    assert known_players(older) == {}
    # A file of one's own may be called like a player.
    own = PlayedMatch(
        TWO, ("you", "honest"), 0, 1, "data/honest.safetensors", version("zhaifei"), ()
    )
    assert known_players(own) == {}


def test_the_error_of_a_sum_grows_with_the_square_root() -> None:
    assert estimate([]) == Estimate(0.0, None)
    assert estimate([0.5]) == Estimate(0.5, None)
    found = estimate([1.0, -1.0, 1.0, -1.0], error=0.25)
    # The standard deviation is sqrt(4 / 3), that of the sum of four twice that.
    assert found.total == 0.0
    assert found.margin == pytest.approx(1.96 * 2.0 * (4.0 / 3.0) ** 0.5 + 0.25, abs=1e-3)


def test_the_worth_of_seats_is_computed_once() -> None:
    one = by_table()
    assert isinstance(one.seat_values, SeatValues)
    assert one.seat_values is one.seat_values
