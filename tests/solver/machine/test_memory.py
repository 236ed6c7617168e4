import math
import os
import resource
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine import memory
from zhaifei.solver.machine.memory import (
    OutOfMemory,
    group_limit,
    group_spare,
    lengthen,
    room,
    spare,
    within_memory,
)

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


def test_there_is_room_beside_them_for_what_is_made_of_them(monkeypatch):
    # 271 bytes as above, and a quarter of that.
    for limit, fits in ((338.0, False), (339.0, True)):
        arrays = some_arrays()
        limit_to(monkeypatch, limit)
        if fits:
            lengthen(arrays, [12, 12, 31], FULL, beside=0.25)
        else:
            with pytest.raises(OutOfMemory):
                lengthen(arrays, [12, 12, 31], FULL, beside=0.25)


class Unlucky(np.ndarray):
    """An array whose memory cannot be had more than `lucky` times."""

    lucky = 0

    def resize(self, shape: tuple[int, ...], refcheck: bool = True) -> None:
        if shape[0] > len(self):
            if not Unlucky.lucky:
                raise MemoryError
            Unlucky.lucky -= 1
        super().resize(shape, refcheck=refcheck)


def unlucky_arrays(lucky: int) -> Sequence[np.ndarray]:
    Unlucky.lucky = lucky
    return [np.ndarray.__new__(Unlucky, 10, dtype=np.float64) for _ in range(2)]


@pytest.mark.parametrize("lucky", [0, 1, 2])
def test_memory_that_the_system_does_not_give_after_all_is_out_of_memory(lucky):
    """By half, then by what is needed; the first array may get its part each time."""
    arrays = unlucky_arrays(lucky)
    for array in arrays:
        array[:] = 7.0
    before = Unlucky.lucky
    if lucky < 2:
        with pytest.raises(OutOfMemory, match="full"):
            lengthen(arrays, [12, 13], FULL)
        assert [len(array) for array in arrays] == [10, 10]
    else:
        lengthen(arrays, [12, 13], FULL)
        assert [len(array) for array in arrays] == [15, 15]
        assert Unlucky.lucky == before - 2
    assert all((array[:10] == 7.0).all() for array in arrays)


def test_what_fails_for_want_of_memory_is_told_as_out_of_memory():
    with pytest.raises(OutOfMemory, match=r"^full$"), within_memory(FULL):
        raise MemoryError
    with pytest.raises(ZeroDivisionError), within_memory(FULL):
        raise ZeroDivisionError
    with within_memory(FULL):
        pass


# How much there is


def test_address_space_that_may_not_be_mapped_is_no_room(monkeypatch):
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limits = {resource.RLIMIT_AS: mapped + 10**9}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limits[kind], -1))
    monkeypatch.setattr(memory, "_installed", lambda: 1e15)
    # What the test itself maps meanwhile is far less than a tenth of that.
    assert room() == pytest.approx(0.8e9, rel=0.1)
    assert room(5 * 10**9) == pytest.approx(5.8e9, rel=0.1)
    limits[resource.RLIMIT_AS] = mapped // 2
    assert room(1000) == 1000
    limits[resource.RLIMIT_AS] = resource.RLIM_INFINITY
    assert room() == pytest.approx(0.8e15)


def test_where_the_system_does_not_tell_there_is_no_limit(monkeypatch):
    memory._installed.cache_clear()
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.setattr(memory, "group_limit", lambda *paths: math.inf)
    try:
        assert memory._installed() == math.inf
    finally:
        memory._installed.cache_clear()


@pytest.mark.parametrize(
    ("membership", "limits", "least"),
    [
        ("0::/user/me\n", {"user/me/memory.max": "3000\n", "user/memory.max": "max\n"}, 3000),
        ("0::/user/me\n", {"user/me/memory.max": "max", "user/memory.max": "2000"}, 2000),
        ("0::/\n", {"memory.max": "1000"}, 1000),
        ("0::/user/me\n", {"user/me/memory.max": "max"}, math.inf),
        ("0::/user\n", {}, math.inf),
        (
            "5:cpu,memory:/docker/a:b\n1:cpu:/x\n0::/\n",
            {
                "memory/docker/a:b/memory.limit_in_bytes": "4000",
                "memory/memory.limit_in_bytes": "9223372036854771712",
            },
            4000,
        ),
        # In a container the own group is the top, whatever its name is outside.
        ("5:memory:/docker/ab\n", {"memory/memory.limit_in_bytes": "5000"}, 5000),
        ("5:cpu:/\n", {"memory/memory.limit_in_bytes": "5000"}, math.inf),
    ],
)
def test_the_least_limit_of_the_control_groups_counts(tmp_path, membership, limits, least):
    groups, listed = tmp_path / "groups", tmp_path / "cgroup"
    listed.write_text(membership)
    # What lies above is no group.
    (tmp_path / "memory.max").write_text("1")
    for name, text in limits.items():
        (groups / name).parent.mkdir(parents=True, exist_ok=True)
        (groups / name).write_text(text)
    assert group_limit(listed, groups) == least


def test_without_control_groups_there_is_no_limit(tmp_path):
    assert group_limit(tmp_path / "no", tmp_path / "such") == math.inf
    assert group_spare(tmp_path / "no", tmp_path / "such") == math.inf


V1 = {"limit_in_bytes": "9000", "usage_in_bytes": "4000", "stat": "cache 9\ntotal_inactive_file 70"}


@pytest.mark.parametrize(
    ("membership", "files", "left"),
    [
        ("0::/me\n", {"me/memory.max": "max"}, math.inf),
        ("0::/me\n", {"me/memory.max": "3000"}, 0.0),  # how much is used is not told
        (
            "0::/me\n",
            {
                "me/memory.max": "3000",
                "me/memory.current": "1200\n",
                "me/memory.stat": "anon 900\ninactive_file 200\n",
            },
            2000.0,
        ),
        (
            "0::/user/me\n",
            {
                "user/me/memory.max": "9000",
                "user/me/memory.current": "10",
                "user/me/memory.stat": "",
                "user/memory.max": "500",
                "user/memory.current": "800",
                "user/memory.stat": "",
            },
            0.0,
        ),
        ("5:memory:/ab\n", {f"memory/ab/memory.{name}": text for name, text in V1.items()}, 5070.0),
    ],
)
def test_what_is_left_of_the_least_limit_counts_files_that_can_be_dropped(
    tmp_path, membership, files, left
):
    groups, listed = tmp_path / "groups", tmp_path / "cgroup"
    listed.write_text(membership)
    for name, text in files.items():
        (groups / name).parent.mkdir(parents=True, exist_ok=True)
        (groups / name).write_text(text)
    assert group_spare(listed, groups) == left


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="only Linux tells")
def test_spare_memory_is_that_of_the_machine_or_of_its_groups(monkeypatch, tmp_path):
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0.0 < spare() < machine
    monkeypatch.setattr(memory, "group_spare", lambda *paths: 7.0)
    assert spare() == 7.0
