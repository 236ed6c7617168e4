"""Copies of arrays, for a forked child that writes them while training changes the arrays.

After a fork, the system copies each page that either process changes. If memory is touched for the
first time, that takes up to 3 seconds of processor time per GB: virtual machines return pages to
their host and request them again one by one. A tree changes all of its pages in a pass, so training
would stand still for as long as writing takes.

Copying the arrays into pages that have already been touched takes a tenth of a second per GB. So a
thread touches memory while training goes on. When the thread is done, the arrays are copied there
between two steps, and the child is forked without the arrays themselves.
"""

from __future__ import annotations

import ctypes
import mmap
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_ALIGNED = 64
"""Copies begin at multiples of this number of bytes."""
_CHUNK = 1 << 24
"""The number of bytes that are touched at a time."""
_MADV_DONTFORK, _MADV_DOFORK = 10, 11
"""From asm-generic/mman-common.h."""


_ROOM = 1.1
"""Bytes that are touched for each byte of the arrays, which may grow meanwhile."""


class Stage:
    """Memory of `size` bytes, which a thread begins to touch. The constructor raises OSError if
    there is not enough memory."""

    def __init__(self, size: int) -> None:
        self._memory = np.frombuffer(mmap.mmap(-1, max(1, size)), dtype=np.uint8)
        self._left = False
        self._thread = threading.Thread(target=self._touch, name="stage", daemon=True)
        self._thread.start()

    def _touch(self) -> None:
        for start in range(0, self._memory.size, _CHUNK):
            if self._left:
                return
            self._memory[start : start + _CHUNK] = 0

    @property
    def ready(self) -> bool:
        """Whether all of the memory has been touched."""
        return not self._thread.is_alive()

    def holds(self, arrays: Arrays) -> bool:
        """Return whether there is room for copies of `arrays`."""
        return _staged_bytes(arrays) <= self._memory.size

    def copied(self, arrays: Arrays) -> Arrays:
        """Return copies of `arrays`, which this memory must hold. The copies of an earlier call are
        overwritten."""
        copies, place = {}, 0
        for name, array in arrays.items():
            copies[name] = np.ndarray(array.shape, array.dtype, self._memory.data, place)
            np.copyto(copies[name], array)
            place += _aligned(array.nbytes)
        return copies

    def close(self) -> None:
        """Stop touching memory, and wait until the thread has stopped."""
        self._left = True
        self._thread.join()


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _staged_bytes(arrays: Arrays) -> int:
    return sum(_aligned(array.nbytes) for array in arrays.values())


class Staging:
    """The stage of a run whose checkpoints hold the arrays that `live` returns. If there is no
    memory for a stage, children inherit the arrays."""

    def __init__(self, live: Callable[[], Arrays]) -> None:
        self._live = live
        self._stage: Stage | None = None
        self._copies: Arrays | None = None

    def arrays(self) -> Arrays:
        """Return the contents of a checkpoint: in a child, the copies."""
        return self._live() if self._copies is None else self._copies

    @property
    def size(self) -> int:
        """The bytes of the arrays."""
        return sum(array.nbytes for array in self._live().values())

    def is_ready(self) -> bool:
        """Return whether a child may be forked now; if not, prepare for it."""
        live = self._live()
        if self._stage is not None and not self._stage.holds(live):
            self.drop()
        if self._stage is None:
            try:
                self._stage = Stage(int(_ROOM * _staged_bytes(live)))
            except OSError:
                return True
        return self._stage.ready

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Copy the arrays, for a child that is forked while this context is open. On leaving, drop
        the stage: the child has the copies."""
        live = self._live()
        if self._stage is None or not (self._stage.ready and self._stage.holds(live)):
            yield
            return
        self._copies = self._stage.copied(live)
        try:
            with not_inherited(live.values()):
                yield
        finally:
            self._copies = None
            self.drop()

    def drop(self) -> None:
        """Free the memory."""
        if self._stage is not None:
            self._stage.close()
            self._stage = None


@contextmanager
def not_inherited(arrays: Iterable[NDArray[Any]]) -> Iterator[None]:
    """Keep the whole pages of `arrays` from children that are forked while this context is open. In
    such a child, reading the pages is an error."""
    libc = ctypes.CDLL(None)
    parts = [_whole_pages(array) for array in arrays if array.flags.c_contiguous]
    parts = [(first, size) for first, size in parts if size > 0]
    # If the system refuses, the child inherits the pages.
    for first, size in parts:
        libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(size), _MADV_DONTFORK)
    try:
        yield
    finally:
        for first, size in parts:
            libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(size), _MADV_DOFORK)


def _whole_pages(array: NDArray[Any]) -> tuple[int, int]:
    """Return the address and the size in bytes of the pages that hold only this array."""
    first = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (array.ctypes.data + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    return first, end - first
