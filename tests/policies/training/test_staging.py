"""Copies of arrays for a forked child."""

import faulthandler
import os
from collections.abc import Callable

import numpy as np
import pytest

from zhaifei.policies.training import staging
from zhaifei.policies.training.forked_write import CAN_FORK
from zhaifei.policies.training.staging import Stage, Staging, not_inherited


def some_arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {
        "whole": rng.integers(-9, 9, size=(3, 1 << 18), dtype=np.int16),
        "odd": rng.random(7),
        "none": np.zeros((0, 5), dtype=np.float32),
        "turned": np.asfortranarray(rng.random((5, 4))),
    }


def wait_for(ready: Callable[[], bool]) -> None:
    while not ready():
        os.sched_yield()


def in_child(do: Callable[[], bool]) -> bool:
    """What `do` returns in a forked child that does nothing else; False if that ends it."""
    child = os.fork()
    if child == 0:
        code = 1
        faulthandler.disable()
        try:
            code = 0 if do() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_copies_stay_as_they_were() -> None:
    arrays = some_arrays()
    stage = Stage(sum(array.nbytes for array in arrays.values()) + 4 * 64)
    wait_for(lambda: stage.ready)
    assert stage.holds(arrays)
    before, copies = {name: array.copy() for name, array in arrays.items()}, stage.copied(arrays)
    for array in arrays.values():
        array[:] = 0
    assert [*copies] == [*before]
    for name, copy in copies.items():
        assert (copy.dtype, copy.flags.c_contiguous) == (before[name].dtype, True)
        np.testing.assert_array_equal(copy, before[name])
    assert not stage.holds({"more": np.zeros(1 << 20)})
    stage.close()


@pytest.mark.skipif(not CAN_FORK, reason="children are forked on Linux only")
def test_a_child_has_what_there_was_when_it_was_forked() -> None:
    live = some_arrays()
    stagings = Staging(lambda: live)
    wait_for(stagings.is_ready)
    expected = {name: array.copy() for name, array in live.items()}

    def same() -> bool:
        found = stagings.arrays()
        copied = all(found[name] is not live[name] for name in live)
        return copied and all((found[name] == expected[name]).all() for name in live)

    with stagings.apart():
        assert in_child(same)
        # The arrays themselves are not there: to read them ends the child.
        assert not in_child(lambda: bool(live["whole"].sum() < 10**9))
    assert stagings.arrays() is live
    assert live["whole"].tobytes() == expected["whole"].tobytes()
    assert in_child(lambda: live["whole"].tobytes() == expected["whole"].tobytes())
    assert not in_child(same)


def test_a_stage_that_became_too_small_is_made_anew() -> None:
    live = {"array": np.zeros(1000)}
    stagings = Staging(lambda: live)
    wait_for(stagings.is_ready)
    live["array"] = np.arange(5000.0)
    with stagings.apart():
        assert stagings.arrays() is live  # a child would inherit them
    wait_for(stagings.is_ready)
    with stagings.apart():
        assert stagings.arrays() is not live
        assert (stagings.arrays()["array"] == live["array"]).all()


def test_without_memory_for_copies_children_inherit(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(size: int) -> Stage:
        raise OSError("no memory")

    live = some_arrays()
    monkeypatch.setattr(staging, "Stage", refuse)
    stagings = Staging(lambda: live)
    assert stagings.is_ready()
    with stagings.apart():
        assert stagings.arrays() is live


def test_what_is_not_needed_any_more_is_touched_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "_CHUNK", 1)  # for hours
    stagings = Staging(lambda: {"array": np.zeros(1 << 20)})
    assert not stagings.is_ready()
    stagings.drop()
    assert stagings._stage is None


def test_only_whole_pages_are_kept_from_children() -> None:
    whole = np.zeros(5 * 4096, dtype=np.uint8)
    for start, size in ((0, 10), (1, 4096), (100, 3 * 4096)):
        part = whole[start : start + size]
        first, bytes_ = staging._whole_pages(part)
        if bytes_ > 0:
            assert first % 4096 == 0
            assert part.ctypes.data <= first
            assert first + bytes_ <= part.ctypes.data + size
    with not_inherited([whole[:10], whole[::2]]):
        pass
