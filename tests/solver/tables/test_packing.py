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
from solver.tables.strategy_table import StrategyTable, StrategyTableError
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


def raises_become(action: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.where(action == BIDS.claimed.size, action, other)


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
        ("hands", lambda a: a + np.uint8(1), "do not fit each other"),
        ("share", lambda a: a[1:], "do not fit each other"),
        ("share", lambda a: np.append(a, a[:1]), "do not fit each other"),
        ("action", lambda a: a[1:], "do not fit each other"),
        (
            "action",
            lambda a: raises_become(a, a[:1]),
            "actions must ascend within a node",
        ),
        (
            "action",
            lambda a: raises_become(a, a + np.uint8(200)),
            "an action is out of range",
        ),
        ("hand", lambda a: a + np.uint8(200), r"hand 2\d\d is out of range"),
        ("rows", lambda a: a + np.uint8(1), "do not fit each other"),
        ("rows", lambda a: np.append(a[1:] * 0, a.sum(dtype=np.uint8)), "do not"),
        ("context", lambda a: a[1:], "do not fit each other"),
        ("context", lambda a: a[::-1], "contexts must ascend"),
        ("context", lambda a: a.view(np.uint8)[:-1], "do not fit each other"),
        ("share", lambda a: np.full_like(a, 255), "do not add up to 1"),
        ("share", np.zeros_like, "do not add up to 1"),
    ],
)
def test_damage_is_noticed(compact, name, change, message) -> None:
    packed = pack(BIDS, compact)
    changed = deflated(change(inflated(RULES, packed)[name]))
    with pytest.raises(ValueError, match=message):
        unpack(BIDS, RECALL, {**packed, name: changed})


def test_what_cannot_be_decompressed_is_noticed(compact) -> None:
    packed = pack(BIDS, compact)
    noise = np.frombuffer(b"noise", dtype=np.uint8)
    with pytest.raises(StrategyTableError, match="cannot be decompressed"):
        unpack(BIDS, RECALL, {**packed, "share": noise})
    for part in (packed["share"][:-5], np.append(packed["share"], noise)):
        with pytest.raises(StrategyTableError, match="do not fit each other"):
            unpack(BIDS, RECALL, {**packed, "share": part})


def test_arrays_that_are_missing_or_unknown_are_noticed(compact) -> None:
    packed = pack(BIDS, compact)
    for changed in (
        {name: array for name, array in packed.items() if name != "rows"},
        {**packed, "more": packed["rows"]},
    ):
        with pytest.raises(StrategyTableError, match="other arrays"):
            unpack(BIDS, RECALL, changed)


def bomb(length: int) -> np.ndarray:
    """What stands for `length` MB of zeros, in a thousandth."""
    stream = zlib.compressobj()
    megabyte = bytes(1 << 20)
    parts = [stream.compress(megabyte) for _ in range(length)]
    return np.frombuffer(b"".join([*parts, stream.flush()]), dtype=np.uint8)


@pytest.mark.parametrize("name", ["context", "rows", "action", "hands", "hand", "share"])
def test_nothing_is_inflated_beyond_what_the_other_arrays_imply(compact, name, monkeypatch) -> None:
    packed = {**pack(BIDS, compact), name: bomb(64)}
    monkeypatch.setattr(packing, "room", lambda: 8 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(StrategyTableError, match=r"do not fit each other|out of range"):
            unpack(BIDS, RECALL, packed)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_a_strategy_for_which_there_is_no_memory_is_refused(compact, monkeypatch) -> None:
    packed, rows = pack(BIDS, compact), compact.action.size
    entries = np.count_nonzero(compact.probability[compact.action < BIDS.claimed.size])
    needed = 16 * compact.context.size + rows * BIDS.prior.size + 2 * entries
    for room in (needed - 1, needed - 2 * entries - 1):
        monkeypatch.setattr(packing, "room", lambda room=room: room)
        with pytest.raises(StrategyTableError, match="there is room for"):
            unpack(BIDS, RECALL, packed)
    monkeypatch.setattr(packing, "room", lambda: needed)
    unpack(BIDS, RECALL, packed)
