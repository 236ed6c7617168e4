"""Limits on the memory of arrays, and arrays that grow in place within them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine.system import address_limit, installed_memory

_MEMBERSHIP, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
_GROWTH = 1.5
_MEMORY_SHARE = 0.8
"""The share of the available memory that arrays may take."""


class OutOfMemory(ZhaifeiError):
    """Training needs more memory than there is. Code that raises this has changed nothing, or can
    be saved as it is and resumed. Code that raises MemoryError may have stopped anywhere."""


def room(held: int = 0) -> float:
    """Return the bytes that arrays may take in total, including the `held` bytes that they already
    take. Infinite if the system does not report its memory; then an allocation fails instead."""
    return min(_MEMORY_SHARE * _installed(), held + _MEMORY_SHARE * _unmapped())


def usable(spare: float) -> float:
    """Return the bytes that arrays may take out of `spare` bytes."""
    return _MEMORY_SHARE * spare


def spare() -> float:
    """Return the bytes of memory that nobody uses: of the machine, or of its control groups' limits
    if that is less. Return 0 if the system does not report them."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return min(1024.0 * sum(kilobytes), group_spare(_MEMBERSHIP, _GROUPS))


def used() -> float:
    """Return the bytes of memory that this process uses; 0 if the system does not report them."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    except OSError:
        return 0.0
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


@contextmanager
def within_memory(complaint: ZhaifeiError) -> Iterator[None]:
    """Raise OutOfMemory with the message `complaint` in place of MemoryError. Use this for work
    that changes nothing if it fails."""
    try:
        yield
    except MemoryError as error:
        raise OutOfMemory("{complaint}", complaint=complaint) from error


def lengthen(
    arrays: Sequence[NDArray[Any]],
    sizes: Sequence[int],
    complaint: ZhaifeiError,
    *,
    beside: float = 0.0,
) -> None:
    """Lengthen `arrays` in place to at least `sizes`, and fill new entries with 0. Nothing else may
    refer to the arrays.

    An array that is too short grows by half, so that growth is rare, if there is room for it. Room
    is also needed for `beside` bytes per byte of the arrays, which writing their contents will
    take. Raises OutOfMemory, which quotes `complaint`, and leaves the arrays unchanged.
    """
    before = [len(array) for array in arrays]
    if all(size <= length for size, length in zip(sizes, before, strict=True)):
        return
    limit = room(sum(array.nbytes for array in arrays))
    for growth in (_GROWTH, 1.0):
        longer = [
            max(size, int(growth * length)) if size > length else length
            for size, length in zip(sizes, before, strict=True)
        ]
        needed = sum(
            length * array[:1].nbytes for array, length in zip(arrays, longer, strict=True)
        )
        if needed * (1.0 + beside) > limit:
            continue
        try:
            _resize(arrays, longer)
        except MemoryError:
            _resize(arrays, before)
        else:
            return
    raise OutOfMemory("{complaint} ({limit:.1f} GB)", complaint=complaint, limit=limit / 1e9)


def _resize(arrays: Sequence[NDArray[Any]], lengths: Sequence[int]) -> None:
    for array, length in zip(arrays, lengths, strict=True):
        if length != len(array):
            array.resize((length, *array.shape[1:]), refcheck=False)


@cache
def _installed() -> float:
    """Return the bytes of memory that this process may use: the machine's, or the limit of its
    control groups if that is less."""
    return min(installed_memory(), group_limit(_MEMBERSHIP, _GROUPS))


def group_limit(membership: Path, groups: Path) -> float:
    """Return the bytes that Linux allows the control groups, of version 1 or 2, that the file
    `membership` lists, as in cgroups(7). `groups` is where the groups' files are mounted."""
    return min((group.limit for group in _groups(membership, groups)), default=math.inf)


def group_spare(membership: Path, groups: Path) -> float:
    """Return the bytes that are left of the limits of the same groups; bytes of cached files count
    as left."""
    return min((group.spare() for group in _groups(membership, groups)), default=math.inf)


class _Group(NamedTuple):
    """A control group with a limit."""

    limit: int
    """The limit in bytes."""
    directory: Path
    usage: str
    """The file in the directory that has the number of bytes used."""
    cached: str
    """The field in memory.stat that has the number of used bytes that are cached files."""

    def spare(self) -> float:
        """Return the bytes that are left; 0 if the system does not report them."""
        try:
            used = int((self.directory / self.usage).read_text(encoding="utf-8"))
            fields = (self.directory / "memory.stat").read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            return 0.0
        figures = dict(zip(fields[::2], fields[1::2], strict=False))
        return max(0.0, self.limit - used + int(figures.get(self.cached, 0)))


def _groups(membership: Path, groups: Path) -> Iterator[_Group]:
    """Yield the control groups of `group_limit` that have a limit."""
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if not controllers:
            top, names = groups, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = groups / "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        group = top / place.lstrip("/")
        for directory in (group, *group.parents):
            if directory.is_relative_to(top):
                with suppress(OSError, ValueError):  # the limit may be "max": no limit
                    limit = int((directory / names[0]).read_text(encoding="utf-8"))
                    yield _Group(limit, directory, *names[1:])


def _unmapped() -> float:
    """Return the bytes of address space that are left within `ulimit -v`."""
    limit = address_limit()
    if limit == math.inf:
        return limit
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
    except OSError:
        return math.inf
    return max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))
