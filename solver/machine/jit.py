"""The one place for numba decorator settings.

Kernels run without the GIL. They are cached on disk, in the directory that
`solver.machine.kernel_directory` names. Where nothing can be written, each process compiles them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import numba
import numba.core.compiler
import numba.core.errors

from zhaifei.solver.machine.inlined import InlinedCompiler, LateCompiler
from zhaifei.solver.machine.kernel_cache import KernelCache
from zhaifei.solver.machine.kernel_directory import cache_directory

Function = TypeVar("Function", bound=Callable[..., object])

OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    # Nobody takes a kernel's address from C, and the function for it takes a tenth of compiling.
    "no_cfunc_wrapper": True,
    # Sums may be reordered and maxima taken as if there were no NaN, so that both vectorise. No
    # kernel computes with a NaN. Infinities and division stay exact.
    "fastmath": {"reassoc", "contract", "nsz", "nnan"},
}

_HOT = {**OPTIONS, "_nrt": False, "forceinline": True}
"""The options of hot kernels."""

# numba checks how it has inlined our overloads, and asks users to report its findings.
warnings.filterwarnings("ignore", category=numba.core.errors.NumbaIRAssumptionWarning)

# numba's types differ between the versions we support.
_njit: Any = numba.njit
_unliteral: Any = numba.types.unliteral


def _compile(
    function: Function, options: Mapping[str, object], compiler: type = numba.core.compiler.Compiler
) -> Function:
    compiled: Any = _njit(**options, pipeline_class=compiler)(function)
    if hasattr(compiled, "get_call_template"):  # missing if NUMBA_DISABLE_JIT is set
        compiled.get_call_template = _without_literals(compiled.get_call_template)
    directory = cache_directory()
    if directory is not None:
        compiled._cache = KernelCache(function, directory, options)
    return compiled  # type: ignore[no-any-return]


def _without_literals(get_call_template: Callable[..., object]) -> Callable[..., object]:
    """Make numba compile a kernel that is called with a constant as for any value of its type.

    Otherwise it compiles the kernel and all its callees once more for the constant: wherever a loop
    begins at 0, for code that never runs.
    """

    def get(args: tuple[object, ...], keywords: Mapping[str, object]) -> object:
        plain = {name: _unliteral(kind) for name, kind in keywords.items()}
        return get_call_template(tuple(map(_unliteral, args)), plain)

    return get


def kernel(function: Function) -> Function:
    """Compile `function` on first use; `.py_func` is the function itself.

    Kernels must not call themselves: numba crashes when it loads a recursive one from its cache
    (numba issue 6061).
    """
    return _compile(function, OPTIONS)


def hot_kernel(function: Function) -> Function:
    """Compile `function` as `kernel` does, for inner steps that allocate nothing.

    Hot kernels are inlined, and do not count references to the arrays they are passed: with a tuple
    of twenty arrays, counting took three quarters of the time of a traversal. Assigning an array to
    a slice allocates (numba refuses it here); write a loop.

    Kernels that call it get code of their own, without a wrapper that takes Python's arguments and
    without machine code. Compiling these takes longer than the rest, and most hot kernels are never
    called from Python.
    """
    return _compile_hot(function, InlinedCompiler)


def step_kernel(function: Function) -> Function:
    """Compile `function` as `hot_kernel` does, but optimize it only with the kernels that inline
    it, which takes less time.

    This is for kernels without sums of floats that vectorize. Such loops would vectorize in
    another way: sums would change in the last digits, and CFR was a tenth slower.
    """
    return _compile_hot(function, LateCompiler)


def _compile_hot(function: Function, compiler: type) -> Function:
    for_python: Any = _compile(function, _HOT)
    if hasattr(for_python, "get_call_template"):

        @cache
        def for_kernels() -> Any:
            """Return the dispatcher for kernels. Most commands compile nothing and need none."""
            return _compile(function, {**_HOT, "no_cpython_wrapper": True}, compiler)

        for_python.for_kernels = for_kernels
        for_python.get_call_template = lambda *types: for_kernels().get_call_template(*types)
        for_python.get_overload = lambda *types: for_kernels().get_overload(*types)
    return for_python  # type: ignore[no-any-return]
