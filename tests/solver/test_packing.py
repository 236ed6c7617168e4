"""Compact strategies in files: what is packed comes back, and what is damaged is noticed."""

import numpy as np
import pytest

from game.rules import Rules, preset
from game.tables import bid_tables
from solver import packing
from solver.mccfr import MCCFR
from solver.packing import pack, unpack
from solver.recall import recall_tables
from solver.strategy import StrategyTable
from tests.solver.kernels import in_both_ways

RULES = Rules(dice=2, faces=3)
BIDS = bid_tables(RULES)
RECALL = recall_tables(RULES, "bid,bid,face")

both_ways = in_both_ways(packing)


@pytest.fixture
def compact(monkeypatch: pytest.MonkeyPatch) -> StrategyTable:
    monkeypatch.setattr("solver.strategy._EXACT_ENTRIES", 0)
    solver = MCCFR(RULES, "bid,bid,face")
    while solver.sweeps < 300:
        solver.advance()
    return solver.strategy()


def test_what_is_packed_comes_back(compact, both_ways) -> None:
    assert compact.probability.dtype == np.uint8
    packed = pack(BIDS, compact)
    back = unpack(BIDS, RECALL, packed)
    assert back.unit == compact.unit
    for name in ("context", "first_row", "action", "probability"):
        array = getattr(back, name)
        np.testing.assert_array_equal(array, getattr(compact, name))
        assert array.dtype == getattr(compact, name).dtype
        assert not array.flags.writeable


def test_only_hands_that_raise_are_packed(compact) -> None:
    packed = pack(BIDS, compact)
    raises = compact.action < BIDS.claimed.size
    raising = compact.probability[raises]
    assert packed["hand"].size == packed["share"].size == np.count_nonzero(raising)
    assert 0 not in packed["share"]
    np.testing.assert_array_equal(packed["hands"][raises], (raising > 0).sum(axis=1))
    assert not packed["hands"][~raises].any()
    size = sum(packed[name].nbytes for name in ("hands", "hand", "share"))
    assert size < compact.probability.nbytes


def test_hands_are_as_wide_as_there_are_many() -> None:
    for rules, dtype in ((preset("zhaifei"), np.uint8), (preset("zhaifei", dice=6), np.uint16)):
        solver = MCCFR(rules, "bid")
        solver.advance()
        table = solver.strategy()
        compact = table._replace(probability=np.rint(255 * table.probability).astype(np.uint8))
        packed = pack(bid_tables(rules), compact)
        assert packed["hand"].dtype == packed["hands"].dtype == dtype


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("hands", lambda a: a + np.uint8(1), "do not cover the hands"),
        ("share", lambda a: a[1:], "do not cover the hands"),
        ("action", lambda a: a[1:], "do not cover the hands"),
        ("hand", lambda a: a + np.uint8(200), r"hand 2\d\d is out of range"),
        ("rows", lambda a: a + np.uint8(1), "do not cover the rows"),
        ("context", lambda a: a[1:], "do not cover the rows"),
        ("context", lambda a: a[::-1].copy(), "contexts must ascend"),
    ],
)
def test_damage_is_noticed(compact, name, change, message) -> None:
    packed = pack(BIDS, compact)
    with pytest.raises(ValueError, match=message):
        unpack(BIDS, RECALL, {**packed, name: change(packed[name])})


def test_shares_that_sum_to_more_than_all_leave_no_challenge(compact) -> None:
    packed = pack(BIDS, compact)
    back = unpack(BIDS, RECALL, {**packed, "share": np.full_like(packed["share"], 255)})
    challenges = back.probability[back.action == BIDS.claimed.size]
    assert set(np.unique(challenges)) <= {0, 255}
