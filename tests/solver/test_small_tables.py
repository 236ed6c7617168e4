import numpy as np
import pytest

from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.small_tables import LANES, add_entries, raise_to_entries


@kernel
def add_compiled(value, table, place):
    add_entries(value, table, place)


@kernel
def raise_compiled(value, table, place):
    raise_to_entries(value, table, place)


@pytest.mark.parametrize("hands", [0, 1, 7, 8, 9, 126, 252])
@pytest.mark.parametrize("entries", [2, 6, LANES, 11])
def test_compiled_look_ups_find_what_plain_python_does(hands, entries):
    rng = np.random.default_rng(hands)
    # In the middle of larger arrays: nothing beside it changes, and no address is a round one.
    whole = rng.normal(size=hands + 6).astype(np.float32)
    table = rng.normal(size=entries + 1).astype(np.float32)[1:]
    place = rng.integers(0, entries, size=hands + 3, dtype=np.uint32)[3:]
    added, raised = whole.copy(), whole.copy()
    add_compiled(added[5:-1], table, place)
    raise_compiled(raised[5:-1], table, place)
    expected_sum, expected_most = whole.copy(), whole.copy()
    for hand in range(hands):
        expected_sum[hand + 5] += table[place[hand]]
        expected_most[hand + 5] = max(whole[hand + 5], table[place[hand]])
    assert added.tobytes() == expected_sum.tobytes()
    assert raised.tobytes() == expected_most.tobytes()
    for compiled, plain in ((added, add_entries), (raised, raise_to_entries)):
        found = whole.copy()
        plain(found[5:-1], table, place)
        assert found.tobytes() == compiled.tobytes()
