"""Players who learn, in matches and in the arena."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.small_policies import random_policy
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.rules import Rules
from zhaifei.policies.learning import player as player_module
from zhaifei.policies.learning.player import ROUNDS, Learning, learning_player
from zhaifei.policies.measure.arena import Entrants, Standings, play_arena
from zhaifei.policies.measure.learners import Matches, Turning, play_matches
from zhaifei.policies.players.player import Batched
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import rule_based

Ints = NDArray[np.int64]

TWO = Rules.of(dice=2, faces=2)
THREE = Rules.of(players=3, dice=1, faces=2)
EACH = pytest.mark.parametrize("rules", [TWO, THREE], ids=str)


def standings(players: Entrants, rules: Rules, rounds: int) -> Standings:
    *_, last = play_arena(players, rules, rounds, seed=1)
    return last


def honest(rules: Rules) -> PolicyPlayer:
    return PolicyPlayer(rule_based("honest", rules), "honest")


@EACH
def test_the_arena_counts_every_round_of_the_matches(rules: Rules) -> None:
    players = [learning_player(random_policy(rules), "learner"), honest(rules)]
    found = standings(players, rules, 40 * ROUNDS)
    again = standings(players, rules, 40 * ROUNDS)
    assert found == again
    assert found.played == found.planned
    assert found.played % ROUNDS == 0
    lost = [one.lost for one in found.counts]
    units = [one.units for one in found.counts]
    assert sum(lost) == found.played
    assert sum(units) == found.played * rules.players
    # A rate is a mean over seats, as the counts are: the same figure from both.
    for rate, mine in zip(found.rates, found.counts, strict=True):
        assert rate.mean == pytest.approx(mine.lost / mine.units)


def test_a_learner_takes_fewer_points_in_the_arena_than_its_table() -> None:
    plain, other = random_policy(TWO), honest(TWO)
    rates = [
        standings([one, other], TWO, 6000).rates[0].mean
        for one in (learning_player(plain, "learner"), PolicyPlayer(plain, "table"))
    ]
    assert rates[0] < 0.9 * rates[1]


def test_several_learners_sit_at_one_table() -> None:
    learners = [learning_player(random_policy(THREE, seed), f"{seed}") for seed in range(3)]
    points = play_matches(learners, 5, 8, 0)
    assert points.sum(axis=2).tolist() == [[1] * 8] * 5
    matches = Matches(learners, 5)
    known = matches._learning
    assert sorted(known) == [0, 1, 2]
    every, random = np.arange(5), np.random.default_rng(0)
    matches.begin(np.zeros(5, dtype=np.int64), random)
    dealt = random.integers(0, 2, (5, 3))
    ended = np.concatenate([rounds for rounds, _ in matches.play(every, 1, dealt, random)])
    assert sorted(ended.tolist()) == every.tolist()
    assert all(np.ptp(one.memory.odds) > 0.0 for one in known.values())


def test_nothing_is_remembered_from_one_match_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[float] = []

    class Seen(Learning):
        def begin(self, place: np.ndarray, uniform: np.ndarray) -> None:
            begun.append(float(np.abs(self.memory.learned(np.arange(len(place)))).max()))
            super().begin(place, uniform)

    monkeypatch.setattr("zhaifei.policies.measure.learners.Learning", Seen)
    assert player_module.Learning is Learning
    players = [learning_player(random_policy(TWO), "learner"), honest(TWO)]
    standings(players, TWO, 10 * ROUNDS)
    starts = begun[::ROUNDS]
    assert len(begun) == 2 * ROUNDS  # both seats
    assert starts == [0.0, 0.0]
    assert min(begun[1:ROUNDS]) > 0.0


class Loses(Batched):
    """Opens with a bid that is false, and challenges nothing: the other one wins every round."""

    rules = TWO

    def act(self, hand: Ints, history: Ints, uniform: NDArray[np.float64]) -> Ints:
        highest = len(domain(TWO)) - 1
        return np.full(hand.size, highest if not history.shape[1] else challenge_action(TWO))


def test_somebody_who_turns_plays_like_one_and_then_like_the_other() -> None:
    steady, losing = honest(TWO), Loses()
    turning = Turning(losing, steady, 3)
    assert str(turning) == f"{losing}, then {steady}"
    points = play_matches([steady, turning], 30, 6, 2)
    np.testing.assert_array_equal(points[:, :3], play_matches([steady, losing], 30, 3, 2))
    assert points[:, :3].mean(axis=(0, 1))[1] > points[:, 3:].mean(axis=(0, 1))[1]
