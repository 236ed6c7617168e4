"""Small calls: Python makes them where a kernel would have to be compiled first, and no longer once
there are many or the kernel is compiled."""

import shutil

import numpy as np

from zhaifei.solver.machine import jit, small_calls
from zhaifei.solver.machine.small_calls import as_python, must_be_compiled, small_call

OFFSET = 3


def shifted(value: int) -> int:
    return value + OFFSET


def total(values: np.ndarray) -> int:
    found = 0
    for value in values:
        found += inner(value)
    return found


inner = jit.hot_kernel(shifted)


def test_few_calls_compile_nothing_and_many_do(cache, monkeypatch) -> None:
    monkeypatch.setattr(small_calls, "_FEW", 3)
    kernel, values = jit.kernel(total), np.arange(4)
    for _ in range(3):
        assert small_call(kernel, values) == 18
        assert not kernel.signatures
    assert small_call(kernel, values) == 18
    assert len(kernel.signatures) == 1


def test_what_has_been_compiled_is_called(cache) -> None:
    kernel = jit.kernel(shifted)
    assert kernel(1) == 4
    assert not must_be_compiled(kernel, 1)
    assert small_call(kernel, 1) == 4
    assert not small_calls._made[kernel]


def test_what_is_stored_need_not_be_compiled(cache) -> None:
    assert must_be_compiled(jit.kernel(shifted), 1)
    assert jit.kernel(shifted)(1) == 4
    assert not must_be_compiled(jit.kernel(shifted), 1)
    assert must_be_compiled(jit.kernel(shifted), 1.5)


def test_where_nothing_can_be_stored_everything_must_be_compiled(cache, monkeypatch) -> None:
    broken = jit.kernel(shifted)
    shutil.rmtree(cache)
    cache.touch()
    assert must_be_compiled(broken, 1)
    monkeypatch.setattr(jit, "cache_directory", lambda: None)
    assert must_be_compiled(jit.kernel(shifted), 1)


def test_python_computes_what_a_kernel_and_its_callees_do(cache) -> None:
    kernel = jit.kernel(total)
    assert as_python(kernel)(np.arange(4)) == 18
    assert as_python(total)(np.arange(4)) == 18
    assert not kernel.signatures
    assert not inner.signatures


def test_a_plain_function_is_called_as_it_is() -> None:
    assert small_call(shifted, 1) == 4
    assert not must_be_compiled(shifted, 1)
