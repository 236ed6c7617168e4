"""Inflate arrays of a file, never to more than the expected length or the memory: a few bytes can
stand for gigabytes."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.tables.strategy_table import StrategyTableError


def inflated(packed: NDArray[Any], dtype: np.dtype[Any], length: int) -> NDArray[Any]:
    """Return the deflated array of `length` elements. Never take more memory than `length`
    elements. Raise StrategyTableError if there are more or fewer."""
    most, stream = length * dtype.itemsize, zlib.decompressobj()
    try:
        data = stream.decompress(packed.tobytes(), most + 1)
    except zlib.error as error:
        raise StrategyTableError("the arrays cannot be decompressed") from error
    if not stream.eof or stream.unused_data or len(data) != most:
        raise misfit()
    return np.frombuffer(data, dtype)


def misfit() -> StrategyTableError:
    """Return the error for arrays of a file that are too long or too short."""
    return StrategyTableError("the arrays do not fit each other")


def verify_room(needed: int, left: int) -> None:
    """Raise StrategyTableError if `needed` bytes are more than are `left`."""
    if needed > left:
        raise StrategyTableError(
            "the strategy takes {needed:.1f} GB of memory; there is room for {left:.1f} GB",
            needed=needed / 1e9,
            left=left / 1e9,
        )
