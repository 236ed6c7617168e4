"""Strategies that are rounded to steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_st

from tests.solver.kernels import in_both_ways
from zhaifei.solver.tables import storing as module

both_ways = in_both_ways(module)


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


def store(probability: np.ndarray, steps: int, dtype: type, grain: int = 1) -> np.ndarray:
    stored = np.full(probability.shape, 77, dtype=dtype)
    module.store(probability, steps, np.full(probability.shape[1], grain), stored)
    return stored


@pytest.mark.parametrize("way", ["compiled", "python"])
@settings(max_examples=200)
@given(strategies())
def test_compact_storing_keeps_sums_and_zeros_and_moves_little(way, probability):
    stored = np.full(probability.shape, 77, dtype=np.uint16)
    grain = np.array([1, 16, 4096, 2048, 2])[: probability.shape[1]]
    (module.store if way == "compiled" else module.store.py_func)(probability, 4096, grain, stored)
    assert (stored.sum(axis=0, dtype=int) == 4096).all()
    assert (stored[probability == 0.0] == 0).all()
    assert (stored % grain == 0).all()
    assert (np.abs(stored / 4096 - probability) <= grain / 4096 + 1e-5).all()


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


def test_steps_are_multiples_of_the_grain(both_ways):
    probability = np.array([[0.3], [0.1], [0.35], [0.25]], dtype=np.float32)
    # In quarters, the running sums are 1.2, 1.6, 3, 4.
    assert store(probability, 4096, np.uint16, 1024).ravel().tolist() == [1024, 1024, 1024, 1024]
    assert store(probability, 4096, np.uint16, 2048).ravel().tolist() == [2048, 0, 2048, 0]
    assert store(probability, 4096, np.uint16, 4096).ravel().tolist() == [0, 0, 4096, 0]
