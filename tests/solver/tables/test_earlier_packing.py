"""Compact strategies in files of earlier versions: they are read as they were, and what is damaged
is noticed."""

import tracemalloc
import zlib

import numpy as np
import pytest

from tests.solver.earlier_packed import bomb, deflated, earlier_packed
from tests.solver.random_tables import with_holes
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.tables import earlier_packing
from zhaifei.solver.tables.earlier_packing import unpack
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import ARRAYS, StrategyTable, StrategyTableError

RULES = Rules(dice=2, faces=3)
BIDS = bid_tables(RULES)
RECALL = recall_tables(RULES, "full")
STREAMS = ["context", "rows", "action", "hands", "hand", "share"]


@pytest.fixture(scope="module")
def compact() -> StrategyTable:
    return with_holes(RULES, 0.02, dtype=np.uint8)


def inflated(packed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    dtypes = earlier_packing._dtypes(BIDS)
    return {
        name: np.frombuffer(zlib.decompress(array.tobytes()), dtypes[name])
        for name, array in packed.items()
    }


def raises_become(action: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.where(action == BIDS.claimed.size, action, other)


def test_what_was_packed_comes_back(compact) -> None:
    assert compact.context.size > 20
    back = unpack(BIDS, RECALL, earlier_packed(BIDS, compact))
    assert (back.steps, back.unit, back.hands) == (255, 1 / 255, len(hands(RULES)))
    for name in (*ARRAYS, "end_row"):
        array = getattr(back, name)
        np.testing.assert_array_equal(array, getattr(compact, name))
        assert array.dtype == getattr(compact, name).dtype
        assert not array.flags.writeable


def test_hands_are_as_wide_as_there_are_many() -> None:
    for rules, dtype in ((preset("zhaifei"), np.uint8), (preset("zhaifei", dice=6), np.uint16)):
        assert earlier_packing._dtypes(bid_tables(rules))["hand"] == dtype


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("hands", lambda a: a + np.uint8(1), "do not fit each other"),
        ("share", lambda a: a[1:], "do not fit each other"),
        ("share", lambda a: np.append(a, a[:1]), "do not fit each other"),
        ("action", lambda a: a[1:], "do not fit each other"),
        ("action", lambda a: raises_become(a, a[:1]), "actions must ascend within a node"),
        ("action", lambda a: a + np.uint8(100), "an action is out of range"),
        ("hand", lambda a: a + np.uint8(200), r"hand 2\d\d is out of range"),
        ("hand", lambda a: a[::-1], "hands must ascend"),
        ("rows", lambda a: a + np.uint8(1), "do not fit each other"),
        ("rows", lambda a: np.append(a[1:] * 0, a.sum(dtype=np.uint8)), "at least one each"),
        ("context", lambda a: a[1:], "do not fit each other"),
        ("context", lambda a: a[::-1], "contexts must ascend"),
        ("context", lambda a: a + 1, "no strategy for the start of a round"),
        ("context", lambda a: a.view(np.uint8)[:-1], "do not fit each other"),
        ("share", lambda a: np.full_like(a, 255), "do not add up to 1"),
        ("share", np.zeros_like, "do not add up to 1"),
    ],
)
def test_damage_is_noticed(compact, name, change, message) -> None:
    packed = earlier_packed(BIDS, compact)
    changed = deflated(change(inflated(packed)[name]))
    with pytest.raises(StrategyTableError, match=message):
        unpack(BIDS, RECALL, {**packed, name: changed})


def test_hands_that_are_stored_of_a_challenge_are_noticed(compact) -> None:
    packed = earlier_packed(BIDS, compact)
    hands, action = inflated(packed)["hands"].copy(), compact.action
    challenge = int((action == BIDS.claimed.size).argmax())
    raising = int(np.flatnonzero((action != BIDS.claimed.size) & (hands > 0))[0])
    hands[challenge] += 1
    hands[raising] -= 1
    with pytest.raises(StrategyTableError, match=r"stored of a challenge|must ascend"):
        unpack(BIDS, RECALL, {**packed, "hands": deflated(hands)})


def test_what_cannot_be_decompressed_is_noticed(compact) -> None:
    packed = earlier_packed(BIDS, compact)
    noise = np.frombuffer(b"noise", dtype=np.uint8)
    with pytest.raises(StrategyTableError, match="cannot be decompressed"):
        unpack(BIDS, RECALL, {**packed, "share": noise})
    for part in (packed["share"][:-5], np.append(packed["share"], noise)):
        with pytest.raises(StrategyTableError, match="do not fit each other"):
            unpack(BIDS, RECALL, {**packed, "share": part})


def test_arrays_that_are_missing_or_unknown_are_noticed(compact) -> None:
    packed = earlier_packed(BIDS, compact)
    for changed in (
        {name: array for name, array in packed.items() if name != "rows"},
        {**packed, "more": packed["rows"]},
    ):
        with pytest.raises(StrategyTableError, match="other arrays"):
            unpack(BIDS, RECALL, changed)


@pytest.mark.parametrize("name", STREAMS)
def test_nothing_is_inflated_beyond_what_the_other_arrays_imply(compact, name, monkeypatch) -> None:
    packed = {**earlier_packed(BIDS, compact), name: bomb(64)}
    monkeypatch.setattr(earlier_packing, "room", lambda: 8 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(StrategyTableError, match=r"do not fit each other|out of range"):
            unpack(BIDS, RECALL, packed)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_a_strategy_for_which_there_is_no_memory_is_refused(compact, monkeypatch) -> None:
    packed = earlier_packed(BIDS, compact)
    of_rows = 16 * compact.context.size + 12 * compact.action.size
    needed = of_rows + 6 * compact.hand.size
    for room in (needed - 1, of_rows - 1):
        monkeypatch.setattr(earlier_packing, "room", lambda room=room: room)
        with pytest.raises(StrategyTableError, match="there is room for"):
            unpack(BIDS, RECALL, packed)
    monkeypatch.setattr(earlier_packing, "room", lambda: needed)
    unpack(BIDS, RECALL, packed)
