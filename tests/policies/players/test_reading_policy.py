"""The policy that reads off its lines: the table where self-play comes, reading elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from game.bids import Bid, action_of, challenge_action, domain, legal_bids
from game.hands import hands
from game.notation import parse_history
from game.rules import Rules
from policies.players.player import PolicyPlayer
from policies.players.policy import SingleQueries
from policies.players.reading_policy import MIXED, ReadingPolicy
from policies.players.table_policy import TablePolicy
from tests.policies.players import reading_twin as twin
from tests.policies.reading_policies import VARIANTS, likelihood_of, plays_table, policy_for
from tests.policies.small_policies import histories, random_policy

each = pytest.mark.parametrize("rules", VARIANTS, ids=str)


@each
def test_each_hand_makes_the_likeliest_opening_of_those_that_it_mixes(rules: Rules) -> None:
    policy = policy_for(rules)
    prior = twin.ranges(rules, (), likelihood_of(policy))
    played = policy.plain.strategy(())
    for place, (hand, row) in enumerate(zip(hands(rules), policy.strategy(()), strict=True)):
        mixed = [bid for bid in legal_bids(rules, None)
                 if played[place, action_of(rules, bid)] >= MIXED]  # fmt: skip
        likeliest = max(mixed, key=lambda bid: round(twin.true(rules, bid, hand, prior), 9))
        assert row[action_of(rules, likeliest)] == row.sum() == 1.0


def test_an_opening_that_a_hand_hardly_makes_is_not_made() -> None:
    # 飞1×2 is true for certain with a one or a two, but the table makes 飞2×2 with .99.
    rules = VARIANTS[0]
    plain = random_policy(rules)
    first, end = plain.table.first_row[:2]
    probability = plain.table.probability.copy()
    probability[first:end] = 0.0
    sure, bold = parse_history(rules, "f1x2 f2x2")
    actions = plain.table.action[first:end].tolist()
    for bid, share in ((sure, 0.01), (bold, 0.99)):
        probability[first + actions.index(action_of(rules, bid))] = share
    table = plain.table._replace(probability=probability)
    policy = ReadingPolicy(replace(plain, table=table), np.ones(table.context.size))
    assert (policy.strategy(())[:, action_of(rules, bold)] == 1.0).all()


@each
def test_the_table_plays_where_self_play_comes(rules: Rules) -> None:
    policy = policy_for(rules)
    played = [one for one in histories(rules) if one and plays_table(policy, one)]
    assert 0 < len(played) < len(histories(rules))
    for history in played:
        np.testing.assert_array_equal(policy.strategy(history), policy.plain.strategy(history))


@each
def test_elsewhere_the_action_of_least_risk_is_taken(rules: Rules) -> None:
    policy = policy_for(rules)
    likelihood = likelihood_of(policy)
    read = [history for history in histories(rules) if not plays_table(policy, history)]
    for history in read[:: max(1, len(read) // 40)]:
        strategy = policy.strategy(history)
        for hand, row in zip(hands(rules), strategy, strict=True):
            assert row.max() == row.sum() == 1.0
            assert row.argmax() == twin.decision(rules, hand, history, likelihood)


@dataclass
class Asked(SingleQueries):
    """The same policy, of which only strategies are asked."""

    policy: ReadingPolicy

    @property
    def rules(self) -> Rules:
        return self.policy.rules

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        return self.policy.strategy(history)


@each
def test_what_is_drawn_is_what_the_strategy_says(rules: Rules) -> None:
    policy, random = policy_for(rules), np.random.default_rng(0)
    known = histories(rules)
    for length in {len(history) for history in known}:
        rows = [[action_of(rules, bid) for bid in one] for one in known if len(one) == length]
        every = np.array(rows * 10, dtype=np.int64).reshape(10 * len(rows), length)
        history = random.permutation(every)
        hand = random.integers(len(hands(rules)), size=len(history))
        uniform = random.random(len(history))
        drawn = PolicyPlayer(policy).act(hand, history, uniform)
        np.testing.assert_array_equal(
            drawn, PolicyPlayer(Asked(policy)).act(hand, history, uniform)
        )


def test_what_is_not_stored_is_not_challenged_blindly() -> None:
    # The table knows the start of a round only. After 飞1×2 the others' hands are unknown to it.
    rules = Rules(players=3, dice=1, faces=2)
    full = random_policy(rules)
    start = full.table._replace(
        context=full.table.context[:1],
        first_row=full.table.first_row[:2],
        action=full.table.action[: full.table.first_row[1]],
        probability=full.table.probability[: full.table.first_row[1]],
    )
    plain = TablePolicy(rules, full.recall, start)
    policy = ReadingPolicy(plain, np.ones(1))
    challenge = challenge_action(rules)
    history = (domain(rules)[0],)
    assert (plain.strategy(history)[:, challenge] == 1.0).all()
    assert (policy.strategy(history)[:, challenge] == 0.0).all()
