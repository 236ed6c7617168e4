"""Trimmed tables: what is kept is what was there, rounded, and what is left out hardly comes up."""

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.random_tables import AskedTable
from tests.solver.twins.self_play_twin import SelfPlayTwin
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables import trimming
from zhaifei.solver.tables.packing import PackedTable, pack
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import (
    NO_NODE,
    STEPS,
    StrategyTable,
    dense,
    node_of,
    strategy_after,
    verify_strategy,
)
from zhaifei.solver.tables.trimming import Thresholds, trimmed
from zhaifei.solver.value.self_play import self_play

RULES = Rules.of(dice=2, faces=3)
THREE = Rules.of(players=3, dice=1, faces=3)
DOUBLED = Rules.of(dice=1, faces=3, doubled=(2, 4))
NOTHING = Thresholds(weight=0.0, hand=0.0, share=0.0, fine=0.0, steps=STEPS)

both_ways = in_both_ways(trimming)


def trained(
    rules: Rules, monkeypatch: pytest.MonkeyPatch, *, compact: bool = True
) -> StrategyTable:
    if compact:
        monkeypatch.setattr("zhaifei.solver.tables.strategy_table._EXACT_ENTRIES", 0)
    solver = TreeCFR(rules)
    for _ in range(40):
        solver.advance()
    return solver.average()


@pytest.mark.parametrize("compact", [True, False], ids=["compact", "exact"])
@pytest.mark.parametrize("rules", [RULES, THREE, DOUBLED], ids=["two", "three", "doubled"])
def test_without_thresholds_all_that_comes_up_is_kept(
    rules: Rules, compact: bool, monkeypatch: pytest.MonkeyPatch, both_ways: None
) -> None:
    tables, whole = bid_tables(rules), trained(rules, monkeypatch, compact=compact)
    kept = trimmed(tables, whole, NOTHING)
    verify_strategy(tables, kept)
    assert {*kept.context.tolist()} <= {*whole.context.tolist()}
    before, after = (self_play(tables, table) for table in (whole, kept))
    rounding = 1e-6 if compact else 1.0 / STEPS
    for one, other in zip(before, after, strict=True):
        assert one.lower == pytest.approx(other.lower, abs=rounding)
    for history, reach in SelfPlayTwin(AskedTable(rules, whole)).reach.items():
        bids = np.array(history, dtype=np.int64)
        if reach > 0 and node_of(whole, bids, bids.size) != NO_NODE:
            assert node_of(kept, bids, bids.size) != NO_NODE
    assert strategy_after(kept, tables, ()) == pytest.approx(
        strategy_after(whole, tables, ()), rel=1e-6, abs=rounding
    )


def test_nodes_of_little_weight_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tables, whole = bid_tables(RULES), trained(RULES, monkeypatch)
    sizes = [
        trimmed(tables, whole, NOTHING._replace(weight=weight)).nodes
        for weight in (0.0, 1e-3, 1e-2, 0.1, 1.1)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > 1
    assert sizes[-1] == 1


def test_small_shares_go_to_other_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    tables, whole = bid_tables(RULES), trained(RULES, monkeypatch)
    kept = trimmed(tables, whole, NOTHING._replace(share=0.2, steps=64))
    verify_strategy(tables, kept)
    shares = dense(kept)
    assert kept.steps == 64
    assert (np.add.reduceat(shares, kept.first_row[np.argsort(kept.first_row)]) == 64).all()
    assert shares[shares > 0].min() >= 0.2 * 64 - 1


def test_hands_that_hardly_come_challenge(monkeypatch: pytest.MonkeyPatch) -> None:
    tables, whole = bid_tables(RULES), trained(RULES, monkeypatch)
    kept = trimmed(tables, whole, NOTHING._replace(hand=0.1))
    challenge = tables.claimed.size
    assert kept.hand.size < trimmed(tables, whole, NOTHING).hand.size
    opening = int(kept.action[kept.first_row[0]])
    assert strategy_after(kept, tables, (opening,))[:, challenge].max() == 1.0


def test_a_trimmed_table_is_packed_and_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tables, whole = bid_tables(RULES), trained(RULES, monkeypatch)
    limits = Thresholds(weight=1e-3, hand=1e-3, share=0.05, fine=0.1, steps=32)
    kept = trimmed(tables, whole, limits)
    read = PackedTable(tables, recall_tables(RULES, "full"), pack(tables, kept)).whole
    assert np.array_equal(read.context, kept.context)
    assert np.array_equal(dense(read), dense(kept))
