"""Two-byte storage for the rows of large trees, with stochastic rounding.

A row of regrets or of averages is `float32`, or holds some of the bits of a float32:

| rows | dtype | bits kept | of numbers | next number |
|---|---|---|---|---|
| regrets | `int16` | sign, 8 of exponent, 7 of fraction (bfloat16) | all | within 0.8 % |
| averages | `uint16` | 5 of exponent, 11 of fraction | 0, and from 2^-31 to 2 | within 0.05 % |

A pass adds less to a number than the distance to the next stored number. So the number is rounded
up with the probability that makes its expectation right (*stochastic rounding*, as in training
networks in half precision: Gupta et al. 2015): the bits cut off are compared with a random number,
the *noise*. A row's noise is a piece of one fixed list, chosen by the row's history and the pass.
So training stays a function of the rules alone, with any number of threads, and wherever the row
is kept.

Regrets forgive more than averages, which add up the errors of all passes. In bfloat16, averages
would cost .0006 points with three dice after 800 passes, where exploitability is .0006; in this
format they cost nothing visible.

Sums that grow are kept below 2 by halving all rows now and then (`halve`), which is exact.

Kernels read and write rows of all three dtypes with `widen` and `narrow`, which leave `float32`
unchanged. Called from plain Python, both are plain Python, and take arrays as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel

Stored = NDArray[np.float32] | NDArray[np.int16] | NDArray[np.uint16]
"""Rows, or a single number of a row."""

_PIECES = 2048
"""The number of places in the list of noise where a piece may begin."""

NEAREST = np.uint16(1 << 15)
"""The noise that rounds to the nearest number."""


class _Layout(NamedTuple):
    """The bits of a float32 that are kept."""

    cut: int
    """The number of bits cut off at the end."""
    least: int
    """Subtracted from the remaining bits, so that the least number kept becomes 1."""


_SIGNED = _Layout(cut=16, least=0)
_AVERAGE = _Layout(cut=12, least=(127 - 31 << 11) - 1)
_LAYOUTS = {np.dtype(np.int16): _SIGNED, np.dtype(np.uint16): _AVERAGE}
_HALF = 1 << 11
"""Subtracted from the bits of an average, this halves the average."""


def noise_for(hands: int) -> NDArray[np.uint16]:
    """Return the list of noise for rows of `hands` hands, by splitmix64 (Steele et al. 2014)."""
    mixed = np.arange(1, _PIECES + hands + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed >> np.uint64(48)).astype(np.uint16)


@hot_kernel
def first_noise(passes: int, key: int) -> int:
    """Return where in the list the noise of the history with this `key` begins in a pass."""
    return (passes * 40503 + key) % _PIECES


def noise_of(noise: NDArray[np.uint16], passes: int, keys: NDArray[np.int64]) -> Stored:
    """Return [key, hand] the noise of the histories with `keys` [key] in a pass."""
    pieces = np.lib.stride_tricks.sliding_window_view(noise, noise.size - _PIECES)
    found: NDArray[np.uint16] = pieces[[first_noise(passes, key) for key in keys.tolist()]]
    return found


def new_rows(numbers: int, *, large: bool) -> tuple[Stored, Stored]:
    """Return the regrets and the averages of a new tree, which is `large` or not, each as an array
    of `numbers` numbers. All are 0, which every dtype stores as zero bits."""
    if large:
        return np.zeros(numbers, dtype=np.int16), np.zeros(numbers, dtype=np.uint16)
    return np.zeros(numbers, dtype=np.float32), np.zeros(numbers, dtype=np.float32)


def halve(averages: Stored, times: int) -> None:
    """Halve all `averages`, uint16, `times` times in place. Averages that fall below the least
    number become 0."""
    assert averages.dtype == np.uint16
    least = np.uint16(min(times * _HALF, 65535))
    np.maximum(averages, least, out=averages)
    averages -= least


def widen(stored: Any) -> Any:
    """Return the numbers `stored` as float32."""
    kind = np.asarray(stored).dtype
    if kind not in _LAYOUTS:
        return stored
    layout, kept = _LAYOUTS[kind], np.asarray(stored).view(np.uint16).astype(np.uint32)
    bits = kept + np.uint32(layout.least) << np.uint32(layout.cut)
    return np.where(kept > 0, bits, np.uint32(0)).view(np.float32)[()]


def narrow(value: Any, noise: Any, like: Any) -> Any:
    """Return the float32 `value` as the rows `like` store it, rounded by the uint16 `noise`."""
    kind = np.asarray(like).dtype
    if kind not in _LAYOUTS:
        return value
    layout, bits = _LAYOUTS[kind], np.asarray(value, dtype=np.float32).view(np.uint32)
    rounded = bits + (np.asarray(noise).astype(np.uint32) >> np.uint32(16 - layout.cut))
    kept = rounded >> np.uint32(layout.cut)
    kept = np.maximum(kept, np.uint32(layout.least)) - np.uint32(layout.least)
    return kept.astype(np.uint16).view(kind)[()]


def _typed_float_of(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.uint32), generate


def _typed_bits_of(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.uint32(types.float32), generate


_float_of: Callable[..., Any] = intrinsic(_typed_float_of)
_bits_of: Callable[..., Any] = intrinsic(_typed_bits_of)


def _layout(kind: Any) -> _Layout | None:
    return {types.int16: _SIGNED, types.uint16: _AVERAGE}.get(kind)


def _unchanged(stored: Any) -> Any:
    return stored


@overload(widen, inline="always")
def _compiled_widen(stored: Any) -> Callable[..., Any]:
    layout = _layout(stored)
    if layout is None:
        return _unchanged
    cut, least, none = np.uint32(layout.cut), np.uint32(layout.least), np.uint32(0)

    def compiled(stored: Any) -> Any:
        kept = np.uint32(np.uint16(stored))
        bits = np.uint32(np.uint32(kept + least) << cut)
        return _float_of(bits if kept > none else none)

    return compiled


@overload(narrow, inline="always")
def _compiled_narrow(value: Any, noise: Any, like: Any) -> Callable[..., Any]:
    layout = _layout(like)
    if layout is None:
        return _value
    cut, least, none = np.uint32(layout.cut), np.uint32(layout.least), np.uint32(0)
    less, kind = np.uint32(16 - layout.cut), np.int16 if like == types.int16 else np.uint16

    def compiled(value: Any, noise: Any, like: Any) -> Any:
        rounded = np.uint32(_bits_of(np.float32(value)) + np.uint32(np.uint32(noise) >> less))
        kept = np.uint32(rounded >> cut)
        return kind(np.uint16(np.uint32(kept - least) if kept > least else none))

    return compiled


def _value(value: Any, noise: Any, like: Any) -> Any:
    return value
