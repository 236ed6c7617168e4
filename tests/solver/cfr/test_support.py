"""A player who is restricted to the support of an average, and who is solved alone."""

from itertools import product

import numpy as np
import pytest

from tests.solver import plain_game, sequence_form
from tests.solver.kernels import in_both_ways
from tests.solver.twins.tree_twin import History, by_hand, least_by_hand, nodes_of
from zhaifei.game.bids import challenge_action
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import each_alone, growing_tree, support
from zhaifei.solver.cfr.each_alone import EachAlone
from zhaifei.solver.cfr.regret_matching import BARRED
from zhaifei.solver.cfr.row_precision import NEAREST, narrow, widen
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.files.state import StateError
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.response.table_search import best_response

both_ways = in_both_ways(growing_tree, support)
GAMES = [
    Rules.of(dice=2, faces=3),
    Rules.of(dice=2, faces=2, doubled=(2, 4)),
    preset("liars_dice", dice=2, faces=3),
]
games = pytest.mark.parametrize("rules", GAMES, ids=str)
LEAST = 2e-3


def trained(rules: Rules, passes: int = 40, *, merged: bool = True) -> TreeCFR:
    solver = TreeCFR(rules, threads=None, large=True, merged=merged)
    for _ in range(passes):
        solver.advance()
    return solver


def mover(rules: Rules, history: History) -> int:
    return plain_game.mover(rules, history)


# Restricting


def supported(solver: TreeCFR, player: int, least: float) -> dict[History, set[int]]:
    """The hands that may take the action that ends each history, for all histories to which
    `player` comes within their support."""
    rules, state = solver.rules, by_hand(solver.grown)
    nodes, challenge = nodes_of(state), challenge_action(solver.rules)
    hands_of_class = {history: classes(solver, node) for history, node in nodes.items()}
    found: dict[History, set[int]] = {(): set(range(len(hands(rules))))}
    for history, node in nodes.items():
        if not history or history[:-1] not in found:
            continue
        average = widen(state["average"][node])
        own = mover(rules, history[:-1]) == player and len(history) > 1
        free = not own or history[-1] == challenge
        leasts = least_by_hand(solver.grown, node, least)
        may = {
            hand
            for one in hands_of_class[history]
            for hand in one
            if free or average[one[0]] >= leasts[one[0]]
        }
        if may:
            found[history] = may
    with_others = {history[:-1] for history in found if history and history[-1] != challenge}
    return {
        history: may
        for history, may in found.items()
        if len(history) < 2 or history[-1] != challenge or history[:-1] in with_others
    }


def classes(solver: TreeCFR, node: int) -> list[list[int]]:
    """The hands of each class in the row of `node`."""
    tree = solver.grown.tree
    class_of = tree.classes.class_of[tree.partition[max(tree.parent[node], 0)]]
    return [np.flatnonzero(class_of == one).tolist() for one in np.unique(class_of)]


@games
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("merged", [True, False])
def test_a_restricted_tree_holds_what_the_player_does_and_all_that_the_other_may(
    rules, player, merged, both_ways
):
    solver = trained(rules, merged=merged)
    least = LEAST * float(solver.grown.tree.dealt[0].sum())
    alone = solver.restricted(player, LEAST)
    alone.grown.verify()
    wanted, before = supported(solver, player, least), by_hand(solver.grown)
    found, nodes = by_hand(alone.grown), nodes_of(alone.grown.state())
    assert set(nodes) == set(wanted)
    assert len(nodes) < len(solver.grown), "something has been left out"
    barred = 0
    for history, node in nodes.items():
        if not history:
            continue
        row, regret = widen(found["average"][node]), widen(found["regret"][node])
        former = nodes_of(before)[history]
        for one in classes(alone, node):
            may = [hand for hand in one if hand in wanted[history]]
            parts = {hand for part in classes(solver, former) for hand in part[:1] if hand in may}
            if not may:
                assert (regret[one[0]], row[one[0]]) == (BARRED, 0.0)
                barred += 1
                continue
            regrets = widen(before["regret"][former])
            assert regret[one[0]] == max(regrets[hand] for hand in may)
            mass = sum(float(widen(before["average"][former])[hand]) for hand in parts)
            own = mover(rules, history[:-1]) == player
            assert row[one[0]] == pytest.approx(mass if own else 0.0, rel=1e-3)
    assert barred > 0


@games
@pytest.mark.parametrize("player", [0, 1])
def test_a_player_who_lacks_nothing_goes_on_like_both(rules, player):
    """Bit for bit: regrets of both players, and the averages of the one who is alone."""
    solver = trained(rules)
    alone = solver.restricted(player, 0.0)
    for _ in range(7):
        solver.improve()
        alone.improve()
    before, found = by_hand(solver.grown), by_hand(alone.grown)
    assert found["action"].tolist() == before["action"].tolist()
    assert (found["regret"] == before["regret"]).all()
    for history, node in nodes_of(found).items():
        if history and mover(rules, history[:-1]) == player:
            assert (found["average"][node] == before["average"][node]).all()
    together, other = solver.respond(float("inf")), alone.respond(float("inf"))
    assert other.earned[1 - player] == together.earned[1 - player]
    assert np.isnan(other.earned[player])


def test_what_is_barred_is_never_played():
    alone = trained(GAMES[0]).restricted(0, LEAST)
    barred = widen(alone.grown.tree.regret[: alone.grown.numbers]) == BARRED
    assert barred.any()
    for _ in range(300):
        alone.improve()
    numbers = slice(alone.grown.numbers)
    assert (widen(alone.grown.tree.regret[numbers])[barred] == BARRED).all()
    assert (widen(alone.grown.tree.average[numbers])[barred] == 0.0).all()


def test_no_rounding_changes_what_is_barred():
    for like in (np.zeros(1, dtype=np.int16), np.zeros(1, dtype=np.float32)):
        for noise in (0, int(NEAREST), 65535):
            assert widen(narrow(BARRED, np.uint16(noise), like)) == BARRED


@pytest.mark.parametrize("player", [0, 1])
def test_only_the_other_player_adds_to_the_tree(player):
    rules = Rules.of(dice=2, faces=4)
    solver = trained(rules, passes=12)
    alone = solver.restricted(player, LEAST)
    before = set(nodes_of(alone.grown.state()))
    for _ in range(40):
        alone.advance()
    new = set(nodes_of(alone.grown.state())) - before
    assert new
    challenge = challenge_action(rules)
    assert all(mover(rules, history[:-1]) != player for history in new if history[-1] != challenge)


# The value of the restricted game


@pytest.mark.parametrize(
    ("rules", "passes"),
    [
        (Rules.of(dice=1, faces=3), 15),
        (preset("liars_dice", faces=4), 8),
        (Rules.of(dice=1, faces=2, doubled=(2,)), 15),
    ],
    ids=str,
)
@pytest.mark.parametrize("player", [0, 1])
def test_a_player_alone_comes_to_lose_as_little_as_their_support_allows(rules, passes, player):
    """As a linear programme finds it, in which the player never plays what they lack."""
    solver = TreeCFR(rules, threads=None, large=False, merged=True)
    for _ in range(passes):
        solver.advance()
    alone = solver.restricted(player, 0.03)
    for _ in range(2000):
        alone.advance()
    worth, _ = sequence_form.best_plan(rules, player, (), lacking(alone))
    whole, _ = sequence_form.best_plan(rules, player, ())
    assert worth < whole - 0.05, "the player lacks something that matters"
    earned = alone.measure().earned[1 - player]
    assert -earned == pytest.approx(worth, abs=3e-4)


def lacking(alone: TreeCFR) -> list[tuple[int, History]]:
    """The sequences that the player who is alone may not play."""
    rules, player = alone.rules, alone.alone
    nodes, regret = nodes_of(alone.grown.state()), by_hand(alone.grown)["regret"]
    challenge = challenge_action(rules)
    return [
        (hand, made)
        for history in sequence_form.sequences(rules, player).histories
        for hand, action in product(
            range(len(hands(rules))), plain_game.legal_actions(rules, history)
        )
        for made in [(*history, action)]
        if action != challenge and (made not in nodes or regret[nodes[made], hand] == BARRED)
    ]


# Both players


def stage(rules: Rules, passes: int = 40, more: int = 40) -> EachAlone:
    found = each_alone.each_alone(trained(rules, passes))
    for _ in range(more):
        found.advance()
    return found


def test_the_policy_of_both_is_as_exploitable_as_training_says():
    found = stage(Rules.of(dice=2, faces=4))
    table = found.strategy()
    found.measure()
    measured = best_response(found.solvers[0].bids, table)
    assert measured.exploitability.upper == pytest.approx(found.nash_conv / 2, abs=2e-4)
    assert found.value == pytest.approx((found.earned[0] - found.earned[1]) / 2)


def test_what_each_player_learns_alone_is_better_than_the_joint_average_without_rare_actions():
    rules = Rules.of(dice=2, faces=4)
    solver = trained(rules, 60)
    found = each_alone.each_alone(solver)
    before = found.nash_conv
    for _ in range(60):
        solver.advance()
        found.advance()
    found.measure()
    assert found.nash_conv < before
    joint = solver.compact_average(found.least_played)
    ours, theirs = (
        full_recall_response(bid_tables(rules), table).nash_conv.upper
        for table in (found.strategy(), joint)
    )
    assert ours < theirs
    assert sum(len(one.grown) for one in found.solvers) < 2 * len(solver.grown)


@pytest.mark.parametrize("more", [1, 25])
def test_resuming_the_second_stage_continues_bit_for_bit(more):
    rules = preset("zhaifei", dice=2)
    found = stage(rules, more=more)
    assert each_alone.is_of_each_alone(found.state())
    state = {name: array.copy() for name, array in found.state().items()}
    again = EachAlone(
        [
            TreeCFR(rules, threads=None, large=True, merged=True, alone=player)
            for player in range(2)
        ],
        0.0,
    )
    again.restore(state)
    for _ in range(20):
        found.advance()
        again.advance()
    for name, array in found.state().items():
        np.testing.assert_array_equal(array, again.state()[name])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"least_played": np.array(2.0)}, "least_played has a value that is not from 0 to 1"),
        ({"other/passes": np.array([3, 4])}, "different numbers of passes"),
        ({"third/passes": np.zeros(1)}, "third"),
    ],
    ids=str,
)
def test_a_second_stage_that_no_run_can_have_left_is_refused(change, told):
    found = stage(Rules.of(dice=2, faces=3))
    with pytest.raises(StateError, match=told):
        found.restore({**found.state(), **change})
