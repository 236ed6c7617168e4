from functools import lru_cache
from itertools import pairwise

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack

import zhaifei.game.openspiel  # noqa: F401  # registers python_zhaifei
from tests.solver.twins.exact_twin import Twin, challenge_pays, histories, moves
from zhaifei.game.bids import action_of, challenge_action, domain
from zhaifei.game.hands import hand_index, hands, probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import exact
from zhaifei.solver.cfr.exact import (
    MEMORY_LIMIT,
    ExactSolver,
    NotSmall,
    is_small,
    memory_needed,
    public_states,
    public_tree,
    verify_small,
)
from zhaifei.solver.files.state import StateError
from zhaifei.solver.tables.recall import context_of
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import (
    NO_NODE,
    StrategyTable,
    dense,
    node_of,
    write_strategy,
)

TINY = [
    preset("zhaifei", dice=1, faces=2),
    preset("liars_dice", faces=3),
    preset("basic", dice=2, faces=3),
    Rules.of(dice=1, faces=3, modes=(Mode.ZHAI,)),
    Rules.of(dice=2, faces=2, zhai_weight=3, first_count=3),
]
"""Up to 64 histories or so."""
OPENSPIEL = [("zhaifei", 1, 2), ("zhaifei", 1, 3), ("liars_dice", 1, 3), ("basic", 2, 3)]
KERNELS = [name for name in vars(exact) if hasattr(getattr(exact, name), "py_func")]

tiny = pytest.mark.parametrize("rules", TINY, ids=str)
openspiel = pytest.mark.parametrize(("name", "dice", "faces"), OPENSPIEL)


@pytest.fixture(params=["compiled", "python"])
def either_way(request, monkeypatch):
    """Runs the test with kernels as they are, and as the Python that they were written in."""
    if request.param == "python":
        for name in KERNELS:
            monkeypatch.setattr(exact, name, getattr(exact, name).py_func)


@lru_cache
def solved(rules: Rules, iterations: int, predictive: bool = False) -> ExactSolver:
    solver = ExactSolver(rules, predictive)
    solver.run(iterations)
    return solver


def with_random_strategy(rules: Rules, predictive: bool = False) -> ExactSolver:
    """Before the first iteration the strategy is the one that was restored."""
    solver = ExactSolver(rules, predictive)
    tree, random = public_tree(bid_tables(rules)), np.random.default_rng(1)
    weight = random.exponential(size=solver.state()["strategy"].shape)
    weight[0] = 0.0
    total = np.add.reduceat(weight, tree.first_row[:-1], axis=0)
    strategy = weight / np.repeat(total, np.diff(tree.first_row), axis=0)
    regret = 0.05 * random.exponential(size=weight.shape)
    solver.restore({**solver.state(), "strategy": strategy, "regret": regret})
    return solver


def rows_of(rules: Rules) -> dict:
    """The row of every history and move: nodes by length and then as they are said."""
    tree = public_tree(bid_tables(rules))
    return {
        (history, move): tree.first_row[node] + (0 if history else 1) + offset
        for history, node in node_numbers(rules).items()
        for offset, move in enumerate(moves(rules, history))
    }


def node_numbers(rules: Rules) -> dict:
    by_length = sorted(histories(rules), key=len)
    return {history: node for node, history in enumerate(by_length)}


# The value of a game


def test_liars_dice_is_worth_minus_7_258():
    solver = solved(preset("liars_dice"), 3000)
    best = solver.exploitability()
    assert best.exploitability < 1e-5
    assert -best.responder <= -7 / 258 <= best.opener
    assert solver.value() == pytest.approx(-7 / 258, abs=best.exploitability)


@tiny
def test_values_are_those_of_the_linear_programme(rules):
    solver = solved(rules, 2000, predictive=True)
    best, value = solver.exploitability(), sequence_form_value(rules)
    assert 0.0 <= best.exploitability < 1e-5
    assert -best.responder - 1e-9 <= value <= best.opener + 1e-9
    assert solver.value() == pytest.approx(value, abs=1e-5)


def sequence_form_value(rules: Rules) -> float:
    """The value for the opener by linear programming (Koller, Megiddo & von Stengel 1996).

    The opener chooses a plan x: probabilities of sequences of own moves, per hand. The responder
    holds down q, the value per information set, to what the best sequence there leaves:
    maximise q over x >= 0 and q, subject to E x = e and F' q <= A' x.
    """
    sequences: list[dict] = [{}, {}]
    infosets: list[dict] = [{}, {}]
    links: list[list] = [[], []]  # (infoset, sequence, coefficient) of the two constraint matrices

    def sequence(player, hand, past):
        return sequences[player].setdefault((hand, past), len(sequences[player]))

    deals = list(zip(hands(rules), probabilities(rules), strict=True))
    for player in range(2):
        for hand, _ in deals:
            root = infosets[player].setdefault((hand, None), len(infosets[player]))
            links[player].append((root, sequence(player, hand, ()), 1.0))
    payoffs = []
    for history in histories(rules):
        player = len(history) % 2
        before, theirs = history[: max(len(history) - 1, 0)], history
        own_past = (before[:-1], before[-1]) if before else ()
        other_past = (theirs[:-1], theirs[-1]) if theirs else ()
        for hand, chance in deals:
            here = infosets[player].setdefault((hand, history), len(infosets[player]))
            links[player].append((here, sequence(player, hand, own_past), -1.0))
            for move in moves(rules, history):
                own = sequence(player, hand, (history, move))
                links[player].append((here, own, 1.0))
                if move is not None:
                    continue
                for other, luck in deals:
                    pays = challenge_pays(rules, history, player, hand, other) * chance * luck
                    pair = (own, sequence(1 - player, other, other_past))
                    payoffs.append((*pair, pays) if player == 0 else (*pair[::-1], -pays))

    def matrix(entries, rows, columns):
        row, column, value = zip(*entries, strict=True)
        return coo_array((value, (row, column)), shape=(rows, columns)).tocsr()

    n, m = len(sequences[0]), len(sequences[1])
    k, l = len(infosets[0]), len(infosets[1])  # noqa: E741
    pay, opener = matrix(payoffs, n, m), matrix(links[0], k, n)
    responder = matrix(links[1], l, m)
    roots = [np.array([1.0 if past is None else 0.0 for _, past in sets]) for sets in infosets]
    zero = coo_array((k, l))
    result = linprog(
        c=np.concatenate([np.zeros(n), -roots[1]]),
        A_ub=hstack([-pay.T, responder.T]),
        b_ub=np.zeros(m),
        A_eq=hstack([opener, zero]),
        b_eq=roots[0],
        bounds=[(0, None)] * n + [(None, None)] * l,
    )
    assert result.success
    return -float(result.fun)


# Against OpenSpiel


class TablePolicy(policy.Policy):
    """A strategy table as OpenSpiel plays it."""

    def __init__(self, openspiel_game, table: StrategyTable) -> None:
        super().__init__(openspiel_game, [0, 1])
        self.table, self.rules = table, openspiel_game.rules

    def action_probabilities(self, state, player_id=None):
        bids, hand = bid_tables(self.rules), state.hands[state.current_player()]
        strategy = np.zeros((len(hands(self.rules)), challenge_action(self.rules) + 1))
        history = np.array(state.actions, dtype=np.int64)
        write_strategy(self.table, bids, history, history.size, strategy)
        chances = strategy[hand_index(self.rules, hand)]
        return {a: chances[a] / chances.sum() for a in np.flatnonzero(chances)}


def load(name: str, dice: int, faces: int):
    return pyspiel.load_game(f"python_zhaifei(rules={name},dice={dice},faces={faces})")


@openspiel
@pytest.mark.parametrize("make", [with_random_strategy, lambda rules: solved(rules, 200)])
def test_exploitability_and_value_are_those_that_openspiel_finds(name, dice, faces, make):
    openspiel_game = load(name, dice, faces)
    solver = make(openspiel_game.rules)
    theirs = TablePolicy(openspiel_game, solver.strategy())
    found = exploitability.nash_conv(openspiel_game, theirs, return_only_nash_conv=False)
    value = expected_game_score.policy_value(
        openspiel_game.new_initial_state(), [theirs, theirs], probability_threshold=0.0
    )
    assert solver.exploitability().exploitability == pytest.approx(found.nash_conv / 2, abs=1e-6)
    assert solver.value() == pytest.approx(value[0], abs=1e-6)
    gains = found.player_improvements + np.array(value)
    assert solver.exploitability() == pytest.approx(tuple(gains), abs=1e-6)


# Kernels against plain Python


@tiny
@pytest.mark.parametrize("predictive", [False, True])
def test_sums_are_those_of_the_twin(rules, predictive, either_way):
    # From a random state: in a uniform one actions tie, and rounding decides what is played next.
    twin, solver = Twin(rules, predictive), with_random_strategy(rules, predictive)
    state, rows = solver.state(), rows_of(rules)
    for (history, move), row in rows.items():
        for place, hand in enumerate(hands(rules)):
            twin.regret[history, move, hand] = state["regret"][row, place]
            twin.lean[history, move, hand] = state["strategy"][row, place]
    for _ in range(3):
        twin.run(1)
        solver.run(1)
        for (history, move), row in rows.items():
            for name, sums in (("regret", twin.regret), ("average", twin.average)):
                slow = [sums[history, move, hand] for hand in hands(rules)]
                np.testing.assert_allclose(state[name][row], slow, atol=1e-12, err_msg=name)


@tiny
def test_best_responses_are_those_of_the_twin(rules, either_way):
    solver, rows = with_random_strategy(rules), rows_of(rules)
    strategy = solver.state()["strategy"]

    def best(history, player, others):
        values, mine = [], len(history) % 2 == player
        for move in moves(rules, history):
            play = dict(zip(hands(rules), strategy[rows[history, move]], strict=True))
            come = others if mine else {g: w * play[g] for g, w in others.items()}
            if move is None:
                values.append([challenged(history, player, h, come) for h in hands(rules)])
            else:
                values.append(best((*history, move), player, come))
        return np.max(values, axis=0) if mine else np.sum(values, axis=0)

    def challenged(history, player, hand, others):
        pays = {g: challenge_pays(rules, history, player, hand, g) for g in others}
        return sum(w * pays[g] for g, w in others.items())

    prior = probabilities(rules)
    slow = [prior @ best((), p, dict(zip(hands(rules), prior, strict=True))) for p in range(2)]
    assert solver.exploitability() == pytest.approx(tuple(slow), abs=1e-12)


# The tree


SOME_SIZES = [*TINY, preset("liars_dice"), preset("basic", dice=2), Rules.of(dice=1, faces=3)]


@pytest.mark.parametrize("rules", SOME_SIZES, ids=str)
def test_public_states_are_the_histories(rules):
    tables, listed = bid_tables(rules), list(histories(rules))
    tree = public_tree(tables)
    assert public_states(tables) == tree.last.size == len(listed)
    rows = sum(len(moves(rules, history)) for history in listed) + 1
    assert tree.first_row[-1] == rows == 2 * len(listed) - 1


@pytest.mark.parametrize(
    ("rules", "states"),
    [
        (preset("liars_dice"), 2**12),
        (preset("basic", dice=2), 2**10),
        (preset("basic"), 2**40),
        (preset("zhaifei", dice=1), 995_328),
    ],
)
def test_public_states_by_example(rules, states):
    assert public_states(bid_tables(rules)) == states


@tiny
def test_nodes_and_rows_are_where_the_tree_says(rules):
    tree, bids = public_tree(bid_tables(rules)), domain(rules)
    for history, node in node_numbers(rules).items():
        assert tree.last[node] == (action_of(rules, history[-1]) if history else -1)
        assert tree.level[len(history)] <= node < tree.level[len(history) + 1]
        start, stop = tree.first_row[node], tree.first_row[node + 1]
        following = [bids[tree.last[row - node]] for row in range(start + 1, stop)]
        assert following == [move for move in moves(rules, history) if move is not None]
        assert all(tree.parent[row - node] == node for row in range(start + 1, stop))


# Which variants are small


@pytest.mark.parametrize(
    "rules",
    [*TINY, preset("liars_dice"), preset("zhaifei", dice=1), preset("basic", dice=2)],
    ids=str,
)
def test_small_variants_are_small(rules):
    verify_small(rules)
    assert is_small(rules)


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        (preset("liars_dice", players=3), NotSmall, "is for two players; these rules have 3"),
        (
            preset("liars_dice", dice=2),
            NotSmall,
            r"need 26\.\d GiB for the 1.68e\+07 bid histories",
        ),
        (Rules(), NotSmall, "the limit is 1 GiB"),
    ],
)
def test_others_are_refused(rules, error, message):
    assert not is_small(rules)
    for refuse in (verify_small, ExactSolver):
        with pytest.raises(error, match=message):
            refuse(rules)


def test_memory_is_as_announced():
    rules = preset("basic", dice=2)
    solver = ExactSolver(rules)
    arrays = [*solver._tree, *solver._sweep]
    taken = sum(array.nbytes for array in arrays)
    assert taken == pytest.approx(memory_needed(rules), rel=0.01)
    assert memory_needed(preset("zhaifei", dice=1)) < MEMORY_LIMIT


# Running


@pytest.mark.parametrize("rules", [preset("liars_dice"), preset("basic", dice=2)], ids=str)
def test_exploitability_falls(rules):
    solver = ExactSolver(rules)
    found = [solver.exploitability().exploitability]
    for until in (10, 100, 1000):
        solver.run(until - solver.iterations)
        found.append(solver.exploitability().exploitability)
    assert all(after < before / 4 for before, after in pairwise(found))


@pytest.mark.parametrize("predictive", [False, True])
def test_resuming_continues_bit_for_bit(predictive, monkeypatch):
    rules = preset("liars_dice", faces=4)
    solver = ExactSolver(rules, predictive)
    solver.run(20)
    saved = {name: array.copy() for name, array in solver.state().items()}
    solver.run(30)
    monkeypatch.setattr(exact, "_CHUNK", 1)  # Nor does it matter how a run is cut.
    resumed = ExactSolver(rules)
    resumed.run(3)
    resumed.restore(saved)
    assert resumed.iterations == 20
    for iterations in (1, 29):
        resumed.run(iterations)
    for name, array in solver.state().items():
        assert array.tobytes() == resumed.state()[name].tobytes(), name
    assert solver.exploitability() == resumed.exploitability()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"regret": None}, "the saved state has no regret"),
        (
            {"regret": np.zeros((3, 6))},
            r"regret is float64 \(3, 6\) .* it must be float64 \(127, 3\)",
        ),
        ({"average": np.zeros((127, 3), np.float32)}, "average is float32"),
        ({"iterations": np.array(-1)}, "iterations has a value that is not from 0"),
        ({"regret": np.full((127, 3), np.nan)}, "regret has a value"),
        ({"average": np.full((127, 3), -1.0)}, "average has a value"),
        ({"strategy": np.zeros((127, 3))}, "strategy has a value that is not from 0.999999"),
        ({"more": np.zeros(3)}, "the saved state has 'more', which is unknown"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(change, message):
    solver = ExactSolver(preset("liars_dice", faces=3))
    solver.run(10)
    before = {name: array.copy() for name, array in solver.state().items()}
    state = {**ExactSolver(solver.rules).state(), **change}
    with pytest.raises(StateError, match=message):
        solver.restore({name: array for name, array in state.items() if array is not None})
    for name, array in solver.state().items():
        np.testing.assert_array_equal(array, before[name])


# The table


@pytest.mark.parametrize("rules", [*TINY, preset("liars_dice")], ids=str)
def test_the_table_is_the_average_strategy(rules):
    solver = solved(rules, 100)
    table, tree = solver.strategy(), public_tree(bid_tables(rules))
    average, numbers = solver.state()["average"], node_numbers(rules)
    challenge = challenge_action(rules)
    assert dense(table).dtype == np.float32
    assert dense(table).any(axis=1).all()
    for history, number in numbers.items():
        actions = np.array([action_of(rules, bid) for bid in history], dtype=np.int64)
        node = node_of(table, actions, actions.size)
        first = tree.first_row[number] + (0 if history else 1)
        sums = average[first : tree.first_row[number + 1]]
        total = sums.sum(axis=0)
        if node == NO_NODE:
            assert not total.any()
            continue
        assert table.context[node] == context_of(table.recall, actions, actions.size)
        rows = slice(table.first_row[node], table.end_row[node])
        assert (np.diff(table.action[rows]) > 0).all()
        played = dict(zip(table.action[rows].tolist(), rows_at(table, node), strict=True))
        for move, row in zip(moves(rules, history), sums, strict=True):
            action = challenge if move is None else action_of(rules, move)
            absent = 1.0 if move is None else 0.0
            expected = np.where(total > 0, row / np.where(total > 0, total, 1), absent)
            np.testing.assert_allclose(played.pop(action, 0 * total), expected, atol=1e-7)
        assert not played


def test_a_large_variant_runs():
    solver = ExactSolver(preset("zhaifei", dice=1))
    solver.run(3)
    best = solver.exploitability()
    assert 0.05 < best.exploitability < 0.5
    assert -best.responder < solver.value() < best.opener
