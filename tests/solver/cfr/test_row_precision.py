import numpy as np
import pytest

from zhaifei.solver.cfr import row_precision as rows
from zhaifei.solver.cfr.row_precision import (
    NEAREST,
    halve,
    narrow,
    new_rows,
    noise_for,
    noise_of,
    widen,
)
from zhaifei.solver.cfr.tree_walk import key_after
from zhaifei.solver.machine.jit import kernel

REGRETS, AVERAGES = new_rows(1, large=True)
PLAIN = new_rows(1, large=False)[0]
kinds = pytest.mark.parametrize(
    ("like", "fraction"), [(REGRETS, 7), (AVERAGES, 11)], ids=["regrets", "averages"]
)


@kernel
def widen_all(stored, out):
    for hand in range(out.size):
        out[hand] = widen(stored[hand])


@kernel
def narrow_all(numbers, noise, out):
    for hand in range(out.size):
        out[hand] = narrow(numbers[hand], noise[hand], out[hand])


def numbers_of(like: np.ndarray, seed: int = 3) -> np.ndarray:
    """[n] float32, of all sizes that such rows hold."""
    rng = np.random.default_rng(seed)
    found = np.exp2(rng.uniform(-30.0, 0.9, size=4000))
    if like.dtype == np.int16:
        found *= rng.choice([-1.0, 1.0], size=found.size)
    return found.astype(np.float32)


@kinds
def test_numbers_keep_so_many_bits(like, fraction):
    numbers = numbers_of(like)
    for noise in (0, NEAREST, 65535):
        found = widen(narrow(numbers, np.uint16(noise), like))
        error = np.abs(found / numbers - 1.0)
        assert error.max() <= 2.0**-fraction
        assert error.max() > 2.0 ** (-fraction - (2 if noise == NEAREST else 1))
    # What was stored is stored again as it is, whatever the noise.
    for noise in (0, NEAREST, 65535):
        assert np.array_equal(widen(narrow(found, np.uint16(noise), like)), found)
    assert widen(narrow(np.float32(0.0), np.uint16(65535), like)) == 0.0


@kinds
def test_rounding_is_right_on_average(like, fraction):
    noise = np.arange(65536, dtype=np.uint32).astype(np.uint16)
    for number in numbers_of(like)[:40]:
        mean = widen(narrow(np.full(65536, number), noise, like)).astype(np.float64).mean()
        assert mean == pytest.approx(number, rel=2.0 ** (-fraction - 7))


def test_averages_too_small_to_be_stored_are_0():
    found = widen(narrow(np.float32([2.0**-31, 0.9 * 2.0**-31, 1e-30, 0.0]), NEAREST, AVERAGES))
    assert found.tolist() == [2.0**-31, 0.0, 0.0, 0.0]


def test_plain_rows_hold_what_is_written():
    numbers = numbers_of(REGRETS)
    assert narrow(numbers, np.uint16(65535), PLAIN) is numbers
    assert widen(numbers) is numbers


@pytest.mark.parametrize("like", [REGRETS, AVERAGES, PLAIN], ids=["regrets", "averages", "plain"])
def test_kernels_read_and_write_what_plain_python_does(like):
    numbers = numbers_of(like)
    noise = np.random.default_rng(1).integers(0, 65536, size=numbers.size, dtype=np.uint16)
    written, read = np.zeros(numbers.size, dtype=like.dtype), np.zeros_like(numbers)
    narrow_all(numbers, noise, written)
    expected = narrow(numbers, noise, like)
    assert written.tobytes() == expected.tobytes()
    widen_all(written, read)
    assert read.tobytes() == widen(expected).tobytes()


def test_halving_is_exact_until_nothing_is_left():
    averages = narrow(numbers_of(AVERAGES), NEAREST, AVERAGES)
    before = widen(averages)
    halve(averages, 3)
    kept = before >= 2.0**-28
    assert 100 < kept.sum() < kept.size - 100
    assert np.array_equal(widen(averages), np.where(kept, before / 8.0, 0.0))
    halve(averages, 40)
    assert not averages.any()


def test_the_noise_is_even_and_another_in_each_pass_and_history():
    noise = noise_for(252)
    assert noise.astype(float).mean() == pytest.approx(32767.5, rel=0.03)
    assert np.histogram(noise, bins=8, range=(0, 65536))[0].min() > noise.size / 10
    keys = np.array([key_after(3, action) for action in range(40)])
    found = {passes: noise_of(noise, passes, keys) for passes in range(1, 30)}
    assert found[1].shape == (40, 252)
    assert len({row.tobytes() for rows_ in found.values() for row in rows_}) > 0.95 * 40 * 29
    for passes, place in ((1, 0), (7, 11)):
        first = rows.first_noise(passes, keys[place])
        assert first == rows.first_noise.py_func(passes, keys[place])
        assert np.array_equal(found[passes][place], noise[first : first + 252])
