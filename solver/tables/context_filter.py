"""A filter that tells at once that a context is not stored, as is the case for most contexts looked
up. It has one byte per slot (Bloom 1970, with one hash function)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel

_ENTRIES = 16
"""The least number of slots per context: of contexts that are not stored, one in 16 or fewer
pass."""


def context_filter(context: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return [slot] bool, false if none of the contexts [node] has this slot. The number of slots
    is a power of 2."""
    slots = 1 << int(_ENTRIES * context.size - 1).bit_length()
    known = np.zeros(slots, dtype=np.bool_)
    folded: NDArray[np.int64] = context ^ (context >> 21) ^ (context >> 42)
    known[folded & (slots - 1)] = True
    return known


@hot_kernel
def may_be_known(known: NDArray[np.bool_], context: int) -> bool:
    """Return whether the filter lets this context pass."""
    passes: bool = known[(context ^ (context >> 21) ^ (context >> 42)) & (known.size - 1)]
    return passes
