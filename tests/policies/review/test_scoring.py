"""Scored matches: what a player loses a round against a policy, with luck taken out."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.policies.small_policies import random_policy
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.scoring import Score, ScoredMatch
from zhaifei.solver.cfr.tree_cfr import TreeCFR

TWO = Rules.of(dice=1, faces=3, modes=(Mode.FEI,))
THREE = Rules.of(players=3, dice=1, faces=3, modes=(Mode.FEI,))
STANDARD_ERRORS = 4

Decide = Callable[[View], int]


def played_out(policy: TablePolicy, rounds: int, seed: int, decide: Decide) -> ScoredMatch:
    match = ScoredMatch(policy, rounds, seed)
    while match.view is not None:
        match.act(decide(match.view))
    return match


def score_of(policy: TablePolicy, rounds: int, seed: int, decide: Decide) -> Score:
    return played_out(policy, rounds, seed, decide).score()


def playing(policy: TablePolicy, seed: int = 5) -> Decide:
    return PolicyPlayer(policy).sit(np.random.default_rng(seed)).decide


def challenging(view: View) -> int:
    """Challenge at once, and else make the weakest bid."""
    if view.can_challenge:
        return challenge_action(view.rules)
    return action_of(view.rules, view.legal_bids[0])


@pytest.fixture(scope="module")
def solved() -> TablePolicy:
    training = TreeCFR(Rules.of(dice=2, faces=3))
    while training.passes < 200:
        training.advance()
    return TablePolicy(training.rules, "full", training.average())


def test_the_policy_itself_loses_nothing(solved: TablePolicy) -> None:
    score = score_of(solved, 400, 1, playing(solved))
    assert score.lost.margin is not None
    assert score.plain.margin is not None
    assert abs(score.lost.mean) < STANDARD_ERRORS * score.lost.margin / DEVIATIONS
    assert score.lost.margin < score.plain.margin, "luck is taken out"


def test_who_always_challenges_loses_clearly(solved: TablePolicy) -> None:
    score = score_of(solved, 400, 1, challenging)
    assert score.lost.margin is not None
    assert score.lost.mean - 2.0 * score.lost.margin > 0.0


@pytest.mark.parametrize("rules", [TWO, THREE], ids=["two", "three"])
def test_the_estimate_is_unbiased(rules: Rules) -> None:
    """What is taken out has the mean 0, whatever the player does: here between strangers."""
    policy, stranger = random_policy(rules, seed=0), random_policy(rules, seed=1)
    apart = []
    for seed in range(30):
        score = score_of(policy, 20, seed, playing(stranger, seed))
        apart.append(score.lost.mean - score.plain.mean)
    error = float(np.std(apart, ddof=1)) / len(apart) ** 0.5
    assert error > 0.0
    assert abs(float(np.mean(apart))) < STANDARD_ERRORS * error


def test_few_rounds_agree_with_many() -> None:
    """What few rounds tell of a stranger agrees with what many do."""
    policy, stranger = random_policy(TWO, seed=0), random_policy(TWO, seed=1)
    much = score_of(policy, 1500, 3, playing(stranger))
    few = score_of(policy, 200, 4, playing(stranger))
    assert much.lost.margin is not None
    assert few.lost.margin is not None
    assert much.lost.margin < few.lost.margin
    error = (much.lost.margin**2 + few.lost.margin**2) ** 0.5 / DEVIATIONS
    assert abs(much.lost.mean - few.lost.mean) < STANDARD_ERRORS * error


def test_the_dice_depend_on_the_seed_alone(solved: TablePolicy) -> None:
    one = played_out(solved, 30, 3, challenging)
    two = played_out(solved, 30, 3, playing(solved))
    other = played_out(solved, 30, 4, challenging)
    assert [played.hands for played in one.ended] == [played.hands for played in two.ended]
    assert [played.hands for played in one.ended] != [played.hands for played in other.ended]
    assert one.score() == score_of(solved, 30, 3, challenging)


def test_the_player_sits_everywhere_equally_often() -> None:
    policy = random_policy(THREE)
    match, seats = ScoredMatch(policy, 6, 0), []
    while (view := match.view) is not None:
        if len(seats) == len(match.ended):
            seats.append(view.seat)
        match.act(challenging(view))
        seats += [-1] * (len(match.ended) - len(seats))  # the others ended it among themselves
    for number, seat in enumerate(seats):
        assert seat in (-1, -number % 3)


def test_nobody_sees_other_dice(solved: TablePolicy) -> None:
    match = ScoredMatch(solved, 3, 0)
    view = match.view
    assert view is not None
    assert len(view.dice) == solved.rules.dice
    assert not hasattr(view, "hands")


def test_points_and_answers_are_counted(solved: TablePolicy) -> None:
    match = ScoredMatch(solved, 5, 0)
    match.refuse()
    while match.view is not None:
        match.act(challenging(match.view))
    score = match.score()
    assert (score.rounds, score.illegal) == (5, 1)
    assert 0 <= score.points <= 5
    assert score.decisions >= 5
    earned = [1 - 2 * int(_lost(match, number)) for number in range(5)]
    worth = score.plain.mean + sum(earned) / 5
    assert abs(worth) < 0.5, "points and the value of the seats give the plain figure"
    with pytest.raises(ZhaifeiError, match="the match is over"):
        match.act(challenge_action(solved.rules))


def _lost(match: ScoredMatch, number: int) -> bool:
    losses = match.ended[number].losses
    assert losses is not None
    return losses[-number % 2] > 0


@pytest.mark.parametrize("rounds", [0, 10**9])
def test_a_number_of_rounds_out_of_range_is_refused(solved: TablePolicy, rounds: int) -> None:
    with pytest.raises(ZhaifeiError, match=r"1 to 1,000,000 rounds, not"):
        ScoredMatch(solved, rounds, 0)


def test_a_score_needs_a_round(solved: TablePolicy) -> None:
    with pytest.raises(ZhaifeiError, match="no round has ended yet"):
        ScoredMatch(solved, 5, 0).score()
