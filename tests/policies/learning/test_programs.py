"""Programs: what each of them does is what its policy says."""

import numpy as np
import pytest

from tests.policies.players.reading_cases import few_histories, indices
from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import legal_actions
from zhaifei.game.bids import challenge_action
from zhaifei.game.rules import Rules
from zhaifei.policies.learning import programs as programs_module
from zhaifei.policies.learning.programs import POLICY, READER, Programs
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rule_based import RULES, rule_based
from zhaifei.policies.players.table_policy import opening_policy

SMALL = [rules for rules in VARIANTS if not rules.stakes.doubled]
each_small = pytest.mark.parametrize("rules", SMALL, ids=str)


def policies_of(rules: Rules) -> dict[str, Policy]:
    rule_players = {name: rule_based(name, rules) for name in RULES}
    return {**rule_players, READER: Reader(rules), POLICY: policy_for(rules)}


@each_small
def test_programs_do_what_their_policies_say(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs_module, "KEPT", 7)  # so that answers are forgotten
    programs, policies = Programs(policy_for(rules)), policies_of(rules)
    assert programs.names == tuple(policies)
    for history in few_histories(rules):
        actions = np.array(legal_actions(rules, history))
        turns = indices(rules, history).repeat(actions.size, axis=0)
        every = np.ones((actions.size, len(policies)), dtype=np.bool_)
        for _ in range(2):  # asked, then kept
            found = programs.played(turns, actions, every)
            for place, policy in enumerate(policies.values()):
                expected = policy.strategy(history)[:, actions].T
                np.testing.assert_allclose(found[:, place], expected, atol=1e-6)


def test_programs_that_are_not_wanted_are_not_asked() -> None:
    rules = SMALL[0]
    programs, start = Programs(policy_for(rules)), np.zeros((2, 0), dtype=np.int64)
    wanted = np.zeros((2, len(programs.names)), dtype=np.bool_)
    wanted[0, 1] = True
    found = programs.played(start, np.array([0, 0]), wanted)
    every = programs.played(start, np.array([0, 0]), np.ones_like(wanted))
    assert found[0, 1].tolist() == every[0, 1].tolist()
    assert not found[1].any()
    assert not found[0, 2:].any()
    assert every[0, 2:].any()


@each_small
def test_rules_challenge_with_the_hands_with_which_they_do(rules: Rules) -> None:
    programs, challenge = Programs(policy_for(rules)), challenge_action(rules)
    for history in few_histories(rules):
        if not history:
            continue
        state = indices(rules, history)[:, -1] + 1
        for found, name in zip(programs.challenging(state)[:, 0], RULES, strict=True):
            expected = rule_based(name, rules).strategy(history)[:, challenge]
            assert found.tolist() == expected.tolist()


def test_of_two_players_the_policy_is_the_table() -> None:
    rules = Rules.of(dice=1, faces=2)
    assert POLICY not in Programs(ReadingPolicy(opening_policy(rules))).names
