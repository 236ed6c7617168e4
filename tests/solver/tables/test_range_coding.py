"""Range coding: what is written is read again, in little more bytes than its entropy."""

import math

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from zhaifei.solver.tables import range_coding
from zhaifei.solver.tables.range_coding import (
    CONTEXTS_OF_NUMBER,
    WIDEST,
    is_at_end,
    is_beyond,
    reader,
    take_all,
    take_written,
    writer,
)

both_ways = in_both_ways(range_coding)


def coded(bits: np.ndarray, contexts: np.ndarray) -> bytes:
    coder = writer(int(contexts.max()) + 1, bits.size + 100)
    for bit, context in zip(bits.tolist(), contexts.tolist(), strict=True):
        assert range_coding.code_bit(coder, context, bit) == bit
    return take_all(coder)


def read(text: bytes, contexts: np.ndarray) -> list[int]:
    coder = reader(int(contexts.max()) + 1, np.frombuffer(text, np.uint8))
    found = [range_coding.code_bit(coder, context, 0) for context in contexts.tolist()]
    assert is_at_end(coder)
    assert not is_beyond(coder)
    return found


@pytest.mark.parametrize("odds", [0.0, 0.001, 0.3, 0.5, 1.0])
def test_bits_come_back(odds, both_ways) -> None:
    random = np.random.default_rng(int(1000 * odds))
    bits, contexts = (random.random(3000) < odds).astype(int), random.integers(0, 5, 3000)
    assert read(coded(bits, contexts), contexts) == bits.tolist()


def test_carries_reach_bytes_that_are_held_back(both_ways) -> None:
    """Ones after zeros that were most unlikely bring the range to the end of the numbers."""
    bits = np.array([0] * 400 + [1] * 5000 + [0] + [1] * 3000)
    contexts = np.zeros(bits.size, dtype=int)
    assert read(coded(bits, contexts), contexts) == bits.tolist()


def test_bits_take_their_entropy_and_a_little_more() -> None:
    random, number = np.random.default_rng(1), 40_000
    for odds in (0.02, 0.2, 0.5):
        bits = (random.random(number) < odds).astype(int)
        entropy = -odds * math.log2(odds) - (1 - odds) * math.log2(1 - odds)
        length = 8 * len(coded(bits, np.zeros(number, dtype=int)))
        assert length < 1.1 * entropy * number + 100


@pytest.mark.parametrize("number", [1, 2, 3, 31, 32, 63, 64, 65, 1000, 4096, 2 ** (WIDEST + 1) - 1])
def test_numbers_come_back(number, both_ways) -> None:
    coder = writer(CONTEXTS_OF_NUMBER + 16, 1000)
    for _ in range(3):
        assert range_coding.code_number(coder, 0, number) == number
        assert range_coding.code_digits(coder, CONTEXTS_OF_NUMBER, 4, number % 16) == number % 16
    again = reader(CONTEXTS_OF_NUMBER + 16, np.frombuffer(take_all(coder), np.uint8))
    for _ in range(3):
        assert range_coding.code_number(again, 0, 1) == number
        assert range_coding.code_digits(again, CONTEXTS_OF_NUMBER, 4, 0) == number % 16
    assert is_at_end(again)


def test_a_stream_is_taken_piece_by_piece() -> None:
    bits = np.random.default_rng(2).integers(0, 2, 5000)
    coder, pieces = writer(1, 600), []
    for bit in bits.tolist():
        range_coding.code_bit(coder, 0, bit)
        if range_coding.room_left(coder) < 500:
            pieces.append(take_written(coder))
    whole = b"".join(pieces) + take_all(coder)
    assert len(pieces) > 3
    assert whole == coded(bits, np.zeros(bits.size, dtype=int))


def test_beyond_the_end_there_are_zeros(both_ways) -> None:
    coder = reader(1, np.zeros(0, dtype=np.uint8))
    assert [range_coding.code_bit(coder, 0, 0) for _ in range(200)] == [0] * 200
    assert is_beyond(coder)
