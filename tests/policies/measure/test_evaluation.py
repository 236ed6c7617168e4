"""Any policy can be evaluated, and the engine makes no difference to the result."""

import time
from functools import partial

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies
from open_spiel.python.algorithms.exploitability import nash_conv

import zhaifei.game.openspiel  # noqa: F401  registers python_zhaifei
from tests.command_line import LONG
from tests.policies.small_policies import legal_actions, random_policy
from zhaifei.game.bids import Bid, challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset, preset_name
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.policies.measure.evaluation import Evaluation, refine_duel
from zhaifei.policies.measure.timed_evaluation import TimedEvaluation
from zhaifei.policies.players.policy import Policy, SingleQueries
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy, rule_based
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.mccfr import MCCFR
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables.queries import IllegalStrategy
from zhaifei.solver.tables.strategy_table import StrategyTable
from zhaifei.solver.value import table_walk
from zhaifei.solver.value.self_play import self_play

SMALL = Rules.of(dice=1, faces=3)
THREE = preset("liars_dice", players=3, faces=2)


class Asked(SingleQueries):
    """A policy that can only be queried."""

    def __init__(self, policy: Policy) -> None:
        self.rules = policy.rules
        self._policy = policy

    def strategy(self, history: tuple[Bid, ...]) -> np.ndarray:
        return self._policy.strategy(history)


class Counting(SingleQueries):
    """Challenges more often the longer the round and the higher the bids, so that its strategy
    depends on the whole history."""

    rules = SMALL

    def strategy(self, history: tuple[Bid, ...]) -> np.ndarray:
        weights = np.zeros((len(hands(self.rules)), challenge_action(self.rules) + 1))
        legal = legal_actions(self.rules, tuple(history))
        weights[:, legal] = np.linspace(1.0, 2.0, len(legal))
        if history:
            weights[:, -1] *= sum(bid.count + bid.face for bid in history)
        return weights / weights.sum(axis=1, keepdims=True)


def last(results):
    *_, result = results
    return result


@pytest.mark.parametrize("seed", range(3))
def test_a_queried_policy_is_as_exploitable_as_its_table(seed):
    table = random_policy(SMALL, seed)
    assert Evaluation(table).walks
    known, asked = (last(Evaluation(policy).refine()) for policy in (table, Asked(table)))
    assert known.exact
    assert asked.exact
    for one, other in zip(known.seats, asked.seats, strict=True):
        assert one.lower == pytest.approx(other.lower, abs=1e-9)


@pytest.mark.parametrize("jump", [False, True])
def test_a_table_of_three_players_is_walked_and_earns_what_queries_find(jump):
    table = random_policy(THREE.changed(jump_challenge=jump), 1)
    known, asked = Evaluation(table), Evaluation(Asked(table))
    assert known.walks
    assert not asked.walks
    one, other = last(known.refine()), last(asked.refine())
    assert one.exact
    for ours, theirs in zip(one.seats, other.seats, strict=True):
        assert ours.lower == pytest.approx(theirs.lower, abs=1e-9)
    gains = zip(known.gains(one, seconds=0.0), asked.gains(other, seconds=LONG), strict=True)
    for ours, theirs in gains:
        assert ours.gap < 1e-9
        assert ours.lower == pytest.approx(theirs.lower, abs=1e-6)


def test_what_is_exact_is_not_sampled_as_well():
    measured = TimedEvaluation(random_policy(THREE), seconds=LONG).best_responses()
    assert measured.earned.exact
    assert measured.known == ()
    cut_short = TimedEvaluation(random_policy(THREE), seconds=0.0).best_responses()
    assert not cut_short.earned.exact
    assert cut_short.known == ()
    for wide, gain in zip(cut_short.gains, measured.gains, strict=True):
        assert wide.lower <= gain.lower <= gain.upper <= wide.upper


def test_the_time_limit_holds_for_all_stages_of_two_players():
    """As if loading had taken all of it: the search still gets a second, shares a tenth of it."""
    late = time.monotonic() - 2 * LONG
    evaluation = TimedEvaluation(random_policy(SMALL), seconds=LONG, began=late)
    assert evaluation.best_responses().earned.exact
    assert evaluation.decisions(1)
    assert len(evaluation.shares()) == len(NAMES)
    assert TimedEvaluation(random_policy(SMALL), seconds=0.0).shares() == {}
    assert len(TimedEvaluation(random_policy(THREE), seconds=0.0).shares()) == len(NAMES)


def test_in_a_larger_game_bounds_by_queries_agree_with_those_by_the_table():
    """With three dice each, and a few hundred queries."""
    honest = rule_based("honest", Rules.of(dice=3, first_count=3))
    known = last(Evaluation(honest).refine())
    assert known.exact
    for result in Evaluation(Asked(honest)).refine():
        for one, other in zip(known.seats, result.seats, strict=True):
            assert other.lower <= one.upper
            assert one.lower <= other.upper
        if result.exploitability.lower > known.exploitability.upper - 0.1:
            break
    assert result.exploitability.lower > known.exploitability.upper - 0.1


def test_the_random_player_is_evaluated_as_a_table():
    result = last(Evaluation(RandomPolicy(SMALL)).refine())
    asked = last(Evaluation(Asked(RandomPolicy(SMALL))).refine())
    for one, other in zip(result.seats, asked.seats, strict=True):
        assert one.lower == pytest.approx(other.lower, abs=1e-9)
    assert len(Evaluation(RandomPolicy(SMALL)).decisions(1)) == 1


def test_a_policy_with_perfect_recall_is_evaluated():
    result = last(Evaluation(Counting()).refine())
    assert result.exact
    assert 0.05 < result.exploitability.lower < 1.0


def test_intervals_never_widen_and_stop_at_the_gap():
    for policy in (random_policy(SMALL), Counting()):
        results = list(Evaluation(policy).refine(gap=0.1))
        widths = [result.exploitability.gap for result in results]
        assert widths == sorted(widths, reverse=True)
        assert widths[-1] <= 0.1


def test_decisions_are_shown_for_two_player_tables_only():
    evaluation = Evaluation(random_policy(SMALL))
    last(evaluation.refine())
    assert len(evaluation.decisions(2)) == 2
    for policy in (Counting(), random_policy(THREE)):
        with pytest.raises(ZhaifeiError, match="only for policy files of two players"):
            Evaluation(policy).verify_shows_decisions()


def trained(rules: Rules) -> TablePolicy:
    """Return a policy by MCCFR with a recall of the last two bids, stopped early."""
    engine = MCCFR(rules, "bid,bid", seed=1)
    while engine.iterations < 30_000:
        engine.advance()
    return TablePolicy(rules, "bid,bid", engine.strategy())


POLICIES = {
    "drawn": random_policy,
    "trained": trained,
    **{name: partial(rule_based, name) for name in NAMES},
}


@pytest.mark.parametrize("jump", [False, True])
@pytest.mark.parametrize("kind", POLICIES)
def test_gains_of_three_players_add_up_to_nash_conv(kind, jump):
    policy = POLICIES[kind](THREE.changed(jump_challenge=jump))
    evaluation = Evaluation(policy)
    result = last(evaluation.refine())
    gains = evaluation.gains(result, seconds=LONG)
    assert len(gains) == 3
    assert all(gain.lower >= 0.0 for gain in gains)
    # What the policy itself earns adds up to nothing.
    assert sum(gain.lower for gain in gains) == pytest.approx(result.nash_conv.lower, abs=1e-7)
    assert result.nash_conv.lower == pytest.approx(openspiel_nash_conv(policy), abs=1e-7)


@pytest.mark.parametrize("jump", [False, True])
def test_the_nash_conv_that_training_measures_is_openspiels(jump):
    solver = TreeCFR(THREE.changed(jump_challenge=jump))
    while solver.passes < 25:
        solver.advance()
    solver.measure()
    policy = TablePolicy(solver.rules, "full", solver.strategy())
    assert solver.nash_conv == pytest.approx(openspiel_nash_conv(policy), abs=3e-6)


def openspiel_nash_conv(policy: Policy) -> float:
    rules = policy.rules
    all_bids = domain(rules)
    played = pyspiel.load_game(
        "python_zhaifei",
        {
            "rules": preset_name(rules),
            "players": rules.players,
            "dice": rules.dice,
            "faces": rules.faces,
            "jump_challenge": rules.stakes.jump_challenge,
        },
    )

    class Asking(policies.Policy):
        def __init__(self) -> None:
            super().__init__(played, list(range(rules.players)))

        def action_probabilities(self, state, player_id=None):
            dealt, said = state.history()[: rules.players], state.history()[rules.players :]
            history = tuple(all_bids[action] for action in said)
            row = policy.strategy(history)[dealt[state.current_player()]]
            return {action: row[action] for action in state.legal_actions()}

    return float(nash_conv(played, Asking()))


# Duels


def test_a_duel_has_the_same_value_by_tables_and_by_queries():
    one, other = random_policy(SMALL, 1), random_policy(SMALL, 2)
    tables = last(refine_duel(one, other))
    asked = last(refine_duel(Asked(one), Asked(other)))
    mixed = last(refine_duel(one, Asked(other)))
    for seat in (0, 1):
        assert tables[seat].gap < 1e-9
        for found in (asked, mixed):
            assert found[seat].lower == pytest.approx(tables[seat].lower, abs=1e-9)


def test_swapping_the_policies_of_a_duel_changes_signs():
    one, other = random_policy(SMALL, 1), random_policy(SMALL, 2)
    ours, theirs = last(refine_duel(one, other)), last(refine_duel(other, one))
    assert ours[0].lower == pytest.approx(-theirs[1].upper, abs=1e-9)
    assert ours[1].lower == pytest.approx(-theirs[0].upper, abs=1e-9)


def test_no_policy_earns_more_than_a_best_response():
    one, other = random_policy(SMALL, 1), random_policy(SMALL, 2)
    best, duel = last(Evaluation(other).refine()), last(refine_duel(one, other))
    for found, most in zip(duel, best.seats, strict=True):
        assert found.upper <= most.upper + 1e-9


def test_duels_need_two_policies_for_the_same_two_player_rules():
    with pytest.raises(ZhaifeiError, match="different rules"):
        next(refine_duel(random_policy(SMALL), random_policy(Rules.of(dice=1, faces=2))))
    with pytest.raises(ZhaifeiError, match="only two-player policies"):
        next(refine_duel(random_policy(THREE), random_policy(THREE)))


def test_a_policy_that_breaks_the_rules_is_refused():
    class Stubborn(SingleQueries):
        rules = SMALL

        def strategy(self, history: tuple[Bid, ...]) -> np.ndarray:
            played = np.zeros((len(hands(SMALL)), challenge_action(SMALL) + 1))
            played[:, challenge_action(SMALL)] = 1.0  # even where there is nothing to challenge
            return played

    with pytest.raises(IllegalStrategy, match="not legal"):
        last(Evaluation(Stubborn()).refine())
    with pytest.raises(IllegalStrategy, match="not legal"):
        last(refine_duel(Stubborn(), Counting()))


def test_a_table_of_several_players_is_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """That takes a second for a large one."""
    verified: list[object] = []
    verify = table_walk.verify_strategy

    def counting(tables: BidTables, table: StrategyTable) -> None:
        verified.append(table)
        verify(tables, table)

    monkeypatch.setattr(table_walk, "verify_strategy", counting)
    policy = random_policy(THREE)
    evaluation = Evaluation(policy)
    gains = evaluation.gains(last(evaluation.refine()), 0.0)
    assert verified == [policy.table]
    own = self_play(bid_tables(THREE), policy.table)
    for gain, best, value in zip(gains, last(evaluation.refine()).seats, own, strict=True):
        assert gain.upper == best.upper - value.lower
