"""Policies as players: what is drawn is what the policy says, in whichever way it is asked."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.small_policies import histories, random_policy
from tests.solver.dense_tables import start_of, with_rows
from zhaifei.game.bids import Bid, action_count, action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.policy import Policy, SingleQueries
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.tables.queries import IllegalStrategy
from zhaifei.solver.tables.strategy_table import dense

RULES = Rules.of(players=3, dice=1, faces=2)
HANDS = len(hands(RULES))


@dataclass
class Asked(SingleQueries):
    """A policy that is no table, and counts what it is asked."""

    policy: Policy
    times: Counter[tuple[Bid, ...]] = field(default_factory=Counter)

    @property
    def rules(self) -> Rules:
        return self.policy.rules

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        self.times[tuple(history)] += 1
        return self.policy.strategy(history)


def shuffled(known: Sequence[tuple[Bid, ...]], times: int) -> NDArray[np.int64]:
    """[round, bid] each history so often, in any order."""
    rows = [[action_of(RULES, bid) for bid in history] for history in known] * times
    return np.random.default_rng(0).permutation(np.array(rows, dtype=np.int64))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_a_policy_plays_the_same_whether_it_is_a_table_or_not(dtype: type[np.generic]) -> None:
    table = random_policy(RULES, dtype=dtype)
    random, asked = np.random.default_rng(1), Asked(table)
    known = histories(RULES)
    for length in {len(history) for history in known}:
        of_length = [history for history in known if len(history) == length]
        history = shuffled(of_length, 50)
        hand, uniform = random.integers(HANDS, size=len(history)), random.random(len(history))
        drawn = PolicyPlayer(table).act(hand, history, uniform)
        np.testing.assert_array_equal(drawn, PolicyPlayer(asked).act(hand, history, uniform))
    assert set(asked.times) == set(known)
    assert set(asked.times.values()) == {1}


@pytest.mark.parametrize("other", [False, True])
def test_actions_are_as_frequent_as_the_strategy_says(other: bool) -> None:
    policy = random_policy(RULES, seed=3)
    player = PolicyPlayer(Asked(policy) if other else policy)
    number = 1000
    uniform = (np.arange(number) + 0.5) / number
    for history in histories(RULES)[::7]:
        bids = shuffled([history], number)
        for hand in range(HANDS):
            action = player.act(np.full(number, hand), bids, uniform)
            found = np.bincount(action, minlength=action_count(RULES))
            expected = number * policy.strategy(history)[hand]
            assert np.abs(found - expected).max() <= 1.0 + 1e-3


def test_a_history_that_training_never_reached_is_met_with_a_challenge() -> None:
    policy = random_policy(RULES)
    only_start = start_of(policy.table)
    history = shuffled([history for history in histories(RULES) if len(history) == 2], 1)
    drawn = PolicyPlayer(replace(policy, source=only_start)).act(
        np.zeros(len(history), dtype=np.int64), history, np.zeros(len(history))
    )
    assert (drawn == challenge_action(RULES)).all()


@pytest.mark.parametrize("number", [np.nan, np.inf, -0.5])
def test_a_table_of_what_are_no_probabilities_is_refused(number: float) -> None:
    policy = random_policy(RULES)
    spoilt = dense(policy.table)
    spoilt[3, 1] = number
    player = PolicyPlayer(with_probability(policy, spoilt), "Ann")
    history, uniform = np.zeros((1, 0), dtype=np.int64), np.full(1, 0.5)
    with pytest.raises(ZhaifeiError, match="Ann has hands without a strategy: it is damaged"):
        player.act(np.array([0]), history, uniform)


def test_a_hand_without_a_strategy_is_not_played() -> None:
    policy = random_policy(RULES)
    spoilt = dense(policy.table)
    spoilt[:, 1] = 0.0
    player = PolicyPlayer(with_probability(policy, spoilt), "Ann")
    history, uniform = np.zeros((2, 0), dtype=np.int64), np.full(2, 0.5)
    player.act(np.array([0, 0]), history, uniform)
    with pytest.raises(ZhaifeiError, match="Ann has hands without a strategy: it is damaged"):
        player.act(np.array([0, 1]), history, uniform)


def with_probability(policy: TablePolicy, probability: NDArray[np.float32]) -> TablePolicy:
    probability.setflags(write=False)
    return replace(policy, source=with_rows(policy.table, probability))


def test_an_answer_that_is_no_strategy_is_refused() -> None:
    @dataclass
    class Undecided(SingleQueries):
        rules: Rules

        def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
            return np.zeros((len(hands(self.rules)), action_count(self.rules)))

    player = PolicyPlayer(Undecided(preset("liars_dice")))
    with pytest.raises(IllegalStrategy, match="add up to 0, not 1"):
        player.act(np.zeros(1, dtype=np.int64), np.zeros((1, 0), dtype=np.int64), np.zeros(1))
