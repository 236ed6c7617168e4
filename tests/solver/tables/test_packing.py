"""Compact strategies in files: what is packed comes back, as a whole and in parts, and what is
damaged is noticed."""

import tracemalloc
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.plain_game import histories
from tests.solver.random_tables import with_gaps, with_holes
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr.mccfr import MCCFR
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables import (
    decoding,
    encoding,
    node_coding,
    packing,
    range_coding,
    record_classes,
    record_walk,
)
from zhaifei.solver.tables.packing import PackedTable, pack
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.storing import store
from zhaifei.solver.tables.strategy_table import (
    ARRAYS,
    STEPS,
    StrategyTable,
    StrategyTableError,
    arrays_of,
    strategy_after,
    strategy_table,
    verify_strategy,
)
from zhaifei.solver.tables.tree_links import links_of

RULES = Rules.of(dice=2, faces=3)
BIDS = bid_tables(RULES)
RECALL = recall_tables(RULES, "full")
THREE = Rules.of(players=3, dice=1, faces=3)
JUMPS = Rules.of(players=3, dice=1, faces=3, jump_challenge=True)

DOUBLED = Rules.of(dice=1, faces=3, doubled=(2, 4))

both_ways = in_both_ways(
    packing, encoding, decoding, node_coding, record_walk, record_classes, range_coding
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch) -> None:
    """Blocks of two bids are for large tables."""
    monkeypatch.setattr(packing, "_MANY_NODES", 4)


@pytest.fixture(autouse=True)
def compiled(monkeypatch) -> None:
    """Else tests that run before anything has been compiled would read the starts of blocks."""
    monkeypatch.setattr(packing, "must_be_compiled", lambda kernel, *arguments: False)


@pytest.fixture
def nothing_compiled(compiled, monkeypatch) -> None:
    monkeypatch.setattr(packing, "must_be_compiled", lambda kernel, *arguments: True)


def trained(rules: Rules, passes: int, monkeypatch: pytest.MonkeyPatch) -> StrategyTable:
    monkeypatch.setattr("zhaifei.solver.tables.strategy_table._EXACT_ENTRIES", 0)
    solver = TreeCFR(rules)
    for _ in range(passes):
        solver.advance()
    return solver.average()


def sampled(rules: Rules, recall: str, sweeps: int, monkeypatch) -> StrategyTable:
    monkeypatch.setattr("zhaifei.solver.tables.strategy_table._EXACT_ENTRIES", 0)
    solver = MCCFR(rules, recall)
    while solver.sweeps < sweeps:
        solver.advance()
    return solver.strategy()


@pytest.fixture(scope="module")
def holes() -> StrategyTable:
    """A fifth of the histories are gaps."""
    return with_gaps(RULES, 400, 0, np.uint16)


@pytest.fixture
def small(monkeypatch) -> StrategyTable:
    return trained(RULES, 40, monkeypatch)


def back(rules: Rules, table: StrategyTable) -> PackedTable:
    return PackedTable(bid_tables(rules), table.recall, pack(bid_tables(rules), table))


def verify_same(found: StrategyTable, table: StrategyTable) -> None:
    assert (found.steps, found.hands, found.unit) == (table.steps, table.hands, table.unit)
    for name, array in arrays_of(table).items():
        np.testing.assert_array_equal(arrays_of(found)[name], array)
        assert arrays_of(found)[name].dtype == array.dtype
    assert not any(getattr(found, name).flags.writeable for name in ARRAYS)


VARIANTS = [
    RULES,
    THREE,
    JUMPS,
    preset("zhaifei", dice=2),
    Rules.of(players=4, dice=1, faces=2),
    DOUBLED,
    Rules.of(dice=2, faces=3, doubled=(2, 8), giving_up="half", ones_end_fei=True),
    Rules.of(players=3, dice=1, faces=3, doubled=(2, 4)),
]


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_trained_policies_come_back(rules, monkeypatch) -> None:
    table = trained(rules, 40, monkeypatch)
    assert table.steps == STEPS
    assert table.context.size > 5
    verify_same(back(rules, table).whole, table)


def test_what_kernels_do_as_python_is_the_same(small, both_ways) -> None:
    packed = back(RULES, small)
    verify_same(packed.whole, small)
    assert {len(block.bids) for block in packed._blocks} == {0, 1, 2}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_tables_with_holes_come_back(seed, dtype) -> None:
    rules = [RULES, THREE, DOUBLED][seed % 3]
    for table in (
        with_gaps(rules, 10 * seed + 5, seed, dtype),
        with_holes(rules, [0.02, 0.1][seed // 2 % 2], seed, dtype),
    ):
        packed = back(rules, table)
        verify_same(packed.whole, table)
        assert packed._is_tree == (links_of(bid_tables(rules), table) is not None)


def test_hands_that_count_for_no_bid_are_told_apart() -> None:
    rules = Rules.of(dice=3, faces=4, straight="nothing")
    assert (bid_tables(rules).matches.sum(axis=0) == 0).sum() == 4
    table = with_gaps(rules, 60, 0, np.uint16)
    verify_same(back(rules, table).whole, table)


def test_gaps_and_what_is_no_tree_are_among_those_tested(holes) -> None:
    links = links_of(BIDS, holes)
    assert links is not None
    assert links.last.size > holes.context.size > 200
    assert links_of(BIDS, with_holes(RULES, 0.02)) is None


@pytest.mark.parametrize("recall", ["bid", "bid,bid,face"])
def test_tables_with_less_than_full_recall_come_back(recall, monkeypatch) -> None:
    for rules in (RULES, JUMPS):
        table = sampled(rules, recall, 100, monkeypatch)
        verify_same(back(rules, table).whole, table)


@pytest.mark.parametrize("below", [False, True])
def test_a_part_says_the_same_of_its_histories_as_all(holes, below) -> None:
    number = 0
    for history in histories(RULES):
        packed = back(RULES, holes)
        part = packed.part(history[: 1 + number % 3] if below else history, below=below)
        for length in range(len(history) + 1):
            found = strategy_after(part, BIDS, history[:length])
            np.testing.assert_array_equal(found, strategy_after(holes, BIDS, history[:length]))
        number += part.context.size < holes.context.size
        if number > 300:
            break
    assert number > 300


@pytest.mark.parametrize("seed", range(4))
def test_before_kernels_are_compiled_the_starts_of_blocks_say_the_same(
    seed, nothing_compiled
) -> None:
    rules = [RULES, THREE, DOUBLED][seed % 3]
    table, bids = with_gaps(rules, 200, seed, np.uint16), bid_tables(rules)
    arrays, read = pack(bids, table), 0
    for history in histories(rules):
        if len(history) > 2:
            continue
        packed = PackedTable(bids, table.recall, arrays)
        part = packed.part(history)
        read += len(packed._known_starts)
        for length in range(len(history) + 1):
            found = strategy_after(part, bids, history[:length])
            np.testing.assert_array_equal(found, strategy_after(table, bids, history[:length]))
    assert read > 5


def test_one_block_is_read_no_further_than_its_start(holes, nothing_compiled) -> None:
    packed = back(RULES, holes)
    [*_, wanted] = (block.bids for block in packed._blocks if len(block.bids) == 1)
    start = packed.part(wanted)
    assert start.context.size == 2
    assert packed.part(wanted) is start
    below = packed.part(wanted, below=True)
    assert below.context.size > 2
    assert packed.part(wanted) is below


def test_a_damaged_start_is_noticed(holes, nothing_compiled) -> None:
    arrays = pack(BIDS, holes)
    damaged = np.full_like(arrays["packed"], 255)
    with pytest.raises(StrategyTableError):
        PackedTable(BIDS, RECALL, {**arrays, "packed": damaged}).part(())


def test_blocks_of_two_bids_are_those_of_many_nodes(holes) -> None:
    links = links_of(BIDS, holes)
    packed = back(RULES, holes)
    long = {block.bids for block in packed._blocks if len(block.bids) == 2}
    for opening in packing._children(links, 0):
        for place in packing._children(links, opening):
            many = packing._below(links.first_child, links.child, place).size >= 4
            assert ((links.last[opening], links.last[place]) in long) == many
    assert 3 < len(long) < len(packed._blocks) - 1


def test_a_history_of_two_bids_is_read_without_what_else_begins_like_it(holes) -> None:
    packed = back(RULES, holes)
    first = next(block.bids for block in packed._blocks if len(block.bids) == 2)
    alone, opening = packed.part(first), packed.part(first[:1], below=True)
    assert packed.part(first[:1]) is alone  # it has that, too
    assert 1 < alone.context.size < opening.context.size < holes.context.size


def test_a_part_reads_no_other_block(holes) -> None:
    arrays = pack(BIDS, holes)
    sizes = arrays["blocks"][:, -1]
    packed = back(RULES, holes)
    wanted = next(n for n, block in enumerate(packed._blocks) if len(block.bids) == 2 and n > 3)
    bids = packed._blocks[wanted].bids
    used = {0, [block.bids for block in packed._blocks].index(bids[:1]), wanted}
    unused = np.array([number not in used for number in range(len(sizes))])
    damaged = np.where(np.repeat(unused, sizes), 255, arrays["packed"]).astype(np.uint8)
    part = PackedTable(BIDS, RECALL, {**arrays, "packed": damaged}).part(bids)
    verify_same(part, packed.part(bids))
    assert part.context.size == arrays["blocks"][[*used], 3].sum()
    with pytest.raises(StrategyTableError, match="do not fit"):
        _ = PackedTable(BIDS, RECALL, {**arrays, "packed": damaged}).whole


def test_who_asks_for_many_parts_gets_all(holes, monkeypatch) -> None:
    monkeypatch.setattr(packing, "_MOST_PARTS", 4)
    packed = back(RULES, holes)
    first = [block.bids for block in packed._blocks if len(block.bids) == 1]
    for bids in first[: packing._MOST_PARTS]:
        assert packed.part(bids, below=True) is packed.part(bids, below=True)
        assert packed.part(bids).context.size < holes.context.size
    verify_same(packed.part(first[packing._MOST_PARTS]), holes)
    assert packed.part(first[0]) is packed.whole


def test_a_strategy_whose_shares_do_not_add_up_is_not_packed() -> None:
    table = with_holes(RULES, 0.3, 1, np.uint16)
    share = table.share.copy()
    share[0] -= 1
    with pytest.raises(StrategyTableError, match="do not add up to 1"):
        pack(BIDS, table._replace(share=share))


def test_a_strategy_that_makes_a_lower_bid_is_not_packed(both_ways) -> None:
    table = with_gaps(RULES, 60, 0, np.uint16)
    lowest = table.action.copy()
    lowest[table.first_row[1:]] = 0
    with pytest.raises(StrategyTableError, match="is not above the bid before it"):
        pack(BIDS, table._replace(action=lowest))


# What is damaged


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("steps", lambda a: a.astype(np.int32), "wrong type"),
        ("steps", lambda a: np.append(a, a), "wrong type"),
        ("steps", lambda a: a * 0 + 1, "wrong type"),
        ("steps", lambda a: a + 1, "wrong type"),
        ("steps", lambda a: a * 0 + 100, "do not"),
        ("blocks", lambda a: a[:, 2:], "wrong type"),
        ("blocks", lambda a: a[:, 1:], "wrong type"),
        ("blocks", lambda a: a[0], "wrong type"),
        ("blocks", lambda a: a[1:], "do not fit"),
        ("blocks", lambda a: a[:0], "do not fit"),
        ("blocks", lambda a: a[:-1], "do not fit"),
        ("blocks", lambda a: a[[0, 2, 1, *range(3, len(a))]], "do not fit"),
        ("blocks", lambda a: a[[0, 1, 1, *range(3, len(a))]], "do not fit"),
        ("blocks", lambda a: a * [-1, *[1] * (a.shape[1] - 1)], "do not fit"),
        ("blocks", lambda a: a + (1 << 40) * (a == a[2, 0]), "do not fit"),
        ("blocks", lambda a: np.insert(a[:, 1:], 0, -1, axis=1), "do not fit"),
        ("blocks", lambda a: -a, "do not fit"),
        ("blocks", lambda a: a.astype(np.float64), "wrong type"),
        ("packed", lambda a: a[1:], "do not fit"),
        ("packed", lambda a: a[::-1], "do not fit"),
        ("packed", np.zeros_like, "do not fit"),
        ("packed", lambda a: a * 0 + 255, "do not fit"),
        ("packed", lambda a: a[np.newaxis], "wrong type"),
    ],
)
def test_damage_is_noticed(holes, name, change, message) -> None:
    arrays = pack(BIDS, holes)
    with pytest.raises(StrategyTableError, match=message):
        _ = PackedTable(BIDS, RECALL, {**arrays, name: change(arrays[name])}).whole


def test_arrays_that_are_missing_or_unknown_are_noticed(holes) -> None:
    arrays = pack(BIDS, holes)
    for changed in (
        {name: array for name, array in arrays.items() if name != "blocks"},
        {**arrays, "more": arrays["blocks"]},
    ):
        with pytest.raises(
            StrategyTableError, match="arrays in the file are not a packed strategy"
        ):
            PackedTable(BIDS, RECALL, changed)
    contexts = np.frombuffer(zlib.compress(holes.context.tobytes()), np.uint8)
    with pytest.raises(StrategyTableError, match="do not fit"):
        PackedTable(BIDS, RECALL, {**arrays, "context": contexts})


def with_coded(
    arrays: dict[str, np.ndarray], block: int, change: Callable[[bytes], bytes]
) -> dict[str, np.ndarray]:
    """The arrays with other bytes in a block, all sizes right."""
    blocks, packed = arrays["blocks"].copy(), arrays["packed"].tobytes()
    start = int(blocks[:block, -1].sum())
    end = start + int(blocks[block, -1])
    changed = change(packed[start:end])
    blocks[block, -1] = len(changed)
    joined = packed[:start] + changed + packed[end:]
    return {**arrays, "blocks": blocks, "packed": np.frombuffer(joined, np.uint8)}


def test_changed_bytes_are_refused_or_describe_another_strategy(holes, both_ways) -> None:
    """Nothing is read or written outside of arrays: as Python that would be an error."""
    if both_ways == "compiled":
        pytest.skip("reading outside goes unnoticed there")
    arrays, random = pack(BIDS, holes), np.random.default_rng(0)
    refused = other = 0
    for _ in range(400):
        block = int(random.integers(0, min(4, len(arrays["blocks"]))))

        def change(coded: bytes) -> bytes:
            one = bytearray(coded)
            if random.random() < 0.2:
                return coded[: len(coded) // 2]
            one[min(int(random.geometric(0.1)), len(one)) * -1] = int(random.integers(256))
            return bytes(one)

        changed = with_coded(arrays, block, change)
        try:
            bids = [bid for bid in changed["blocks"][block, :2].tolist() if bid >= 0]
            verify_strategy(BIDS, PackedTable(BIDS, RECALL, changed).part(bids))
            other += 1
        except StrategyTableError:
            refused += 1
    assert refused > 100
    assert other > 5


def test_a_block_with_more_bytes_than_it_needs_is_refused(holes) -> None:
    longer = with_coded(pack(BIDS, holes), 1, lambda coded: coded + b"\0")
    with pytest.raises(StrategyTableError, match="do not fit"):
        _ = PackedTable(BIDS, RECALL, longer).whole


def test_a_block_is_coded_piece_by_piece(holes, monkeypatch) -> None:
    arrays = pack(BIDS, holes)
    monkeypatch.setattr(packing, "_BUFFERED", 1)
    for name, array in pack(BIDS, holes).items():
        np.testing.assert_array_equal(array, arrays[name])


def test_hands_that_play_alike_are_coded_once() -> None:
    """A strategy by what counts for one kind takes far fewer bytes than one by hands."""
    rules = preset("zhaifei", dice=2)
    bids, recall = bid_tables(rules), recall_tables(rules, "full")
    random, actions = np.random.default_rng(0), np.arange(4, dtype=np.int16)
    sizes = []
    for groups in (bids.matches[0], np.arange(bids.hands)):
        shares = random.dirichlet(np.ones(4), size=int(groups.max()) + 1).T[:, groups]
        stored = np.empty(shares.shape, dtype=np.uint16)
        grain = np.ones(bids.hands, dtype=np.int64)
        store.py_func(shares.astype(np.float32), STEPS, grain, stored)
        table = strategy_table(recall, np.array([0]), np.array([0, 4]), actions, stored)
        verify_same(back(rules, table).whole, table)
        sizes.append(pack(bids, table)["packed"].size)
    assert sizes[0] * 3 < sizes[1]


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_numbers_of_what_a_block_has_are_not_believed(holes, count, monkeypatch) -> None:
    arrays = pack(BIDS, holes)
    too_many = "do not fit" if count == 2 else "there is room for"
    for number, message in ((2**40, too_many), (2**62, too_many), (0, "do not fit")):
        blocks = arrays["blocks"].copy()
        blocks[1:3, count] = number
        with pytest.raises(StrategyTableError, match=message):
            _ = PackedTable(BIDS, RECALL, {**arrays, "blocks": blocks}).whole


def test_packing_takes_little_memory_besides_the_table(monkeypatch) -> None:
    table = trained(preset("zhaifei", dice=3), 60, monkeypatch)
    tracemalloc.start()
    try:
        pack(bid_tables(preset("zhaifei", dice=3)), table)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The filter of contexts has 32 bytes at most for each, and bits have room for all hands.
    assert peak < 3 * table.nbytes + table.context.size * (200 + table.hands)
