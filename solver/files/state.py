"""Checks of the states that checkpoints hold: anybody may have written them.

Kernels take indices and numbers as they are. So whatever is restored is first seen to be what a run
can have left: right names, types and shapes here, and links and ranges beside the tables that have
them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zhaifei.game.errors import ZhaifeiError

SAFE = 1e30
"""No training comes near this number. Sums of a hundred million such numbers, and the reciprocals
of such sums, are finite in single precision."""
_CHUNK = 1 << 17
"""Entries that fit into a processor's cache together, so that reading them twice costs little."""


class StateError(ZhaifeiError):
    """A saved state that no run can have left; the message says what is wrong."""


def verify_names(state: Collection[str], needed: Collection[str]) -> None:
    """Raise StateError unless the names in `state` are those `needed`."""
    for name in needed:
        if name not in state:
            raise StateError("the saved state has no {name}", name=name)
    for name in state:
        if name not in needed:
            raise StateError("the saved state has {name!r}, which is unknown", name=name)


def array_of(
    state: Mapping[str, NDArray[Any]], name: str, dtype: DTypeLike, *shape: int | None
) -> NDArray[Any]:
    """Return the array of that name; None in `shape` stands for any length. Raise StateError if it
    is missing, or has another type or shape."""
    if name not in state:
        raise StateError("the saved state has no {name}", name=name)
    array, right = np.asarray(state[name]), np.dtype(dtype)
    lengths = tuple(
        length if wanted is None else wanted
        for length, wanted in zip((*array.shape, *shape)[: len(shape)], shape, strict=True)
    )
    if array.shape != lengths or array.dtype != right:
        raise StateError(
            "{name} is {found} {found_shape} in the saved state; "
            "for these rules it must be {right} {right_shape}",
            name=name,
            found=array.dtype,
            found_shape=array.shape,
            right=right,
            right_shape=lengths,
        )
    return array


def verify_between(name: str, array: NDArray[Any], least: float, most: float) -> None:
    """Raise StateError unless all entries of `array`, of any shape, are numbers from `least` to
    `most`. Nothing is copied, and the array is read from memory once."""
    flat = np.reshape(array, -1)
    for start in range(0, flat.size, _CHUNK):
        part = flat[start : start + _CHUNK]
        # A NaN is both the least and the largest, and compares as false.
        if not (least <= part.min() and part.max() <= most):
            raise StateError(
                "{name} has a value that is not from {least:g} to {most:g}",
                name=name,
                least=least,
                most=most,
            )
