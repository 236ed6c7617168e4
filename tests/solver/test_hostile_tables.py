"""Tables that a file may hold: of the right shapes, but with actions that the rules forbid.

Kernels run as Python here, where an index beyond the end of an array is an error.
"""

from itertools import pairwise

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver import showdown
from zhaifei.solver.cfr import infosets, mccfr, traversal
from zhaifei.solver.response import full_recall, learned, table_kernels, table_search
from zhaifei.solver.response.gaining_decisions import Decisions, extract
from zhaifei.solver.response.learned import SampledResponse
from zhaifei.solver.response.table_search import ResponseSearch, best_response
from zhaifei.solver.tables import normalised, rows, sampling, strategy_table
from zhaifei.solver.tables.recall import context_of, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable, dense, verify_strategy
from zhaifei.solver.value import action_values, expected_value, self_play, table_walk
from zhaifei.solver.value.action_values import empty_line

TWO = Rules.of(dice=1, faces=2)
JUMPING = Rules.of(players=3, dice=1, faces=2, jump_challenge=True)
MODULES = (
    showdown,
    infosets,
    mccfr,
    traversal,
    full_recall,
    learned,
    table_kernels,
    table_search,
    normalised,
    rows,
    sampling,
    strategy_table,
    action_values,
    expected_value,
    self_play,
    table_walk,
)

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@pytest.fixture(autouse=True)
def _as_python(monkeypatch):
    for module in MODULES:
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)


def hostile(rules: Rules, recall: str, seed: int) -> StrategyTable:
    """Of every context that a single bid has, the start, and some sums of them: one to all actions,
    legal or not. What is drawn suits the range of the checks, and nothing else."""
    random, bids = np.random.default_rng(seed), bid_tables(rules)
    tables, actions = recall_tables(rules, recall), bids.claimed.size + bids.endings
    known = {0}
    for _ in range(200):
        line = random.permutation(bids.claimed.size)[: random.integers(1, 6)]
        known.add(int(context_of.py_func(tables, line, line.size)))
    rows, played = [0], []
    for _ in known:
        count = int(random.integers(1, actions + 1))
        played += sorted(random.choice(actions, count, replace=False).tolist())
        rows.append(len(played))
    probability = random.random((len(played), len(hands(rules))))
    probability[random.random(len(played)) < 0.2] = 0.0
    for first, end in pairwise(rows):
        probability[first] += 1e-3
        probability[first:end] /= probability[first:end].sum(axis=0)
    table = strategy_table.strategy_table(
        tables,
        np.array(sorted(known)),
        np.array(rows),
        np.array(played, dtype=np.int16),
        probability.astype(np.float32),
    )
    verify_strategy(bids, table)
    return table


def opening_legally(table: StrategyTable, rules: Rules) -> StrategyTable:
    """Another one that opens with one legal bid, so that it is looked at further."""
    bid = int(bid_tables(rules).legal[0].argmax())
    first = table.end_row[0]
    first_row = np.append(0, table.end_row - first + 1)
    action = np.concatenate([[bid], table.action[first:]]).astype(np.int16)
    probability = np.concatenate([np.ones((1, table.hands)), dense(table)[first:]])
    return strategy_table.strategy_table(
        table.recall, table.context, first_row, action, probability.astype(np.float32)
    )


def tables(rules: Rules, recall: str):
    for seed in range(12):
        table = hostile(rules, recall, seed)
        yield table
        yield opening_legally(table, rules)


any_recall = pytest.mark.parametrize("recall", ["full", "bid", "bid,face"])
any_rules = pytest.mark.parametrize("rules", [TWO, JUMPING], ids=str)


@any_recall
def test_best_responses_end_or_name_the_fault(recall):
    ended = []
    for table in tables(TWO, recall):
        try:
            best_response(bid_tables(TWO), table)
            ended.append(True)
        except ZhaifeiError:
            ended.append(False)
    assert not all(ended)


@any_rules
def test_walks_of_all_that_is_stored_end_or_name_the_fault(rules):
    faults = 0
    for table in tables(rules, "full"):
        for walk in (full_recall.full_recall_response, self_play.self_play):
            try:
                walk(bid_tables(rules), table)
            except ZhaifeiError as error:
                faults += "is not legal" in str(error)
    assert faults > 0


@any_recall
def test_where_a_response_gains_most_is_found_or_the_fault_is_named(recall):
    for table in tables(TWO, recall):
        try:
            search = ResponseSearch(bid_tables(TWO), table)
            Decisions(bid_tables(TWO), search, extract(bid_tables(TWO), search, 0.0)).best(3)
        except ZhaifeiError:
            continue


@any_recall
def test_values_are_found_or_the_fault_is_named(recall):
    faults = 0
    for table in tables(TWO, recall):
        try:
            expected_value.table_values(bid_tables(TWO), table, table, 0.0)
        except ZhaifeiError:
            faults += 1
    assert faults > 0


@any_rules
@any_recall
def test_values_of_actions_are_numbers(rules, recall):
    bids = bid_tables(rules)
    ranges = np.tile(probabilities(rules), (rules.players - 1, 1))
    for table in tables(rules, recall):
        for history in ([], [int(bids.legal[0].argmax())]):
            line, made = empty_line(bids), np.array(history, dtype=np.int64)
            every = np.arange(bids.hands)
            found = action_values.action_values(bids, table, line, made, ranges, every, 1e-3)
            assert np.array_equal(
                np.isfinite(found), np.isfinite(found[:, :1]).repeat(every.size, 1)
            )
            legal = np.isfinite(found[1, 0])
            assert (
                legal[bids.first_raise[made[-1] + 1] : bids.claimed.size].all()
                if history
                else (legal[: bids.claimed.size] == bids.legal[0]).all()
            )


@any_rules
@any_recall
def test_a_response_is_learnt_in_lines_that_end(rules, recall):
    for seed, table in enumerate(tables(rules, recall)):
        response = SampledResponse(rules, table, seed % rules.players, "full", seed=seed)
        while response.traversals < 40:
            response.advance()


@any_rules
@any_recall
def test_actions_are_drawn_and_written_within_their_arrays(rules, recall):
    bids, random = bid_tables(rules), np.random.default_rng(0)
    actions = bids.claimed.size + bids.endings
    for table in tables(rules, recall):
        history = np.sort(random.integers(0, bids.claimed.size, (20, 2)), axis=1)
        hand, action = random.integers(0, len(hands(rules)), 20), np.empty(20, dtype=np.int64)
        sampling.sample(table, actions - 1, hand, history, random.random(20), action)
        assert ((action >= sampling.NO_ACTION) & (action < actions)).all()
        written = np.empty((len(hands(rules)), actions))
        strategy_table.write_strategy(table, bids, history[0], 2, written)
        assert np.isfinite(written).all()
