"""Exact best responses to tables with full recall, against everything else that finds them."""

import re
from functools import lru_cache, reduce
from itertools import pairwise

import numpy as np
import pytest
from open_spiel.python.algorithms.exploitability import nash_conv

from tests.solver import measured
from tests.solver.black_boxes import (
    DOUBLED,
    DOUBLED_BY_SEVERAL,
    VARIANTS,
    close,
    inside,
    openspiel_game,
    rules_of,
    slow_value,
    written_out,
)
from tests.solver.kernels import in_both_ways
from tests.solver.random_tables import KEPT, AskedTable, grown, with_holes
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver import anytime, showdown
from zhaifei.solver.response import full_recall as module
from zhaifei.solver.response.several_players import best_response_in
from zhaifei.solver.response.table_search import best_response
from zhaifei.solver.tables import rows, strategy_table
from zhaifei.solver.tables.strategy_table import StrategyTable, StrategyTableError, dense, starts
from zhaifei.solver.tables.strategy_table import strategy_table as make_table
from zhaifei.solver.value import table_walk

both_ways = in_both_ways(module, table_walk, showdown, rows, strategy_table)

any_variant = pytest.mark.parametrize("variant", VARIANTS | DOUBLED | DOUBLED_BY_SEVERAL)
any_kept = pytest.mark.parametrize("kept", KEPT)
any_dtype = pytest.mark.parametrize("dtype", measured.DTYPES, ids=["float32", "uint8"])


@lru_cache
def slow_values(variant: str, kept: float, dtype: type[np.generic]) -> list[float]:
    """[seat] what a best response earns: a recursion over all histories and deals, which nothing is
    left out of."""
    rules = rules_of(variant)
    asked = AskedTable(rules, with_holes(rules, kept, dtype=dtype))
    priors = [probabilities(rules, seat) for seat in range(rules.players)]
    deals = reduce(np.multiply.outer, priors)
    return [float(slow_value(asked, seat, (), deals).sum()) for seat in range(rules.players)]


# Exactness


@any_dtype
@any_kept
@any_variant
def test_values_are_those_of_all_histories_and_deals(both_ways, variant, kept, dtype):
    rules = rules_of(variant)
    found = module.full_recall_response(bid_tables(rules), with_holes(rules, kept, dtype=dtype))
    assert found.exact
    for value, bounds in zip(slow_values(variant, kept, dtype), found.seats, strict=True):
        assert close(value, bounds)


@pytest.mark.parametrize(
    "variant", ["3 players", "3 players, basic", "3 players, jump", *DOUBLED_BY_SEVERAL]
)
def test_nash_conv_is_that_of_openspiel(variant):
    rules, played = rules_of(variant), openspiel_game(variant)
    table = with_holes(rules, 0.7)
    found = module.full_recall_response(bid_tables(rules), table)
    theirs = nash_conv(played, written_out(played, AskedTable(rules, table)))
    assert close(theirs, found.nash_conv)


@any_kept
@pytest.mark.parametrize("variant", ["2 faces", "3 faces", "2 dice", "liar's dice"])
def test_two_players_get_the_same_from_the_search_for_tables(variant, kept):
    rules = rules_of(variant)
    bids, table = bid_tables(rules), with_holes(rules, kept)
    found, theirs = module.full_recall_response(bids, table), best_response(bids, table)
    for one, other in zip(found.seats, theirs.seats, strict=True):
        assert close(one.lower, other)


@pytest.mark.parametrize(
    "rules",
    [
        preset("zhaifei", players=3, dice=2, faces=3),
        preset("zhaifei", players=3, dice=2),
        preset("zhaifei", players=3, dice=2, jump_challenge=True),
        preset("zhaifei", players=4, dice=2, faces=3),
        preset("zhaifei", players=5, dice=1, jump_challenge=True),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(2))
def test_the_same_comes_out_of_the_search_that_queries(rules, seed):
    bids, table = bid_tables(rules), grown(rules, 40, seed)
    found = module.full_recall_response(bids, table)
    for seat, bounds in enumerate(found.seats):
        assert close(bounds.lower, best_response_in(bids, seat, AskedTable(rules, table)))


def test_eight_players_are_measured_exactly():
    rules = Rules.of(players=8, jump_challenge=True)
    bids, table = bid_tables(rules), grown(rules, 12)
    found = module.full_recall_response(bids, table)
    assert found.exact
    assert len(found.seats) == 8
    assert all(-7 <= bounds.lower <= bounds.upper <= 1 for bounds in found.seats)
    assert found.nash_conv.lower > 0


@pytest.mark.parametrize("variant", ["3 players", "3 players, basic", "4 players, jump"])
def test_openings_earn_what_they_do_over_all_histories_and_deals(both_ways, variant):
    rules = rules_of(variant)
    bids, table = bid_tables(rules), with_holes(rules, 0.7)
    asked, prior = AskedTable(rules, table), probabilities(rules)
    deals = reduce(np.multiply.outer, [prior] * rules.players)
    found = module.opening_values(bids, table)
    for bid, values in zip(np.flatnonzero(bids.legal[0]).tolist(), found, strict=True):
        np.testing.assert_allclose(values * prior, slow_value(asked, 0, (bid,), deals), atol=1e-12)


# Anytime


@pytest.mark.parametrize("variant", ["3 players", "4 players, jump"])
def test_the_number_of_threads_does_not_matter(variant):
    rules = rules_of(variant)
    bids, table = bid_tables(rules), with_holes(rules, 1.0)
    ends, seats = [], []
    for threads in (1, 2, 5):
        response = module.FullRecallResponse(bids, table, threads)
        *_, result = response.refine()
        ends.append([response._ends(seat) for seat in range(rules.players)])
        seats.append([(bounds.lower, bounds.upper) for bounds in result.seats])
    np.testing.assert_array_equal(ends[1:], ends[:1] * 2)
    # The margin for rounding follows the longest line that any thread happened to walk.
    np.testing.assert_allclose(seats[1:], seats[:1] * 2, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("cut", [1e-2, 0.3, 2.0])
@pytest.mark.parametrize("variant", ["2 dice", "3 players", "4 players, jump"])
def test_every_result_holds_the_exact_values_and_none_is_wider(monkeypatch, variant, cut):
    rules, ticks = rules_of(variant), iter(range(10**6))
    bids, table = bid_tables(rules), with_holes(rules, 1.0)
    monkeypatch.setattr(module, "COARSE_CUT", cut)
    monkeypatch.setattr(module, "NODES_PER_CALL", 3)
    monkeypatch.setattr(anytime, "SECONDS_PER_RESULT", 0.0)
    monkeypatch.setattr(module, "SECONDS_PER_STEP", 3.0)  # a second for every look at the clock
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(ticks)))
    results = list(module.FullRecallResponse(bids, table).refine())
    assert len(results) > 10
    assert results[0].gap > 0.1
    assert results[-1].exact
    for before, after in pairwise(results):
        for wide, narrow in zip(before.seats, after.seats, strict=True):
            assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        assert before.nodes <= after.nodes
    for result in results:
        for value, bounds in zip(slow_values(variant, 1.0, np.float32), result.seats, strict=True):
            assert inside(value, bounds)


@pytest.mark.parametrize("variant", ["2 dice", "3 players, basic"])
def test_openings_that_cannot_be_best_are_not_walked_whole(monkeypatch, variant):
    rules = rules_of(variant)
    bids, table = bid_tables(rules), with_holes(rules, 1.0)
    begun = []
    begin = module.Task.begin

    def noting(task, *arguments):
        begun.append(task)
        begin(task, *arguments)

    monkeypatch.setattr(module.Task, "begin", noting)
    monkeypatch.setattr(module, "COARSE_CUT", 0.05)
    found = module.full_recall_response(bids, table)
    whole = [task.job for task in begun if task.cut == 0.0]
    coarse = [task.job for task in begun if task.cut > 0.0]
    assert len(coarse) == 2 * len({*map(id, coarse)})
    assert sum(job.seat == 0 for job in whole) < bids.legal[0].sum()
    for value, bounds in zip(slow_values(variant, 1.0, np.float32), found.seats, strict=True):
        assert close(value, bounds)


def test_after_an_interruption_bounds_hold_and_it_can_go_on(monkeypatch):
    variant, calls = "3 players", iter(range(10**6))
    rules = rules_of(variant)
    bids, table = bid_tables(rules), with_holes(rules, 1.0)
    monkeypatch.setattr(module, "NODES_PER_CALL", 3)
    monkeypatch.setattr(module, "SECONDS_PER_STEP", 0.01)
    monkeypatch.setattr(anytime, "SECONDS_PER_RESULT", 0.0)
    search = module.FullRecallResponse(bids, table)
    advance = module.advance

    def interrupted(*arguments):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return advance(*arguments)

    monkeypatch.setattr(module, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(search.refine())
    values = slow_values(variant, 1.0, np.float32)
    assert not search.result().exact
    for value, bounds in zip(values, search.result().seats, strict=True):
        assert inside(value, bounds)
    *_, result = search.refine()
    for value, bounds in zip(values, result.seats, strict=True):
        assert close(value, bounds)


def test_without_time_nothing_is_walked():
    rules = rules_of("3 players, jump")
    search = module.FullRecallResponse(bid_tables(rules), with_holes(rules, 1.0))
    (*_, result) = search.refine(seconds=0.0)
    assert result.nodes == 0
    assert result.nash_conv.lower == pytest.approx(-6.0)
    assert result.nash_conv.upper == pytest.approx(3.0)


def test_a_gap_that_is_wide_enough_ends_it():
    rules = rules_of("3 players")
    search = module.FullRecallResponse(bid_tables(rules), with_holes(rules, 1.0))
    (result,) = set(search.refine(gap=10.0))
    assert result.nodes == 0


# What is refused


def with_only(table: StrategyTable, node: int, action: int) -> StrategyTable:
    """The table that does nothing but `action` at a node."""
    first, end = table.first_row[node], table.end_row[node]
    kept = np.delete(np.arange(table.action.size), np.arange(first + 1, end))
    actions, probability = table.action[kept], dense(table)[kept]
    actions[first], probability[first] = action, 1.0
    first_row = starts(table)
    first_row[node + 1 :] -= end - first - 1
    return make_table(table.recall, table.context, first_row, actions, probability)


@pytest.mark.parametrize("variant", ["3 players", "3 players, jump"])
def test_illegal_actions_are_named(variant):
    rules = rules_of(variant)
    bids, whole = bid_tables(rules), with_holes(rules, 1.0)
    opening, challenge = int(whole.action[0]), bids.claimed.size
    after = int(np.searchsorted(whole.context, 1 << opening))
    wrong = {
        "nothing to challenge": (0, [], challenge),
        "not stronger": (after, [opening], opening),
        "two bids ago": (after, [opening], challenge + 1),
    }
    if bids.endings == 1:
        del wrong["two bids ago"]  # there is no such action
    for node, history, action in wrong.values():
        told = f"after the bids {history} the policy takes action {action}, which is not legal"
        with pytest.raises(StrategyTableError, match=re.escape(told)):
            module.full_recall_response(bids, with_only(whole, node, action))


def test_an_opening_that_is_too_low_is_refused():
    rules = preset("zhaifei", players=3, dice=2)
    bids, table = bid_tables(rules), grown(rules, 5)
    assert not bids.legal[0, 0]
    with pytest.raises(StrategyTableError, match=r"after the bids \[\] the policy takes action 0,"):
        module.full_recall_response(bids, with_only(table, 0, 0))


def test_other_rules_and_recalls_and_sums_are_refused():
    rules = rules_of("3 players")
    bids, table = bid_tables(rules), with_holes(rules, 0.3)
    with pytest.raises(StrategyTableError, match="for different rules"):
        module.full_recall_response(bid_tables(rules_of("3 players, basic")), table)
    forgetful = measured.case("2 faces", "random")
    with pytest.raises(StrategyTableError, match="does not remember all bids"):
        module.full_recall_response(forgetful.tables, forgetful.table)
    half = make_table(table.recall, table.context, starts(table), table.action, dense(table) / 2)
    with pytest.raises(StrategyTableError, match="do not add up to 1"):
        module.full_recall_response(bids, half)


def test_tables_have_holes():
    """Rows that lead to no node, and nodes to which no row leads."""
    rules = rules_of("3 players")
    table = with_holes(rules, 0.7)
    known, led = set(table.context.tolist()), {0}
    rows = np.repeat(table.context, table.end_row - table.first_row)
    for context, action in zip(rows.tolist(), table.action.tolist(), strict=True):
        if action < bid_tables(rules).claimed.size:
            led.add(context + (1 << action))
    assert known - led
    assert led - known
