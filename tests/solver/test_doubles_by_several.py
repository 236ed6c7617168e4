"""Games of three and four players with 劈, 反劈 and giving up: what a tree says of its average, its
values and its responses, against OpenSpiel and against all histories and deals."""

from functools import reduce

import numpy as np
import pytest
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import nash_conv

from tests.solver import plain_game
from tests.solver.black_boxes import slow_value, written_out
from tests.solver.random_tables import AskedTable
from tests.solver.trained_trees import trained
from zhaifei.game.bids import domain, mover_of, places_by
from zhaifei.game.openspiel import load_game
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.value.self_play import self_play

FEI = {"modes": (Mode.FEI,), "first_count": 1}
GAMES = {
    "two faces": Rules.of(players=3, dice=1, faces=2, doubled=(2, 4), first_count=2),
    "three faces": Rules.of(players=3, dice=1, faces=3, **FEI, doubled=(2, 4)),
    "half": Rules.of(
        players=3, dice=1, faces=2, doubled=(2, 4, 8), giving_up="half", first_count=2
    ),
    "shown": Rules.of(players=3, dice=1, faces=3, **FEI, doubled=(2,), giving_up="forbidden"),
    "four players": Rules.of(players=4, dice=1, faces=2, **FEI, doubled=(2, 4)),
}
PASSES = 200

any_game = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)


@any_game
def test_a_tree_knows_what_best_responses_to_its_average_earn(rules: Rules) -> None:
    solver, table = trained(rules, PASSES)
    earned, found = solver.measure().earned, full_recall_response(bid_tables(rules), table)
    assert found.exact
    assert earned.tolist() == pytest.approx([seat.lower for seat in found.seats], abs=2e-5)
    assert solver.nash_conv < 0.05


@any_game
def test_nash_conv_and_the_values_of_self_play_are_those_of_openspiel(rules: Rules) -> None:
    tables, table, game = bid_tables(rules), trained(rules, PASSES)[1], load_game(rules)
    written = written_out(game, AskedTable(rules, table))
    found = full_recall_response(tables, table).nash_conv
    assert found.lower == pytest.approx(nash_conv(game, written), abs=1e-6)
    values = policy_value(game.new_initial_state(), [written] * rules.players)
    mine = [seat.lower for seat in self_play(tables, table)]
    assert mine == pytest.approx(values, abs=1e-6)


@pytest.mark.parametrize(
    "rules", [GAMES["three faces"], GAMES["half"].changed(first_count=1), GAMES["shown"]], ids=str
)
def test_a_tree_doubles_and_answers_doubles(rules: Rules) -> None:
    tree = trained(rules, PASSES)[0].grown.tree
    tables, action = bid_tables(rules), tree.action[: tree.used[0]]
    doubles = (action >= tables.plain) & (action < tables.claimed.size)
    assert np.count_nonzero(doubles) > 3
    answered = action[tree.parent[: tree.used[0]]]
    assert ((answered >= tables.plain) & (answered < tables.claimed.size)).any()


def test_a_tree_may_begin_after_a_double() -> None:
    """What its players earn is that of best responses to it from there on."""
    rules = GAMES["three faces"]
    tables, rng = bid_tables(rules), np.random.default_rng(2)
    made = (2, 2 + tables.plain)
    in_turn = rng.random((3, tables.hands)).astype(np.float32)
    in_turn /= in_turn.sum(axis=1, keepdims=True)
    solver = TreeCFR(rules, root=root_of(tables, made, in_turn))
    for _ in range(PASSES):
        solver.advance()
    earned, asked = solver.measure().earned, AskedTable(rules, solver.average())
    assert 0.0 < earned.sum() < 0.01
    mover = mover_of(rules, made)
    assert mover == 0
    deals = reduce(np.multiply.outer, in_turn.astype(float))
    slowly = [slow_value(asked, seat, made, deals).sum() for seat in range(3)]
    assert earned.tolist() == pytest.approx(slowly, abs=2e-5)


@any_game
def test_who_moves_and_who_has_bid_follow_from_the_history(rules: Rules) -> None:
    for history in plain_game.histories(rules):
        assert mover_of(rules, history) == plain_game.mover(rules, history)
        made = [plain_game.mover(rules, history[:place]) for place in range(len(history))]
        for player in range(rules.players):
            places = [place for place, one in enumerate(made) if one == player]
            assert places_by(rules, history, player) == places


@any_game
def test_only_the_bidder_and_who_doubled_go_on_after_a_double(rules: Rules) -> None:
    plain = len(domain(rules)) // (1 + len(rules.stakes.doubled))
    for history in plain_game.histories(rules):
        claims = [bid for bid in history if bid < plain]
        if len(claims) < len(history):
            pair = {(len(claims) - 1) % rules.players, len(claims) % rules.players}
            assert mover_of(rules, history) in pair
