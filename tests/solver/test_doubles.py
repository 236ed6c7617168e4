"""Games with 劈, 反劈 and giving up: values, responses and tables against a linear programme, and
against a recursion over all histories and deals."""

from functools import reduce

import numpy as np
import pytest

from tests.solver import plain_game
from tests.solver.black_boxes import slow_value
from tests.solver.random_tables import AskedTable
from tests.solver.sequence_form import equilibrium
from tests.solver.trained_trees import trained
from tests.solver.written_down import both, written_down
from zhaifei.game.bids import domain, gives_up_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr.exact import ExactSolver, NotSmall
from zhaifei.solver.cfr.mccfr import MCCFR
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.response.replies import Replies
from zhaifei.solver.response.table_search import best_response
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_after
from zhaifei.solver.value.expected_value import table_values
from zhaifei.solver.value.self_play import self_play

SMALL = {"dice": 2, "faces": 3}
GAMES = {
    "one double": Rules.of(**SMALL, doubled=(2,)),
    "two doubles, shown": Rules.of(**SMALL, doubled=(2, 4), giving_up="forbidden"),
    "two doubles, half": Rules.of(**SMALL, doubled=(2, 8), giving_up="half"),
    "ones end fei": Rules.of(**SMALL, doubled=(2, 4), ones_end_fei=True, first_count=4),
    "fei alone": Rules.of(**SMALL, doubled=(2, 4), modes=(Mode.FEI,), first_count=2),
}
TINY = {
    "one": Rules.of(dice=1, faces=3, doubled=(2, 4)),
    "half": Rules.of(dice=1, faces=3, doubled=(2, 8), giving_up="half"),
    "shown": Rules.of(dice=2, faces=2, doubled=(2,), giving_up="forbidden"),
}
PASSES = 300

any_game = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
any_tiny = pytest.mark.parametrize("rules", TINY.values(), ids=TINY)


def slowly(rules: Rules, table: StrategyTable) -> list[float]:
    """[seat] what a best response earns, by all histories and deals."""
    priors = [probabilities(rules, seat) for seat in range(rules.players)]
    deals, asked = reduce(np.multiply.outer, priors), AskedTable(rules, table)
    return [float(slow_value(asked, seat, (), deals).sum()) for seat in range(rules.players)]


# Against a linear programme


@any_game
def test_what_a_linear_programme_plays_is_certified_not_to_be_exploitable(rules: Rules) -> None:
    value, tables = equilibrium(rules, 0)[0], bid_tables(rules)
    table = written_down(rules, both(rules))
    result = full_recall_response(tables, table)
    assert result.exact
    assert abs(result.exploitability.upper) < 1e-6
    assert result.seats[0].lower == pytest.approx(value, abs=1e-6)
    assert self_play(tables, table)[0].lower == pytest.approx(value, abs=1e-6)
    assert table_values(tables, table, table, 0.0)[0].lower == pytest.approx(value, abs=1e-6)
    searched = best_response(tables, table, 1e-7)
    assert searched.seats[0].lower - 1e-6 <= value <= searched.seats[0].upper + 1e-6


@any_game
def test_a_tree_finds_what_the_game_is_worth_and_knows_how_exploitable_it_is(rules: Rules) -> None:
    solver, table = trained(rules, PASSES)
    value, found = equilibrium(rules, 0)[0], full_recall_response(bid_tables(rules), table)
    assert solver.nash_conv < 0.003
    assert found.exact
    assert solver.nash_conv == pytest.approx(found.nash_conv.lower, abs=2e-5)
    first, second = found.seats
    assert -second.upper - 1e-6 <= value <= first.upper + 1e-6
    assert solver.value == pytest.approx(value, abs=solver.nash_conv)


def test_doubles_change_what_the_game_is_worth() -> None:
    """Otherwise the tests above could not tell that stakes are doubled."""
    rules = GAMES["one double"]
    assert abs(equilibrium(rules, 0)[0] - equilibrium(rules.changed(doubled=()), 0)[0]) > 0.01


# Against all histories and deals


@any_tiny
def test_best_responses_to_a_tree_are_those_of_all_histories_and_deals(rules: Rules) -> None:
    solver, table = trained(rules, PASSES)
    found = full_recall_response(bid_tables(rules), table)
    exact = slowly(rules, table)
    assert [seat.lower for seat in found.seats] == pytest.approx(exact, abs=1e-9)
    assert solver.nash_conv == pytest.approx(sum(exact), abs=2e-5)


@any_tiny
def test_what_a_response_earns_by_each_action_is_the_best_of_what_follows(rules: Rules) -> None:
    table, tables = trained(rules, PASSES)[1], bid_tables(rules)
    replies, asked = Replies(tables, table), AskedTable(rules, table)
    rng, bids = np.random.default_rng(3), len(domain(rules))
    for made in plain_game.histories(rules)[::7]:
        seat, other = len(made) % 2, rng.random(tables.hands)
        earned = replies.by_action(made, other)
        legal = plain_game.legal_actions(rules, made)
        assert np.flatnonzero(~np.isnan(earned).all(axis=1)).tolist() == sorted(legal)
        deals = np.multiply.outer(np.ones(other.size), other)
        deals = deals if seat == 0 else deals.T
        for action in legal:
            if action < bids:
                wanted = slow_value(asked, seat, (*made, action), deals)
            else:
                end = plain_game.ended(rules, made, action - bids)
                wanted = (deals * plain_game.pays(rules, end, seat)).sum(axis=1 - seat)
            np.testing.assert_allclose(earned[action], wanted, atol=1e-9)


def test_trees_try_giving_up_and_doubling_and_keep_what_gains() -> None:
    rules = GAMES["one double"]
    solver, _ = trained(rules, PASSES)
    tree, bids = solver.grown.tree, len(domain(rules))
    action = tree.action[: len(solver.grown)]
    assert np.count_nonzero(action == gives_up_action(rules)) > 3
    assert np.count_nonzero((action >= bid_tables(rules).plain) & (action < bids)) > 3
    solver.grown.verify()


def test_a_tree_may_begin_after_a_double() -> None:
    """Its value is that of a best response within the whole game."""
    rules = TINY["one"]
    tables, rng = bid_tables(rules), np.random.default_rng(2)
    made = (2, 2 + tables.plain)
    ranges = rng.random((2, tables.hands)).astype(np.float32)
    ranges /= ranges.sum(axis=1, keepdims=True)
    root = root_of(tables, made, ranges)
    assert root.actions.tolist() == [
        *range(len(domain(rules)), len(domain(rules)) + 2),
        2 + 2 * tables.plain,
    ]
    solver = TreeCFR(rules, root=root)
    for _ in range(PASSES):
        solver.advance()
    earned = solver.measure().earned
    assert 0.0 < earned.sum() < 0.01
    replies = Replies(tables, solver.average())
    assert replies.value(made, ranges[1], moves=True) @ ranges[0] == pytest.approx(
        earned[0], abs=1e-5
    )
    assert replies.value(made, ranges[0], moves=False) @ ranges[1] == pytest.approx(
        earned[1], abs=1e-5
    )


def test_where_nothing_is_stored_dice_are_shown_after_a_double() -> None:
    rules = TINY["one"]
    tables, table = bid_tables(rules), trained(rules, PASSES)[1]
    strongest = tables.plain - 1
    made = (0, strongest, strongest + tables.plain)
    played = strategy_after(table, tables, made)
    assert (played[:, len(domain(rules))] == 1.0).all()


# What is refused


def test_engines_that_number_raises_in_a_row_say_that_they_do_not_double() -> None:
    rules = TINY["one"]
    with pytest.raises(ZhaifeiError, match="bids are doubled"):
        MCCFR(rules, "bid,bid")
    with pytest.raises(NotSmall, match="no bid is doubled"):
        ExactSolver(rules)
