"""Small tasks for kernels that have not been compiled: Python does them as it stands.

On a new machine a kernel takes up to seconds to compile. The first answer of a command needs few
steps of it, which take Python milliseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

_FEW = 32
"""How many small calls of one kernel Python makes. A process that makes more should compile it."""

_made: Counter[Callable[..., Any]] = Counter()
"""How many small calls of each kernel Python has made."""


def small_call(kernel: Callable[..., Result], *arguments: object) -> Result:
    """Return what `kernel` returns for these arguments. Python computes it if the kernel would have
    to be compiled for it, and has not been called like this often."""
    if _made[kernel] >= _FEW or not must_be_compiled(kernel, *arguments):
        return kernel(*arguments)
    _made[kernel] += 1
    python: Callable[..., Result] = as_python(kernel)
    return python(*arguments)


def must_be_compiled(kernel: Callable[..., object], *arguments: object) -> bool:
    """Return whether calling `kernel` with these arguments would compile it: it has not been
    compiled in this process, and is not stored on disk for them."""
    compiled: Any = kernel
    if not hasattr(kernel, "py_func") or compiled.overloads:
        return False
    signature = tuple(map(compiled.typeof_pyval, arguments))
    stored = getattr(compiled._cache, "is_stored", None)  # missing if nothing can be stored
    return stored is None or not stored(signature, compiled.targetctx)


@cache
def as_python(function: Function) -> Function:
    """Return `function`, a kernel or not, as Python that compiles none of the kernels it calls."""
    plain: Any = getattr(function, "py_func", function)
    known = plain.__globals__
    called = {name for name in plain.__code__.co_names if hasattr(known.get(name), "py_func")}
    names = known | {name: as_python(known[name]) for name in called}
    copy: Any = FunctionType(
        plain.__code__, names, plain.__name__, plain.__defaults__, plain.__closure__
    )
    return copy  # type: ignore[no-any-return]
