import os

import numpy as np
import pytest
from hypothesis import example, given, settings

from tests.game.strategies import any_rules
from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import histories
from tests.solver.twins.traversal_twin import context_of, last_action, nbytes
from tests.solver.twins.traversal_twin import wanted as wanted_node
from zhaifei.game.bids import action_of, challenge_action, challengeable, domain, legal_bids
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.solver.cfr import infosets
from zhaifei.solver.cfr.infosets import EMPTY, ILLEGAL, NO_ROW, InfoSets
from zhaifei.solver.cfr.traversal import run_batch, workspace
from zhaifei.solver.files.state import StateError
from zhaifei.solver.machine import memory
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.tables.recall import FULL, recall_tables

SMALL = [
    preset("liars_dice", faces=3),
    Rules.of(dice=2, faces=2),
    Rules.of(players=3, dice=1, faces=2),
    Rules.of(players=4, dice=1, faces=2, modes=(Mode.FEI,), jump_challenge=True),
]
NONE = np.zeros(0, dtype=np.int64)
NO_NODES = np.zeros((0, 3), dtype=np.int64)

both_ways = in_both_ways(infosets)
small = pytest.mark.parametrize("rules", SMALL, ids=str)
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def new(rules: Rules = SMALL[1]) -> InfoSets:
    text = FULL if len(domain(rules)) <= 62 else "bid"
    return InfoSets(bid_tables(rules), recall_tables(rules, text))


def nodes_for(rules: Rules, wanted) -> np.ndarray:
    return np.array([wanted_node(rules, h) for h in wanted])


def copied(state: dict) -> dict:
    """A state is views of arrays that growth moves."""
    return {name: array.copy() for name, array in state.items()}


def same(one: InfoSets, other: InfoSets) -> None:
    for name, array in one.state().items():
        assert array.tobytes() == other.state()[name].tobytes(), name


# Slots and rows


@settings(max_examples=25)
@example(preset("zhaifei"))  # 斋2 is between 飞3 and 飞5, and may not open
@given(any_rules(max_dice=3, max_faces=3, plain=True))
def test_at_the_start_slots_forbidden_by_the_rules_are_illegal(rules):
    info_sets = new(rules)
    table = info_sets.table
    assert (len(info_sets), table.last[0], table.context[0]) == (1, NO_BID, 0)
    first = infosets.base_bid(table.bids, NO_BID)
    count = infosets.slot_count(table.bids, NO_BID)
    # Challenges of earlier bids have slots as well, forbidden like weak bids.
    assert first + count == challenge_action(rules, rules.furthest_challenge)
    allowed = {action_of(rules, bid) for bid in legal_bids(rules, None)}
    for place in range(count):
        legal = first + place in allowed
        assert table.top[place] == (0.0 if legal else ILLEGAL)
    assert min(allowed) == first
    if rules == preset("zhaifei"):
        assert (table.top[:count] == ILLEGAL).any()


@small
def test_slots_are_the_challenge_and_the_legal_raises(rules, both_ways):
    tables = bid_tables(rules)
    for last, bid in enumerate(domain(rules)):
        slots = range(infosets.slot_count(tables, last))
        raises = [action_of(rules, later) for later in legal_bids(rules, bid)]
        first, *farther = (
            challenge_action(rules, distance) for distance in challengeable(rules, rules.players)
        )
        expected = [first, *raises, *farther]
        assert [infosets.action_in(tables, last, slot) for slot in slots] == expected
        assert infosets.raises_end(tables, last) == 1 + len(raises)


@small
def test_a_new_node_has_a_row_for_its_fallback_alone_and_plays_it(rules, both_ways):
    info_sets, every = new(rules), list(histories(rules))
    info_sets.grow(nodes_for(rules, every), NONE)
    table = info_sets.table
    assert len(info_sets) == len(every) == table.used[2]
    ends = 0
    for node in range(len(info_sets)):
        slot = table.first_slot[node]
        count = infosets.slot_count(table.bids, table.last[node])
        assert slot == ends
        ends = slot + count
        assert table.row[slot] == node
        assert (table.row[slot + 1 : ends] == NO_ROW).all()
        assert (table.fallback[node] == 1.0).all()
        assert not table.scale[node].any()
    assert ends == table.used[1]
    assert not table.regret.any()
    assert not table.average.any()


def test_bids_that_are_not_there_yet_cannot_be_challenged(both_ways):
    rules = SMALL[-1]
    info_sets, every = new(rules), list(histories(rules))
    info_sets.grow(nodes_for(rules, every), NONE)
    table = info_sets.table
    for history in every[1:]:
        node = infosets.find(table, context_of(rules, history))
        first = table.first_slot[node] + infosets.raises_end(table.bids, table.last[node])
        farther = table.top[first : first + table.bids.endings - 1]
        legal = [distance in challengeable(rules, len(history)) for distance in (2, 3)]
        assert farther.tolist() == [0.0 if is_legal else -np.inf for is_legal in legal]


def test_rows_are_given_only_to_slots_that_ask(both_ways):
    info_sets = new()
    info_sets.table.top[2] = 5.0
    wanted = np.array([2, 0, 2, 2])  # one asks often, one has a row
    info_sets.grow(NO_NODES, wanted)
    assert info_sets.table.row[:5].tolist() == [0, NO_ROW, 1, NO_ROW, NO_ROW]
    assert info_sets.table.used[2] == 2
    assert info_sets.table.top[2] == 0.0
    info_sets.table.top[2] = 5.0
    info_sets.grow(NO_NODES, wanted)
    assert info_sets.table.used[2] == 2
    assert info_sets.table.top[2] == 5.0


# Finding


@small
def test_every_node_is_found_and_nothing_else(rules, both_ways):
    info_sets, every = new(rules), list(histories(rules))
    known = every[::3]
    wanted = nodes_for(rules, known)
    info_sets.grow(np.concatenate([wanted, wanted, wanted[:2]]), NONE)
    for history in every:
        node = infosets.find(info_sets.table, context_of(rules, history))
        if history in known:
            assert info_sets.table.context[node] == context_of(rules, history)
            assert info_sets.table.last[node] == last_action(rules, history)
        else:
            assert node == EMPTY
    assert len(info_sets) == len(known)


def colliding(table, number: int) -> list[int]:
    """Contexts that belong into the bucket of context 0, the start of a round."""
    home = infosets._bucket_of(np.full_like(table.bucket_context, EMPTY), 0)
    empty = np.full_like(table.bucket_context, EMPTY)
    found = (c for c in range(1, 10**6) if infosets._bucket_of(empty, c) == home)
    return [next(found) for _ in range(number)]


def test_contexts_in_the_same_bucket_are_told_apart(both_ways):
    info_sets = new()
    *wanted, absent = colliding(info_sets.table, 6)
    info_sets.grow(np.array([(context, 5, 1) for context in wanted]), NONE)
    table = info_sets.table
    nodes = [infosets.find(table, context) for context in (0, *wanted)]
    assert table.context[nodes].tolist() == [0, *wanted]
    assert infosets.find(table, absent) == EMPTY


def test_a_bucket_behind_the_last_is_the_first(both_ways):
    empty = np.full(1024, EMPTY, dtype=np.int64)
    last = next(c for c in range(1, 10**6) if infosets._bucket_of(empty, c) == 1023)
    taken = empty.copy()
    taken[1023] = last + 10**6
    assert infosets._bucket_of(taken, last) == 0


def test_contexts_are_spread_over_the_buckets():
    # Contexts are sums of powers of two or of a few strides; such sets must not fall together.
    for stride in (1, 111, 111**2, 2**20, 2**40):
        empty, used = np.full(4096, EMPTY, dtype=np.int64), set()
        for context in range(0, 1024 * stride, stride):
            used.add(int(infosets._bucket_of(empty, context)))
        # 1024 balls in 4096 bins hit 906 of them on average, with a deviation of 10.
        assert len(used) > 866, stride


# Growth


def test_growth_keeps_what_there_was():
    rules = preset("zhaifei", dice=3)
    info_sets = InfoSets(bid_tables(rules), recall_tables(rules, "bid,bid,bid"))
    rng, small_size = np.random.default_rng(0), nbytes(info_sets)
    expected, last = [0], [NO_BID]
    for _ in range(6):
        fresh = rng.integers(1, 2**50, 200 + 200 * len(expected) // 100)
        wanted = np.ones((fresh.size, 3), dtype=np.int64)
        wanted[:, 0], wanted[:, 1] = fresh, rng.integers(0, len(domain(rules)), fresh.size)
        before = copied(info_sets.state())
        info_sets.grow(wanted, rng.integers(0, int(info_sets.table.used[1]), 300))
        table = info_sets.table
        for name, array in before.items():
            if name not in ("used", "row", "top"):
                assert getattr(table, name)[: len(array)].tobytes() == array.tobytes(), name
        kept = before["row"] != NO_ROW
        assert (table.row[: kept.size][kept] == before["row"][kept]).all()
        rows = table.row[: table.used[1]]
        assert sorted(rows[rows != NO_ROW]) == list(range(table.used[2]))
        # What was not in use before is as new; what is now, is marked.
        assert not table.regret[len(before["regret"]) :].any()
        table.regret[: table.used[2]] = rng.normal(size=(table.used[2], 1))
        table.average[: table.used[2]] = rng.normal(size=(table.used[2], 1))
        order = np.argsort(wanted[:, 0])
        expected += wanted[order, 0].tolist()
        last += wanted[order, 1].tolist()
        assert table.bucket_context.size >= 2 * len(info_sets)
    assert info_sets.table.context[: len(info_sets)].tolist() == expected
    assert info_sets.table.last[: len(info_sets)].tolist() == last
    found = [infosets.find(info_sets.table, context) for context in expected]
    assert found == list(range(len(expected)))
    assert len(expected) > 1024
    assert nbytes(info_sets) > small_size


def test_out_of_memory_leaves_the_table_as_it_was(monkeypatch):
    rules = preset("zhaifei", dice=2)
    info_sets = InfoSets(bid_tables(rules), recall_tables(rules, "bid,bid"))
    wanted = np.stack(
        [np.arange(1, 201), np.zeros(200, dtype=int), np.ones(200, dtype=int)], axis=1
    )
    info_sets.grow(wanted, np.array([3]))
    before, table = copied(info_sets.state()), info_sets.table
    sizes = [array.shape for array in table[2:]]
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(memory, "_MEMORY_SHARE", (nbytes(info_sets) + 1000) / machine)
    with pytest.raises(OutOfMemory, match="the 201 information sets reached fill the memory"):
        info_sets.grow(wanted + np.array([1000, 0, 0]), np.array([4, 5]))
    assert info_sets.table is table
    assert [array.shape for array in table[2:]] == sizes
    for name, array in info_sets.state().items():
        assert array.tobytes() == before[name].tobytes()
    # What needs no more memory is still granted.
    info_sets.grow(np.array([[9999, 0, 1]]), np.array([4]))
    assert len(info_sets) == 202


# State


@small
def test_what_is_restored_is_what_was_saved(rules):
    trained, work, value = new(rules), workspace(bid_tables(rules), 20), np.zeros(2)

    def train(info_sets, sweep):
        work.requested[:] = 0
        run_batch(info_sets.table, work, 1, (sweep, sweep + 1, 1), value)
        info_sets.grow(work.new_contexts[: work.requested[0]], work.new_slots[: work.requested[1]])

    for sweep in range(10):
        train(trained, sweep)
    saved = copied(trained.state())
    for sweep in range(10, 100):
        train(trained, sweep)
    used = new(rules)
    for sweep in range(60):
        train(used, sweep)
    # It makes no difference what was in use before.
    for resumed in (new(rules), used):
        resumed.restore(saved)
        assert sorted(resumed.state()) == sorted(saved)
        for name, array in resumed.state().items():
            assert array.dtype == saved[name].dtype
            assert array.tobytes() == saved[name].tobytes(), name
        for node, context in enumerate(saved["context"]):
            assert infosets.find(resumed.table, context) == node
        for sweep in range(10, 100):
            train(resumed, sweep)
        same(resumed, trained)
    assert len(trained.state()["regret"]) > len(saved["regret"])


ENTRIES = (-(2**62), -2, -1, 0, 1, 2, 5, 50, 2**40, 2**62)


def grown(rules: Rules) -> InfoSets:
    """The first contexts, each with the rows of some slots."""
    info_sets = new(rules)
    short = [history for history in histories(rules) if 0 < len(history) <= 2][:12]
    info_sets.grow(nodes_for(rules, short), NONE)
    table = info_sets.table
    legal = np.flatnonzero(table.top[: table.used[1]] != ILLEGAL)
    info_sets.grow(NO_NODES, legal[::3])
    return info_sets


@small
@pytest.mark.parametrize("name", ["last", "first_slot", "row"])
def test_no_place_can_be_another(rules, name, both_ways):
    """Slots follow from the last bids, these from the contexts; and each row has one slot."""
    table = grown(rules).table
    infosets.verify_info_sets(table)
    places, used = getattr(table, name), int(table.used[1 if name == "row" else 0])
    for place in range(0, used, 1 if name != "row" else 7):
        for entry in {*ENTRIES, used - 1, used, int(table.used[2])} - {int(places[place])}:
            before, places[place] = int(places[place]), entry
            with pytest.raises(StateError):
                infosets.verify_info_sets(table)
            places[place] = before
    infosets.verify_info_sets(table)


@small
def test_contexts_are_unique_and_end_in_the_last_bid(rules):
    table = grown(rules).table
    for node in range(int(table.used[0])):
        before = int(table.context[node])
        for entry in (int(table.context[(node + 1) % table.used[0]]), -1, -before - 2):
            table.context[node] = entry
            with pytest.raises(StateError):
                infosets.verify_info_sets(table)
        table.context[node] = before


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("top", np.nan),
        ("top", np.inf),
        ("top", -1e38),
        ("regret", np.nan),
        ("regret", -np.inf),
        ("regret", 1e38),
        ("average", np.nan),
        ("average", -1.0),
        ("average", np.inf),
    ],
)
def test_numbers_are_sound(name, entry):
    saved = copied(grown(SMALL[1]).state())
    saved[name].flat[-1] = entry
    with pytest.raises(StateError):
        new(SMALL[1]).restore(saved)


def test_checkpoints_of_the_first_version_are_read():
    """They have arrays that follow from others."""
    one, other = grown(SMALL[1]), new(SMALL[1])
    one.table.regret[:4] = np.random.default_rng(0).normal(size=one.table.regret[:4].shape)
    wrong = np.full((len(one), 3), 99.0, dtype=np.float32)
    other.restore({**copied(one.state()), "scale": wrong, "fallback": wrong})
    table, nodes = other.table, len(one)
    hands = np.arange(table.scale.shape[1])
    for node in range(nodes):
        end = table.first_slot[node + 1] if node + 1 < nodes else table.used[1]
        rows = table.row[table.first_slot[node] : end]
        positive = np.maximum(table.regret[rows[rows != NO_ROW]], 0.0).sum(axis=0)
        for hand in hands:
            if positive[hand] == 0.0:
                assert (table.scale[node, hand], table.fallback[node, hand]) == (0.0, 1.0)
                continue
            assert table.scale[node, hand] == pytest.approx(1.0 / positive[hand], rel=1e-5)
            first = max(table.regret[rows[0], hand], 0.0) / positive[hand]
            assert table.fallback[node, hand] == pytest.approx(first, rel=1e-5)


def test_a_context_with_another_last_bid_has_no_node():
    """Scrambled contexts of two histories may coincide."""
    table = grown(SMALL[1]).table
    for node in range(int(table.used[0])):
        context, last = table.context[node], table.last[node]
        assert infosets.node_after(table, context, last) == node
        assert infosets.node_after(table, context, last + 1) == EMPTY


@pytest.mark.parametrize(
    ("place", "entry"),
    [((0, 0), 0), ((0, 0), -5), ((0, 1), -1), ((0, 1), 10**6), ((0, 2), -1), ((0, 2), 99)],
)
def test_requested_nodes_are_sound(place, entry):
    """They are part of a state where memory was full."""
    info_sets, rules = grown(SMALL[1]), SMALL[1]
    wanted = nodes_for(rules, [history for history in histories(rules) if len(history) == 2][-3:])
    info_sets.verify_requests(wanted, NONE)
    wanted[place] = entry
    with pytest.raises(StateError):
        info_sets.verify_requests(wanted, NONE)


@pytest.mark.parametrize("entry", [-1, 10**6, "used", "illegal"])
def test_requested_rows_are_sound(entry):
    info_sets = grown(SMALL[1])
    table = info_sets.table
    slots = int(table.used[1])
    illegal = np.flatnonzero(table.top[:slots] == ILLEGAL)
    entry = {"used": slots, "illegal": illegal[0]}.get(entry, entry)
    legal = np.flatnonzero(table.top[:slots] != ILLEGAL)
    info_sets.verify_requests(NO_NODES, legal)
    with pytest.raises(StateError):
        info_sets.verify_requests(NO_NODES, np.array([legal[0], entry]))
