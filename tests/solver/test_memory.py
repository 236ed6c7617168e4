import os

import numpy as np
import pytest

from game.errors import ZhaifeiError
from solver import memory
from solver.memory import OutOfMemory, lengthen

FULL = ZhaifeiError("full")


def some_arrays() -> list[np.ndarray]:
    return [np.arange(1, 11), np.full((10, 3), 2.5, dtype=np.float32), np.ones(30, dtype=np.bool_)]


def limit_to(monkeypatch, number: float) -> None:
    """Makes the machine's memory `number` bytes, as far as `lengthen` knows."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(memory, "_MEMORY_SHARE", number / machine)


def test_arrays_get_longer_in_place_and_what_is_new_is_0():
    arrays, before = some_arrays(), some_arrays()
    same = list(arrays)
    lengthen(arrays, [40, 50, 60], FULL)
    for array, old, one, size in zip(arrays, before, same, (40, 50, 60), strict=True):
        assert array is one
        assert (array.shape, array.dtype) == ((size, *old.shape[1:]), old.dtype)
        assert (array[: len(old)] == old).all()
        assert not array[len(old) :].any()


def test_what_gets_longer_does_so_by_half_at_least():
    arrays = some_arrays()
    lengthen(arrays, [11, 12, 31], FULL)
    assert [len(array) for array in arrays] == [15, 15, 45]


def test_arrays_that_are_long_enough_stay():
    arrays = some_arrays()
    addresses = [array.ctypes.data for array in arrays]
    lengthen(arrays, [10, 3, 0], FULL)
    assert [len(array) for array in arrays] == [10, 10, 30]
    assert [array.ctypes.data for array in arrays] == addresses
    lengthen(arrays, [10, 16, 30], FULL)
    assert [len(array) for array in arrays] == [10, 16, 30]


def test_where_half_as_much_again_does_not_fit_what_is_asked_for_may(monkeypatch):
    arrays = some_arrays()
    # Asked for are 12 * 8 + 12 * 12 + 31 = 271 bytes; by half more would be 345.
    limit_to(monkeypatch, 271)
    lengthen(arrays, [12, 12, 31], FULL)
    assert [len(array) for array in arrays] == [12, 12, 31]
    with pytest.raises(OutOfMemory):
        lengthen(arrays, [12, 12, 32], FULL)


def test_without_memory_arrays_stay_as_they_were(monkeypatch):
    arrays, before = some_arrays(), some_arrays()
    limit_to(monkeypatch, 1e3)
    with pytest.raises(OutOfMemory, match=r"^a shelf of 10 books is full \(0\.0 GB\)$"):
        lengthen(
            arrays, [10, 10, 10_000], ZhaifeiError("a shelf of {books} books is full", books=10)
        )
    for array, old in zip(arrays, before, strict=True):
        assert array.shape == old.shape
        assert (array == old).all()


def test_all_arrays_together_count(monkeypatch):
    # 80 bytes each at first; 320 and 160 after.
    for limit, fits in ((485.0, True), (475.0, False)):
        arrays = [np.zeros(10), np.zeros(10)]
        limit_to(monkeypatch, limit)
        if fits:
            lengthen(arrays, [40, 20], FULL)
        else:
            with pytest.raises(OutOfMemory):
                lengthen(arrays, [40, 20], FULL)
        assert [len(array) for array in arrays] == ([40, 20] if fits else [10, 10])


def test_what_needs_no_more_memory_is_granted_beyond_the_limit(monkeypatch):
    arrays = some_arrays()
    limit_to(monkeypatch, 1.0)
    lengthen(arrays, [10, 10, 30], FULL)
    assert [len(array) for array in arrays] == [10, 10, 30]


def test_the_message_says_how_much_may_be_used():
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with pytest.raises(OutOfMemory, match=rf"full \({0.8 * machine / 1e9:.1f} GB\)"):
        lengthen([np.zeros(1)], [machine], FULL)
    assert issubclass(OutOfMemory, ZhaifeiError)
