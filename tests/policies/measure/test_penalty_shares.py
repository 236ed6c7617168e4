"""Penalty shares among copies of each rule-based player."""

from tests.policies.small_policies import random_policy
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.penalty_shares import penalty_shares
from zhaifei.policies.play.simulation import penalty_share
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import NAMES

RULES = Rules.of(dice=1, faces=2)


def test_shares_are_yielded_player_by_player() -> None:
    mine = PolicyPlayer(random_policy(RULES))
    shares = list(penalty_shares(mine, rounds=500, seed=3))
    assert [tuple(found) for found in shares] == [NAMES[:count] for count in range(len(NAMES) + 1)]
    for name in NAMES:
        other = load_player(name, RULES)
        assert shares[-1][name].own == penalty_share(mine, other, RULES, 500, 3)
        assert shares[-1][name].other == penalty_share(other, mine, RULES, 500, 3)


def test_shares_with_other_players_are_measured_where_they_are_named() -> None:
    mine = PolicyPlayer(random_policy(RULES))
    *_, found = penalty_shares(mine, rounds=500, seed=3, names=("reader", "honest"))
    assert tuple(found) == ("reader", "honest")
    assert found["honest"] == [*penalty_shares(mine, rounds=500, seed=3)][-1]["honest"]
