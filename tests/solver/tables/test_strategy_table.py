import numpy as np
import pytest

from tests.solver.dense_tables import with_rows
from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import histories
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.tables import rows as rows_module
from zhaifei.solver.tables import strategy_table as module
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import (
    NO_NODE,
    STEPS,
    StrategyTableError,
    arrays_of,
    dense,
    strategy_table,
    table_of,
    verify_strategy,
)

VARIANTS = [
    (preset("zhaifei", dice=1, faces=2), "full"),
    (preset("liars_dice", faces=4), "bid,bid"),
    (Rules.of(players=3, dice=1, faces=2), "bid,mode,face<3"),
]
both_ways = in_both_ways(module, rows_module)
any_variant = pytest.mark.parametrize(("rules", "text"), VARIANTS, ids=str)
any_dtype = pytest.mark.parametrize("dtype", [np.float32, np.uint8])


def actions_of(rules: Rules, history) -> np.ndarray:
    bids = domain(rules)
    return np.array([*map(bids.index, history), 0], dtype=np.int64)


def contexts_of(rules: Rules, text: str) -> dict:
    recall = recall_tables(rules, text)
    return {
        history: module.context_of(recall, actions_of(rules, history), len(history))
        for history in histories(rules)
    }


def random_table(rules: Rules, text: str, dtype: type):
    """Two thirds of all nodes, with one to three of any actions; and the rows as a dictionary."""
    rng, number = np.random.default_rng(3), len(hands(rules))
    every = sorted(set(contexts_of(rules, text).values()))
    kept = [context for context in every if context == 0 or rng.random() < 2 / 3]
    rows, first_row, action = {}, [0], []
    for context in kept:
        played = np.sort(rng.choice(len(domain(rules)) + 1, rng.integers(1, 4), replace=False))
        cut = np.sort(rng.integers(0, 256, (len(played) - 1, number)), axis=0)
        steps = np.diff(cut, axis=0, prepend=0, append=255)
        stored = steps.astype(dtype) if dtype is np.uint8 else (steps / 255).astype(dtype)
        rows[context] = dict(zip(played.tolist(), stored, strict=True))
        action += played.tolist()
        first_row.append(len(action))
    probability = np.concatenate([list(rows[context].values()) for context in kept])
    table = strategy_table(
        recall_tables(rules, text),
        np.array(kept),
        np.array(first_row),
        np.array(action, dtype=np.int16),
        probability,
    )
    return table, rows


@any_dtype
@any_variant
def test_nodes_are_found_as_in_a_dictionary(rules, text, dtype, both_ways):
    table, rows = random_table(rules, text, dtype)
    places = {context: node for node, context in enumerate(rows)}
    found = set()
    for history, context in contexts_of(rules, text).items():
        node = module.node_of(table, actions_of(rules, history), len(history))
        assert node == places.get(context, NO_NODE)
        found.add(node)
    assert found == {NO_NODE, *places.values()}


@any_dtype
@any_variant
def test_what_is_written_is_what_the_rows_say_and_a_challenge_elsewhere(
    rules, text, dtype, both_ways
):
    table, rows = random_table(rules, text, dtype)
    bids, challenge = bid_tables(rules), len(domain(rules))
    written = np.full((len(hands(rules)), challenge + 1), 7.0)
    for history, context in contexts_of(rules, text).items():
        module.write_strategy(table, bids, actions_of(rules, history), len(history), written)
        unit = 1 / 255 if dtype is np.uint8 else 1.0
        for action in range(challenge + 1):
            absent = float(context not in rows and action == challenge)
            expected = rows.get(context, {}).get(action, np.array(absent / unit)) * unit
            np.testing.assert_allclose(written[:, action], expected, rtol=1e-6)
        np.testing.assert_allclose(written.sum(axis=1), 1.0, atol=1e-6)


# What is not a strategy


def good() -> dict:
    return {
        "context": np.array([0, 3, 8]),
        "first_row": np.array([0, 1, 3, 4]),
        "action": np.array([0, 1, 6, 6], dtype=np.int16),
        "probability": np.full((4, 2), 1.0, dtype=np.float32),
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"context": np.array([], dtype=int), "first_row": np.array([0])}, "must ascend"),
        ({"context": np.array([0, 8, 3])}, "must ascend"),
        ({"context": np.array([0, 3, 3])}, "must ascend"),
        ({"first_row": np.array([0, 1, 4])}, "one more entry than there are contexts"),
        ({"first_row": np.array([1, 2, 3, 4])}, "first_row must hold"),
        ({"first_row": np.array([0, 1, 1, 4])}, "at least one each"),
        ({"first_row": np.array([0, 3, 1, 4])}, "cover the nodes in order"),
        ({"first_row": np.array([0, 1, 2, 3])}, "cover the nodes in order"),
        ({"action": np.zeros(3, dtype=np.int16)}, "cover the nodes in order"),
        ({"probability": np.ones((5, 2), dtype=np.float32)}, "cover the nodes in order"),
        ({"action": np.array([0, 6, 1, 6], dtype=np.int16)}, "ascend within a node"),
        ({"action": np.array([0, 6, 6, 6], dtype=np.int16)}, "ascend within a node"),
        *(
            ({name: array}, "wrong type or number of axes")
            for name, array in {
                "context": np.array([0.0, 3.0, 8.0]),
                "first_row": np.array([0, 1, 3, 4], dtype=np.uint64),
                "action": np.array([0, 1, 6, 6]),
                "probability": np.ones((4, 2)),
            }.items()
        ),
        ({"context": np.array(0)}, "wrong type or number of axes"),
        ({"context": np.array([[0, 3, 8]])}, "wrong type or number of axes"),
        ({"first_row": np.array(0)}, "wrong type or number of axes"),
        ({"action": np.zeros((4, 1), dtype=np.int16)}, "wrong type or number of axes"),
        ({"probability": np.ones(4, dtype=np.float32)}, "wrong type or number of axes"),
        ({"probability": np.ones((4, 2, 1), dtype=np.float32)}, "wrong type or number of axes"),
    ],
)
def test_arrays_that_are_no_strategy_are_refused(change, message):
    recall = recall_tables(preset("zhaifei", dice=1, faces=2), "full")
    with pytest.raises(StrategyTableError, match=message):
        strategy_table(recall, **{**good(), **change})


@any_dtype
@any_variant
def test_a_strategy_for_the_rules_is_accepted(rules, text, dtype, both_ways):
    verify_strategy(bid_tables(rules), random_table(rules, text, dtype)[0])


@any_dtype
def test_what_is_no_strategy_for_the_rules_is_refused(dtype, both_ways):
    rules, text = VARIANTS[0]
    bids, (table, _) = bid_tables(rules), random_table(rules, text, dtype)
    node = int((table.end_row - table.first_row).argmax())  # with two rows or more
    rows = slice(table.first_row[node], table.first_row[node] + 2)
    for number in (
        [np.nan, np.inf, -1.0, -np.inf, 1.01, 3e38] if dtype is np.float32 else [128, 255]
    ):
        probability = dense(table)
        probability[rows, -1] = number
        with pytest.raises(StrategyTableError, match="do not add up to 1"):
            verify_strategy(bids, with_rows(table, probability))
    none = np.zeros_like(dense(table))
    with pytest.raises(StrategyTableError, match="do not add up to 1"):
        verify_strategy(bids, with_rows(table, none))
    for number in (-1, len(domain(rules)) + 1):
        action = table.action.copy()
        action[0] = number
        with pytest.raises(StrategyTableError, match="an action is out of range"):
            verify_strategy(bids, table._replace(action=action))
    later = table._replace(context=table.context + 1)
    with pytest.raises(StrategyTableError, match="no strategy for the start of a round"):
        verify_strategy(bids, later)
    with pytest.raises(StrategyTableError, match="is for 2 hands, not 3"):
        verify_strategy(bid_tables(preset("zhaifei", dice=1, faces=3)), table)


@any_dtype
def test_a_table_is_read_only_and_knows_its_unit(dtype):
    table, _ = random_table(*VARIANTS[0], dtype)
    assert table.unit == 1 / table.steps == (1 / 255 if dtype is np.uint8 else 1.0)
    assert not any(getattr(table, name).flags.writeable for name in module.ARRAYS)


@any_dtype
@any_variant
def test_the_rows_of_all_hands_come_back(rules, text, dtype, both_ways):
    table, rows = random_table(rules, text, dtype)
    whole = np.concatenate([list(found.values()) for found in rows.values()])
    np.testing.assert_array_equal(dense(table), whole)
    assert dense(table).dtype == dtype
    some = np.array([3, 0, len(whole) - 1])
    np.testing.assert_array_equal(dense(table, some), whole[some])


@any_dtype
def test_a_table_comes_back_from_its_arrays(dtype):
    table, _ = random_table(*VARIANTS[0], dtype)
    arrays = arrays_of(table)
    back = arrays_of(table_of(table.recall, {name: a.copy() for name, a in arrays.items()}))
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype


def test_the_challenges_of_a_compact_table_are_what_other_rows_leave():
    probability = np.array([[200, 3], [55, 252]], dtype=np.uint8)
    recall = recall_tables(preset("zhaifei", dice=1, faces=2), "full")
    rest = recall.code.shape[1] - 1
    arrays = np.array([0]), np.array([0, 2]), np.array([1, rest], dtype=np.int16)
    table = strategy_table(recall, *arrays, probability)
    assert (table.hand.tolist(), table.share.tolist()) == ([0, 1], [200, 3])
    np.testing.assert_array_equal(dense(table), probability)
    with pytest.raises(StrategyTableError, match="do not add up to 1"):
        strategy_table(recall, *arrays, probability - np.array([[0], [1]], dtype=np.uint8))
    stored = {**arrays_of(table), "first_entry": np.array([0, 1, 2])}
    with pytest.raises(StrategyTableError, match="hands are stored of a challenge"):
        table_of(recall, stored)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("first_entry", lambda a: a[:-1], "entries must cover"),
        ("first_entry", lambda a: a + 1, "entries must cover"),
        ("first_entry", lambda a: np.append(a[:-1], a[-1] - 1), "entries must cover"),
        ("first_entry", lambda a: a[[0, 2, 1, *range(3, len(a))]], "entries must cover"),
        ("first_entry", lambda a: a.astype(np.int32), "wrong type"),
        ("hand", lambda a: a[:-1], "entries must cover"),
        ("hand", lambda a: a * 0, "hands must ascend"),
        ("hand", lambda a: a + np.uint16(1), "hand 2 is out of range"),
        ("hand", lambda a: a.astype(np.int64), "wrong type"),
        ("share", lambda a: a[:-1], "entries must cover"),
        ("share", lambda a: a.astype(np.float32), "wrong type"),
        ("share", lambda a: a[np.newaxis], "wrong type"),
        ("hands_and_steps", lambda a: a[:1], "wrong type"),
        ("hands_and_steps", lambda a: a.astype(np.float64), "wrong type"),
        ("hands_and_steps", lambda a: np.array([2, STEPS + 1]), "wrong type"),
        ("hands_and_steps", lambda a: np.array([1, 255]), "hand 1 is out of range"),
    ],
)
def test_damage_to_the_arrays_of_a_sparse_table_is_noticed(name, change, message):
    table, _ = random_table(*VARIANTS[0], np.uint8)
    arrays = arrays_of(table)
    with pytest.raises(StrategyTableError, match=message):
        table_of(table.recall, {**arrays, name: change(arrays[name])})
    with pytest.raises(StrategyTableError, match="arrays in the file are not a strategy"):
        table_of(table.recall, {key: arrays[key] for key in arrays if key != name})
