from functools import lru_cache

import numpy as np
import pytest

from tests.policies.small_policies import histories, random_policy
from tests.solver.cfr.test_traversal import challenge_by_deals, random_range, set_line
from tests.solver.kernels import in_both_ways
from zhaifei.game.bids import action_count, action_of
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import traversal
from zhaifei.solver.cfr.mccfr import deepest
from zhaifei.solver.cfr.traversal import NO_RAISE, workspace
from zhaifei.solver.response import learned as sampled_response
from zhaifei.solver.response.learned import SampledResponse
from zhaifei.solver.response.several_players import best_response_in
from zhaifei.solver.tables.recall import FULL
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import StrategyTable, dense, node_of, strategy_after
from zhaifei.solver.value.expected_value import expected_values, table_strategies

THREE = Rules.of(players=3, dice=1, faces=2)
JUMPING = THREE.changed(jump_challenge=True)
FOUR = Rules.of(players=4, dice=1, faces=2, modes=(Mode.FEI,), jump_challenge=True)
SMALL = [Rules.of(dice=1, faces=3), THREE, JUMPING, FOUR]

both_ways = in_both_ways(traversal, sampled_response)
small = pytest.mark.parametrize("rules", SMALL, ids=str)
stored = pytest.mark.parametrize("dtype", [np.float32, np.uint8])
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@lru_cache
def random_table(rules: Rules, dtype: type = np.float32) -> StrategyTable:
    return random_policy(rules, seed=3, dtype=dtype).table


def played(table: StrategyTable, rules: Rules, history) -> np.ndarray:
    """[hand, action]"""
    return strategy_after(table, bid_tables(rules), [action_of(rules, bid) for bid in history])


# One reply


@stored
@small
def test_a_reply_pays_what_the_challenges_of_the_policy_pay(rules, dtype, both_ways):
    table, rng = random_table(rules, dtype), np.random.default_rng(1)
    bids, work = bid_tables(rules), workspace(bid_tables(rules), deepest(rules))
    info_sets = SampledResponse(rules, table, 0, "bid").info_sets
    every = histories(rules)[1:]
    for history in [every[place] for place in rng.integers(0, len(every), 8)]:
        mover = len(history) % rules.players
        set_line(work, rules, history)
        strategy = played(table, rules, history)
        for seat in range(rules.players):
            if seat == mover:
                continue
            ranges = [random_range(rules, rng) for _ in range(rules.players)]
            work.ranges[1] = ranges
            expected = 0.0
            for distance in range(1, min(bids.endings, len(history)) + 1):
                part = ranges[mover] * strategy[:, bids.claimed.size + distance - 1]
                split = [*ranges[:mover], part, *ranges[mover + 1 :]]
                expected = expected + challenge_by_deals(rules, history, seat, split, distance)
            value = np.zeros(len(hands(rules)), dtype=np.float32)
            sampled_response.reply_of(table, info_sets.table, work, 1, seat, len(history), value)
            np.testing.assert_allclose(value, expected, atol=1e-5)


@stored
@small
def test_raises_are_drawn_as_the_policy_makes_them_and_change_the_range(rules, dtype, both_ways):
    table, rng = random_table(rules, dtype), np.random.default_rng(2)
    bids, work = bid_tables(rules), workspace(bid_tables(rules), deepest(rules))
    info_sets = SampledResponse(rules, table, 0, "bid").info_sets
    number = 4000 if both_ways == "compiled" else 300
    for history in histories(rules)[:3]:
        mover, strategy = len(history) % rules.players, played(table, rules, history)
        range_ = random_range(rules, rng)
        chance = range_ @ strategy
        seen = np.zeros(action_count(rules))
        set_line(work, rules, history)
        traversal.seed_traversal(work.random, 0, 0)
        value = np.zeros(len(hands(rules)), dtype=np.float32)
        for _ in range(number):
            work.ranges[1] = range_
            raised = sampled_response.reply_of(
                table, info_sets.table, work, 1, (mover + 1) % rules.players, len(history), value
            )
            if raised:
                action = work.history[len(history)]
                seen[action] += 1
                after = range_ * strategy[:, action]
                np.testing.assert_allclose(work.ranges[1, mover], after / after.sum(), atol=1e-5)
        raises = bids.claimed.size
        error = np.sqrt(chance * (1 - chance) / number)[:raises]
        assert (np.abs(seen / number - chance)[:raises] <= 4 * error + 1e-6).all()
        assert not seen[raises:].any()


def test_where_rounding_leaves_none_to_raise_none_is_drawn(both_ways):
    rules = SMALL[0]
    table, bids = random_table(rules), bid_tables(rules)
    work = workspace(bids, deepest(rules))
    last = next(
        h for h in histories(rules) if h and len(played(table, rules, h)[0].nonzero()[0]) == 1
    )
    node = node_of(table, np.array([action_of(rules, bid) for bid in last]), len(last))
    range_ = probabilities(rules).astype(np.float32)
    work.ending[:] = range_
    found = sampled_response.sample_reply(table, work, node, range_, 1e-7, (0, bids.claimed.size))
    assert found == NO_RAISE


# Learning


def earned(rules: Rules, table: StrategyTable, response: StrategyTable, seat: int) -> float:
    tables = bid_tables(rules)
    seats = [table_strategies(tables, table)] * rules.players
    seats[seat] = table_strategies(tables, response)
    return expected_values(tables, seats, cut=0.0)[seat].lower


@stored
@small
def test_what_is_learnt_earns_nearly_what_a_best_response_does_and_never_more(rules, dtype):
    table, tables = random_table(rules, dtype), bid_tables(rules)
    for seat in range(rules.players):
        best = best_response_in(tables, seat, table_strategies(tables, table))
        response = SampledResponse(rules, table, seat, FULL)
        early = None
        while response.traversals < 6000:
            response.advance()
            if early is None:
                early = earned(rules, table, response.strategy(), seat)
        late = earned(rules, table, response.strategy(), seat)
        assert late <= best.upper + 1e-9
        assert early <= best.upper + 1e-9
        assert late >= best.lower - 0.02
        assert late > early


@small
def test_a_response_is_a_pure_strategy(rules):
    response = SampledResponse(rules, random_table(rules), 1, "bid,face")
    while response.traversals < 500:
        response.advance()
    table = response.strategy()
    assert set(np.unique(dense(table))) <= {0.0, 1.0}
    for node in range(table.context.size):
        rows = rows_at(table, node)
        assert (rows.sum(axis=0) == 1.0).all()


def test_of_the_actions_that_paid_each_hand_takes_the_best(both_ways):
    rules = Rules.of(dice=1, faces=3)
    response = SampledResponse(rules, random_table(rules), 0, FULL)
    response.info_sets.grow(np.zeros((0, 3), dtype=np.int64), np.array([1, 2]))
    table = response.info_sets.table
    table.regret[table.row[0]] = [1.0, -5.0, -5.0]
    table.regret[table.row[1]] = [2.0, -1.0, 0.5]
    table.regret[table.row[2]] = [0.5, -2.0, 0.7]
    table.average[:] = 7.0
    sampled_response.choose_best(table)
    rows = table.row[:3]
    assert table.average[rows].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


@small
def test_learning_repeats_and_is_compiled_as_written(rules, monkeypatch):
    found = []
    for way in ("compiled", "compiled", "python"):
        if way == "python":
            for module in (traversal, sampled_response):
                for name, value in list(vars(module).items()):
                    if hasattr(value, "py_func"):
                        monkeypatch.setattr(module, name, value.py_func)
        response = SampledResponse(rules, random_table(rules), 1, FULL, seed=4)
        while response.traversals < 20:
            response.advance()
        found.append(response.info_sets.state())
    first, again, python = found
    for name, array in first.items():
        assert array.tobytes() == again[name].tobytes()
        np.testing.assert_allclose(array, python[name], rtol=1e-3, atol=1e-3)


def test_another_seed_is_another_sample():
    one, other = (SampledResponse(THREE, random_table(THREE), 0, FULL, seed=s) for s in (0, 1))
    for response in (one, other):
        while response.traversals < 20:
            response.advance()
    assert one.info_sets.table.regret.tobytes() != other.info_sets.table.regret.tobytes()
