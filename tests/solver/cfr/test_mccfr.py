import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from tests.command_line import LONG
from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import histories, moves
from tests.solver.twins.traversal_twin import context_of, grown, nbytes, node_places, slots_of
from zhaifei.game.bids import Bid, action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.solver.bounds import BestResponse
from zhaifei.solver.cfr import infosets, mccfr
from zhaifei.solver.cfr.exact import ExactSolver
from zhaifei.solver.cfr.mccfr import MCCFR, NEVER_BELOW
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.response.table_search import best_response
from zhaifei.solver.tables import storing
from zhaifei.solver.tables import strategy_table as strategy
from zhaifei.solver.tables.recall import RecallError, recall_tables
from zhaifei.solver.tables.recall import context_of as context_of_bids
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import NO_NODE, dense, node_of

LIARS_DICE = preset("liars_dice")
ZHAIFEI = preset("zhaifei", dice=1, faces=3)
TWO_DICE = Rules.of(dice=2, faces=2)

both_ways = in_both_ways(mccfr, storing)


def trained(rules: Rules, recall: str, sweeps: int, **options) -> MCCFR:
    solver = MCCFR(rules, recall, **options)
    advance(solver, sweeps)
    return solver


def advance(solver: MCCFR, sweeps: int) -> None:
    while solver.sweeps < sweeps:
        solver.advance()


def measured(solver: MCCFR) -> BestResponse:
    return best_response(solver.bids, solver.strategy())


def everything(solver: MCCFR) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in solver.state().items()}


# Convergence


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("rules", "sweeps", "enough"),
    [(LIARS_DICE, 100_000, 0.02), (ZHAIFEI, 60_000, 0.01), (TWO_DICE, 20_000, 0.01)],
    ids=str,
)
def test_with_full_recall_play_becomes_optimal(rules, sweeps, enough, threads):
    exact = ExactSolver(rules, predictive=True)
    exact.run(1000)
    value, solver, found = exact.value(), MCCFR(rules, "full", threads=threads), []
    for until in (sweeps // 50, sweeps):
        advance(solver, until)
        best = measured(solver)
        # The value of the game is between what either player's best response leaves.
        assert -best.seats[1].upper - 1e-3 <= value <= best.seats[0].upper + 1e-3
        found.append(best.exploitability.upper)
    assert found[1] < enough
    assert found[1] < found[0] / 3
    assert solver.value == pytest.approx(value, abs=0.01)


def test_liars_dice_is_worth_minus_7_258():
    assert trained(LIARS_DICE, "full", 100_000, seed=3).value == pytest.approx(-7 / 258, abs=0.005)


def test_a_recall_that_forgets_trains_too():
    text = "bid,bid,face<3"
    solver, recall = trained(LIARS_DICE, text, 10_000), recall_tables(LIARS_DICE, text)
    actions = [[*(action_of(LIARS_DICE, b) for b in h), 0] for h in histories(LIARS_DICE)]
    contexts = {context_of_bids(recall, np.array(a), len(a) - 1) for a in actions}
    assert set(solver.state()["context"]) <= contexts
    assert len(contexts) < len(actions) / 10
    assert measured(solver).exploitability.upper < 0.3


def test_more_than_two_players_train():
    solver = trained(Rules.of(players=3, dice=1, faces=2), "full", 5000)
    table = solver.strategy()
    assert np.abs(solver.value) < 1.0
    assert len(table.context) > 50


# Repeating and resuming


def test_with_one_thread_training_repeats_bit_for_bit():
    runs = [trained(TWO_DICE, "bid,face", 500, seed=seed) for seed in (7, 7, 8)]
    assert everything(runs[0]) == everything(runs[1])
    assert everything(runs[0]) != everything(runs[2])
    tables = [run.strategy() for run in runs]
    assert dense(tables[0]).tobytes() == dense(tables[1]).tobytes()
    assert dense(tables[0]).tobytes() != dense(tables[2]).tobytes()


def test_resuming_continues_bit_for_bit():
    solver = trained(LIARS_DICE, "bid,bid", 300, seed=5)
    saved = {name: array.copy() for name, array in solver.state().items()}
    sweeps, value = solver.sweeps, solver.value
    advance(solver, 3000)
    # What was done before restoring makes no difference.
    for before in (0, 2000):
        resumed = trained(LIARS_DICE, "bid,bid", before, seed=5)
        resumed.restore(saved)
        assert (resumed.sweeps, resumed.value) == (sweeps, value)
        advance(resumed, 3000)
        assert everything(resumed) == everything(solver)


def test_taking_the_strategy_changes_nothing():
    solver = trained(ZHAIFEI, "full", 300)
    before = everything(solver)
    one, other = solver.strategy(), solver.strategy()
    assert everything(solver) == before
    assert dense(one).tobytes() == dense(other).tobytes()


# Counting


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_sweep_is_done_once_and_counts_a_pair_per_own_hand(threads):
    solver = MCCFR(ZHAIFEI, "bid", threads=threads)
    assert (solver.sweeps, solver.iterations) == (0, 0)
    assert np.isnan(solver.value)
    for _ in range(8):
        solver.advance()
        assert solver.iterations == solver.sweeps * len(hands(ZHAIFEI))
        weights = solver.state()["opener_value"][1]
        assert weights == solver.sweeps * (solver.sweeps + 1) / 2
    assert solver.sweeps == 2**8 - 1


def test_batches_double_up_to_a_limit():
    solver, stops = MCCFR(preset("zhaifei", dice=3), "bid"), [0]
    for _ in range(12):
        solver.advance()
        stops.append(solver.sweeps)
    largest = stops[-1] - stops[-2]
    assert largest < 1000
    assert np.diff(stops).tolist() == [min(2**batch, largest) for batch in range(12)]


def test_only_information_sets_that_are_reached_are_kept():
    solver = MCCFR(ZHAIFEI, "full")
    every = {context_of(ZHAIFEI, history) for history in histories(ZHAIFEI)}
    counts = []
    for _ in range(10):
        counts.append(len(solver.info_sets))
        solver.advance()
        contexts = solver.state()["context"]
        assert len(set(contexts)) == len(contexts)
        assert set(contexts.tolist()) <= every
    assert counts[0] == 1
    assert all(after >= before for before, after in pairwise(counts))
    assert counts[2] < counts[-1] < len(every)
    # A first sweep may reach only what follows openings, so the table starts small.
    full = MCCFR(preset("zhaifei"), "bid,bid")
    full.advance()
    assert len(full.info_sets) <= 1 + 88
    assert nbytes(full.info_sets) < 10e6


@pytest.mark.parametrize("threads", [0, -2])
def test_fewer_than_one_thread_is_refused(threads):
    with pytest.raises(ZhaifeiError, match=f"threads is {threads}; there must be at least 1"):
        MCCFR(ZHAIFEI, "full", threads=threads)


def test_a_recall_that_does_not_fit_is_refused():
    with pytest.raises(RecallError, match="remembers too much"):
        MCCFR(preset("zhaifei"), ",".join(["bid"] * 10))


# The average strategy


def average_by_hand(
    table, slot: int, places, hand: int, never_below: float = NEVER_BELOW
) -> dict[int, float]:
    """[place] the strategy of one hand, its regrets and averages divided by their sums."""
    rows = {place: table.row[slot + place] for place in places if table.row[slot + place] >= 0}
    sums = {place: float(table.average[row, hand]) for place, row in rows.items()}
    total = sum(sums.values())
    if total > 0:
        sums = {place: s if s / total >= never_below else 0.0 for place, s in sums.items()}
    else:
        sums = {place: max(float(table.regret[row, hand]), 0.0) for place, row in rows.items()}
    if not any(sums.values()):
        return {place: float(place == 0) for place in rows}
    return {place: s / sum(sums.values()) for place, s in sums.items()}


@pytest.mark.parametrize("rules", [TWO_DICE, preset("liars_dice", faces=3)], ids=str)
def test_averages_are_normalised_and_pruned(rules, both_ways):
    table, rng = grown(rules, rows=0.8).table, np.random.default_rng(1)
    table.average[:] = rng.exponential(size=table.average.shape) ** 4
    table.average[rng.random(table.average.shape) < 0.1] = 0.0
    table.average[:, 0][rng.random(len(table.average)) < 0.8] = 0.0
    pruned = never = 0
    for history, node in node_places(rules, table).items():
        places, slot = slots_of(rules, history), int(table.first_slot[node])
        found = np.full((max(places) + 1, len(hands(rules))), 7, dtype=np.float32)
        mccfr.normalised_average(table, slot, len(found), NEVER_BELOW, found)
        for hand in range(len(hands(rules))):
            expected = average_by_hand(table, slot, places, hand)
            for place in range(len(found)):
                assert found[place, hand] == pytest.approx(expected.get(place, 0.0), abs=1e-5)
            sums = [table.average[table.row[slot + place], hand] for place in expected]
            never += not any(sums)
            pruned += any(0 < s < NEVER_BELOW * sum(sums) for s in sums)
    assert pruned > 5
    assert never > 5


def test_averages_keep_something_where_every_share_is_small(both_ways):
    table = grown(TWO_DICE, rows=1.0).table
    node = node_places(TWO_DICE, table)[()]
    places, slot = slots_of(TWO_DICE, ()), int(table.first_slot[node])
    table.average[:] = 1.0
    found = np.zeros((max(places) + 1, len(hands(TWO_DICE))), dtype=np.float32)
    mccfr.normalised_average(table, slot, len(found), 0.9, found)
    assert found.sum(axis=0) == pytest.approx(1.0, abs=1e-5)
    assert found[list(places)].max() < 0.9


@pytest.mark.parametrize("compact", [False, True], ids=["exact", "compact"])
@pytest.mark.parametrize(("rules", "recall"), [(ZHAIFEI, "full"), (TWO_DICE, "bid,face")], ids=str)
def test_the_table_holds_the_average_strategy(rules, recall, compact, monkeypatch):
    solver = trained(rules, recall, 300)
    if compact:
        monkeypatch.setattr(strategy, "_EXACT_ENTRIES", 0)
    table, reached = solver.strategy(), solver.info_sets.table
    nodes = {int(c): node for node, c in enumerate(reached.context[: len(solver.info_sets)])}
    assert table.context.tolist() == sorted(nodes)
    assert dense(table).dtype == (np.uint16 if compact else np.float32)
    assert dense(table).any(axis=1).all()
    seen = set()
    for history in histories(rules):
        actions = np.array([*(action_of(rules, bid) for bid in history), 0])
        node = node_of(table, actions, len(history))
        if node == NO_NODE or node in seen:
            continue
        seen.add(node)
        rows = slice(table.first_row[node], table.end_row[node])
        sums = rows_at(table, node).sum(axis=0)
        np.testing.assert_allclose(sums * table.unit, 1.0, atol=0 if compact else 1e-6)
        assert (np.diff(table.action[rows]) > 0).all()
        played = dict(zip(table.action[rows].tolist(), rows_at(table, node), strict=True))
        slot = int(reached.first_slot[nodes[int(table.context[node])]])
        places = slots_of(rules, history)
        by_hand = [
            average_by_hand(reached, slot, places, hand, NEVER_BELOW if compact else 0.0)
            for hand in range(len(hands(rules)))
        ]
        for place, move in places.items():
            bid = isinstance(move, Bid)
            action = action_of(rules, move) if bid else challenge_action(rules, move)
            found = played.pop(action, np.zeros(len(hands(rules)))) * table.unit
            expected = [strategy.get(place, 0.0) for strategy in by_hand]
            np.testing.assert_allclose(found, expected, atol=1 / 255 + 1e-6 if compact else 1e-5)
        assert not played
    assert len(seen) == len(nodes)


def test_before_training_all_open_with_the_weakest_bid():
    table = MCCFR(TWO_DICE, "full").strategy()
    weakest = action_of(TWO_DICE, moves(TWO_DICE, ())[0])
    assert table.action.tolist() == [weakest]
    assert (dense(table) == 1.0).all()
    assert table.recall is recall_tables(TWO_DICE, "full")


# Memory


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_that_memory_stopped_goes_on_as_if_it_had_not(threads, monkeypatch):
    """What its last batch requested is kept with it."""

    def full(*_, **__):
        raise OutOfMemory("full")

    solver, requests = MCCFR(TWO_DICE, "bid,bid", threads=threads), {"new_contexts", "new_slots"}
    monkeypatch.setattr(infosets, "lengthen", full)
    with pytest.raises(OutOfMemory):
        advance(solver, 10**9)
    stopped = solver.sweeps
    state = {name: array.copy() for name, array in solver.state().items()}
    assert requests <= set(state)
    with pytest.raises(OutOfMemory):
        solver.advance()
    assert solver.sweeps == stopped
    assert everything(solver) == {name: array.tobytes() for name, array in state.items()}
    monkeypatch.undo()
    resumed = MCCFR(TWO_DICE, "bid,bid", threads=threads)
    resumed.restore(state)
    for run in (solver, resumed):
        run.advance()
        assert not requests & set(run.state())
        assert run.sweeps > stopped
    if threads == 1:
        never_stopped = trained(TWO_DICE, "bid,bid", solver.sweeps)
        assert everything(solver) == everything(resumed) == everything(never_stopped)


# Bounds


CHECKED = """
import numpy as np
from zhaifei.game.rules import Rules, preset
from zhaifei.solver.cfr.mccfr import MCCFR
from zhaifei.solver.response.learned import SampledResponse
from zhaifei.solver.value.action_values import action_values, empty_line

for rules, recall in (
    (Rules.of(dice=2, faces=2), "bid,face"),
    (Rules.of(players=3, dice=1, faces=2), "full"),
    (Rules.of(players=3, dice=1, faces=2, jump_challenge=True), "bid,bid"),
    (preset("liars_dice", faces=3), "full"),
):
    solver = MCCFR(rules, recall, threads=2)
    while solver.sweeps < 300:
        solver.advance()
    table, prior = solver.strategy(), solver.bids.prior[0].astype(np.float64)
    ranges = np.stack([prior] * (rules.players - 1))
    opening = np.flatnonzero(solver.bids.legal[0])[:1]
    every = np.arange(prior.size)
    for history in (opening[:0], opening):
        action_values(solver.bids, table, empty_line(solver.bids), history, ranges, every, 0.0)
    response = SampledResponse(rules, table, rules.players - 1, recall)
    while response.traversals < 300:
        response.advance()
    response.strategy()

try:
    solver.info_sets.table.row[:] = 10**6
    solver.advance()
except IndexError:
    print("checked")
"""


@pytest.mark.slow
def test_no_kernel_of_training_reads_or_writes_beyond_its_arrays(tmp_path):
    checking = {
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_OPT": "0",  # compiles faster
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHECKED],
        env={**os.environ, **checking},
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    # The last line spoils the table, so that it is known that checks are made.
    assert result.stdout == "checked\n", result.stderr
