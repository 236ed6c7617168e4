import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_st

from game.bids import domain
from game.hands import hands
from game.rules import Rules, preset
from game.tables import bid_tables
from solver.tables import strategy_table as module
from solver.tables.recall import recall_tables
from solver.tables.strategy_table import (
    NO_NODE,
    StrategyTableError,
    strategy_table,
    verify_strategy,
)
from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import histories

VARIANTS = [
    (preset("zhaifei", dice=1, faces=2), "full"),
    (preset("liars_dice", faces=4), "bid,bid"),
    (Rules(players=3, dice=1, faces=2), "bid,mode,face<3"),
]
both_ways = in_both_ways(module)
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
        recall_tables(rules, text), np.array(kept), np.array(first_row),
        np.array(action, dtype=np.int16), probability,
    )  # fmt: skip
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


# Storing


@st.composite
def strategies(draw) -> np.ndarray:
    """[action, hand] float32, some entries zero, each hand's sum 1 but for rounding."""
    shape = draw(st.tuples(st.integers(1, 40), st.integers(1, 5)))
    weights = draw(
        numpy_st.arrays(np.float32, shape, elements=st.just(0.0) | st.floats(2**-10, 1.0, width=32))
    )
    chosen = draw(st.integers(0, shape[0] - 1))
    weights[chosen, weights.sum(axis=0) == 0] = 1.0
    return weights / weights.sum(axis=0)


def store(probability: np.ndarray, steps: int, dtype: type) -> np.ndarray:
    stored = np.full(probability.shape, 77, dtype=dtype)
    module.store(probability, steps, stored)
    return stored


@pytest.mark.parametrize("way", ["compiled", "python"])
@settings(max_examples=200)
@given(strategies())
def test_compact_storing_keeps_sums_and_zeros_and_moves_little(way, probability):
    stored = np.full(probability.shape, 77, dtype=np.uint8)
    (module.store if way == "compiled" else module.store.py_func)(probability, 255, stored)
    assert (stored.sum(axis=0, dtype=int) == 255).all()
    assert (stored[probability == 0.0] == 0).all()
    assert np.abs(stored / 255 - probability).max() <= 1 / 255 + 1e-5


def test_what_is_stored_exactly_is_what_was_given(both_ways):
    probability = np.random.default_rng(0).random((7, 5), dtype=np.float32)
    assert store(probability, 1, np.float32).tobytes() == probability.tobytes()


def test_a_pure_strategy_stays_pure_in_steps(both_ways):
    for place in range(4):
        probability = np.zeros((4, 1), dtype=np.float32)
        probability[place] = 1.0
        assert (store(probability, 255, np.uint8) == 255 * probability).all()


def test_rounding_too_high_does_not_wrap_round(both_ways):
    # The sums are above 1 before the last action is reached.
    probability = np.array([[0.69], [0.32], [1e-6]], dtype=np.float32)
    stored = store(probability, 255, np.uint8)
    assert stored.ravel().tolist() == [176, 79, 0]


def test_what_rounding_leaves_goes_to_the_last_action_that_is_played(both_ways):
    probability = np.array([[0.5, 0.0], [0.4, 0.9], [0.0, 0.0]], dtype=np.float32)
    assert store(probability, 255, np.uint8).tolist() == [[128, 0], [127, 255], [0, 0]]


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
    node = int(np.diff(table.first_row).argmax())  # with two rows or more
    rows = slice(table.first_row[node], table.first_row[node] + 2)
    for number in (
        [np.nan, np.inf, -1.0, -np.inf, 1.01, 3e38] if dtype is np.float32 else [128, 255]
    ):
        probability = table.probability.copy()
        probability[rows, -1] = number
        with pytest.raises(StrategyTableError, match="do not add up to 1"):
            verify_strategy(bids, table._replace(probability=probability))
    none = np.zeros_like(table.probability)
    with pytest.raises(StrategyTableError, match="do not add up to 1"):
        verify_strategy(bids, table._replace(probability=none))
    for number in (-1, len(domain(rules)) + 1):
        action = table.action.copy()
        action[0] = number
        with pytest.raises(StrategyTableError, match="an action is out of range"):
            verify_strategy(bids, table._replace(action=action))
    later = table._replace(context=table.context + 1)
    with pytest.raises(StrategyTableError, match="no strategy for the start of a round"):
        verify_strategy(bids, later)
    with pytest.raises(StrategyTableError, match=r"have shape \(\d+, 2\), not \(\d+, 3\)"):
        verify_strategy(bid_tables(preset("zhaifei", dice=1, faces=3)), table)


@any_dtype
def test_a_table_is_read_only_and_knows_its_unit(dtype):
    recall = recall_tables(preset("zhaifei", dice=1, faces=2), "full")
    arrays = {**good(), "probability": np.ones((4, 2), dtype=dtype)}
    table = strategy_table(recall, **arrays)
    assert table.unit == (1 / 255 if dtype is np.uint8 else 1.0)
    for name, array in arrays.items():
        assert getattr(table, name) is array
        assert not array.flags.writeable
