"""Binary range coding with odds that adapt: numbers as a stream of bytes, near their entropy.

Each bit is coded in a *context*, a number that says what is known before. The odds of a context
follow the bits seen in it, once quickly and once slowly; their mean predicts the next bit. Writing
and reading call the same functions in the same order, so a format is described once for both.

Range coding: Martin, "Range encoding: an algorithm for removing redundancy from a digitised
message", 1979. Bytes are written as in LZMA (Pavlov), which carries into bytes already written.
Odds at two speeds: Mahoney, "Adaptive weighing of context models for lossless data compression",
2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import step_kernel

_HALF = 1 << 15
_FAST, _SLOW = 4, 7
"""Odds move by this power of 1/2 of their distance from the bit seen."""
_LEAST_RANGE = 1 << 24
_BYTE = 0xFF
_WRITES, _LOW, _RANGE, _BYTE_HELD, _HELD, _AT = range(6)
"""Places in `Coder.state`: whether the coder writes; the low end of the range, or when reading the
code relative to it; and the size of the range. Then the last byte that a carry may still change,
the number of such bytes, and the place in the buffer."""
_BYTES_AT_END = 5


class Coder(NamedTuple):
    """A coder that writes to `buffer`, or reads from it."""

    odds: NDArray[np.uint16]
    """[context, 2] how likely the next bit is 0, in units of 2**-16: quickly and slowly adapted."""
    state: NDArray[np.int64]
    buffer: NDArray[np.uint8]


def writer(contexts: int, room: int) -> Coder:
    """Return a coder that writes up to `room` bytes at a time."""
    coder = Coder(_even(contexts), np.zeros(6, dtype=np.int64), np.zeros(room, dtype=np.uint8))
    coder.state[[_WRITES, _RANGE, _HELD]] = 1, (1 << 32) - 1, 1
    return coder


def reader(contexts: int, coded: NDArray[np.uint8]) -> Coder:
    """Return a coder that reads what was `coded`. Beyond the end it reads zeros."""
    # Kernels need one type of buffer, so what is read is copied to an array that can be written.
    coder = Coder(_even(contexts), np.zeros(6, dtype=np.int64), np.array(coded))
    first = bytes(coded[:_BYTES_AT_END]).ljust(_BYTES_AT_END, b"\0")
    coder.state[[_LOW, _RANGE, _AT]] = int.from_bytes(first), (1 << 32) - 1, _BYTES_AT_END
    coder.state[_LOW] &= (1 << 32) - 1
    return coder


def _even(contexts: int) -> NDArray[np.uint16]:
    return np.full((contexts, 2), _HALF, dtype=np.uint16)


def take_written(coder: Coder) -> bytes:
    """Return the bytes written since the last call, and make room for others."""
    written = coder.buffer[: coder.state[_AT]].tobytes()
    coder.state[_AT] = 0
    return written


def take_all(coder: Coder) -> bytes:
    """Return the bytes written since the last call, and what ends the stream. Nothing can be
    written afterwards."""
    for _ in range(_BYTES_AT_END):
        _shift(coder)
    return take_written(coder)


@step_kernel
def room_left(coder: Coder) -> int:
    """Return how many more bytes fit."""
    return int(coder.buffer.size - coder.state[_AT])


@step_kernel
def is_beyond(coder: Coder) -> bool:
    """Return whether a reader has read more than there is."""
    return bool(coder.state[_AT] > coder.buffer.size)


def is_at_end(coder: Coder) -> bool:
    """Return whether a reader has read everything."""
    return int(coder.state[_AT]) == coder.buffer.size


@step_kernel
def code_bit(coder: Coder, context: int, bit: int) -> int:
    """Write a `bit` and return it, or read a bit and return that."""
    odds, state = coder.odds[context], coder.state
    fast, slow = int(odds[0]), int(odds[1])
    bound = (state[_RANGE] >> 17) * (fast + slow)
    if state[_WRITES] == 0:
        bit = int(state[_LOW] >= bound)
    if bit == 0:
        state[_RANGE] = bound
        odds[0] = fast + (((1 << 16) - fast) >> _FAST)
        odds[1] = slow + (((1 << 16) - slow) >> _SLOW)
    else:
        state[_RANGE] -= bound
        state[_LOW] += bound if state[_WRITES] else -bound
        odds[0] = fast - (fast >> _FAST)
        odds[1] = slow - (slow >> _SLOW)
    while state[_RANGE] < _LEAST_RANGE:
        state[_RANGE] <<= 8
        if state[_WRITES]:
            _shift(coder)
        else:
            _fetch(coder)
    return bit


@step_kernel
def _fetch(coder: Coder) -> None:
    """Read the next byte."""
    state, byte = coder.state, 0
    if state[_AT] < coder.buffer.size:
        byte = int(coder.buffer[state[_AT]])
    state[_LOW] = ((state[_LOW] << 8) | byte) & ((1 << 32) - 1)
    state[_AT] += 1


@step_kernel
def _shift(coder: Coder) -> None:
    """Move the highest byte of `low` out. It is held back as long as a carry may change it."""
    state, buffer = coder.state, coder.buffer
    low = state[_LOW]
    if low < _BYTE << 24 or low >= 1 << 32:
        carry = low >> 32
        byte = state[_BYTE_HELD] + carry
        for _ in range(state[_HELD]):
            if state[_AT] < buffer.size:
                buffer[state[_AT]] = byte & _BYTE
            state[_AT] += 1
            byte = _BYTE + carry
        state[_HELD] = 0
        state[_BYTE_HELD] = (low >> 24) & _BYTE
    state[_HELD] += 1
    state[_LOW] = (low << 8) & ((1 << 32) - 1)


@step_kernel
def code_digits(coder: Coder, context: int, bits: int, number: int) -> int:
    """Write a `number` that has this number of `bits` and return it, or read one. Takes 2**bits
    contexts from `context` on: each bit is coded in the context of the bits before it."""
    node = 1
    for place in range(bits - 1, -1, -1):
        node = 2 * node + code_bit(coder, context + node, (number >> place) & 1)
    return node - (1 << bits)


WIDEST = 12
"""The most digits, beyond the first, of a number that `code_number` takes."""
_TOLD = 5
"""The digits of a number after which its further digits have a context by place alone."""
CONTEXTS_OF_NUMBER = WIDEST + 1 + (1 << (_TOLD + 1)) + WIDEST


@step_kernel
def code_number(coder: Coder, context: int, number: int) -> int:
    """Write a `number`, from 1 to 2**(WIDEST + 1) - 1, and return it, or read one: first how many
    digits it has, then the digits (Elias, gamma code). Takes CONTEXTS_OF_NUMBER contexts."""
    digits = 0
    while digits < WIDEST and code_bit(coder, context + digits, int(number >> (digits + 1) > 0)):
        digits += 1
    told, found = context + WIDEST + 1, 1
    for place in range(digits - 1, -1, -1):
        known = found if found < 1 << _TOLD else (1 << (_TOLD + 1)) + place
        found = 2 * found + code_bit(coder, told + known, (number >> place) & 1)
    return found
