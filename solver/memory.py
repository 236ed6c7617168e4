"""Grow arrays in place, within the memory of the machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from game.errors import ZhaifeiError

_GROWTH = 1.5
_MEMORY_SHARE = 0.8
"""The share of the machine's memory that arrays may take."""


class OutOfMemory(ZhaifeiError):
    """Training needs more memory than arrays may take."""


def room() -> float:
    """Return the bytes that arrays may take in all."""
    return _MEMORY_SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def lengthen(arrays: Sequence[NDArray[Any]], sizes: Sequence[int], complaint: ZhaifeiError) -> None:
    """Lengthen `arrays` in place to at least `sizes`, and fill new entries with 0. Nothing else may
    refer to the arrays.

    An array that is too short grows by half, so that it seldom has to, if there is room for that.
    Raises OutOfMemory, which quotes `complaint`, and leaves the arrays as they were.
    """
    limit = room()
    most = max(limit, sum(array.nbytes for array in arrays))
    for growth in (_GROWTH, 1.0):
        longer = [
            max(size, int(growth * len(array))) if size > len(array) else len(array)
            for array, size in zip(arrays, sizes, strict=True)
        ]
        needed = [size * array[:1].nbytes for array, size in zip(arrays, longer, strict=True)]
        if sum(needed) <= most:
            break
    else:
        raise OutOfMemory("{complaint} ({limit:.1f} GB)", complaint=complaint, limit=limit / 1e9)
    for array, size in zip(arrays, longer, strict=True):
        if size > len(array):
            array.resize((size, *array.shape[1:]), refcheck=False)
