"""Compact strategies in files: what is packed comes back, and what is damaged is noticed."""

import tracemalloc
import zlib

import numpy as np
import pytest

from game.hands import hands
from game.rules import Rules, preset
from game.tables import bid_tables
from solver.cfr.mccfr import MCCFR
from solver.tables import packing
from solver.tables.packing import pack, unpack
from solver.tables.recall import recall_tables
from solver.tables.strategy_table import StrategyTable
from tests.solver.kernels import in_both_ways

RULES = Rules(dice=2, faces=3)
BIDS = bid_tables(RULES)
RECALL = recall_tables(RULES, "bid,bid,face")

both_ways = in_both_ways(packing)


def inflated(rules: Rules, packed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    wide = np.uint8 if len(hands(rules)) <= 255 else np.uint16
    dtypes = {"context": np.int64, "hands": wide, "hand": wide}
    return {
        name: np.frombuffer(zlib.decompress(array.tobytes()), dtypes.get(name, np.uint8))
        for name, array in packed.items()
    }


def deflated(array: np.ndarray) -> np.ndarray:
    return np.frombuffer(zlib.compress(array.tobytes()), np.uint8)


@pytest.fixture
def compact(monkeypatch: pytest.MonkeyPatch) -> StrategyTable:
    monkeypatch.setattr("solver.tables.strategy_table._EXACT_ENTRIES", 0)
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


def test_packing_takes_little_memory_besides_the_table() -> None:
    """Indices of all entries would take sixteen bytes each."""
    rows, bids = 40_000, bid_tables(preset("zhaifei"))
    random = np.random.default_rng(1)
    probability = random.integers(1, 3, (rows, bids.prior.size), dtype=np.uint8)
    table = StrategyTable(
        RECALL, np.arange(rows), np.arange(rows + 1), np.zeros(rows, dtype=np.int16), probability,
        1 / 255,
    )  # fmt: skip
    tracemalloc.start()
    try:
        packed = pack(bids, table)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    held = sum(array.nbytes for array in packed.values())
    # A block of the indices of its entries takes 16 bytes each, and its parts are copied.
    assert peak < 2 * held + 40 * packing._BLOCK
    assert peak < 16 * probability.size / 2


@pytest.mark.parametrize("block", [1, 100, 10**9])
def test_what_is_packed_does_not_depend_on_the_blocks(compact, block, monkeypatch) -> None:
    expected = pack(BIDS, compact)
    monkeypatch.setattr(packing, "_BLOCK", block)
    for name, array in pack(BIDS, compact).items():
        assert array.tobytes() == expected[name].tobytes(), name


def test_only_hands_that_raise_are_packed(compact) -> None:
    packed = inflated(RULES, pack(BIDS, compact))
    raises = compact.action < BIDS.claimed.size
    raising = compact.probability[raises]
    assert packed["hand"].size == packed["share"].size == np.count_nonzero(raising)
    assert 0 not in packed["share"]
    np.testing.assert_array_equal(packed["hands"][raises], (raising > 0).sum(axis=1))
    assert not packed["hands"][~raises].any()
    assert packed["context"].tolist() == compact.context.tolist()
    assert packed["rows"].tolist() == np.diff(compact.first_row).tolist()
    assert packed["action"].tolist() == compact.action.tolist()


def test_hands_are_as_wide_as_there_are_many() -> None:
    for rules, dtype in ((preset("zhaifei"), np.uint8), (preset("zhaifei", dice=6), np.uint16)):
        solver = MCCFR(rules, "bid")
        solver.advance()
        table = solver.strategy()
        compact = table._replace(probability=np.rint(255 * table.probability).astype(np.uint8))
        packed = inflated(rules, pack(bid_tables(rules), compact))
        assert packed["hand"].dtype == packed["hands"].dtype == dtype
        assert packed["hand"].max() == len(hands(rules)) - 1


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("hands", lambda a: a + np.uint8(1), "do not cover the hands"),
        ("share", lambda a: a[1:], "do not cover the hands"),
        ("action", lambda a: a[1:], "do not cover the hands"),
        ("hand", lambda a: a + np.uint8(200), r"hand 2\d\d is out of range"),
        ("rows", lambda a: a + np.uint8(1), "do not cover the rows"),
        ("context", lambda a: a[1:], "do not cover the rows"),
        ("context", lambda a: a[::-1], "contexts must ascend"),
    ],
)
def test_damage_is_noticed(compact, name, change, message) -> None:
    packed = pack(BIDS, compact)
    changed = deflated(change(inflated(RULES, packed)[name]))
    with pytest.raises(ValueError, match=message):
        unpack(BIDS, RECALL, {**packed, name: changed})


def test_what_cannot_be_decompressed_is_noticed(compact) -> None:
    packed = pack(BIDS, compact)
    with pytest.raises(ValueError, match="cannot be decompressed"):
        unpack(BIDS, RECALL, {**packed, "share": packed["share"][:-5]})


def test_shares_that_sum_to_more_than_all_leave_no_challenge(compact) -> None:
    packed = pack(BIDS, compact)
    shares = inflated(RULES, packed)["share"]
    back = unpack(BIDS, RECALL, {**packed, "share": deflated(np.full_like(shares, 255))})
    challenges = back.probability[back.action == BIDS.claimed.size]
    assert set(np.unique(challenges)) <= {0, 255}
