"""跳开 that costs another amount than how far back the bid lies: each engine against a recursion
over all histories and deals."""

from functools import reduce

import numpy as np
import pytest

from tests.solver.black_boxes import slow_value
from tests.solver.random_tables import AskedTable, with_holes
from tests.solver.twins.self_play_twin import SelfPlayTwin
from zhaifei.game.hands import probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.response.several_players import best_response_in
from zhaifei.solver.tables.strategy_table import StrategyTable
from zhaifei.solver.value.expected_value import expected_values
from zhaifei.solver.value.self_play import self_play

THREE = Rules.of(players=3, dice=1, faces=2, first_count=1, jump_challenge=True)
FOUR = Rules.of(players=4, dice=1, faces=2, modes=(Mode.FEI,), first_count=1, jump_challenge=True)
CASES = [
    (THREE.changed(jump_cost="one"), ()),
    (FOUR.changed(jump_cost="two"), ()),
    (THREE, (1, 3)),
    (THREE, (2, 1)),
    (FOUR, (2, 3, 1)),
]
"""Rules, and the costs that replace those of the rules."""

any_costs = pytest.mark.parametrize(("rules", "costs"), CASES, ids=str)


def priced(rules: Rules, costs: tuple[int, ...]) -> BidTables:
    """The tables by which a challenge of the bid made d bids ago costs `costs[d - 1]`, or what the
    rules say."""
    tables = bid_tables(rules)
    if not costs:
        return tables
    cost = np.tile(np.array(costs, dtype=np.int64), (len(tables.cost), 1))
    cost.setflags(write=False)
    return tables._replace(cost=cost, most_cost=max(costs))


def slowly(rules: Rules, table: StrategyTable, costs: tuple[int, ...]) -> list[float]:
    """[seat] what a best response earns."""
    priors = [probabilities(rules, seat) for seat in range(rules.players)]
    deals, asked = reduce(np.multiply.outer, priors), AskedTable(rules, table)
    return [float(slow_value(asked, seat, (), deals, costs).sum()) for seat in range(rules.players)]


@any_costs
@pytest.mark.parametrize("kept", [0.4, 1.0])
def test_best_responses_are_those_of_all_histories_and_deals(rules, costs, kept) -> None:
    tables, table = priced(rules, costs), with_holes(rules, kept)
    exact, asked = slowly(rules, table, costs), AskedTable(rules, table)
    found = full_recall_response(tables, table)
    assert [seat.lower for seat in found.seats] == pytest.approx(exact, abs=1e-9)
    for seat, value in enumerate(exact):
        searched = best_response_in(tables, seat, asked)
        assert searched.gap < 1e-9
        assert searched.lower == pytest.approx(value, abs=1e-9)
        cut = best_response_in(tables, seat, asked, 0.03)
        assert cut.lower - 1e-12 <= value <= cut.upper + 1e-12


@any_costs
def test_what_all_earn_is_that_of_all_histories_and_deals(rules, costs) -> None:
    tables, table = priced(rules, costs), with_holes(rules, 0.6)
    asked = AskedTable(rules, table)
    exact = SelfPlayTwin(asked, costs).earned.tolist()
    assert [seat.lower for seat in self_play(tables, table)] == pytest.approx(exact, abs=1e-9)
    found = expected_values(tables, [asked] * rules.players, 0.0)
    assert [seat.lower for seat in found] == pytest.approx(exact, abs=1e-9)


@any_costs
def test_trees_know_how_exploitable_they_are(rules, costs) -> None:
    tables = priced(rules, costs)
    solver = TreeCFR(rules, root=root_of(tables))
    for _ in range(200):
        solver.advance()
    earned = solver.measure().earned
    table = solver.average()
    assert earned.tolist() == pytest.approx(slowly(rules, table, costs), abs=2e-5)
    assert full_recall_response(tables, table).nash_conv.lower == pytest.approx(
        earned.sum(), abs=2e-5
    )
    assert solver.nash_conv < 0.1
