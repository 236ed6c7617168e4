from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyspiel
import pytest

import zhaifei.game.openspiel  # noqa: F401  registers python_zhaifei
from tests.solver.dense_tables import with_rows
from tests.solver.measured import (
    VARIANTS,
    Case,
    any_dtype,
    any_kind,
    any_variant,
    case,
    ended,
    inside,
    openspiel_values,
    slow_best_response,
    slow_raise,
    strategy_at,
)
from tests.solver.plain_game import legal_actions
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import EXACT_GAP, BestResponse, Bounds
from zhaifei.solver.response import table_kernels as kernels
from zhaifei.solver.response import table_search as module
from zhaifei.solver.response.table_search import (
    BestResponseError,
    ResponseSearch,
    best_response,
)
from zhaifei.solver.tables.strategy_table import (
    StrategyTable,
    StrategyTableError,
    dense,
    strategy_table,
)

CUTS = [1.0, 0.1, 0.01, 0.001, 1e-6]

# Exactness


@any_dtype
@any_kind
@any_variant
def test_without_a_cut_both_values_are_exact(variant, kind, dtype):
    tested = case(variant, kind, dtype)
    opener, responder = slow_best_response((variant, kind, dtype))
    result = best_response(tested.tables, tested.table)
    assert result.exact
    for value, bounds in ((opener, result.seats[0]), (responder, result.seats[1])):
        assert inside(value, bounds)
        assert bounds.lower == pytest.approx(value, abs=1e-9)
        assert bounds.upper == pytest.approx(value, abs=1e-9)
    assert inside((opener + responder) / 2, result.exploitability)


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("python_zhaifei(dice=1,faces=2)", "2 faces"),
        ("python_zhaifei(dice=1,faces=3)", "3 faces"),
        ("liars_dice(dice_sides=4)", "liar's dice"),
        ("liars_dice(dice_sides=3)", "liar's dice, full recall"),
    ],
)
@pytest.mark.parametrize("kind", ["random", "missing"])
def test_the_exact_values_are_those_of_openspiel(name, variant, kind):
    tested = case(variant, kind, seed=5)
    theirs = openspiel_values(pyspiel.load_game(name), tested)
    result = best_response(tested.tables, tested.table)
    assert result.seats[0].lower == pytest.approx(theirs[0], abs=1e-9)
    assert result.seats[1].lower == pytest.approx(theirs[1], abs=1e-9)
    assert inside(sum(theirs) / 2, result.exploitability)


# Certificates


@any_kind
@any_variant
def test_at_every_cut_the_intervals_hold_the_exact_values(variant, kind):
    gaps = []
    for seed in range(2):
        key = (variant, kind, np.float32, seed)
        tested, exact = case(*key), slow_best_response(key)
        for cut in CUTS:
            result = best_response(tested.tables, tested.table, cut)
            assert inside(exact[0], result.seats[0]), (seed, cut)
            assert inside(exact[1], result.seats[1]), (seed, cut)
            gaps.append(result.exploitability.gap)
    assert max(gaps) > 0.01  # Otherwise nothing was cut, and nothing tested.


@any_kind
@any_variant
def test_refining_only_narrows_the_intervals_and_ends_with_the_exact_values(variant, kind):
    exact = slow_best_response((variant, kind, np.float32))
    tested = case(variant, kind)
    results = list(ResponseSearch(tested.tables, tested.table).refine())
    for result in results:
        assert inside(exact[0], result.seats[0])
        assert inside(exact[1], result.seats[1])
    for before, after in pairwise(results):
        for wide, narrow in zip(before.seats, after.seats, strict=True):
            assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
    assert results[0].exact or results[0].exploitability.gap > results[-1].exploitability.gap
    assert results[-1].exploitability.gap < EXACT_GAP


def test_refining_stops_at_the_gap_that_is_asked_for():
    tested = case("3 faces")
    results = list(ResponseSearch(tested.tables, tested.table).refine(gap=0.05))
    assert results[-1].exploitability.gap <= 0.05 < results[0].exploitability.gap
    assert all(result.exploitability.gap > 0.05 for result in results[:-1])
    assert not results[-1].exact


def test_refining_stops_at_the_deadline_with_bounds_that_hold():
    tested, exact = case("3 faces"), slow_best_response(("3 faces", "random", np.float32))
    (result,) = ResponseSearch(tested.tables, tested.table).refine(seconds=0.0)
    assert inside(exact[0], result.seats[0])
    assert inside(exact[1], result.seats[1])
    assert result.exploitability.gap > 0.1


@any_kind
def test_a_search_that_runs_out_of_time_inside_a_raise_keeps_its_bounds(kind, monkeypatch):
    """The clock passes the deadline at the first look at it inside a raise, at every raise."""
    monkeypatch.setattr(module, "NODES_PER_CALL", 1)
    tested, exact = case("3 faces", kind), slow_best_response(("3 faces", kind, np.float32))
    search = ResponseSearch(tested.tables, tested.table)
    search._deadline = 0.0
    search.sweep(0.0)
    result = search.result()
    assert inside(exact[0], result.seats[0])
    assert inside(exact[1], result.seats[1])
    if kind in ("random", "uniform"):
        assert result.exploitability.gap > 0.01


@any_kind
def test_pausing_the_kernel_changes_nothing(kind, monkeypatch):
    tested = case("3 faces", kind)
    whole = best_response(tested.tables, tested.table, 1e-4)
    monkeypatch.setattr(module, "NODES_PER_CALL", 1)
    paused = best_response(tested.tables, tested.table, 1e-4)
    assert (paused.seats, paused.nodes) == (whole.seats, whole.nodes)


def changed(table: StrategyTable, **arrays: np.ndarray) -> StrategyTable:
    """The table with other arrays, read-only so that kernels are not compiled for another type."""
    for array in arrays.values():
        array.setflags(write=False)
    return table._replace(**arrays)


def worse(tested: Case) -> Case:
    """The policy that challenges whatever it hears, and opens with the strongest bid it can."""
    rules, recall = tested.rules, tested.table.recall
    strongest = legal_actions(rules, ())[-1]
    table = strategy_table(
        recall,
        np.array([0], dtype=np.int64),
        np.array([0, 1], dtype=np.int64),
        np.array([strongest], dtype=np.int16),
        np.ones((1, len(hands(rules))), dtype=np.float32),
    )
    return Case(rules, table)


@pytest.mark.parametrize("variant", ["3 faces", "liar's dice"])
def test_a_policy_made_worse_is_found_to_be_worse(variant):
    tested = case(variant, "uniform")
    spoilt = worse(tested)
    before = best_response(tested.tables, tested.table, 0.003).exploitability
    after = best_response(spoilt.tables, spoilt.table, 0.003).exploitability
    assert after.lower > before.upper


def test_who_always_challenges_loses_to_every_sure_bid():
    """One die, liar's dice: a bid of one of the own face is true, whatever the other holds."""
    spoilt = worse(case("liar's dice"))
    result = best_response(spoilt.tables, spoilt.table)
    assert result.seats[0].lower == pytest.approx(1.0)
    # The policy opens with two of the wild face: true if both dice show it, one time in 16.
    assert result.seats[1].lower == pytest.approx(1.0 - 2.0 / 16)


# Bounds


def test_exploitability_is_the_mean_of_the_seats():
    result = BestResponse((Bounds(0.1, 0.5), Bounds(0.2, 0.3)), nodes=1, seconds=0.0)
    assert result.exploitability.lower == pytest.approx(0.15)
    assert result.exploitability.upper == pytest.approx(0.4)
    assert result.exploitability.gap == pytest.approx(0.25)
    assert not result.exact


# What is refused


def test_only_two_players_have_best_responses():
    tested = case("2 faces")
    with pytest.raises(BestResponseError, match="these rules are for 3"):
        best_response(bid_tables(Rules.of(players=3, dice=1, faces=2)), tested.table)


def test_a_policy_for_other_rules_is_refused():
    with pytest.raises(StrategyTableError, match="different rules"):
        best_response(case("2 faces").tables, case("3 faces").table)


@pytest.mark.parametrize("action", [0, 7, -1])
def test_a_policy_that_breaks_the_rules_is_refused(action):
    """It answers the weakest bid with itself, with what is no action, or with a negative one."""
    tested = case("2 faces", "uniform")
    actions = tested.table.action.copy()
    actions[tested.table.first_row[1] : tested.table.end_row[1]] = [action] * 5 + [6]
    broken = changed(tested.table, action=actions)
    with pytest.raises(BestResponseError, match="may not follow"):
        best_response(tested.tables, broken)


@pytest.mark.parametrize("action", [6, -1])
def test_a_policy_that_does_not_open_with_a_bid_is_refused(action):
    tested = case("2 faces", "uniform")
    actions = tested.table.action.copy()
    actions[0] = action
    with pytest.raises(BestResponseError, match=f"opens with action {action}, which is not"):
        best_response(tested.tables, changed(tested.table, action=actions))


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_rows_that_are_no_probabilities_are_refused(value):
    tested = case("2 faces", "uniform")
    rows = dense(tested.table)
    rows[tested.table.first_row[1] : tested.table.end_row[1], 1] = value
    with pytest.raises(StrategyTableError, match="negative or zero-sum probabilities"):
        best_response(tested.tables, with_rows(tested.table, rows))


# Kernels


@pytest.fixture(params=["compiled", "python"])
def either(request, monkeypatch):
    """Runs a test with the kernels compiled, and with what they were compiled from."""
    if request.param == "python":
        for owner in (module, kernels):
            for name, value in list(vars(owner).items()):
                if hasattr(value, "py_func"):
                    monkeypatch.setattr(owner, name, value.py_func)


class Opened(NamedTuple):
    """A search just after one node was opened, with what the twin needs."""

    tested: Case
    search: ResponseSearch
    work: kernels.SearchStack
    history: tuple[int, ...]
    reach: np.ndarray


def opened(kind: str, variant: str, history: tuple[int, ...]) -> Opened:
    tested = case(variant, kind)
    search = ResponseSearch(tested.tables, tested.table)
    work = module.workspace(search.game)
    reach = np.random.default_rng(3).random(len(hands(tested.rules)))
    reach[1] = 0.0
    search.start(work, history, reach)
    return Opened(tested, search, work, history, reach)


def nodes(*histories: tuple[int, ...]):
    """Some nodes of a variant without doubles, and of one with them."""
    plain = [("2 dice, 3 faces", history) for history in histories]
    double = bid_tables(VARIANTS["doubled, half"][0]).plain
    doubled = [(), (3,), (3, 3 + double), (3, 3 + double, 3 + 2 * double)]
    doubled = [history for history in doubled if len(history) < 3 or (7,) in histories]
    return pytest.mark.parametrize(
        ("variant", "history"), [*plain, *(("doubled, half", h) for h in doubled)], ids=str
    )


any_node = nodes((), (1,), (4,), (7,))
"""After the strongest bid, (7,), there is no raise."""


def parts(node: Opened, bid: int) -> tuple[np.ndarray, float]:
    """What a raise earns where the round ends after it, and the mass that replies."""
    rules, after = node.tested.rules, (*node.history, bid)
    played, called, raised = strategy_at(node.tested, after), 0.0, node.reach.sum()
    for action in legal_actions(rules, after):
        if action >= len(domain(rules)):
            part = node.reach * played[:, action]
            called = called + ended(rules, after, action, len(node.history)) @ part
            raised -= part.sum()
    return np.asarray(called), float(raised)


def ended_now(node: Opened) -> list[np.ndarray]:
    """[hand] what each ending earns."""
    rules, turn = node.tested.rules, len(node.history)
    endings = [a for a in legal_actions(rules, node.history) if a >= len(domain(rules))]
    return [ended(rules, node.history, a, turn).T @ node.reach for a in endings]


def raises_of(node: Opened) -> list[int]:
    bids = len(domain(node.tested.rules))
    return [a for a in legal_actions(node.tested.rules, node.history) if a < bids]


@pytest.mark.usefixtures("either")
@any_node
@any_kind
def test_opening_a_node_bounds_it_by_the_endings_and_each_raise(kind, variant, history):
    node = opened(kind, variant, history)
    work, game_ = node.work, node.search.game
    never = np.full(len(node.reach), -np.inf)
    ending = np.max([never, *ended_now(node)], axis=0)
    lower, most = [ending], {}
    for bid in raises_of(node):
        called, raised = parts(node, bid)
        lower.append(called - game_.most_cost * raised)
        most[bid] = called + game_.most_cost * raised
        own = game_.matches[game_.kind[bid]]
        np.testing.assert_allclose(work.called[0, bid][own], called, atol=1e-12)
        assert work.raised[0, bid] == pytest.approx(raised, abs=1e-12)
    floor = np.max(lower, axis=0)
    np.testing.assert_allclose(work.lower[0], floor, atol=1e-12)
    np.testing.assert_allclose(work.upper[0], ending, atol=1e-12)
    for bid, upper in most.items():
        room = 2 * game_.most_cost * parts(node, bid)[1]
        gain = np.minimum(upper - floor, room).clip(min=0)
        promise = max(work.promise[0, bid], 0.0)
        assert promise == pytest.approx(work.prior @ gain, abs=1e-12)


@pytest.mark.usefixtures("either")
@nodes((), (1,), (4,))
@any_kind
def test_opening_a_raise_challenges_every_reply(kind, variant, history):
    node = opened(kind, variant, history)
    rules, work, game_ = node.tested.rules, node.work, node.search.game
    for bid in (raises_of(node)[0], raises_of(node)[-1]):
        held = np.full(len(node.reach), -0.1)
        node.search.start(work, history, node.reach)
        node.search.start_raise(work, bid, held, 0.0)
        played = strategy_at(node.tested, (*history, bid))
        called, raised = parts(node, bid)
        lower, replies, most = called.copy(), 0, called + game_.most_cost * raised
        for reply in legal_actions(rules, (*history, bid)):
            part = node.reach * played[:, reply]
            if not part.any() or reply >= len(domain(rules)):
                continue
            line = (*history, bid, reply)
            answered = ended(rules, line, len(domain(rules)), len(history)).T @ part
            own = game_.matches[game_.kind[reply]]
            np.testing.assert_allclose(work.reply_called[0, replies][own], answered, atol=1e-12)
            room = game_.most_cost * part.sum() - answered
            gain = np.minimum(room, (most - held).clip(min=0))
            promise = max(work.reply_promise[0, replies], 0.0)
            assert promise == pytest.approx(work.prior @ gain, abs=1e-12)
            lower, replies = lower + answered, replies + 1
        assert work.replies[0] == replies
        np.testing.assert_allclose(work.raise_lower[0], lower, atol=1e-12)
        np.testing.assert_allclose(work.raise_upper[0], most, atol=1e-12)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("variant", ["2 dice, 3 faces", "doubled, half"])
@any_kind
def test_a_reply_that_is_entered_and_left_replaces_its_bounds(kind, variant):
    node = opened(kind, variant, (1,))
    game_, policy, work = node.search.game, node.search.opponent, node.work
    bid = raises_of(node)[0]
    node.search.start_raise(work, bid, np.full(len(node.reach), -np.inf), 0.0)
    for _ in range(int(work.replies[0])):
        index = kernels.choose_reply(game_, policy, work, 0, 0.0)
        if index == kernels.NO_REPLY:
            break
        kernels.push(game_, policy, work, index)
        kernels.open_node(game_, policy, work, 1)
        while (deeper := kernels.choose_raise(game_, work, 1, 0.0)) != kernels.NO_RAISE:
            kernels.open_raise(game_, policy, work, 1, deeper, np.inf)
            kernels.close_raise(work, 1)
        kernels.pop(game_, work)
        assert work.depth[0] == 0
    exact = slow_raise(node.tested, (1, bid), node.reach)
    assert (work.raise_lower[0] <= exact + 1e-12).all()
    assert (exact <= work.raise_upper[0] + 1e-12).all()


@pytest.mark.usefixtures("either")
@any_kind
def test_the_whole_search_is_exact_compiled_or_not(kind):
    tested, exact = case("2 faces", kind), slow_best_response(("2 faces", kind, np.float32))
    result = best_response(tested.tables, tested.table)
    assert result.exact
    assert inside(exact[0], result.seats[0])
    assert inside(exact[1], result.seats[1])
