"""Averages without small shares: what is left out, that it comes back, and that play gains."""

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.twins.tree_twin import History, by_hand, nodes_of
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import small_shares
from zhaifei.solver.cfr.row_precision import widen
from zhaifei.solver.cfr.small_shares import LEAST_SHARES, least_share, without_small_shares
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response.full_recall import full_recall_response

both_ways = in_both_ways(small_shares)
THREE = Rules.of(players=3, dice=1, faces=3, jump_challenge=True)
LEAST = 0.2


def trained(rules: Rules, passes: int, *, large: bool = False) -> TreeCFR:
    solver = TreeCFR(rules, threads=None, large=large)
    for _ in range(passes):
        solver.advance()
    return solver


def averages(solver: TreeCFR) -> dict[History, np.ndarray]:
    """[hand] the average with which each history is reached by its last action."""
    rows = widen(by_hand(solver.grown)["average"])
    return {history: rows[node] for history, node in nodes_of(solver.grown.state()).items()}


def thresholded(before: dict[History, np.ndarray], least: float) -> dict[History, np.ndarray]:
    """The same without small shares, hand by hand."""
    found = {history: row.copy() for history, row in before.items()}
    for parent, row in before.items():
        children = [one for one in before if one and one[:-1] == parent]
        for hand in range(row.size if children else 0):
            own = np.array([before[child][hand] for child in children])
            for child, average in zip(children, own, strict=True):
                if average < least * own.sum() and average < own.max():
                    found[child][hand] = 0.0
    return found


@pytest.mark.parametrize("large", [False, True])
def test_small_shares_are_left_out_and_come_back(large, both_ways):
    solver = trained(THREE, 60, large=large)
    before, rows = averages(solver), solver.grown.tree.average.copy()
    wanted = thresholded(before, LEAST)
    with without_small_shares(solver.grown, LEAST):
        found = averages(solver)
    assert (solver.grown.tree.average == rows).all()
    dropped = 0
    for history, row in found.items():
        if history:
            assert row.tolist() == wanted[history].tolist(), history
            dropped += int((row < before[history]).sum())
    assert dropped > 10


def test_the_first_nodes_keep_their_shares():
    solver = trained(THREE, 60)
    rows = solver.grown.tree.average.copy()
    with without_small_shares(solver.grown, LEAST, len(solver.grown)):
        assert (solver.grown.tree.average == rows).all()


def test_the_largest_share_stays_however_small():
    solver = trained(THREE, 60)
    with without_small_shares(solver.grown, 1.0):
        played = averages(solver)
    for parent in played:
        children = [one for one in played if one and one[:-1] == parent]
        if children:
            shares = np.array([played[child] for child in children])
            assert ((shares > 0).sum(axis=0) <= 1).all()
            assert ((shares > 0).sum(axis=0)[np.array(shares.max(axis=0)) > 0] == 1).all()


def test_all_least_shares_have_their_turn():
    assert {least_share(passes) for passes in range(3)} == {*LEAST_SHARES}


@pytest.mark.parametrize("rules", [THREE, preset("zhaifei", players=3, dice=1)], ids=str)
def test_the_best_average_is_the_one_that_was_measured(rules):
    solver, lowest, left_out = TreeCFR(rules, threads=None), np.inf, 0
    for _ in range(150):
        grows_after = solver._grows_after
        solver.advance()
        if solver._grows_after != grows_after:
            whole = solver.respond(np.inf).nash_conv
            lowest = min(lowest, whole)
            left_out += solver.nash_conv < lowest - 1e-6
            found = full_recall_response(bid_tables(rules), solver.strategy()).nash_conv
            assert found.upper == pytest.approx(solver.nash_conv, abs=1e-5)
            assert solver.nash_conv <= lowest + 1e-6
    assert left_out, "without small shares play was never better"
