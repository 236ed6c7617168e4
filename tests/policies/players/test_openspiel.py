"""Policies as OpenSpiel plays them, and OpenSpiel's as we do, measured by both sides."""

import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray
from open_spiel.python import policy as openspiel_policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

from tests.command_line import ROOT
from tests.policies.small_policies import histories, legal_actions, random_policy
from zhaifei.game.bids import Bid, IllegalBid, action_count, action_of, domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.openspiel import load_game
from zhaifei.game.parts import RulesError
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.openspiel import (
    OpenSpielPolicy,
    from_openspiel,
    information_states,
    to_openspiel,
)
from zhaifei.policies.players.policy import Policy, SingleQueries
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.training.engines import TreeEngine
from zhaifei.solver.bounds import BestResponse
from zhaifei.solver.cfr.exact import ExactSolver
from zhaifei.solver.tables.queries import IllegalStrategy
from zhaifei.solver.value.self_play import self_play

TWO = [
    preset("zhaifei", dice=1, faces=2),
    preset("basic", dice=2, faces=3),
    preset("liars_dice", faces=3),
]
MORE = [
    preset("basic", players=3, dice=1, faces=2),
    preset("basic", players=3, dice=1, faces=2, jump_challenge=True),
]
KINDS = pytest.mark.parametrize("limit", [10**6, 0], ids=["table", "callable"])

any_rules = pytest.mark.parametrize("rules", [*TWO, *MORE], ids=str)
two_players = pytest.mark.parametrize("rules", TWO, ids=str)


@lru_cache
def solved(rules: Rules) -> tuple[ExactSolver, TablePolicy]:
    solver = ExactSolver(rules)
    solver.run(300)
    return solver, TablePolicy(rules, "full", solver.strategy())


def measured(policy: Policy) -> BestResponse:
    """What our own best responses earn, exactly."""
    *_, last = Evaluation(policy).refine()
    assert last.exact
    return last


# to OpenSpiel


@pytest.mark.parametrize(
    "rules",
    [
        preset("zhaifei", dice=1, faces=2, house=["doubles=2-4"]),
        preset(
            "zhaifei", dice=1, faces=3, house=["doubles=2-8", "giving-up=half", "first-count=2"]
        ),
        preset("basic", dice=2, faces=3, house=["doubles=2-4"]),
        preset("basic", players=3, dice=1, faces=3, house=["doubles=2-4"]),
        preset(
            "zhaifei",
            players=3,
            dice=1,
            faces=2,
            house=["doubles=2-4", "giving-up=half", "first-count=2"],
        ),
    ],
    ids=str,
)
def test_openspiel_finds_what_doubles_are_worth(rules: Rules) -> None:
    """A solved table: its value and its exploitability, by OpenSpiel and by our best responses."""
    solver = TreeEngine(rules)
    while solver.iterations < 2_000 * bid_tables(rules).hands ** 2:
        solver.advance_towards(None)
    policy = TablePolicy(rules, "full", solver.strategy())
    theirs, ours = to_openspiel(policy), measured(policy).nash_conv
    found = exploitability.nash_conv(theirs.game, theirs)
    assert found < 0.01
    assert found == pytest.approx(ours.lower, abs=1e-6)
    root = theirs.game.new_initial_state()
    value = expected_game_score.policy_value(root, [theirs] * rules.players)[0]
    own = self_play(bid_tables(rules), policy.table)[0]
    assert own.lower - 1e-6 <= value <= own.upper + 1e-6
    assert own.upper - own.lower < 1e-6


@two_players
@KINDS
def test_openspiel_finds_the_exploitability_that_the_exact_solver_does(
    rules: Rules, limit: int
) -> None:
    solver, policy = solved(rules)
    theirs = to_openspiel(policy, limit)
    ours = solver.exploitability().exploitability
    assert 0.0 < ours < 0.01
    assert exploitability.exploitability(theirs.game, theirs) == pytest.approx(ours, abs=1e-7)


@pytest.mark.parametrize("rules", MORE, ids=str)
@KINDS
def test_openspiel_finds_our_nash_conv_among_several_players(rules: Rules, limit: int) -> None:
    policy = random_policy(rules)
    theirs = to_openspiel(policy, limit)
    ours = measured(policy).nash_conv.lower
    assert ours > 0.1
    assert exploitability.nash_conv(theirs.game, theirs) == pytest.approx(ours, abs=1e-7)


@pytest.mark.parametrize(
    "rules",
    [
        preset("basic", dice=(1, 2), faces=3),
        round_rules(preset("knockout", players=2, faces=2), (1, 2)),
    ],
    ids=str,
)
def test_with_uneven_dice_both_sides_find_the_same_nash_conv(rules: Rules) -> None:
    theirs = to_openspiel(random_policy(rules))
    found = exploitability.nash_conv(theirs.game, theirs)
    assert found > 0.1
    back = measured(from_openspiel(theirs, rules)).nash_conv
    assert back.lower - 1e-7 <= found <= back.upper + 1e-7


@two_players
def test_openspiel_in_cpp_finds_the_same(rules: Rules) -> None:
    solver, policy = solved(rules)
    theirs = to_openspiel(policy)
    in_cpp = openspiel_policy.python_policy_to_pyspiel_policy(theirs)
    nash_conv = 2 * solver.exploitability().exploitability
    assert pyspiel.nash_conv(theirs.game, in_cpp) == pytest.approx(nash_conv, abs=1e-7)


@any_rules
def test_tables_have_the_rows_of_openspiel_in_its_order(rules: Rules) -> None:
    ours = to_openspiel(random_policy(rules))
    theirs = openspiel_policy.TabularPolicy(ours.game)
    assert type(ours) is openspiel_policy.TabularPolicy
    assert len(theirs.state_lookup) == information_states(rules)
    assert ours.state_lookup == theirs.state_lookup
    assert ours.states_per_player == theirs.states_per_player
    np.testing.assert_array_equal(ours.legal_actions_mask, theirs.legal_actions_mask)
    np.testing.assert_array_equal(ours.state_in, theirs.state_in)


def test_big_games_are_no_tables() -> None:
    rules = preset("liars_dice", faces=2)
    policy, states = random_policy(rules), information_states(rules)
    assert type(to_openspiel(policy, states)) is openspiel_policy.TabularPolicy
    assert type(to_openspiel(policy, states - 1)) is OpenSpielPolicy


class LooksBack(SingleQueries):
    """Plays the full game and counts how often it is asked: it challenges with a share that goes
    by the hand and the number of bids, and otherwise makes the weakest raise."""

    rules = preset("zhaifei")

    def __init__(self) -> None:
        self.asked = 0

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        self.asked += 1
        played = np.zeros((len(hands(self.rules)), action_count(self.rules)))
        share = np.arange(len(played)) / len(played) / (1 + len(history)) if history else 0.0
        weakest = legal_bids(self.rules, history[-1] if history else None)[:1]
        played[:, -1] = share if weakest else 1.0
        for bid in weakest:
            played[:, action_of(self.rules, bid)] = 1.0 - share
        return played


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_policy_of_the_full_game_is_asked_at_each_state(rounds: int) -> None:
    policy = LooksBack()
    theirs = to_openspiel(policy)
    assert type(theirs) is OpenSpielPolicy
    random, state = np.random.default_rng(2), load_game(policy.rules, rounds).new_initial_state()
    decisions = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        if not state.is_chance_node():
            decisions += 1
            seat = state.current_player()
            hand = hands(policy.rules).index(state.hands[seat])
            expected = policy.strategy(state.bids)[hand]
            for answer in (theirs(state), theirs(state, seat)):
                assert list(answer) == actions
                assert list(answer.values()) == expected[actions].tolist()
            assert theirs(state, 1 - seat) == {0: 1.0}
            actions = [*actions[:3], actions[-1]]
        state.apply_action(int(random.choice(actions)))
    assert theirs(state) == {0: 1.0}
    assert decisions > 2 * rounds
    assert policy.asked <= 2 * decisions  # Half of these by this test: answers are kept.


def test_states_of_other_rules_and_chance_nodes_are_refused() -> None:
    theirs = to_openspiel(random_policy(TWO[0]), limit=0)
    with pytest.raises(ZhaifeiError, match="the policy is for other rules"):
        theirs.action_probabilities(load_game(TWO[1]).new_initial_state())
    with pytest.raises(ZhaifeiError, match="the policy is for other rules"):
        OpenSpielPolicy(load_game(TWO[1]), random_policy(TWO[0]))
    with pytest.raises(ZhaifeiError, match="no player decides at a chance node"):
        theirs.action_probabilities(theirs.game.new_initial_state())


def test_rules_that_openspiel_cannot_load_are_refused() -> None:
    rules = Rules.of(dice=1, faces=2, wild_may_be_named=True)
    with pytest.raises(RulesError, match="the OpenSpiel game supports only presets"):
        to_openspiel(random_policy(rules))
    with pytest.raises(RulesError, match="the OpenSpiel game supports only presets"):
        from_openspiel(to_openspiel(random_policy(TWO[0])), rules)


# from OpenSpiel


@any_rules
@KINDS
def test_there_and_back_a_policy_is_the_same(rules: Rules, limit: int) -> None:
    policy = random_policy(rules)
    back = from_openspiel(to_openspiel(policy, limit), rules)
    assert back.rules == rules
    for history in histories(rules)[:40]:
        # Sums of probabilities are 1 but for rounding, and are divided by once more.
        np.testing.assert_allclose(
            back.strategy(history), policy.strategy(history), rtol=1e-15, atol=0.0
        )


@two_players
def test_what_openspiel_has_solved_in_python_is_as_exploitable_to_us(rules: Rules) -> None:
    game = load_game(rules)
    solver = cfr.CFRSolver(game)
    for _ in range(3):
        solver.evaluate_and_update_policy()
    theirs = solver.average_policy()
    found = measured(from_openspiel(theirs, rules)).nash_conv.lower
    assert found > 0.01
    assert found == pytest.approx(exploitability.nash_conv(game, theirs), abs=1e-7)


@any_rules
def test_what_openspiel_has_solved_in_cpp_is_as_exploitable_to_us(rules: Rules) -> None:
    game = pyspiel.convert_to_cached_tree(load_game(rules))  # quicker
    solver = pyspiel.CFRSolver(game)
    for _ in range(3):
        solver.evaluate_and_update_policy()
    theirs = solver.tabular_average_policy()
    assert type(theirs) is pyspiel.TabularPolicy
    for policy in (theirs, solver.average_policy()):
        found = measured(from_openspiel(policy, rules)).nash_conv.lower
        assert found > 0.01
        assert found == pytest.approx(pyspiel.nash_conv(game, theirs), abs=1e-7)


def test_policies_that_openspiel_makes_by_rule_are_played() -> None:
    rules = preset("zhaifei")
    uniform = from_openspiel(openspiel_policy.UniformRandomPolicy(load_game(rules)), rules)
    history = domain(rules)[40:41]
    legal = legal_actions(rules, history)
    expected = np.zeros(action_count(rules))
    expected[legal] = 1 / len(legal)
    np.testing.assert_allclose(uniform.strategy(history), np.tile(expected, (252, 1)), rtol=1e-12)


def test_what_is_no_history_or_no_strategy_is_refused() -> None:
    rules = TWO[0]
    table = to_openspiel(random_policy(rules))
    policy = from_openspiel(table, rules)
    with pytest.raises(IllegalBid):
        policy.strategy(domain(rules)[::-1])
    table.action_probability_array[0] *= 2.0
    with pytest.raises(IllegalStrategy, match="the probabilities of hand 0 add up to 2, not 1"):
        policy.strategy(())
    only_second = openspiel_policy.TabularPolicy(table.game, players=[1])
    with pytest.raises(ZhaifeiError, match="does not know the information state 'p0 hand:1'"):
        from_openspiel(only_second, rules).strategy(())
    unknown = pyspiel.TabularPolicy({"nothing": [(0, 1.0)]})
    with pytest.raises(ZhaifeiError, match="the probabilities of hand 0 add up to 0, not 1"):
        from_openspiel(unknown, rules).strategy(())


def test_openspiel_is_not_imported_where_it_is_not_used() -> None:
    code = "import cli, sys, policies.players.table_policy; print('pyspiel' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "False\n"
